// Weights whose codes and scales are separate tensors, and models split into several files: the small folders of
// tests/data/format against values and files from other tools (see the README there).
#include "core/format/model_file.h"
#include "core/format/safetensors.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace minerva::format {
namespace {

const std::filesystem::path data = std::filesystem::path(MINERVA_TEST_DATA) / "format";

std::vector<float> valuesOf(const TensorView& view) {
  std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
  dequantizeRows(view, 0, static_cast<std::size_t>(view.shape.rows()), values.data());
  return values;
}

// Every tensor of the model equals the expected one bit for bit, and there are no others.
void compare(const ModelFile& file, const std::filesystem::path& expectedPath) {
  const auto map = MappedFile::open(expectedPath);
  ASSERT_TRUE(map) << map.error().message();
  const auto expected = readSafeTensors(map->bytes(), expectedPath.string());
  ASSERT_TRUE(expected) << expected.error().message();
  EXPECT_EQ(file.tensors().size(), expected->tensors.size());
  for (const SafeTensor& tensor : expected->tensors) {
    const TensorView* view = file.find(tensor.name);
    ASSERT_NE(view, nullptr) << tensor.name;
    ASSERT_EQ(view->shape.rank, static_cast<int>(tensor.shape.size())) << tensor.name;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) ASSERT_EQ(view->shape.dims[i], tensor.shape[i]) << tensor.name;
    const std::vector<float> values = valuesOf(*view);
    ASSERT_EQ(values.size() * sizeof(float), tensor.bytes.size()) << tensor.name;
    EXPECT_EQ(std::memcmp(values.data(), tensor.bytes.data(), tensor.bytes.size()), 0) << tensor.name;
  }
}

TEST(Parts, MlxFolderIsWorthWhatMlxSays) {
  const auto file = ModelFile::open(data / "mlx");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ((*file)->format(), FileFormat::mlx);
  EXPECT_TRUE((*file)->warnings().empty()) << (*file)->warnings().front();
  compare(**file, data / "mlx.expected.safetensors");
  const auto typeOf = [&](const char* name) { return std::string(traits((*file)->find(name)->type).name); };
  EXPECT_EQ(typeOf("as_all.weight"), "MLX4_G64_BF16");
  EXPECT_EQ(typeOf("defaults.weight"), "MLX4_G64_F16");
  EXPECT_EQ(typeOf("bits3.group128.weight"), "MLX3_G128_F32");
  EXPECT_EQ(typeOf("bits6.group32.weight"), "MLX6_G32_F16");
  EXPECT_EQ(typeOf("experts.weight"), "MLX3_G32_BF16");
  EXPECT_EQ(typeOf("experts.mxfp4.weight"), "MXFP4_PLANES");
  EXPECT_EQ(typeOf("mxfp8.weight"), "MXFP8_PLANES");
  EXPECT_EQ(typeOf("nvfp4.weight"), "NVFP4_PLANES");
  EXPECT_EQ(typeOf("plain.weight"), "BF16");
}

// Of activations and of the cache, whatever wrote them.
TEST(Parts, ScalesThatNoWeightHasAreTaken) {
  const TemporaryFolder folder;
  const std::vector<std::byte> codes(32 * 32), scale(4);
  std::vector<SafeTensor> tensors{{"L.weight", "F8_E4M3", {32, 32}, codes}, {"L.weight_scale", "F32", {1}, scale}};
  for (const char* name :
       {"L.input_scale", "L.output_scale", "L.qscale_act", "attn.k_scale", "attn.v_scale", "attn.kv_scale", "attn.q_scale"})
    tensors.push_back({name, "F32", {1}, scale});
  ASSERT_TRUE(writeSafeTensors(folder.path() / "model.safetensors", tensors));
  const auto file = ModelFile::open(folder.path());
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ((*file)->tensors().size(), 1U);
}

TEST(Parts, Mxfp4BlocksAreWorthWhatTransformersSays) {
  const auto file = ModelFile::open(data / "mxfp4");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ((*file)->format(), FileFormat::safetensors);
  compare(**file, data / "mxfp4.expected.safetensors");
}

TEST(Parts, Fp8IsWorthCodeTimesScale) {
  const auto file = ModelFile::open(data / "fp8");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ((*file)->format(), FileFormat::safetensors);
  compare(**file, data / "fp8.expected.safetensors");
}

TEST(Parts, ASplitGgufIsTheWholeOne) {
  const auto whole = ModelFile::open(data / "split.whole.gguf");
  ASSERT_TRUE(whole) << whole.error().message();
  for (const char* name : {"split/tiny-00001-of-00004.gguf", "split/tiny-00003-of-00004.gguf", "split"}) {
    const auto split = ModelFile::open(data / name);
    ASSERT_TRUE(split) << split.error().message();
    ASSERT_EQ((*split)->tensors().size(), (*whole)->tensors().size());
    for (const NamedTensor& tensor : (*whole)->tensors()) {
      const TensorView* view = (*split)->find(tensor.name);
      ASSERT_NE(view, nullptr) << tensor.name;
      EXPECT_EQ(view->type, tensor.view.type);
      EXPECT_EQ(view->shape, tensor.view.shape);
      EXPECT_TRUE(std::ranges::equal(view->bytes, tensor.view.bytes)) << tensor.name;
    }
    for (const auto& [key, value] : (*whole)->metadata().entries()) EXPECT_TRUE((*split)->metadata().has(key)) << key;
  }
}

// The same weights as published and as written by llama.cpp's converter. In the published tensor the rows of the experts'
// gate and up alternate.
TEST(Parts, PublishedMxfp4IsTheGgufs) {
  const auto models = std::filesystem::path(MINERVA_SHARED_DIR) / "oracle/models/gptoss-mxfp4";
  if (!std::filesystem::exists(models)) GTEST_SKIP() << "skipped: no " << models;
  const auto published = ModelFile::open(models / "hf");
  const auto gguf = ModelFile::open(models / "gguf/gptoss-mxfp4-MXFP4.gguf");
  ASSERT_TRUE(published) << published.error().message();
  ASSERT_TRUE(gguf) << gguf.error().message();
  const TensorView* both = (*published)->find("model.layers.1.mlp.experts.gate_up_proj");
  const TensorView* gate = (*gguf)->find("blk.1.ffn_gate_exps.weight");
  const TensorView* up = (*gguf)->find("blk.1.ffn_up_exps.weight");
  ASSERT_TRUE(both && gate && up);
  const auto all = valuesOf(*both), gates = valuesOf(*gate), ups = valuesOf(*up);
  const auto columns = static_cast<std::size_t>(both->shape.columns());
  ASSERT_EQ(all.size(), gates.size() + ups.size());
  for (std::size_t row = 0; row < static_cast<std::size_t>(both->shape.rows()); ++row) {
    const auto& other = row % 2 == 0 ? gates : ups;
    // Compare values, not bits, because ggml has no -0.
    for (std::size_t i = 0; i < columns; ++i) ASSERT_EQ(all[row * columns + i], other[row / 2 * columns + i]) << row;
  }
}

}  // namespace
}  // namespace minerva::format
