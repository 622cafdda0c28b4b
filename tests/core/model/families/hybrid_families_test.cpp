// What the reading of families with recurrent layers refuses, by name, and what it leaves out with a word.
#include "core/format/model_file.h"
#include "tests/core/model/families/hybrid_models.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

namespace minerva::model {
namespace {

// The first published folders call the size of a head attention_head_dim; it is not the hidden size divided by the heads.
TEST(HybridFamilies, NemotronsFirstNameOfTheHeadSize) {
  const std::string layer = "backbone.layers.0.mixer.";
  ZeroModel made{.config = {{"model_type", "nemotron_h"},
                            {"hidden_size", 8},
                            {"hybrid_override_pattern", "*"},
                            {"num_attention_heads", 2},
                            {"num_key_value_heads", 1},
                            {"vocab_size", 10},
                            {"tie_word_embeddings", true}},
                 .tensors = {{"backbone.embeddings.weight", {10, 8}},
                             {"backbone.norm_f.weight", {8}},
                             {"backbone.layers.0.norm.weight", {8}},
                             {layer + "q_proj.weight", {12, 8}},
                             {layer + "k_proj.weight", {6, 8}},
                             {layer + "v_proj.weight", {6, 8}},
                             {layer + "o_proj.weight", {8, 12}}}};
  for (const char* key : {"attention_head_dim", "head_dim"}) {
    ZeroModel named = made;
    named.config[key] = 6;
    const auto config = named.read();
    ASSERT_TRUE(config.has_value()) << key << ": " << config.error().message();
    EXPECT_EQ(config->layers[0].headDim, 6) << key;
  }
}

// The newer ones are those that Transformers saves now.
TEST(HybridFamilies, KindsOfLayersHaveOlderAndNewerNames) {
  const std::string layer = "backbone.layers.";
  ZeroModel made{.config = {{"model_type", "nemotron_h"},
                            {"hidden_size", 8},
                            {"num_attention_heads", 2},
                            {"num_key_value_heads", 1},
                            {"head_dim", 6},
                            {"mamba_num_heads", 4},
                            {"mamba_head_dim", 4},
                            {"n_groups", 2},
                            {"ssm_state_size", 6},
                            {"conv_kernel", 4},
                            {"vocab_size", 10},
                            {"tie_word_embeddings", true}},
                 .tensors = {{"backbone.embeddings.weight", {10, 8}},
                             {"backbone.norm_f.weight", {8}},
                             {layer + "0.norm.weight", {8}},
                             {layer + "1.norm.weight", {8}},
                             {layer + "1.mixer.q_proj.weight", {12, 8}},
                             {layer + "1.mixer.k_proj.weight", {6, 8}},
                             {layer + "1.mixer.v_proj.weight", {6, 8}},
                             {layer + "1.mixer.o_proj.weight", {8, 12}}}};
  for (const auto& [name, dims] : mamba().tensors) {
    if (name.find("mixer.") != std::string::npos) made.tensors[name] = dims;
  }
  for (const auto& names : {Json{"mamba", "attention"}, Json{"linear_attention", "full_attention"}}) {
    made.config["layers_block_type"] = names;
    const auto read = made.read();
    ASSERT_TRUE(read.has_value()) << read.error().message();
    EXPECT_FALSE(read->layers[0].hasAttention());
    EXPECT_TRUE(read->layers[1].hasAttention());
  }
}

TEST(HybridFamilies, WhatDiffersInSingleLayersIsRefusedByName) {
  ZeroModel model = qwen();
  model.config["per_layer_config"] = Json::object();
  EXPECT_TRUE(model.read());
  model.config["per_layer_config"] = {{"1", {{"head_dim", 4}}}};
  const Error error = refusedHybrid(model);
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_NE(error.where.find("per_layer_config"), std::string::npos) << error.where;
}

TEST(HybridFamilies, LayersHaveTheirMixers) {
  const auto read = qwen().read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_TRUE(read->warnings.empty()) << read->warnings.front();
  EXPECT_FALSE(read->layers[0].hasAttention());
  EXPECT_EQ(read->layers[0].deltaNet.valueDim, 6);
  EXPECT_TRUE(read->layers[1].hasAttention());
  EXPECT_EQ(read->layers[1].deltaNet.keyHeads, 0);
  EXPECT_EQ(read->layers[1].outputGate.weight.shape.rows(), 16);
  const auto alone = mamba().read();
  ASSERT_TRUE(alone.has_value()) << alone.error().message();
  EXPECT_FALSE(alone->layers[0].hasAttention() || alone->layers[0].hasDense());
  EXPECT_EQ(alone->layers[0].mamba.stateSize, 6);
}

// B and C begin in the middle of what dt's rows have one scale with.
TEST(HybridFamilies, ScalesThatPartsOfMambaShareAreRefused) {
  ZeroModel model = jamba();
  model.config["mamba_expand"] = 4;
  const Shapes wider = {{"in_proj.weight", {64, 8}}, {"conv1d.weight", {32, 1, 4}}, {"conv1d.bias", {32}}, {"x_proj.weight", {15, 32}},
                        {"dt_proj.weight", {32, 3}}, {"dt_proj.bias", {32}},        {"A_log", {32, 6}},    {"D", {32}},
                        {"out_proj.weight", {8, 32}}};
  for (const auto& [name, sizes] : wider) model.tensors["model.layers.0.mamba." + name] = sizes;
  model.rowsPerScale["model.layers.0.mamba.x_proj.weight"] = 3;
  ASSERT_TRUE(model.read().has_value()) << model.read().error().message();
  model.rowsPerScale["model.layers.0.mamba.x_proj.weight"] = 4;
  const auto config = model.read();
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(config.error().what, "The parts of a fused matrix share their scales");
  EXPECT_EQ(config.error().where, "rows 3 to 14");
}

ZeroModel falcon() {
  const std::string layer = "model.layers.0.";
  return {.config = {{"model_type", "falcon_h1"},
                     {"hidden_size", 32},
                     {"num_hidden_layers", 1},
                     {"num_attention_heads", 2},
                     {"num_key_value_heads", 1},
                     {"intermediate_size", 12},
                     {"vocab_size", 10},
                     {"mamba_n_heads", 4},
                     {"mamba_d_head", 4},
                     {"mamba_n_groups", 2},
                     {"mamba_d_state", 6},
                     {"mamba_d_conv", 4},
                     {"ssm_multipliers", {1, 2, 3, 4, 5}},
                     {"tie_word_embeddings", true}},
          .tensors = {{"model.embed_tokens.weight", {10, 32}},
                      {"model.final_layernorm.weight", {32}},
                      {layer + "input_layernorm.weight", {32}},
                      {layer + "pre_ff_layernorm.weight", {32}},
                      {layer + "self_attn.q_proj.weight", {32, 32}},
                      {layer + "self_attn.k_proj.weight", {16, 32}},
                      {layer + "self_attn.v_proj.weight", {16, 32}},
                      {layer + "self_attn.o_proj.weight", {32, 32}},
                      {layer + "feed_forward.gate_proj.weight", {12, 32}},
                      {layer + "feed_forward.up_proj.weight", {12, 32}},
                      {layer + "feed_forward.down_proj.weight", {32, 12}},
                      {layer + "mamba.in_proj.weight", {60, 32}},
                      {layer + "mamba.conv1d.weight", {40, 1, 4}},
                      {layer + "mamba.conv1d.bias", {40}},
                      {layer + "mamba.A_log", {4}},
                      {layer + "mamba.D", {4}},
                      {layer + "mamba.dt_bias", {4}},
                      {layer + "mamba.out_proj.weight", {32, 16}}}};
}

// Rows of z, x, B, C and dt: 16, 16, 12, 12 and 4. With a scale for 16 of them, C has rows of two and begins within the first.
TEST(HybridFamilies, ScalesThatPartsOfFalconsMambaShareAreRefused) {
  ZeroModel model = falcon();
  ASSERT_TRUE(model.read().has_value()) << model.read().error().message();
  EXPECT_EQ(model.read()->layers[0].mamba.inScales, (std::vector<float>{1, 2, 3, 4, 5}));
  model.rowsPerScale["model.layers.0.mamba.in_proj.weight"] = 4;
  ASSERT_TRUE(model.read().has_value()) << model.read().error().message();
  model.rowsPerScale["model.layers.0.mamba.in_proj.weight"] = 16;
  const auto config = model.read();
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().what, "The parts of a fused matrix share their scales");
  EXPECT_EQ(config.error().where, "rows 44 to 55");
}

TEST(HybridFamilies, JambaHasAttentionAndMixturesInEveryNthLayer) {
  ZeroModel model = jamba();
  const auto read = model.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_TRUE(read->warnings.empty()) << read->warnings.front();
  EXPECT_EQ(read->layers[0].mamba.stepRank, 3);
  EXPECT_EQ(read->layers[0].mamba.headDim, 16);
  EXPECT_TRUE(read->layers[0].hasDense() && !read->layers[0].hasAttention() && !read->layers[0].hasExperts());
  EXPECT_TRUE(read->layers[1].hasAttention() && read->layers[1].hasExperts());
  EXPECT_FALSE(read->layers[1].experts.normalised);
  EXPECT_EQ(read->layers[1].rope, -1);
  model.config["mamba_dt_rank"] = "auto";  // a 16th of the hidden size, rounded up: 1, but the tensors have 3
  EXPECT_NE(refusedHybrid(model).what.find("mamba.x_proj.weight"), std::string::npos);
}

TEST(HybridFamilies, KimiHasLatentAttentionInTheListedLayers) {
  ZeroModel model = kimi();
  const auto read = model.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_TRUE(read->warnings.empty()) << read->warnings.front();
  EXPECT_TRUE(read->layers[0].deltaNet.channelDecay && !read->layers[0].hasAttention());
  EXPECT_EQ(read->layers[0].deltaNet.valueHeads, 3);
  EXPECT_EQ(read->layers[1].latentAttention.latent, 5);
  EXPECT_EQ(read->layers[1].rope, -1);
  EXPECT_EQ(read->layers[1].deltaNet.keyHeads, 0);
  EXPECT_EQ(read->layers[1].experts.sharedSize, 6);
  const std::pair<const char*, Json> wrong[] = {
      {"full_attn_layers", {0}}, {"full_attn_layers", {3}}, {"full_attn_layers", {"all"}}, {"full_attn_layers", 2},        {"num_heads", 0},
      {"num_heads", nullptr},    {"head_dim", 1 << 20},     {"short_conv_kernel_size", 1}, {"short_conv_kernel_size", 4.5}};
  for (const auto& [key, value] : wrong) {
    model = kimi();
    model.config["linear_attn_config"][key] = value;
    EXPECT_NE(refusedHybrid(model).where.find("linear_attn_config"), std::string::npos) << key << " " << value;
  }
  for (const Json& value : {Json(), Json(7), Json::array({1})}) {
    model = kimi();
    model.config["linear_attn_config"] = value;
    EXPECT_NE(refusedHybrid(model).message(), "") << value;
  }
  model = kimi();
  model.config["moe_layer_freq"] = 2;
  EXPECT_EQ(refusedHybrid(model).kind, ErrorKind::unsupported);
}

TEST(HybridFamilies, ExpertsMayWorkInALatentSpace) {
  ZeroModel model = nemotron();
  const auto read = model.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_TRUE(read->warnings.empty()) << read->warnings.front();
  EXPECT_EQ(read->layers[0].experts.latentDown.weight.shape.rows(), 5);
  EXPECT_EQ(read->layers[0].experts.up.weights.front().shape.columns(), 5);
  EXPECT_EQ(read->layers[0].experts.sharedUp.weight.shape.columns(), 8);
  for (const Json& value : {Json(-1), Json("all"), Json(1 << 30)}) {
    model.config["moe_latent_size"] = value;
    EXPECT_NE(refusedHybrid(model).where.find("moe_latent_size"), std::string::npos) << value;
  }
  model.config["moe_latent_size"] = 4;
  EXPECT_NE(refusedHybrid(model).what.find("fc1_latent_proj.weight"), std::string::npos);
  model.config["moe_latent_size"] = nullptr;
  EXPECT_NE(refusedHybrid(model).what.find("up_proj.weight"), std::string::npos);
}

TEST(HybridFamilies, LayerTypesThatContradictTheModelAreRefused) {
  ZeroModel model = qwen();
  model.config["layer_types"] = Json::array({"linear_attention"});
  EXPECT_NE(refusedHybrid(model).where.find("layer_types"), std::string::npos);
  model.config["layer_types"] = Json::array({"linear_attention", "ring_attention"});
  const Error unknown = refusedHybrid(model);
  EXPECT_EQ(unknown.kind, ErrorKind::unsupported);
  EXPECT_NE(unknown.actual.find("ring_attention"), std::string::npos) << unknown.actual;
  model.config["layer_types"] = Json::array({"full_attention", "linear_attention"});
  const Error swapped = refusedHybrid(model);
  EXPECT_EQ(swapped.kind, ErrorKind::corrupt);
  EXPECT_NE(swapped.what.find("model.layers.0.self_attn.q_proj.weight"), std::string::npos) << swapped.what;
}

TEST(HybridFamilies, ImpossibleSizesAreRefusedByTheirKey) {
  const std::pair<const char*, Json> mambas[] = {{"state_size", 0},   {"state_size", -6},     {"state_size", 1 << 20},
                                                 {"state_size", 6.5}, {"num_heads", 1 << 20}, {"n_groups", 3},
                                                 {"conv_kernel", 1},  {"conv_kernel", 4096},  {"time_step_limit", {1.0, 0.5}}};
  for (const auto& [key, value] : mambas) {
    ZeroModel model = mamba();
    model.config[key] = value;
    EXPECT_NE(refusedHybrid(model).where.find(key), std::string::npos) << key << " " << value;
  }
  const std::pair<const char*, Json> nets[] = {
      {"linear_key_head_dim", 0}, {"linear_value_head_dim", 1 << 20}, {"linear_num_key_heads", 3}, {"linear_num_value_heads", nullptr}};
  for (const auto& [key, value] : nets) {
    ZeroModel model = qwen();
    model.config[key] = value;
    EXPECT_NE(refusedHybrid(model).where.find(key), std::string::npos) << key << " " << value;
  }
  const std::pair<const char*, Json> jambas[] = {{"attn_layer_period", 0},  {"attn_layer_offset", 2}, {"expert_layer_offset", -1},
                                                 {"mamba_dt_rank", 0},      {"mamba_dt_rank", "all"}, {"mamba_d_state", 1 << 20},
                                                 {"mamba_expand", 1 << 20}, {"mamba_d_conv", 1},      {"num_experts_per_tok", 3}};
  for (const auto& [key, value] : jambas) {
    ZeroModel model = jamba();
    model.config[key] = value;
    EXPECT_NE(refusedHybrid(model).where.find(key), std::string::npos) << key << " " << value;
  }
  ZeroModel other = mamba();
  other.config["state_size"] = 7;  // possible, but not that of the tensors
  EXPECT_NE(refusedHybrid(other).what.find("backbone.layers.0.mixer.in_proj.weight"), std::string::npos);
}

TEST(HybridFamilies, EveryMissingTensorIsNamed) {
  for (const ZeroModel& whole : {mamba(), qwen(), jamba(), kimi(), nemotron()}) {
    for (const auto& [name, sizes] : whole.tensors) {
      if (name.ends_with("conv1d.bias")) continue;  // may be absent
      ZeroModel model = whole;
      model.tensors.erase(name);
      EXPECT_NE(refusedHybrid(model).what.find(name), std::string::npos) << name;
    }
  }
}

TEST(HybridFamilies, PartsForImagesAndFurtherTokensAreLeftOutWithAWord) {
  ZeroModel model = qwen();
  model.tensors["model.visual.pos_embed.weight"] = {4, 8};
  model.tensors["mtp.norm.weight"] = {8};
  model.tensors["mtp.layers.0.input_layernorm.weight"] = {8};
  const auto read = model.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_FALSE(read->prediction);
  ASSERT_EQ(read->warnings.size(), 2U);
  EXPECT_NE(read->warnings[0].find("images"), std::string::npos) << read->warnings[0];
  EXPECT_NE(read->warnings[1].find("2 tensors"), std::string::npos) << read->warnings[1];
}

// It would only make replies faster.
TEST(HybridFamilies, APredictionThatIsNotWholeIsLeftOutWithAWord) {
  ZeroModel model = qwen();
  model.tensors["mtp.fc.weight"] = {8, 16};
  const auto read = model.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_FALSE(read->prediction);
  ASSERT_EQ(read->warnings.size(), 1U);
  EXPECT_NE(read->warnings[0].find("mtp.pre_fc_norm_embedding"), std::string::npos) << read->warnings[0];
}

TEST(HybridFamilies, APredictionIsReadUnlessASizeIsWrong) {
  ZeroModel model = qwen();
  const Shapes outside{{"fc", {8, 16}}, {"pre_fc_norm_embedding", {8}}, {"pre_fc_norm_hidden", {8}}, {"norm", {8}}};
  const std::string layer = "layers.0.", last = "model.layers.1.";
  for (const auto& [name, sizes] : Shapes(model.tensors)) {
    if (name.starts_with(last)) model.tensors["mtp." + layer + name.substr(last.size())] = sizes;
  }
  for (const auto& [name, sizes] : outside) model.tensors["mtp." + name + ".weight"] = sizes;
  const auto whole = model.read();
  ASSERT_TRUE(whole.has_value()) << whole.error().message();
  EXPECT_TRUE(whole->prediction) << whole->warnings.front();
  EXPECT_TRUE(whole->warnings.empty());
  model.tensors["mtp.fc.weight"] = {8, 8};
  const auto read = model.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_FALSE(read->prediction);
  EXPECT_NE(read->warnings[0].find("mtp.fc"), std::string::npos) << read->warnings[0];
}

// Python writes an infinite limit as a word that JSON does not have.
TEST(HybridFamilies, AnInfiniteLimitOfStepsIsRead) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("minerva-infinity-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  fs::copy_file(fs::path(MINERVA_TEST_DATA) / "golden/models/tiny-olmo2/hf/model.safetensors", folder / "model.safetensors",
                fs::copy_options::overwrite_existing);
  std::ofstream(folder / "config.json") << R"({"model_type": "mamba2", "a\"Infinity": "NaN", "time_step_limit": [0.0, Infinity]})";
  const auto file = format::ModelFile::open(folder);
  fs::remove_all(folder);
  ASSERT_TRUE(file.has_value()) << file.error().message();
  const Json& config = (*file)->huggingFace().config;
  EXPECT_EQ(config["a\"Infinity"], "NaN");
  EXPECT_TRUE(config["time_step_limit"][1].is_null());
}

}  // namespace
}  // namespace minerva::model
