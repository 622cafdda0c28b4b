#include "tests/support/random_blocks.h"

#include "core/tensor/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace minerva::tests {
namespace {

enum class ScaleKind { half, brain, single, power, e4m3, nibbles };  // nibbles: IQ1_M, whose half is split into four nibbles

// Offsets of the scale and bias in a block, and the ratio of the bias to the scale that centres the values on 0.
struct BlockScales {
  ElementType type;
  ScaleKind kind;
  std::size_t first;
  int second = -1;  // -1: none
  double ratio = 0;
};
constexpr BlockScales blockScales[] = {
    {ElementType::Q8_0, ScaleKind::half, 0},           {ElementType::Q4_0, ScaleKind::half, 0},
    {ElementType::Q4_1, ScaleKind::half, 0, 2, -7.5},  {ElementType::Q5_0, ScaleKind::half, 0},
    {ElementType::Q5_1, ScaleKind::half, 0, 2, -15.5}, {ElementType::Q4_K, ScaleKind::half, 0, 2, 7.5},
    {ElementType::Q5_K, ScaleKind::half, 0, 2, 15.5},  {ElementType::Q6_K, ScaleKind::half, 208},
    {ElementType::Q2_K, ScaleKind::half, 80, 82, 1.5}, {ElementType::Q3_K, ScaleKind::half, 108},
    {ElementType::IQ4_NL, ScaleKind::half, 0},         {ElementType::IQ4_XS, ScaleKind::half, 0},
    {ElementType::MXFP4, ScaleKind::power, 0},         {ElementType::NVFP4, ScaleKind::e4m3, 0},
    {ElementType::TQ1_0, ScaleKind::half, 52},         {ElementType::TQ2_0, ScaleKind::half, 64},
    {ElementType::Q1_0, ScaleKind::half, 0},           {ElementType::Q2_0, ScaleKind::half, 0},
    {ElementType::Q8_1, ScaleKind::half, 0},           {ElementType::Q8_K, ScaleKind::single, 0},
    {ElementType::IQ1_S, ScaleKind::half, 0},          {ElementType::IQ1_M, ScaleKind::nibbles, 48},
    {ElementType::IQ2_XXS, ScaleKind::half, 0},        {ElementType::IQ2_XS, ScaleKind::half, 0},
    {ElementType::IQ2_S, ScaleKind::half, 0},          {ElementType::IQ3_XXS, ScaleKind::half, 0},
    {ElementType::IQ3_S, ScaleKind::half, 0},          {ElementType::MXFP4_PLANES, ScaleKind::power, 16},
    {ElementType::MXFP8_PLANES, ScaleKind::power, 32}, {ElementType::NVFP4_PLANES, ScaleKind::e4m3, 8},
};

bool isMlx(const ElementTypeTraits& type) { return type.type >= ElementType::MLX2_G32_F16; }

BlockScales scalesOf(const ElementTypeTraits& type) {
  for (const BlockScales& scales : blockScales) {
    if (scales.type == type.type) return scales;
  }
  const ScaleKind kind = type.parts.scale == 4 ? ScaleKind::single : type.name.ends_with("_BF16") ? ScaleKind::brain : ScaleKind::half;
  const double largest = std::pow(2.0, type.parts.codes * 8.0 / type.blockElements) - 1;
  return {type.type, kind, type.parts.codes, static_cast<int>(type.parts.codes + type.parts.scale), -largest / 2};
}

void writeScale(ScaleKind kind, std::byte* to, double value) {
  const auto single = static_cast<float>(value);
  const std::uint16_t half = floatToHalf(single), brain = floatToBfloat(single);
  switch (kind) {
    case ScaleKind::half: std::memcpy(to, &half, 2); break;
    case ScaleKind::brain: std::memcpy(to, &brain, 2); break;
    case ScaleKind::single: std::memcpy(to, &single, 4); break;
    case ScaleKind::power: *to = static_cast<std::byte>(std::clamp(127 + std::ilogb(std::abs(value)), 1, 254)); break;
    case ScaleKind::e4m3: {
      const float positive = std::max(std::abs(single), 0x1p-9F);
      traits(ElementType::F8_E4M3).quantize(&positive, to, 1);
      break;
    }
    case ScaleKind::nibbles:
      for (int i = 0; i < 4; ++i) {
        std::byte& top = to[2 * i + 1];
        top = (top & std::byte{0x0f}) | static_cast<std::byte>((half >> (4 * i) & 15) << 4);
      }
      break;
  }
}

void writeScales(std::span<std::byte> block, const BlockScales& scales, double d) {
  const std::size_t count = scales.type == ElementType::NVFP4 ? 4 : 1;
  for (std::size_t i = 0; i < count; ++i)
    writeScale(scales.kind, block.data() + scales.first + i, d * (1.0 + 0.25 * static_cast<double>(i)));
  if (scales.second >= 0) writeScale(scales.kind, block.data() + scales.second, d * scales.ratio);
}

// Random codes; the scales vary by block and are chosen to give the requested rms over all values.
void fillBlocks(Random& random, const ElementTypeTraits& t, std::span<std::byte> bytes, double rms) {
  const BlockScales scales = scalesOf(t);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(random.bits());
    if (t.type == ElementType::MXFP8_PLANES && (byte & std::byte{0x7f}) == std::byte{0x7f}) byte ^= std::byte{0x40};  // no NaN
  }
  std::vector<double> factors(bytes.size() / t.blockBytes);
  double squares = 0;
  std::vector<float> values(t.blockElements);
  for (std::size_t b = 0; b < factors.size(); ++b) {
    const std::span<std::byte> block = bytes.subspan(b * t.blockBytes, t.blockBytes);
    writeScales(block, scales, 1.0);
    t.dequantize(block.data(), values.data(), t.blockElements);
    factors[b] = random.uniform(0.5, 1.5) * (random.below(8) == 0 ? -1.0 : 1.0);
    for (const float value : values) squares += factors[b] * factors[b] * static_cast<double>(value) * value;
  }
  const double unit = std::sqrt(squares / static_cast<double>(factors.size() * t.blockElements));
  for (std::size_t b = 0; b < factors.size(); ++b) {
    writeScales(bytes.subspan(b * t.blockBytes, t.blockBytes), scales, factors[b] * rms / unit);
  }
}

bool quantizesFloats(const ElementTypeTraits& type) {
  return type.kind == ElementKind::plain || (type.type >= ElementType::F8_E4M3 && type.type <= ElementType::F8_E5M2_SCALED32);
}

}  // namespace

std::vector<ElementTypeTraits> everyMatrixType() {
  std::vector<ElementTypeTraits> types;
  for (const ElementTypeTraits& type : allElementTypes()) {
    if (type.kind != ElementKind::number) types.push_back(type);
  }
  return types;
}

std::vector<ElementTypeTraits> matrixTypes() {
  std::vector<ElementTypeTraits> types = everyMatrixType();
  std::erase_if(types, isMlx);
  for (const auto type : {ElementType::MLX2_G32_F16, ElementType::MLX3_G64_BF16, ElementType::MLX4_G64_BF16, ElementType::MLX4_G128_F32,
                          ElementType::MLX5_G32_BF16, ElementType::MLX6_G128_F16, ElementType::MLX8_G64_BF16}) {
    types.push_back(traits(type));
  }
  return types;
}

std::vector<ElementTypeTraits> typesOfEveryWay() {
  std::vector<ElementTypeTraits> types;
  for (const auto type :
       {ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::Q8_0, ElementType::Q4_0, ElementType::Q4_1, ElementType::Q4_K,
        ElementType::Q6_K, ElementType::MXFP4, ElementType::IQ3_S, ElementType::F8_E4M3, ElementType::MLX4_G64_BF16}) {
    types.push_back(traits(type));
  }
  return types;
}

void fillRandom(Random& random, const ElementTypeTraits& type, std::span<std::byte> blocks, double rms) {
  if (!quantizesFloats(type)) return fillBlocks(random, type, blocks, rms);
  std::vector<float> values(blocks.size() / type.blockBytes * type.blockElements);
  for (float& value : values) value = static_cast<float>(random.normal() * rms);
  type.quantize(values.data(), blocks.data(), values.size());
}

SplitBlocks splitBlocks(const ElementTypeTraits& type, std::span<const std::byte> blocks) {
  SplitBlocks split;
  const auto append = [](std::vector<std::byte>& to, std::span<const std::byte> part) { to.insert(to.end(), part.begin(), part.end()); };
  for (; !blocks.empty(); blocks = blocks.subspan(type.blockBytes)) {
    append(split.codes, blocks.first(type.parts.codes));
    append(split.scales, blocks.subspan(type.parts.codes, type.parts.scale));
    append(split.biases, blocks.subspan(type.parts.codes + type.parts.scale, type.parts.bias));
  }
  return split;
}

}  // namespace minerva::tests
