// MLX's affine quantization: a group of 32, 64 or 128 codes of 2 to 8 bits in order, the first in the lowest bits of the
// first byte, then scale and bias: value = scale * code + bias. One template makes every row.
#include "core/tensor/half.h"
#include "core/tensor/types/rows.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace minerva::types {

namespace {

struct Half {
  static constexpr std::string_view name = "F16";
  static constexpr std::size_t bytes = 2;
  static float load(const std::byte* from) { return loadHalf(from); }
};
struct Brain {
  static constexpr std::string_view name = "BF16";
  static constexpr std::size_t bytes = 2;
  static float load(const std::byte* from) { return bfloatToFloat(loadU16(from)); }
};
struct Single {
  static constexpr std::string_view name = "F32";
  static constexpr std::size_t bytes = 4;
  static float load(const std::byte* from) {
    float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
};

// Eight codes are as many bytes as a code has bits.
template <std::size_t Bits, std::size_t Group, class Scale>
void dequantizeAffine(const std::byte* block, float* values, std::size_t n) {
  constexpr std::size_t codeBytes = Group * Bits / 8;
  for (std::size_t b = 0; b < n / Group; ++b, block += codeBytes + 2 * Scale::bytes) {
    const float scale = Scale::load(block + codeBytes);
    const float bias = Scale::load(block + codeBytes + Scale::bytes);
    for (std::size_t at = 0; at < codeBytes; at += Bits, values += 8) {
      std::uint64_t codes = 0;
      std::memcpy(&codes, block + at, Bits);
      for (std::size_t i = 0; i < 8; ++i) values[i] = scale * static_cast<float>(codes >> (i * Bits) & ((1u << Bits) - 1)) + bias;
    }
  }
}

template <std::size_t Bits, std::size_t Group, class Scale>
constexpr auto nameOf = [] {  // "MLX4_G64_BF16"
  std::array<char, 16> text{};
  auto end = text.begin();
  const auto add = [&](std::string_view part) { end = std::ranges::copy(part, end).out; };
  add("MLX");
  *end++ = static_cast<char>('0' + Bits);
  add(Group == 32 ? "_G32_" : Group == 64 ? "_G64_" : "_G128_");
  add(Scale::name);
  return text;
}();

constexpr std::array<int, 6> widths{2, 3, 4, 5, 6, 8};
constexpr std::array<int, 3> groupSizes{32, 64, 128};
constexpr std::array<ElementType, 3> scaleTypes{ElementType::F16, ElementType::BF16, ElementType::F32};
constexpr std::size_t count = widths.size() * groupSizes.size() * scaleTypes.size();

constexpr ElementType typeAt(std::size_t index) {
  return static_cast<ElementType>(static_cast<std::size_t>(ElementType::MLX2_G32_F16) + index);
}

template <std::size_t Index>
constexpr ElementTypeTraits affineRow() {
  constexpr std::size_t bits = widths[Index / 9], group = groupSizes[Index / 3 % 3];
  using Scale = std::conditional_t<Index % 3 == 0, Half, std::conditional_t<Index % 3 == 1, Brain, Single>>;
  constexpr BlockParts parts{group * bits / 8, Scale::bytes, Scale::bytes};
  return {typeAt(Index),
          nameOf<bits, group, Scale>.data(),
          noGgmlId,
          group,
          parts.codes + parts.scale + parts.bias,
          dequantizeAffine<bits, group, Scale>,
          nullptr,
          ElementKind::coded,
          parts};
}

template <std::size_t... Index>
constexpr std::array<ElementTypeTraits, count> rows(std::index_sequence<Index...>) {
  return {{affineRow<Index>()...}};
}

}  // namespace

constinit const std::array<ElementTypeTraits, count> mlxRows = rows(std::make_index_sequence<count>{});

namespace {

const ElementTypeTraits* mlxRow(int bits, int group, ElementType scales) {
  const auto width = std::ranges::find(widths, bits), size = std::ranges::find(groupSizes, group);
  const auto scale = std::ranges::find(scaleTypes, scales);
  if (width == widths.end() || size == groupSizes.end() || scale == scaleTypes.end()) return nullptr;
  const auto index = (width - widths.begin()) * 9 + (size - groupSizes.begin()) * 3 + (scale - scaleTypes.begin());
  return &traits(typeAt(static_cast<std::size_t>(index)));
}

}  // namespace

}  // namespace minerva::types

namespace minerva {

const ElementTypeTraits* mlxType(int bits, int group, ElementType scales) { return types::mlxRow(bits, group, scales); }

}  // namespace minerva
