// Every element type against its exact reference: blocks and values of /shared/oracle/dequant, and small vectors of our own.
#include "core/base/mapped_file.h"
#include "core/format/safetensors.h"
#include "core/tensor/element_type.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace minerva {
namespace {

namespace fs = std::filesystem;

struct Vectors {
  MappedFile map;
  format::SafeTensorsFile file;

  [[nodiscard]] const format::SafeTensor& at(std::string_view name) const {
    for (const auto& tensor : file.tensors) {
      if (tensor.name == name) return tensor;
    }
    throw std::runtime_error("the vectors lack " + std::string(name));
  }
};

Vectors load(const fs::path& path) {
  auto map = MappedFile::open(path);
  if (!map) throw std::runtime_error(map.error().message());
  auto file = format::readSafeTensors(map->bytes(), path.string());
  if (!file) throw std::runtime_error(file.error().message());
  return {std::move(*map), std::move(*file)};
}

std::vector<float> floatsOf(const format::SafeTensor& tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

class EveryType : public testing::TestWithParam<ElementType> {};

// GGUF types for which the folder has vectors made with its tools. There are none for F32 and integers, which are stored
// unchanged, nor for Q8_1, which never occurs in a file.
bool hasVectors(const ElementTypeTraits& type) {
  return type.ggmlId != noGgmlId && type.kind != ElementKind::number && type.type != ElementType::F32 && type.type != ElementType::Q8_1;
}

// The folder's file for this type must dequantize to exactly the same bits.
void expectExact(const ElementTypeTraits& type, const fs::path& path) {
  const Vectors vectors = load(path);
  const auto& blocks = vectors.at("blocks");
  const std::vector<float> expected = floatsOf(vectors.at("values"));
  ASSERT_EQ(blocks.bytes.size() / type.blockBytes * type.blockElements, expected.size());
  std::vector<float> actual(expected.size());
  type.dequantize(blocks.bytes.data(), actual.data(), actual.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(expected[i]) == std::bit_cast<std::uint32_t>(actual[i])) continue;
    if (++different <= 5) ADD_FAILURE() << type.name << " element " << i << ": expected " << expected[i] << ", found " << actual[i];
  }
  EXPECT_EQ(different, 0U);
  testing::Test::RecordProperty("values", std::to_string(expected.size()));
}

TEST_P(EveryType, DequantizesExactlyAsTheOracle) {
  const auto& type = traits(GetParam());
  const fs::path path = fs::path(MINERVA_SHARED_DIR) / "oracle/dequant" / (std::string(type.name) + ".safetensors");
  if (!hasVectors(type)) return;
  if (!fs::exists(path)) GTEST_SKIP() << "skipped: no " << path;
  expectExact(type, path);
}

TEST_P(EveryType, DequantizesExactlyAsOurOwnVectors) {
  const auto& type = traits(GetParam());
  if (!hasVectors(type)) return;
  expectExact(type, fs::path(MINERVA_TEST_DATA) / "tensor" / (std::string(type.name) + ".safetensors"));
}

// Blocks that ggml's own quantizer made from the same rows: Gaussian, sparse, zero, constant, of one sign, of widely mixed
// magnitudes, tiny.
TEST_P(EveryType, QuantizesToTheReferencesBytes) {
  const auto& type = traits(GetParam());
  if (!hasVectors(type) || type.quantize == nullptr) return;
  const Vectors vectors = load(fs::path(MINERVA_TEST_DATA) / "tensor/quantized.safetensors");
  const std::vector<float> input = floatsOf(vectors.at("input"));
  const auto& reference = vectors.at(type.name);
  std::vector<std::byte> blocks(bytesOf(type.type, input.size()));
  ASSERT_EQ(blocks.size(), reference.bytes.size());
  type.quantize(input.data(), blocks.data(), input.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    // For IQ4_NL blocks with a scale of 0, ggml leaves the codes of the previous block.
    const std::size_t block = i / type.blockBytes * type.blockBytes;
    if (type.type == ElementType::IQ4_NL && reference.bytes[block] == std::byte{0} && reference.bytes[block + 1] == std::byte{0} &&
        i >= block + 2)
      continue;
    different += blocks[i] != reference.bytes[i];
  }
  EXPECT_EQ(different, 0U) << "of " << blocks.size() << " bytes";
}

// Quantizing values that are already quantized changes them much less than the first time.
TEST_P(EveryType, QuantizingTwiceIsStable) {
  const auto& type = traits(GetParam());
  if (type.quantize == nullptr) return;
  const Vectors vectors = load(fs::path(MINERVA_TEST_DATA) / "tensor/quantized.safetensors");
  const std::vector<float> input = floatsOf(vectors.at("input"));
  const auto round = [&](const std::vector<float>& values) {
    std::vector<std::byte> blocks(bytesOf(type.type, values.size()));
    type.quantize(values.data(), blocks.data(), values.size());
    std::vector<float> result(values.size());
    type.dequantize(blocks.data(), result.data(), result.size());
    return result;
  };
  const std::vector<float> once = round(input), twice = round(once);
  double first = 0, second = 0;
  for (std::size_t i = 0; i < input.size(); ++i) {
    first += std::pow(static_cast<double>(once[i]) - static_cast<double>(input[i]), 2.0);
    second += std::pow(static_cast<double>(twice[i]) - static_cast<double>(once[i]), 2.0);
  }
  EXPECT_LE(std::sqrt(second), 0.25 * std::sqrt(first)) << type.name;
}

// Values that no reference defines but a hostile or broken tensor may contain: no undefined behaviour (run with sanitizers).
TEST_P(EveryType, SurvivesValuesThatAreNotNumbers) {
  const auto& type = traits(GetParam());
  std::vector<float> input(256, 1.0F);
  input[3] = std::numeric_limits<float>::infinity();
  input[70] = -std::numeric_limits<float>::infinity();
  input[140] = std::numeric_limits<float>::quiet_NaN();
  input[200] = std::numeric_limits<float>::denorm_min();
  std::vector<std::byte> blocks(bytesOf(type.type, input.size()));
  if (type.quantize != nullptr) type.quantize(input.data(), blocks.data(), input.size());
  std::vector<float> values(input.size());
  type.dequantize(blocks.data(), values.data(), values.size());
  SUCCEED();
}

std::vector<ElementType> everyType() {
  std::vector<ElementType> types;
  for (const auto& type : allElementTypes()) types.push_back(type.type);
  return types;
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType, testing::ValuesIn(everyType()),
                         [](const auto& info) { return std::string(traits(info.param).name); });

TEST(ElementTypes, AreFoundByIdAndName) {
  for (const auto& type : allElementTypes()) {
    EXPECT_EQ(&traits(type.type), &type);
    EXPECT_EQ(findElementTypeByGgmlId(type.ggmlId), type.ggmlId == noGgmlId ? nullptr : &type);
    EXPECT_EQ(findElementType(type.name), &type);
  }
  EXPECT_EQ(findElementType("q4_k"), findElementType("Q4_K"));
  EXPECT_EQ(findElementType("Q4_Z"), nullptr);
  EXPECT_EQ(findElementTypeByGgmlId(4), nullptr);
  EXPECT_EQ(bytesOf(ElementType::Q4_K, 512), 288U);
  EXPECT_EQ(bytesOf(ElementType::BF16, 3), 6U);
}

TEST(ElementTypes, MlxTypesAreNamedByBitsGroupAndScale) {
  for (const int bits : {2, 3, 4, 5, 6, 8}) {
    for (const int group : {32, 64, 128}) {
      for (const auto scales : {ElementType::F16, ElementType::BF16, ElementType::F32}) {
        const auto* type = mlxType(bits, group, scales);
        ASSERT_NE(type, nullptr);
        EXPECT_EQ(type->name, "MLX" + std::to_string(bits) + "_G" + std::to_string(group) + "_" + std::string(traits(scales).name));
        EXPECT_EQ(type->blockElements, static_cast<unsigned>(group));
        EXPECT_EQ(type->blockBytes, static_cast<unsigned>(group * bits / 8) + 2 * traits(scales).blockBytes);
      }
    }
  }
  EXPECT_EQ(mlxType(7, 64, ElementType::F16), nullptr);
  EXPECT_EQ(mlxType(4, 16, ElementType::F16), nullptr);
  EXPECT_EQ(mlxType(4, 64, ElementType::Q4_0), nullptr);
}

// Every code of every 8-bit float: rounding a representable value returns it.
TEST(ElementTypes, EightBitFloatsRoundToThemselves) {
  for (const auto id : {ElementType::F8_E4M3, ElementType::F8_E5M2}) {
    const auto& type = traits(id);
    for (int code = 0; code < 256; ++code) {
      const auto byte = static_cast<std::byte>(code);
      float value = 0;
      type.dequantize(&byte, &value, 1);
      if (!std::isfinite(value)) continue;
      std::byte again{};
      type.quantize(&value, &again, 1);
      EXPECT_EQ(again, byte) << type.name << " " << code;
    }
  }
  // A tie that rounds to even, a value that rounds to the nearest, and one above the largest.
  const std::array<float, 3> between{1.0625F, -17.1F, 1e9F};
  std::array<std::byte, 3> codes{};
  traits(ElementType::F8_E4M3).quantize(between.data(), codes.data(), 3);
  std::array<float, 3> rounded{};
  traits(ElementType::F8_E4M3).dequantize(codes.data(), rounded.data(), 3);
  EXPECT_EQ(rounded, (std::array<float, 3>{1.0F, -18.0F, 448.0F}));
}

}  // namespace
}  // namespace minerva
