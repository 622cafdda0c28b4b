// compressed-tensors' packed integers against their definition: (code - zero) * scale.
#include "core/format/model_file.h"
#include "core/format/safetensors.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/random_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

namespace minerva::format {
namespace {

struct Packed {
  int bits = 4;
  std::int64_t rows = 24, columns = 256, group = 128;
  bool zeros = false;
  std::string scaleType = "BF16";
  std::optional<std::vector<std::int32_t>> order{};
};

struct Written {
  std::vector<std::uint32_t> codes, zeroCodes;  // one a weight; one a group
  std::vector<float> scales;
};

template <class T>
std::span<const std::byte> bytesOfAll(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

// Writes the folder's only layer, "L".
Written write(const TemporaryFolder& folder, const Packed& how) {
  tests::Random random(3);
  Written out;
  const std::int64_t groups = how.columns / how.group, inWord = 32 / how.bits;
  const auto code = [&] { return static_cast<std::uint32_t>(random.below(1U << how.bits)); };
  std::vector<std::uint32_t> words(static_cast<std::size_t>(how.rows * how.columns / inWord));
  for (std::size_t i = 0; i < static_cast<std::size_t>(how.rows * how.columns); ++i) {
    out.codes.push_back(code());
    words[i / static_cast<std::size_t>(inWord)] |= out.codes.back()
                                                   << (i % static_cast<std::size_t>(inWord) * static_cast<std::size_t>(how.bits));
  }
  const std::int64_t zeroRows = (how.rows + inWord - 1) / inWord;
  std::vector<std::uint32_t> zeroWords(static_cast<std::size_t>(zeroRows * groups));
  for (std::int64_t row = 0; row < how.rows; ++row) {
    for (std::int64_t group = 0; group < groups; ++group) {
      out.zeroCodes.push_back(how.zeros ? code() : 1U << (how.bits - 1));
      zeroWords[static_cast<std::size_t>(row / inWord * groups + group)] |= out.zeroCodes.back() << (row % inWord * how.bits);
    }
  }
  const ElementTypeTraits& scale = *findElementType(how.scaleType);
  std::vector<std::byte> scales(static_cast<std::size_t>(how.rows * groups) * scale.blockBytes);
  for (std::size_t i = 0; i < static_cast<std::size_t>(how.rows * groups); ++i) {
    const auto wanted = static_cast<float>(0.01 + 0.001 * random.normal());
    scale.quantize(&wanted, scales.data() + i * scale.blockBytes, 1);
    out.scales.emplace_back();
    scale.dequantize(scales.data() + i * scale.blockBytes, &out.scales.back(), 1);
  }
  const std::vector<std::int64_t> shape{how.rows, how.columns};
  std::vector<SafeTensor> tensors{{"L.weight_packed", "I32", {how.rows, how.columns / inWord}, bytesOfAll(words)},
                                  {"L.weight_scale", how.scaleType, {how.rows, groups}, scales},
                                  {"L.weight_shape", "I64", {2}, bytesOfAll(shape)}};
  if (how.zeros) tensors.push_back({"L.weight_zero_point", "I32", {zeroRows, groups}, bytesOfAll(zeroWords)});
  if (how.order) tensors.push_back({"L.weight_g_idx", "I32", {how.columns}, bytesOfAll(*how.order)});
  EXPECT_TRUE(writeSafeTensors(folder.path() / "model.safetensors", tensors));
  folder.write("config.json", R"({"quantization_config": {"quant_method": "compressed-tensors", "format": "pack-quantized"}})");
  return out;
}

std::vector<std::int32_t> mixedOrder() {
  std::vector<std::int32_t> order(256);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i % 2);
  return order;
}

TEST(PackedIntegers, AreWorthWhatTheirCodesSay) {
  const std::pair<Packed, const char*> cases[] = {{{}, "MLX4_G128_BF16"},
                                                  {{.group = 32}, "MLX4_G32_BF16"},
                                                  {{.group = 64, .scaleType = "F16"}, "MLX4_G64_F16"},
                                                  {{.group = 256}, "MLX4_G128_BF16"},
                                                  {{.bits = 8, .scaleType = "F16"}, "MLX8_G128_F16"},
                                                  {{.bits = 8, .group = 256}, "MLX8_G128_BF16"},
                                                  {{.rows = 21, .group = 64, .zeros = true}, "MLX4_G64_F32"},
                                                  {{.bits = 8, .columns = 96, .group = 96, .zeros = true}, "MLX8_G32_F32"},
                                                  {{.group = 16}, "BF16"},
                                                  {{.zeros = true, .scaleType = "F16", .order = mixedOrder()}, "F16"}};
  for (const auto& [how, type] : cases) {
    SCOPED_TRACE(type);
    const TemporaryFolder folder;
    const Written written = write(folder, how);
    const auto file = ModelFile::open(folder.path());
    ASSERT_TRUE(file) << file.error().message();
    ASSERT_EQ((*file)->tensors().size(), 1U);
    const TensorView* view = (*file)->find("L.weight");
    ASSERT_NE(view, nullptr);
    EXPECT_EQ(traits(view->type).name, type);
    EXPECT_EQ((*file)->warnings().size(), view->apart() ? 0U : 1U);
    std::vector<float> values(written.codes.size());
    dequantizeRows(*view, 0, static_cast<std::size_t>(how.rows), values.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto columns = static_cast<std::size_t>(how.columns), each = static_cast<std::size_t>(how.group);
      const std::size_t inRow = how.order ? static_cast<std::size_t>((*how.order)[i % columns]) : i % columns / each;
      const std::size_t group = i / columns * (columns / each) + inRow;
      const int steps = static_cast<int>(written.codes[i]) - static_cast<int>(written.zeroCodes[group]);
      float expected = static_cast<float>(steps) * written.scales[group];
      if (!view->apart()) {
        std::byte stored[4];
        traits(view->type).quantize(&expected, stored, 1);
        traits(view->type).dequantize(stored, &expected, 1);
      }
      ASSERT_EQ(values[i], expected) << i;
    }
  }
}

TEST(PackedIntegers, WhatCannotBeReadIsSaid) {
  std::vector<std::int32_t> inOrder(256);
  for (std::size_t i = 0; i < inOrder.size(); ++i) inOrder[i] = static_cast<std::int32_t>(i / 128);
  const auto opened = [](const Packed& how) {
    const TemporaryFolder folder;
    write(folder, how);
    const auto file = ModelFile::open(folder.path());
    return file ? std::string() : file.error().actual;
  };
  EXPECT_EQ(opened({.order = inOrder}), "");
  inOrder[255] = 2;
  EXPECT_EQ(opened({.order = inOrder}), "2");
  EXPECT_NE(opened({.bits = 2}), "");
}

}  // namespace
}  // namespace minerva::format
