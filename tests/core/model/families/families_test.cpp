// Every Llama and Mistral file of the reference data gives a config that matches the file; both formats agree.
#include "core/format/model_file_builder.h"
#include "core/model/families/rope.h"
#include "core/model/model_config.h"
#include "tests/support/reference_data.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

namespace minerva::model {
namespace {

namespace fs = std::filesystem;

struct Read {
  std::unique_ptr<const format::ModelFile> file;
  ModelConfig config;
};

Read read(const fs::path& path) {
  auto file = format::ModelFile::open(path);
  if (!file) throw std::runtime_error(file.error().message());
  auto config = readModelConfig(**file);
  if (!config) throw std::runtime_error(config.error().message());
  return {std::move(*file), std::move(*config)};
}

class OracleModels : public testing::Test {
 protected:
  [[nodiscard]] Read huggingFace(const std::string& id) const { return read(m_models / id / "hf"); }
  [[nodiscard]] Read gguf(const std::string& id, const std::string& type) const {
    return read(m_models / id / "gguf" / (id + "-" + type + ".gguf"));
  }
  const fs::path m_models = tests::referenceData("oracle/models");
};

TEST_F(OracleModels, BothFormatsOfAModelSayTheSame) {
  const std::pair<const char*, const char*> models[] = {
      {"llama-gqa-bf16", "F32"}, {"llama-mha-f32", "F32"},      {"llama-tied-f16", "F16"}, {"llama-bias-headdim", "BF16"},
      {"llama-linear", "BF16"},  {"llama-llama3-rope", "BF16"}, {"llama-yarn", "BF16"},    {"mistral-full", "BF16"}};
  for (const auto& [id, type] : models) {
    SCOPED_TRACE(id);
    const Read a = huggingFace(id);
    const Read b = gguf(id, type);
    EXPECT_TRUE(a.config.warnings.empty()) << a.config.warnings.front();
    EXPECT_TRUE(b.config.warnings.empty()) << b.config.warnings.front();
    EXPECT_EQ(a.config.vocabularySize, b.config.vocabularySize);
    EXPECT_EQ(a.config.hiddenSize, b.config.hiddenSize);
    EXPECT_EQ(a.config.contextLength, b.config.contextLength);
    EXPECT_EQ(a.config.tiedHead, b.config.tiedHead);
    EXPECT_FLOAT_EQ(a.config.normEpsilon, b.config.normEpsilon);
    EXPECT_EQ(a.config.attentionScale, b.config.attentionScale);
    EXPECT_EQ(a.config.ropes.at(0).layout, RopeLayout::halves);
    EXPECT_EQ(b.config.ropes.at(0).layout, RopeLayout::interleaved);
    EXPECT_FLOAT_EQ(a.config.ropes.at(0).magnitude, b.config.ropes.at(0).magnitude);
    ASSERT_EQ(a.config.ropes.at(0).frequencies.size(), b.config.ropes.at(0).frequencies.size());
    for (std::size_t i = 0; i < a.config.ropes.at(0).frequencies.size(); ++i) {
      EXPECT_NEAR(a.config.ropes.at(0).frequencies[i], b.config.ropes.at(0).frequencies[i], 1e-6F * a.config.ropes.at(0).frequencies[i])
          << i;
    }
    ASSERT_EQ(a.config.layers.size(), b.config.layers.size());
    for (std::size_t i = 0; i < a.config.layers.size(); ++i) {
      const LayerConfig& x = a.config.layers[i];
      const LayerConfig& y = b.config.layers[i];
      EXPECT_EQ(std::tie(x.headCount, x.kvHeadCount, x.headDim, x.visible.window, x.feedForwardSize),
                std::tie(y.headCount, y.kvHeadCount, y.headDim, y.visible.window, y.feedForwardSize));
      EXPECT_EQ(x.q.bias.empty(), y.q.bias.empty());
      EXPECT_EQ(x.down.bias.empty(), y.down.bias.empty());
    }
    EXPECT_LE(b.config.parameters - a.config.parameters, 64U);  // GGUF may add rope_freqs
  }
}

TEST_F(OracleModels, DetailsAreRead) {
  const Read bias = huggingFace("llama-bias-headdim");
  EXPECT_EQ(bias.config.layers[0].headDim, 32);
  EXPECT_EQ(bias.config.layers[0].kvHeadCount, 1);
  EXPECT_EQ(bias.config.hiddenSize, 96);
  EXPECT_FALSE(bias.config.layers[1].o.bias.empty());
  EXPECT_FALSE(bias.config.layers[1].gate.bias.empty());
  EXPECT_EQ(huggingFace("mistral-swa").config.layers[0].visible.window, 32);
  EXPECT_EQ(huggingFace("mistral-full").config.layers[0].visible.window, 0);
  EXPECT_EQ(huggingFace("mistral-full").config.family, "mistral");
  EXPECT_TRUE(huggingFace("llama-tied-f16").config.tiedHead);
  EXPECT_EQ(huggingFace("llama-sharded").config.family, "llama");
}

TEST_F(OracleModels, EveryQuantizedFileOfTheTypesIsRead) {
  for (const char* type : {"F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K_M", "Q5_K_M", "Q6_K"}) {
    SCOPED_TRACE(type);
    EXPECT_EQ(gguf("q-llama", type).config.warnings.size(), 0U);
  }
  for (const char* type : {"Q8_0", "Q4_0", "Q4_K_M", "Q6_K"}) EXPECT_GT(gguf("q-mistral", type).config.parameters, 0U) << type;
}

TEST(Families, OthersAreRefusedByName) {
  const fs::path own = fs::path(MINERVA_TEST_DATA) / "golden/models/tiny-olmo2/hf";
  const fs::path folder = fs::temp_directory_path() / ("minerva-mamba-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  fs::copy_file(own / "model.safetensors", folder / "model.safetensors", fs::copy_options::overwrite_existing);
  std::ofstream(folder / "config.json") << R"({"model_type": "mamba3"})";
  const auto file = format::ModelFile::open(folder);
  ASSERT_TRUE(file.has_value()) << file.error().message();
  const auto config = readModelConfig(**file);
  fs::remove_all(folder);
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().kind, ErrorKind::unsupported);
  EXPECT_NE(config.error().what.find("mamba3"), std::string::npos);
  EXPECT_NE(config.error().expected.find("nearest is \"mamba2\""), std::string::npos) << config.error().message();
}

// The model of this file with one additional tensor.
Result<ModelConfig> readWith(const format::ModelFile& file, const char* name, float value) {
  format::ModelFileBuilder builder(file.format(), file.path());
  builder.huggingFace().config = file.huggingFace().config;
  for (const auto& tensor : file.tensors()) EXPECT_TRUE(builder.add(tensor.name, tensor.view));
  EXPECT_TRUE(builder.add(name, {ElementType::F32, {.dims = {1, 1, 1, 1}, .rank = 1}, std::as_bytes(std::span(&value, 1))}));
  return readModelConfig(*builder.finish());
}

TEST(Families, AScaleThatWouldBeLeftOutIsRefused) {
  const auto file = format::ModelFile::open(fs::path(MINERVA_TEST_DATA) / "golden/models/tiny-olmo2/hf");
  ASSERT_TRUE(file.has_value()) << file.error().message();
  const auto scaled = readWith(**file, "model.layers.1.mlp.up_proj.scale", 0.25F);
  ASSERT_FALSE(scaled.has_value());
  EXPECT_EQ(scaled.error().kind, ErrorKind::unsupported);
  EXPECT_NE(scaled.error().what.find("model.layers.1.mlp.up_proj.weight"), std::string::npos) << scaled.error().what;
  EXPECT_NE(scaled.error().actual.find("0.25"), std::string::npos) << scaled.error().actual;
  const auto one = readWith(**file, "model.layers.1.mlp.up_proj.scale", 1.0F);
  EXPECT_TRUE(one.has_value()) << one.error().message();
  const auto elsewhere = readWith(**file, "vision.patches.scale", 0.25F);
  ASSERT_TRUE(elsewhere.has_value()) << elsewhere.error().message();
  EXPECT_EQ(elsewhere->warnings.size(), one->warnings.size()) << "only said not to be used";
}

// Some tools keep the scale of a whole NVFP4 tensor behind the weight's name in GGUF files.
TEST(Families, AScaleBehindTheNameOfItsWeightIsRefusedToo) {
  const auto file = format::ModelFile::open(fs::path(MINERVA_TEST_DATA) / "golden/models/tiny-olmo2/hf");
  ASSERT_TRUE(file.has_value()) << file.error().message();
  const auto scaled = readWith(**file, "model.layers.1.mlp.up_proj.weight.scale", 0.25F);
  ASSERT_FALSE(scaled.has_value());
  EXPECT_EQ(scaled.error().kind, ErrorKind::unsupported);
  EXPECT_NE(scaled.error().what.find("model.layers.1.mlp.up_proj.weight has"), std::string::npos) << scaled.error().what;
  EXPECT_TRUE(readWith(**file, "model.layers.1.mlp.up_proj.weight.scale", 1.0F).has_value());
}

TEST(RopeFrequencies, ArePowersOfTheBase) {
  const auto f = ropeFrequencies(4, 10000, {});
  ASSERT_EQ(f.size(), 2U);
  EXPECT_FLOAT_EQ(f[0], 1.0F);
  EXPECT_FLOAT_EQ(f[1], 0.01F);
}

TEST(RopeFrequencies, LinearScalingDividesAll) {
  const auto f = ropeFrequencies(4, 10000, {.kind = RopeScalingKind::linear, .factor = 4});
  EXPECT_FLOAT_EQ(f[0], 0.25F);
  EXPECT_FLOAT_EQ(f[1], 0.0025F);
}

TEST(RopeFrequencies, Llama3KeepsShortWavesAndStretchesLongOnes) {
  const RopeScaling scaling{.kind = RopeScalingKind::llama3, .factor = 8, .originalContext = 8192, .lowFrequency = 1, .highFrequency = 4};
  const auto plain = ropeFrequencies(128, 500000, {});
  const auto f = ropeFrequencies(128, 500000, scaling);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double wave = 2 * std::numbers::pi / plain[i];
    if (wave < 8192.0 / 4) EXPECT_FLOAT_EQ(f[i], plain[i]);
    else if (wave > 8192.0) EXPECT_FLOAT_EQ(f[i], plain[i] / 8);
    else EXPECT_TRUE(f[i] < plain[i] && f[i] > plain[i] / 8);
  }
}

TEST(RopeFrequencies, YarnBlendsBetweenItsTwoRotations) {
  const RopeScaling scaling{.kind = RopeScalingKind::yarn, .factor = 4, .originalContext = 128};
  const auto plain = ropeFrequencies(32, 10000, {});
  const auto f = ropeFrequencies(32, 10000, scaling);
  EXPECT_FLOAT_EQ(f.front(), plain.front());
  EXPECT_FLOAT_EQ(f.back(), plain.back() / 4);
  EXPECT_NEAR(yarnMagnitude(4), 1.1386294, 1e-6);
  EXPECT_EQ(yarnMagnitude(1), 1.0);
}

}  // namespace
}  // namespace minerva::model
