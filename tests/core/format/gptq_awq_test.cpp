// Folders of GPTQ and AWQ against their definition, (code - zero) * scale, written as their own packers write them.
#include "core/format/model_file.h"
#include "core/format/safetensors.h"
#include "core/tensor/arrangement.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/random_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

namespace minerva::format {
namespace {

struct Made {
  bool awq = false;
  int bits = 4;
  std::int64_t rows = 64, columns = 256, groups = 2;
  const char* settings = R"("quant_method": "gptq")";
  std::uint32_t less = 1;  // by which stored zeros are less
  std::vector<std::int32_t> order{};
  std::string scaleType = "F16";
};

struct Values {
  std::vector<std::uint32_t> codes, zeros;  // [rows][columns], [groups][rows]
  std::vector<float> scales;                // [groups][rows]
};

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// A stream of numbers down each of `width` columns of words, lowest bits first, a bit at a time.
std::vector<std::uint32_t> packedDown(const std::function<std::uint32_t(std::int64_t down, std::int64_t across)>& number,
                                      std::int64_t count, std::int64_t width, int bits) {
  std::vector<std::uint32_t> words(at(count * bits / 32 * width));
  for (std::int64_t i = 0; i < count * bits; ++i)
    for (std::int64_t across = 0; across < width; ++across)
      words[at(i / 32 * width + across)] |= (number(i / bits, across) >> (i % bits) & 1U) << (i % 32);
  return words;
}

// Eight numbers of a row in a word, in the order in which AutoAWQ packs them.
std::vector<std::uint32_t> packedAcross(const std::function<std::uint32_t(std::int64_t down, std::int64_t across)>& number,
                                        std::int64_t count, std::int64_t width) {
  constexpr std::int64_t order[] = {0, 2, 4, 6, 1, 3, 5, 7};
  std::vector<std::uint32_t> words(at(count * width / 8));
  for (std::int64_t down = 0; down < count; ++down)
    for (std::int64_t word = 0; word < width / 8; ++word)
      for (int i = 0; i < 8; ++i) words[at(down * width / 8 + word)] |= number(down, word * 8 + order[i]) << (4 * i);
  return words;
}

std::vector<std::uint32_t> packedZeros(const Made& how, const Values& values) {
  const auto zero = [&](std::int64_t group, std::int64_t row) { return values.zeros[at(group * how.rows + row)] - how.less; };
  if (how.awq) return packedAcross(zero, how.groups, how.rows);
  // The words of a group lie side by side.
  std::vector<std::uint32_t> words;
  for (std::int64_t group = 0; group < how.groups; ++group) {
    const auto more = packedDown([&](std::int64_t row, std::int64_t) { return zero(group, row); }, how.rows, 1, how.bits);
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

template <class T>
std::span<const std::byte> bytesOfEach(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

// Writes the folder's only layer, "L".
Values writeLayer(const TemporaryFolder& folder, const Made& how) {
  tests::Random random(5);
  Values out;
  const auto code = [&](std::uint32_t least) { return least + static_cast<std::uint32_t>(random.below((1U << how.bits) - least)); };
  for (std::int64_t i = 0; i < how.rows * how.columns; ++i) out.codes.push_back(code(0));
  for (std::int64_t i = 0; i < how.rows * how.groups; ++i) out.zeros.push_back(code(how.less));
  const ElementTypeTraits& scale = *findElementType(how.scaleType);
  std::vector<std::byte> scales(at(how.rows * how.groups) * scale.blockBytes);
  for (std::size_t i = 0; i < at(how.rows * how.groups); ++i) {
    const auto wanted = static_cast<float>(static_cast<int>(600 + 60 * random.normal()) * 0x1p-16);  // exact products, whatever the type
    scale.quantize(&wanted, scales.data() + i * scale.blockBytes, 1);
    scale.dequantize(scales.data() + i * scale.blockBytes, &out.scales.emplace_back(), 1);
  }
  const auto codeAt = [&](std::int64_t column, std::int64_t row) { return out.codes[at(row * how.columns + column)]; };
  const auto words = how.awq ? packedAcross(codeAt, how.columns, how.rows) : packedDown(codeAt, how.columns, how.rows, how.bits);
  const auto zeros = packedZeros(how, out);
  const std::int64_t acrossRows = how.rows * how.bits / 32;
  const std::vector<std::int64_t> shape{how.awq ? how.columns : how.columns * how.bits / 32, how.awq ? acrossRows : how.rows};
  std::vector<SafeTensor> tensors{{"L.qweight", "I32", shape, bytesOfEach(words)},
                                  {"L.qzeros", "I32", {how.groups, acrossRows}, bytesOfEach(zeros)},
                                  {"L.scales", how.scaleType, {how.groups, how.rows}, scales}};
  if (!how.order.empty()) tensors.push_back({"L.g_idx", "I32", {std::ssize(how.order)}, bytesOfEach(how.order)});
  EXPECT_TRUE(writeSafeTensors(folder.path() / "model.safetensors", tensors));
  folder.write("config.json", std::string("{\"quantization_config\": {") + how.settings + "}}");
  return out;
}

std::vector<std::int32_t> mixedGroups(std::int64_t columns, std::int32_t groups) {
  std::vector<std::int32_t> order;
  for (std::int64_t i = 0; i < columns; ++i) order.push_back(static_cast<std::int32_t>(i * 7 % groups));
  return order;
}

std::vector<std::int32_t> inOrderOf(std::int64_t columns, std::int64_t group) {
  std::vector<std::int32_t> order;
  for (std::int64_t i = 0; i < columns; ++i) order.push_back(static_cast<std::int32_t>(i / group));
  return order;
}

constexpr const char* secondForm = R"("quant_method": "gptq", "checkpoint_format": "gptq_v2")";
constexpr const char* inAnyOrder = R"("quant_method": "gptq", "desc_act": true)";

struct LayerForm {
  Made made;
  const char* type;
};

std::vector<LayerForm> everyForm() {
  constexpr const char* awq = R"("quant_method": "awq", "version": "GEMM", "zero_point": true)";
  return {{{}, "MLX4_G128_F32"},
          {{.bits = 2}, "MLX2_G128_F32"},
          {{.bits = 3}, "MLX3_G128_F32"},
          {{.bits = 8, .scaleType = "BF16"}, "MLX8_G128_F32"},
          {{.groups = 1, .scaleType = "F32"}, "MLX4_G128_F32"},
          {{.columns = 192, .groups = 2}, "MLX4_G32_F32"},
          {{.groups = 4, .settings = secondForm, .less = 0}, "MLX4_G64_F32"},
          {{.bits = 3, .rows = 96, .settings = secondForm, .less = 0}, "MLX3_G128_F32"},
          {{.settings = inAnyOrder, .order = inOrderOf(256, 128)}, "MLX4_G128_F32"},
          {{.settings = inAnyOrder, .order = mixedGroups(256, 2)}, "F16"},
          {{.bits = 3, .groups = 4, .settings = inAnyOrder, .order = mixedGroups(256, 4), .scaleType = "F32"}, "F32"},
          {{.groups = 16}, "F16"},
          {{.awq = true, .settings = awq, .less = 0}, "MLX4_G128_F32"},
          {{.awq = true, .rows = 200, .columns = 320, .groups = 5, .settings = R"("quant_method": "awq")", .less = 0}, "MLX4_G64_F32"},
          {{.awq = true, .settings = R"("quant_method": "intel/auto-round", "packing_format": "auto_round:auto_awq")", .less = 0},
           "MLX4_G128_F32"},
          {{.settings = R"("quant_method": "auto-round", "packing_format": "auto_round:auto_gptq")"}, "MLX4_G128_F32"}};
}

// The values as a float of this type has them.
std::vector<float> expectedOf(const Made& how, const Values& values, const ElementTypeTraits& type) {
  std::vector<float> out;
  for (std::int64_t row = 0; row < how.rows; ++row) {
    for (std::int64_t column = 0; column < how.columns; ++column) {
      const bool ordered = std::string(how.settings) == inAnyOrder;
      const std::int64_t group = ordered ? how.order[at(column)] : column / (how.columns / how.groups);
      const std::size_t scale = at(group * how.rows + row);
      float value =
          static_cast<float>(static_cast<int>(values.codes[at(row * how.columns + column)]) - static_cast<int>(values.zeros[scale])) *
          values.scales[scale];
      if (type.kind == ElementKind::plain) {
        std::byte stored[4];
        type.quantize(&value, stored, 1);
        type.dequantize(stored, &value, 1);
      }
      out.push_back(value);
    }
  }
  return out;
}

TEST(GptqAndAwq, AreWorthWhatTheirCodesSay) {
  for (const auto& [how, type] : everyForm()) {
    SCOPED_TRACE(std::string(how.settings) + " " + std::to_string(how.bits) + " " + type);
    const TemporaryFolder folder;
    const Values written = writeLayer(folder, how);
    const auto file = ModelFile::open(folder.path());
    ASSERT_TRUE(file) << file.error().message() << file.error().actual;
    ASSERT_EQ((*file)->tensors().size(), 1U);
    const TensorView* view = (*file)->find("L.weight");
    ASSERT_NE(view, nullptr);
    EXPECT_EQ(traits(view->type).name, type);
    EXPECT_EQ((*file)->warnings().size(), view->apart() ? 0U : 1U);
    const std::vector<float> expected = expectedOf(how, written, traits(view->type));
    std::vector<float> values(expected.size());
    dequantizeRows(*view, 0, at(how.rows), values.data());
    EXPECT_EQ(values, expected);
    // Any rows of it, of slices and of matrices that consist of it.
    const TensorView slice = sliceRows(*view, 5, how.rows - 9);
    ASSERT_TRUE(wellFormed(slice));
    std::vector<float> some(at(17 * how.columns));
    dequantizeRows(slice, 6, 17, some.data());
    EXPECT_TRUE(std::equal(some.begin(), some.end(), expected.begin() + 11 * how.columns));
    const TensorView both = joined({*view, *view}, {{2, how.rows, how.columns, 1}, 3});
    ASSERT_TRUE(wellFormed(both));
    dequantizeRows(both, at(how.rows - 8), 17, some.data());
    EXPECT_TRUE(std::equal(some.begin(), some.begin() + 8 * how.columns, expected.end() - 8 * how.columns));
    EXPECT_TRUE(std::equal(some.begin() + 8 * how.columns, some.end(), expected.begin()));
    const TensorView groups = rowGroups(*view, {{8, how.columns, 1, 1}, 2}, 4, 16, 3);
    ASSERT_TRUE(wellFormed(groups));
    dequantizeRows(groups, 0, 8, some.data());
    for (std::int64_t row : {0, 5})
      EXPECT_TRUE(std::equal(some.begin() + row * how.columns, some.begin() + (row + 1) * how.columns,
                             expected.begin() + (row / 4 * 16 + 3 + row % 4) * how.columns));
    const TensorView turned = transposedGroups(*view, {{how.columns, how.rows, 1, 1}, 2}, 0);
    ASSERT_TRUE(wellFormed(turned));
    dequantizeRows(turned, 9, 1, some.data());
    for (std::int64_t row = 0; row < how.rows; ++row) ASSERT_EQ(some[at(row)], expected[at(row * how.columns + 9)]);
  }
}

// A zero of 0 borrows from the next one in GPTQ's first format, which adding one to the words gives back.
TEST(GptqAndAwq, ZerosThatAreStoredAsOneLess) {
  const TemporaryFolder folder;
  writeLayer(folder, {.rows = 32, .columns = 128, .groups = 1});
  const std::vector<std::uint32_t> codes(16 * 32, 0), zeros(4, 0x05f30001U - 0x11111111U);
  const std::vector<std::byte> scales = [] {
    std::vector<std::byte> out(32 * 2);
    for (std::size_t i = 0; i < 32; ++i) out[2 * i + 1] = std::byte{0x3c};  // 1
    return out;
  }();
  const std::vector<SafeTensor> tensors{{"L.qweight", "I32", {16, 32}, bytesOfEach(codes)},
                                        {"L.qzeros", "I32", {1, 4}, bytesOfEach(zeros)},
                                        {"L.scales", "F16", {1, 32}, scales}};
  ASSERT_TRUE(writeSafeTensors(folder.path() / "model.safetensors", tensors));
  const auto file = ModelFile::open(folder.path());
  ASSERT_TRUE(file) << file.error().message();
  std::vector<float> values(32 * 128);
  dequantizeRows(*(*file)->find("L.weight"), 0, 32, values.data());
  const float expected[] = {1, 0, 0, 0, 3, 15, 5, 0};
  for (std::size_t row = 0; row < 32; ++row) EXPECT_EQ(values[row * 128], -expected[row % 8]) << row;
}

TEST(GptqAndAwq, WhatCannotBeReadIsSaid) {
  const auto opened = [](const Made& how) {
    const TemporaryFolder folder;
    writeLayer(folder, how);
    const auto file = ModelFile::open(folder.path());
    return file ? std::string("opened") : file.error().what + " " + file.error().expected + " " + file.error().actual;
  };
  EXPECT_NE(opened({.settings = R"("quant_method": "gptq", "checkpoint_format": "marlin")"}).find("marlin"), std::string::npos);
  EXPECT_NE(opened({.settings = R"("quant_method": "gptq", "is_marlin_format": true)"}), "opened");
  EXPECT_NE(opened({.awq = true, .settings = R"("quant_method": "awq", "version": "gemv")"}).find("gemv"), std::string::npos);
  EXPECT_NE(opened({.settings = R"("quant_method": "auto-round")"}), "opened");
  std::vector<std::int32_t> wrong = inOrderOf(256, 128);
  wrong[77] = 2;
  EXPECT_NE(opened({.settings = inAnyOrder, .order = wrong}).find("column 77"), std::string::npos);
  wrong[77] = -1;
  EXPECT_NE(opened({.settings = inAnyOrder, .order = wrong}).find("column 77"), std::string::npos);
  wrong.pop_back();
  EXPECT_NE(opened({.settings = inAnyOrder, .order = wrong}).find("[255]"), std::string::npos);
  EXPECT_NE(opened({.groups = 3}).find("groups that divide 256"), std::string::npos);
}

TEST(GptqAndAwq, PartsThatDoNotFit) {
  const std::vector<std::uint32_t> words(32 * 64), few(2 * 8);
  const std::vector<std::uint16_t> scales(2 * 64);
  const std::vector<SafeTensor> right{{"L.qweight", "I32", {32, 64}, bytesOfEach(words)},
                                      {"L.qzeros", "I32", {2, 8}, bytesOfEach(few)},
                                      {"L.scales", "F16", {2, 64}, bytesOfEach(scales)}};
  const auto opened = [](const std::vector<SafeTensor>& tensors, const char* method) {
    const TemporaryFolder folder;
    EXPECT_TRUE(writeSafeTensors(folder.path() / "model.safetensors", tensors));
    folder.write("config.json", std::string(R"({"quantization_config": {"quant_method": ")") + method + "\"}}");
    const auto file = ModelFile::open(folder.path());
    return file ? std::string("opened") : file.error().what;
  };
  EXPECT_EQ(opened(right, "gptq"), "opened");
  std::vector<SafeTensor> scaled = right;
  scaled.push_back({"L.act.scales", "F16", {64}, bytesOfEach(scales).first(128)});
  EXPECT_NE(opened(scaled, "gptq").find("L.act.scales scales activations"), std::string::npos);
  for (std::size_t missing : {1, 2}) {
    std::vector<SafeTensor> some = right;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_NE(opened(some, "gptq").find("lacks its scales or zeros"), std::string::npos);
  }
  const std::pair<std::size_t, std::vector<std::int64_t>> wrong[] = {{0, {64, 32}}, {0, {2048}},  {1, {8, 2}},  {1, {16}},
                                                                     {2, {128}},    {2, {4, 32}}, {2, {1, 128}}};
  for (const auto& [tensor, shape] : wrong) {
    std::vector<SafeTensor> some = right;
    some[tensor].shape = shape;
    for (const char* method : {"gptq", "awq"}) {
      const std::string what = opened(some, method);
      EXPECT_NE(what, "opened") << method << tensor;
      EXPECT_NE(what.find("Tensor L."), std::string::npos) << what;
    }
  }
}

}  // namespace
}  // namespace minerva::format
