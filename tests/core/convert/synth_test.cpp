// Synthetic models can be opened, are valid for their family, and have the same weights in both formats.
#include "core/format/model_file.h"
#include "core/convert/synth.h"
#include "core/convert/synth_vocabulary.h"
#include "core/model/model_config.h"
#include "core/tensor/tensor_view.h"
#include "tests/core/convert/convert_support.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>
#include <set>
#include <sys/resource.h>

namespace minerva::convert {
namespace {

std::vector<float> rowOf(const TensorView& tensor, std::size_t row) {
  std::vector<float> values(static_cast<std::size_t>(tensor.shape.columns()));
  traits(tensor.type).dequantize(tensor.row(row), values.data(), values.size());
  return values;
}

TEST(Synth, EveryTypeMakesAModelTheFamiliesRead) {
  const TemporaryFolder folder;
  for (const char* type : {"f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q4_k", "q5_k", "q6_k", "q4_k_m", "q5_k_m"}) {
    for (const char* shape : {"test-tiny", "test-tied"}) {
      const auto path = folder.path() / "synth.gguf";
      const auto written = writeSynthetic(path, {.shape = shape, .type = type});
      ASSERT_TRUE(written) << written.error().message();
      const auto file = format::ModelFile::open(path);
      ASSERT_TRUE(file) << file.error().message();
      const auto config = model::readModelConfig(**file);
      ASSERT_TRUE(config) << config.error().message();
      EXPECT_EQ(config->layers.size(), 2U);
      EXPECT_EQ(config->vocabularySize, 1024);
      EXPECT_EQ(config->tiedHead, std::string_view(shape) == "test-tied");
      EXPECT_TRUE(config->warnings.empty()) << config->warnings.front();
    }
  }
}

// Displaying the text of a random model must cost as much as that of a real one.
TEST(Synth, TokensAreDifferentAndAsLongAsAWordsPieces) {
  for (const int size : {1024, 32000, 128256, 201088}) {
    const SynthVocabulary vocabulary = synthVocabulary(size);
    ASSERT_EQ(vocabulary.tokens.size(), static_cast<std::size_t>(size));
    const std::set<std::string> different(vocabulary.tokens.begin(), vocabulary.tokens.end());
    EXPECT_EQ(different.size(), vocabulary.tokens.size());
    double bytes = 0;
    for (const std::string& token : vocabulary.tokens) bytes += static_cast<double>(token.size());
    EXPECT_LT(bytes / size, 5.5);
    for (const std::string& merge : vocabulary.merges) {
      const std::size_t at = merge.find(' ');
      ASSERT_TRUE(different.contains(merge.substr(0, at)) && different.contains(merge.substr(at + 1))) << merge;
    }
  }
}

// It says the same of itself as the whole file, has its size, and reads as zeros.
TEST(Synth, AHollowFileHasEverythingButTheWeights) {
  const TemporaryFolder folder;
  const auto whole = folder.path() / "whole.gguf", hollow = folder.path() / "hollow.gguf";
  ASSERT_TRUE(writeSynthetic(whole, {.shape = "test-moe", .type = "mxfp4"}));
  ASSERT_TRUE(writeSynthetic(hollow, {.shape = "test-moe", .type = "mxfp4", .hollow = true}));
  EXPECT_EQ(std::filesystem::file_size(whole), std::filesystem::file_size(hollow));
  const auto first = format::ModelFile::open(whole), second = format::ModelFile::open(hollow);
  ASSERT_TRUE(first && second);
  ASSERT_EQ((*first)->tensors().size(), (*second)->tensors().size());
  for (std::size_t i = 0; i < (*first)->tensors().size(); ++i) {
    const auto &a = (*first)->tensors()[i], &b = (*second)->tensors()[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.view.type, b.view.type);
    EXPECT_EQ(a.view.shape.elements(), b.view.shape.elements());
    EXPECT_TRUE(std::ranges::all_of(b.view.bytes, [](std::byte byte) { return byte == std::byte{0}; })) << b.name;
  }
  EXPECT_FALSE(writeSynthetic(folder.path() / "no",
                              {.shape = "test-tiny", .type = "f16", .format = format::FileFormat::safetensors, .hollow = true}));
}

TEST(Synth, GgufAndSafeTensorsHoldTheSameWeights) {
  const TemporaryFolder folder;
  const SynthOptions gguf{.shape = "test-tiny", .type = "f16", .seed = 5};
  SynthOptions huggingFace = gguf;
  huggingFace.format = format::FileFormat::safetensors;
  ASSERT_TRUE(writeSynthetic(folder.path() / "a.gguf", gguf));
  ASSERT_TRUE(writeSynthetic(folder.path() / "hf", huggingFace));
  const auto fileA = format::ModelFile::open(folder.path() / "a.gguf");
  const auto fileB = format::ModelFile::open(folder.path() / "hf");
  ASSERT_TRUE(fileA);
  ASSERT_TRUE(fileB) << fileB.error().message();
  const auto a = model::readModelConfig(**fileA);
  const auto b = model::readModelConfig(**fileB);
  ASSERT_TRUE(a);
  ASSERT_TRUE(b) << b.error().message();
  EXPECT_EQ(a->ropes.at(0).layout, model::RopeLayout::interleaved);
  EXPECT_EQ(b->ropes.at(0).layout, model::RopeLayout::halves);
  EXPECT_EQ(a->parameters, b->parameters);
  EXPECT_EQ(rowOf(a->tokenEmbedding, 17), rowOf(b->tokenEmbedding, 17));
  EXPECT_EQ(rowOf(a->head.weight, 1023), rowOf(b->head.weight, 1023));
  EXPECT_EQ(rowOf(a->outputNorm.weight, 0), rowOf(b->outputNorm.weight, 0));
  // Head 1 (of dimension 64), pair 5: the published rows 5 and 5 + 32 are adjacent in GGUF.
  EXPECT_EQ(rowOf(a->layers[1].q.weight, 64 + 10), rowOf(b->layers[1].q.weight, 64 + 5));
  EXPECT_EQ(rowOf(a->layers[1].q.weight, 64 + 11), rowOf(b->layers[1].q.weight, 64 + 37));
  EXPECT_EQ(rowOf(a->layers[1].down.weight, 7), rowOf(b->layers[1].down.weight, 7));
  EXPECT_NE(rowOf(a->layers[0].down.weight, 7), rowOf(b->layers[1].down.weight, 7));
}

TEST(Synth, ExpertsArePublishedRowByRowAndApartInGguf) {
  const TemporaryFolder folder;
  const SynthOptions gguf{.shape = "test-moe", .type = "mxfp4", .seed = 5};
  SynthOptions huggingFace = gguf;
  huggingFace.format = format::FileFormat::safetensors;
  ASSERT_TRUE(writeSynthetic(folder.path() / "a.gguf", gguf));
  ASSERT_TRUE(writeSynthetic(folder.path() / "hf", huggingFace));
  const auto fileA = format::ModelFile::open(folder.path() / "a.gguf"), fileB = format::ModelFile::open(folder.path() / "hf");
  ASSERT_TRUE(fileA) << fileA.error().message();
  ASSERT_TRUE(fileB) << fileB.error().message();
  const auto a = model::readModelConfig(**fileA), b = model::readModelConfig(**fileB);
  ASSERT_TRUE(a) << a.error().message();
  ASSERT_TRUE(b) << b.error().message();
  EXPECT_TRUE(a->warnings.empty() && b->warnings.empty());
  EXPECT_EQ(a->parameters, b->parameters);
  const auto row = [](const auto& file, const std::string& name, std::size_t at) {
    const TensorView* tensor = (*file)->find(name);
    EXPECT_NE(tensor, nullptr) << name;
    std::vector<float> values(static_cast<std::size_t>(tensor->shape.columns()));
    dequantizeRows(*tensor, at, 1, values.data());
    return values;
  };
  const std::string layer = "model.layers.1.mlp.experts.";
  constexpr std::size_t expert = 3, size = 256, j = 77;
  EXPECT_EQ(row(fileA, "blk.1.ffn_gate_exps.weight", expert * size + j), row(fileB, layer + "gate_up_proj", 2 * (expert * size + j)));
  EXPECT_EQ(row(fileA, "blk.1.ffn_up_exps.weight", expert * size + j), row(fileB, layer + "gate_up_proj", 2 * (expert * size + j) + 1));
  EXPECT_EQ(row(fileA, "blk.1.ffn_down_exps.weight", expert * size + j), row(fileB, layer + "down_proj", expert * size + j));
  EXPECT_EQ(row(fileA, "blk.1.ffn_up_exps.bias", expert)[j], row(fileB, layer + "gate_up_proj_bias", expert)[2 * j + 1]);
  EXPECT_NE(row(fileA, "blk.1.ffn_up_exps.bias", expert)[j], row(fileA, "blk.1.ffn_gate_exps.bias", expert)[j]);
}

// Folders of float experts hold them transposed: [experts, hidden, 2 * feed-forward] and [experts, feed-forward, hidden].
TEST(Synth, FloatExpertsArePublishedTransposed) {
  const TemporaryFolder folder;
  ASSERT_TRUE(writeSynthetic(folder.path() / "a.gguf", {.shape = "test-moe", .type = "bf16", .seed = 5}));
  const auto a = format::ModelFile::open(folder.path() / "a.gguf");
  ASSERT_TRUE(a);
  for (const char* type : {"bf16", "f16", "f32"}) {
    SCOPED_TRACE(type);
    const auto out = folder.path() / type;
    ASSERT_TRUE(writeSynthetic(out, {.shape = "test-moe", .type = type, .format = format::FileFormat::safetensors, .seed = 5}));
    const auto b = format::ModelFile::open(out);
    ASSERT_TRUE(b) << b.error().message();
    const auto config = model::readModelConfig(**b);
    ASSERT_TRUE(config) << config.error().message();
    if (std::string_view(type) != "bf16") continue;  // the same values in both files
    const std::string layer = "model.layers.1.mlp.experts.";
    const TensorView *gateUp = (*b)->find(layer + "gate_up_proj"), *down = (*b)->find(layer + "down_proj");
    const TensorView *up = (*a)->find("blk.1.ffn_up_exps.weight"), *downs = (*a)->find("blk.1.ffn_down_exps.weight");
    ASSERT_TRUE(gateUp && down && up && downs);
    EXPECT_EQ(gateUp->shape.dims, (std::array<std::int64_t, 4>{8, 256, 512, 1}));
    EXPECT_EQ(down->shape.dims, (std::array<std::int64_t, 4>{8, 256, 256, 1}));
    constexpr std::size_t expert = 3, size = 256, j = 77, i = 30;
    EXPECT_EQ(rowOf(*gateUp, expert * size + i)[2 * j + 1], rowOf(*up, expert * size + j)[i]);
    EXPECT_EQ(rowOf(*down, expert * size + i)[j], rowOf(*downs, expert * size + j)[i]);
    EXPECT_NE(rowOf(*down, expert * size + i)[j], rowOf(*down, expert * size + j)[i]);
  }
}

// Every type's model can be read, and computes finite logits.
TEST(Synth, FamiliesOf2026Run) {
  const std::map<std::string, std::string> shapes{{"test-delta-net", "qwen3.5"},
                                                  {"test-delta-moe", "qwen3-next"},
                                                  {"test-mamba", "granite-hybrid"},
                                                  {"test-latent", "deepseek-v2"},
                                                  {"test-gemma4", "gemma4"}};
  const TemporaryFolder folder;
  for (const auto& [shape, family] : shapes) {
    for (const char* type : {"f16", "q4_k_m", "q8_0", "mxfp4"}) {
      SCOPED_TRACE(shape + " " + type);
      const auto path = folder.path() / "synth.gguf";
      const auto written = writeSynthetic(path, {.shape = shape, .type = type});
      ASSERT_TRUE(written) << written.error().message();
      const File file = openModel(path);
      const auto config = model::readModelConfig(*file);
      ASSERT_TRUE(config) << config.error().message();
      EXPECT_EQ(config->family, family);
      EXPECT_TRUE(config->warnings.empty()) << config->warnings.front();
      EXPECT_LT(distanceBetween(path, path), 1e-6);
    }
  }
}

// The layers that differ come in the published order however few there are.
TEST(Synth, AModelMayHaveFewerLayers) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "synth.gguf";
  const auto layersOf = [&](const char* shape, int layers) {
    const auto written = writeSynthetic(path, {.shape = shape, .type = "q8_0", .layers = layers});
    EXPECT_TRUE(written) << written.error().message();
    const File file = openModel(path);
    auto config = model::readModelConfig(*file);
    EXPECT_TRUE(config) << config.error().message();
    return config ? std::move(config->layers) : std::vector<model::LayerConfig>();
  };
  const auto delta = layersOf("test-delta-net", 5);
  ASSERT_EQ(delta.size(), 5U);
  for (std::size_t i = 0; i < delta.size(); ++i) EXPECT_EQ(delta[i].hasAttention(), i == 3) << i;
  const auto gemma = layersOf("test-gemma4", 12);
  ASSERT_EQ(gemma.size(), 12U);
  EXPECT_EQ(gemma[5].kvFrom, -1);
  EXPECT_EQ(gemma[6].kvFrom, 4);
  EXPECT_EQ(gemma[11].kvFrom, 5);
  EXPECT_EQ(layersOf("test-mamba", 1).front().mamba.heads, 8);
  EXPECT_EQ(writeSynthetic(path, {.shape = "test-mamba", .layers = -1}).error().kind, ErrorKind::invalidArgument);
  EXPECT_EQ(writeSynthetic(path, {.shape = "test-mamba", .type = "f16", .format = format::FileFormat::safetensors}).error().kind,
            ErrorKind::invalidArgument);
}

TEST(Synth, WeightsAreSmallAndCentred) {
  const TemporaryFolder folder;
  ASSERT_TRUE(writeSynthetic(folder.path() / "a.gguf", {.shape = "test-tiny", .type = "q4_0"}));
  const auto file = format::ModelFile::open(folder.path() / "a.gguf");
  ASSERT_TRUE(file);
  const TensorView* tensor = (*file)->find("blk.0.ffn_up.weight");
  ASSERT_NE(tensor, nullptr);
  double sum = 0;
  double squares = 0;
  for (std::size_t row = 0; row < 512; ++row) {
    for (const float value : rowOf(*tensor, row)) {
      sum += value;
      squares += double{value} * value;
    }
  }
  const double count = static_cast<double>(tensor->shape.elements());
  EXPECT_NEAR(sum / count, 0.0, 0.001);
  EXPECT_NEAR(std::sqrt(squares / count), 0.02, 0.002);
}

TEST(Synth, NothingHasTheFinalNameBeforeItIsWhole) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handled = std::signal(SIGXFSZ, SIG_IGN);  // the write fails instead
  const rlimit little{.rlim_cur = 100'000, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  const auto gguf = writeSynthetic(folder.path() / "a.gguf", {.shape = "test-tiny", .type = "f16"});
  const auto hf = writeSynthetic(folder.path() / "hf", {.shape = "test-tiny", .type = "f16", .format = format::FileFormat::safetensors});
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handled);
  ASSERT_FALSE(gguf || hf);
  EXPECT_EQ(gguf.error().kind, ErrorKind::io);
  EXPECT_EQ(hf.error().kind, ErrorKind::io);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Synth, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(writeSynthetic("/nowhere/x", {.shape = "zebra"}).error().kind, ErrorKind::invalidArgument);
  EXPECT_EQ(writeSynthetic("/nowhere/x", {.type = "q9"}).error().kind, ErrorKind::invalidArgument);
  EXPECT_EQ(writeSynthetic("/nowhere/x", {.type = "q4_0", .format = format::FileFormat::safetensors}).error().kind,
            ErrorKind::invalidArgument);
  EXPECT_EQ(writeSynthetic("/nowhere/x", {.shape = "test-tiny"}).error().kind, ErrorKind::io);
}

}  // namespace
}  // namespace minerva::convert
