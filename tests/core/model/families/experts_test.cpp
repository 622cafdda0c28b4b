// What families say of their experts, and what stands beside them: selection biases, groups, scorings, layers for prediction,
// temperatures. Exact logits of whole models are in tests/golden.
#include "core/format/model_file_builder.h"
#include "core/model/families/decoder.h"
#include "core/model/model_config.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace minerva::model {
namespace {

using Json = nlohmann::json;

// Enough for every tensor below.
alignas(16) constexpr std::array<std::byte, 64 * 1024> zeros{};

TensorView zeroTensor(std::vector<std::int64_t> dims) {
  TensorView view{ElementType::F32, {.dims = {1, 1, 1, 1}, .rank = static_cast<int>(dims.size())}, {}};
  std::ranges::copy(dims, view.shape.dims.begin());
  view.bytes = std::span(zeros).first(static_cast<std::size_t>(view.shape.elements()) * sizeof(float));
  return view;
}

Json glmConfig() {
  return {{"model_type", "glm4_moe"},
          {"hidden_size", 32},
          {"intermediate_size", 32},
          {"num_hidden_layers", 2},
          {"num_attention_heads", 2},
          {"head_dim", 16},
          {"num_key_value_heads", 2},
          {"max_position_embeddings", 64},
          {"vocab_size", 8},
          {"n_routed_experts", 4},
          {"num_experts_per_tok", 2},
          {"moe_intermediate_size", 16},
          {"n_shared_experts", 2},
          {"first_k_dense_replace", 1},
          {"routed_scaling_factor", 2.5},
          {"rope_theta", 10000.0},
          {"tie_word_embeddings", true}};
}

// A GLM-4.5 with one dense layer and one mixture; without the tensor named `left`.
std::unique_ptr<const format::ModelFile> glmFile(const Json& config, const std::string& left = {}, bool predicts = false) {
  format::ModelFileBuilder builder(format::FileFormat::safetensors, "model");
  builder.huggingFace().config = config;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> dims) {
    if (name == left) return;
    EXPECT_TRUE(builder.add(name, zeroTensor(std::move(dims)))) << name;
  };
  const auto addFeedForward = [&](const std::string& prefix, std::int64_t size) {
    add(prefix + "gate_proj.weight", {size, 32});
    add(prefix + "up_proj.weight", {size, 32});
    add(prefix + "down_proj.weight", {32, size});
  };
  add("model.embed_tokens.weight", {8, 32});
  add("model.norm.weight", {32});
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"}) add(layer + "self_attn." + name + ".weight", {32, 32});
    for (const char* name : {"input_layernorm", "post_attention_layernorm"}) add(layer + name + ".weight", {32});
  }
  addFeedForward("model.layers.0.mlp.", 32);
  for (int e = 0; e < 4; ++e) addFeedForward("model.layers.1.mlp.experts." + std::to_string(e) + ".", 16);
  addFeedForward("model.layers.1.mlp.shared_experts.", 32);
  add("model.layers.1.mlp.gate.weight", {4, 32});
  add("model.layers.1.mlp.gate.e_score_correction_bias", {4});
  if (predicts) add("model.layers.2.eh_proj.weight", {32, 64});
  return builder.finish();
}

Result<ModelConfig> readGlm(const Json& change, const std::string& left = {}, bool predicts = false) {
  Json config = glmConfig();
  config.update(change);
  return readModelConfig(*glmFile(config, left, predicts));
}

void expectError(const Result<ModelConfig>& result, ErrorKind kind, const std::string& part) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, kind);
  EXPECT_NE(result.error().message().find(part), std::string::npos) << result.error().message();
}

TEST(FamilyExperts, BiasedSigmoidsAreRead) {
  const auto config = readGlm({{"n_group", 2}, {"topk_group", 1}});
  ASSERT_TRUE(config.has_value()) << config.error().message();
  EXPECT_TRUE(config->warnings.empty()) << config->warnings.front();
  EXPECT_FALSE(config->layers[0].hasExperts());
  const Experts& experts = config->layers[1].experts;
  EXPECT_EQ(experts.scoring, Scoring::sigmoid);
  EXPECT_EQ(experts.groupRank, GroupRank::twoLargest);
  EXPECT_EQ(std::tuple(experts.count, experts.used, experts.groups, experts.groupsUsed), std::tuple(4, 2, 2, 1));
  EXPECT_EQ(experts.selectionBias.shape.elements(), 4);
  EXPECT_EQ(experts.sharedSize, 32);
  EXPECT_TRUE(experts.normalised);
  EXPECT_FLOAT_EQ(experts.scale, 2.5F);
}

TEST(FamilyExperts, AMissingSelectionBiasIsNamed) {
  const std::string name = "model.layers.1.mlp.gate.e_score_correction_bias";
  expectError(readGlm(Json::object(), name), ErrorKind::corrupt, name);
}

TEST(FamilyExperts, GroupsMustHoldTheExperts) {
  expectError(readGlm({{"n_group", 3}, {"topk_group", 1}}), ErrorKind::corrupt, "3 groups");  // 4 experts
  expectError(readGlm({{"n_group", 4}, {"topk_group", 2}}), ErrorKind::corrupt, "4 groups");  // one each, but two rank a group
  expectError(readGlm({{"n_group", 2}, {"topk_group", 1}, {"num_experts_per_tok", 3}}), ErrorKind::corrupt, "2 groups");
  expectError(readGlm({{"n_group", 2}, {"topk_group", 3}}), ErrorKind::corrupt, "topk_group");
}

TEST(FamilyExperts, OtherScoringsAreRefused) {
  expectError(readGlm({{"scoring_func", "sqrtsoftplus"}}), ErrorKind::unsupported, "sqrtsoftplus");
  EXPECT_EQ(readGlm({{"scoring_func", "softmax"}})->layers[1].experts.scoring, Scoring::softmax);
  format::ModelFileBuilder builder(format::FileFormat::gguf, "model.gguf");
  const auto number = [](std::uint64_t value) { return format::MetadataValue{format::MetadataType::uint32, value}; };
  builder.metadata().entries()["general.architecture"] = {format::MetadataType::string, std::string_view("minimax-m2")};
  builder.metadata().entries()["minimax-m2.expert_gating_func"] = number(4);
  expectError(readModelConfig(*builder.finish()), ErrorKind::unsupported, "expert_gating_func");
}

TEST(FamilyExperts, TheFirstFoldersOfDeepSeekV2MisspellHowExpertsAreChosen) {
  const std::filesystem::path folder = std::filesystem::path(MINERVA_TEST_DATA) / "golden/models/tiny-deepseek-v2/hf";
  for (const auto& [method, isKnown] : {std::pair("gready", true), {"greedy", true}, {"random", false}}) {
    const TemporaryFolder copy;
    std::filesystem::copy(folder, copy.path() / "m");
    Json json = Json::parse(TemporaryFolder::read(folder / "config.json"));
    json["topk_method"] = method;
    copy.write("m/config.json", json.dump());
    const auto file = format::ModelFile::open(copy.path() / "m");
    ASSERT_TRUE(file);
    const auto config = readModelConfig(**file);
    ASSERT_EQ(config.has_value(), isKnown) << method;
    EXPECT_EQ(config ? config->layers.back().experts.groups : 0, isKnown ? 1 : 0);
    EXPECT_EQ(config ? ErrorKind::unsupported : config.error().kind, ErrorKind::unsupported);
  }
}

TEST(FamilyExperts, DenseLayersCanBeListed) {
  EXPECT_TRUE(readGlm({{"first_k_dense_replace", 0}, {"mlp_layer_types", {"dense", "sparse"}}}).has_value());
  for (const Json& wrong : {Json{"dense", "other"}, Json("dense, sparse"), Json{1, 2}}) {
    expectError(readGlm({{"mlp_layer_types", wrong}}), ErrorKind::corrupt, "mlp_layer_types");
  }
}

TEST(FamilyExperts, LayersForPredictionAreLeftOutWithAWord) {
  const auto config = readGlm({{"num_nextn_predict_layers", 1}}, {}, true);
  ASSERT_TRUE(config.has_value()) << config.error().message();
  EXPECT_EQ(config->layers.size(), 2U);
  ASSERT_EQ(config->warnings.size(), 1U);
  EXPECT_NE(config->warnings[0].find("predict"), std::string::npos) << config->warnings[0];
  EXPECT_TRUE(readGlm({{"num_nextn_predict_layers", 1}})->warnings.empty()) << "the file has no such layer";
  expectError(readGlm({{"num_nextn_predict_layers", -1}}), ErrorKind::corrupt, "num_nextn_predict_layers");
}

TEST(FamilyExperts, GgufCountsLayersForPredictionAmongTheOthers) {
  format::ModelFileBuilder builder(format::FileFormat::gguf, "model.gguf");
  const auto number = [](std::uint64_t value) { return format::MetadataValue{format::MetadataType::uint32, value}; };
  builder.metadata().entries()["general.architecture"] = {format::MetadataType::string, std::string_view("minimax-m2")};
  builder.metadata().entries()["minimax-m2.block_count"] = number(2);
  builder.metadata().entries()["minimax-m2.nextn_predict_layers"] = number(2);
  expectError(readModelConfig(*builder.finish()), ErrorKind::corrupt, "nextn_predict_layers");
}

TEST(FamilyExperts, TheNumberUsedMustBeTheSameInAllLayers) {
  format::ModelFileBuilder builder(format::FileFormat::safetensors, "model");
  builder.huggingFace().config = {{"model_type", "hunyuan_v1_moe"}, {"moe_topk", {8, 4}}};
  expectError(readModelConfig(*builder.finish()), ErrorKind::corrupt, "moe_topk");
}

TEST(Families, TheTextModelInsideMistral3IsRead) {
  format::ModelFileBuilder builder(format::FileFormat::safetensors, "model");
  builder.huggingFace().config = {{"model_type", "mistral3"}, {"text_config", {{"model_type", "mistral4"}, {"num_attention_heads", 2}}}};
  expectError(readModelConfig(*builder.finish()), ErrorKind::corrupt, "kv_lora_rank");  // which only Mistral 4 has
}

// The config of a model for images: what it calls itself, and its text model.
Result<ModelConfig> readWrapped(const char* outer, const char* inner, const std::string& prefix) {
  format::ModelFileBuilder builder(format::FileFormat::safetensors, "model");
  Json text = glmConfig();
  text["model_type"] = inner;
  builder.huggingFace().config = {{"model_type", outer}, {"text_config", std::move(text)}};
  const std::string before = "model.";
  const auto plain = glmFile(glmConfig());
  for (const auto& tensor : plain->tensors()) EXPECT_TRUE(builder.add(prefix + tensor.name.substr(before.size()), tensor.view));
  return readModelConfig(*builder.finish());
}

// Not only under Transformers' name for it.
TEST(Families, TheTextModelIsFoundUnderEveryName) {
  for (const char* key : {"text_config", "llm_config", "language_config", "lm_config", "thinker_config"}) {
    SCOPED_TRACE(key);
    format::ModelFileBuilder builder(format::FileFormat::safetensors, "model");
    const bool thinker = key == std::string("thinker_config");
    Json text = glmConfig();
    builder.huggingFace().config = {{"model_type", "picture_reader"}, {key, thinker ? Json{{"text_config", text}} : text}};
    const auto plain = glmFile(glmConfig());
    for (const auto& tensor : plain->tensors())
      EXPECT_TRUE(builder.add((thinker ? "thinker." : "language_model.") + tensor.name, tensor.view));
    EXPECT_TRUE(builder.add(thinker ? "talker.model.x.weight" : "mlp1.0.weight", plain->tensors().front().view));
    const auto read = readModelConfig(*builder.finish());
    ASSERT_TRUE(read.has_value()) << read.error().message();
    ASSERT_EQ(read->warnings.size(), 1U);
    EXPECT_NE(read->warnings[0].find("parts for images and sound"), std::string::npos) << read->warnings[0];
  }
}

TEST(Families, TheTextModelInsideAnUnknownModelIsRead) {
  for (const char* prefix : {"model.language_model.", "language_model.model.", "model.text_model.", "model."}) {
    const auto read = readWrapped("picture_reader", "glm4_moe", prefix);
    ASSERT_TRUE(read.has_value()) << prefix << ": " << read.error().message();
    EXPECT_EQ(read->family, "glm4-moe");
    EXPECT_EQ(read->warnings, std::vector<std::string>());
  }
  expectError(readWrapped("picture_reader", "picture_writer", "model."), ErrorKind::unsupported, "picture_reader");
}

TEST(Families, GlmsTextModelsAreRead) {
  const auto read = readWrapped("glm4v_moe", "glm4v_moe_text", "model.language_model.");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->family, "glm4-moe");
  EXPECT_EQ(read->ropes.at(0).layout, RopeLayout::halves);
  expectError(readWrapped("glm46v", "glm4v_text", "model.language_model."), ErrorKind::corrupt, "post_self_attn_layernorm");
}

// A prompt's tokens see those behind them there, which no text model here does.
TEST(Families, PaliGemmasTextModelIsRefused) {
  expectError(readWrapped("paligemma", "gemma", "model."), ErrorKind::unsupported, "paligemma");
}

Reader readerOf(const format::ModelFile& file) { return {file, "test"}; }

std::unique_ptr<const format::ModelFile> configFile(Json config) {
  format::ModelFileBuilder builder(format::FileFormat::safetensors, "model");
  builder.huggingFace().config = std::move(config);
  return builder.finish();
}

TEST(FamilyTemperature, IsReadBesideTheRope) {
  const auto read = [](Json rope) {
    const auto file = configFile({{"rope_parameters", std::move(rope)}});
    return readQueryTemperature(readerOf(*file));
  };
  EXPECT_EQ(read({{"llama_4_scaling_beta", 0.5}, {"original_max_position_embeddings", 64}}).value(),
            (QueryTemperature{.strength = 0.5F, .length = 64, .offset = 0}));
  EXPECT_EQ(read({{"original_max_position_embeddings", 64}}).value(), QueryTemperature{});
  EXPECT_EQ(read({{"llama_4_scaling_beta", 0}}).value(), QueryTemperature{});
  EXPECT_FALSE(read({{"llama_4_scaling_beta", 0.5}}).has_value()) << "without a length";
  EXPECT_FALSE(read({{"llama_4_scaling_beta", -1}, {"original_max_position_embeddings", 64}}).has_value());
}

TEST(FamilyRope, AlphaRaisesTheBase) {
  const auto file = configFile({{"rope_scaling", {{"type", "dynamic"}, {"alpha", 50.0}}}, {"rope_theta", 10000.0}});
  Reader reader = readerOf(*file);
  std::vector<std::string> warnings;
  const auto rope = readRope(reader, {.stretchedBase = true}, 32, 512, warnings);
  ASSERT_TRUE(rope.has_value()) << rope.error().message();
  EXPECT_TRUE(warnings.empty());
  EXPECT_NEAR(rope->frequencies[1], std::pow(10000.0 * std::pow(50.0, 32.0 / 30.0), -2.0 / 32.0), 1e-6);
}

// As in the folder of DeepSeek-R1-0528-Qwen3-8B.
TEST(FamilyRope, AFactorThatTransformersDoesNotKnowIsSaidNotToBeUsed) {
  Json scaling{{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 128}};
  const auto read = [&](std::vector<std::string>& warnings) {
    const auto file = configFile({{"rope_scaling", scaling}, {"rope_theta", 10000.0}});
    Reader reader = readerOf(*file);
    return readRope(reader, {}, 32, 512, warnings).value().magnitude;
  };
  std::vector<std::string> none, one;
  scaling["attn_factor"] = 1.0;
  EXPECT_FLOAT_EQ(read(none), 1.1386294F);
  EXPECT_EQ(none, std::vector<std::string>());
  scaling["attn_factor"] = 0.875;
  EXPECT_FLOAT_EQ(read(one), 1.1386294F);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_NE(one[0].find("attn_factor of 0.875 is not used"), std::string::npos) << one[0];
}

// As llama.cpp does: attn_factor multiplies the magnitude of every kind, yarn_attn_factor none of YaRN's.
TEST(FamilyRope, GgufStatesWhatMultipliesTheMagnitude) {
  const auto magnitude = [](std::string_view kind) {
    format::ModelFileBuilder builder(format::FileFormat::gguf, "model.gguf");
    const auto put = [&](const char* key, double value) { builder.metadata().entries()[key] = {format::MetadataType::float64, value}; };
    put("test.rope.scaling.factor", 4);
    put("test.rope.scaling.attn_factor", 0.875);
    put("test.rope.scaling.yarn_attn_factor", 0.5);
    builder.metadata().entries()["test.rope.scaling.type"] = {format::MetadataType::string, kind};
    const auto file = builder.finish();
    Reader reader = readerOf(*file);
    std::vector<std::string> warnings;
    return readRope(reader, {}, 32, 512, warnings).value().magnitude;
  };
  EXPECT_FLOAT_EQ(magnitude("none"), 0.875F);
  EXPECT_FLOAT_EQ(magnitude("linear"), 0.875F);
  EXPECT_FLOAT_EQ(magnitude("yarn"), 0.875F * 1.1386294F);
}

TEST(FamilyWindows, GgufCanListTheLayers) {
  constexpr std::array list{std::byte{1}, std::byte{0}, std::byte{1}};
  const auto read = [&](std::size_t entries, format::MetadataType type) {
    format::ModelFileBuilder builder(format::FileFormat::gguf, "model.gguf");
    builder.metadata().entries()["test.attention.sliding_window_pattern"] = {
        format::MetadataType::array, format::MetadataArray{type, entries, std::span(list).first(entries)}};
    const auto file = builder.finish();
    return slidingLayers(readerOf(*file), 3, 4);
  };
  EXPECT_EQ(read(3, format::MetadataType::boolean).value(), (std::vector<bool>{true, false, true}));
  EXPECT_FALSE(read(2, format::MetadataType::boolean).has_value()) << "one too few";
  EXPECT_FALSE(read(3, format::MetadataType::uint8).has_value());
}

// A fused matrix of block-scaled FP8 whose parts begin within a block of rows.
TEST(FusedMatrix, PartsThatShareTheirScalesAreRefused) {
  constexpr std::int64_t rows = 12, columns = 32, share = 4;
  const std::vector<std::byte> codes(rows * columns, std::byte{0x38});  // 1
  const std::vector<float> scales{1, 2, 3};
  const auto fusedWith = [&](std::int64_t rowsPerScale) {
    Linear fused{{.type = ElementType::F8_E4M3_SCALED32, .shape = matrixShape(rows, columns), .bytes = codes}, {}};
    fused.weight.planes = {.scales = std::as_bytes(std::span(scales)).first(sizeof(float) * static_cast<std::size_t>(rows / rowsPerScale)),
                           .biases = {},
                           .rowsPerScale = rowsPerScale};
    return fused;
  };
  const auto firstOf = [&](std::int64_t rowsPerScale, std::int64_t first, std::int64_t count) {
    const auto part = rowsOf(fusedWith(rowsPerScale), first, count);
    std::vector<float> values(columns);
    if (part) dequantizeRows(part->weight, 0, 1, values.data());
    return part ? values.front() : -1;
  };
  EXPECT_EQ(firstOf(share, 8, 4), 3);
  EXPECT_EQ(firstOf(share, 6, 1), 2) << "one row has one scale";
  EXPECT_EQ(firstOf(rows, 6, 6), 1) << "one scale for all";
  const auto refused = rowsOf(fusedWith(share), 6, 6);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
}

}  // namespace
}  // namespace minerva::model
