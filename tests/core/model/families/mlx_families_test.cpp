// Folders that MLX's tools wrote: families whose tensors have other names there than in the published folders.
#include "core/format/model_file.h"
#include "tests/core/model/families/zero_model.h"

#include <gtest/gtest.h>

#include <string>

namespace minerva::model {
namespace {

using Json = nlohmann::json;
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

ZeroModel folderOf(Json config, const Shapes& tensors) {
  ZeroModel made{.config = {{"hidden_size", 32},
                            {"intermediate_size", 48},
                            {"num_hidden_layers", 1},
                            {"num_attention_heads", 2},
                            {"num_key_value_heads", 2},
                            {"head_dim", 16},
                            {"max_position_embeddings", 64},
                            {"vocab_size", 8},
                            {"rope_theta", 10000.0},
                            {"tie_word_embeddings", true}},
                 .tensors = tensors};
  made.config.update(config);
  return made;
}

void addAttention(const std::string& layer, ZeroModel& made) {
  for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"}) made.tensors[layer + "self_attn." + name + ".weight"] = {32, 32};
  for (const char* name : {"input_layernorm", "post_attention_layernorm"}) made.tensors[layer + name + ".weight"] = {32};
}

// The same weights under the names of MLX.
ZeroModel asMlx(ZeroModel published, const std::vector<std::string>& without, const Shapes& instead) {
  published.format = format::FileFormat::mlx;
  for (const std::string& name : without) EXPECT_EQ(published.tensors.erase(name), 1U) << name;
  for (const auto& [name, dims] : instead) published.tensors[name] = dims;
  return published;
}

// Both are read, and every tensor of both is used.
void expectSame(const ZeroModel& published, const ZeroModel& mlx, ModelConfig& read) {
  const auto first = published.read(), second = mlx.read();
  ASSERT_TRUE(first.has_value()) << first.error().message();
  ASSERT_TRUE(second.has_value()) << second.error().message();
  EXPECT_EQ(first->warnings, std::vector<std::string>());
  EXPECT_EQ(second->warnings, std::vector<std::string>());
  EXPECT_EQ(first->parameters, second->parameters);
  read = *second;
}

TEST(MlxFamilies, NemotronsExpertsAreNumberedLayersOfTheirFeedForward) {
  const std::string mixer = "backbone.layers.0.mixer.";
  const ZeroModel published = folderOf({{"model_type", "nemotron_h"},
                                        {"layers_block_type", {"moe"}},
                                        {"n_routed_experts", 2},
                                        {"num_experts_per_tok", 1},
                                        {"moe_intermediate_size", 16}},
                                       {{"backbone.embeddings.weight", {8, 32}},
                                        {"backbone.norm_f.weight", {32}},
                                        {"backbone.layers.0.norm.weight", {32}},
                                        {mixer + "gate.weight", {2, 32}},
                                        {mixer + "gate.e_score_correction_bias", {2}},
                                        {mixer + "experts.0.up_proj.weight", {16, 32}},
                                        {mixer + "experts.1.up_proj.weight", {16, 32}},
                                        {mixer + "experts.0.down_proj.weight", {32, 16}},
                                        {mixer + "experts.1.down_proj.weight", {32, 16}}});
  const ZeroModel mlx = asMlx(published,
                              {mixer + "experts.0.up_proj.weight", mixer + "experts.1.up_proj.weight", mixer + "experts.0.down_proj.weight",
                               mixer + "experts.1.down_proj.weight"},
                              {{mixer + "switch_mlp.fc1.weight", {2, 16, 32}}, {mixer + "switch_mlp.fc2.weight", {2, 32, 16}}});
  ModelConfig read;
  ASSERT_NO_FATAL_FAILURE(expectSame(published, mlx, read));
  EXPECT_EQ(mlx.nameOf(read.layers[0].experts.up.weights.at(0)), mixer + "switch_mlp.fc1.weight");
  EXPECT_EQ(mlx.nameOf(read.layers[0].experts.down.weights.at(0)), mixer + "switch_mlp.fc2.weight");
}

// MLX's tools give all of LFM2's feed-forwards the names of the experts, in its mixture only.
TEST(MlxFamilies, Lfm2sMixtureHasOtherNamesInItsDenseLayersToo) {
  const std::string first = "model.layers.0.", second = "model.layers.1.", dense = first + "feed_forward.",
                    mixture = second + "feed_forward.";
  ZeroModel published = folderOf({{"model_type", "lfm2_moe"},
                                  {"num_hidden_layers", 2},
                                  {"num_experts", 2},
                                  {"num_experts_per_tok", 1},
                                  {"num_dense_layers", 1},
                                  {"moe_intermediate_size", 16},
                                  {"conv_L_cache", 3},
                                  {"layer_types", {"full_attention", "full_attention"}}},
                                 {{"model.embed_tokens.weight", {8, 32}},
                                  {"model.embedding_norm.weight", {32}},
                                  {dense + "w1.weight", {48, 32}},
                                  {dense + "w3.weight", {48, 32}},
                                  {dense + "w2.weight", {32, 48}},
                                  {mixture + "gate.weight", {2, 32}},
                                  {mixture + "expert_bias", {2}}});
  for (const std::string& layer : {first, second}) {
    for (const char* name : {"q_proj", "k_proj", "v_proj", "out_proj"})
      published.tensors[layer + "self_attn." + name + ".weight"] = {32, 32};
    for (const char* name : {"operator_norm", "ffn_norm"}) published.tensors[layer + name + ".weight"] = {32};
    for (const char* name : {"q_layernorm", "k_layernorm"}) published.tensors[layer + "self_attn." + name + ".weight"] = {16};
  }
  std::vector<std::string> without = {dense + "w1.weight", dense + "w2.weight", dense + "w3.weight"};
  for (const std::string expert : {"experts.0.", "experts.1."}) {
    published.tensors[mixture + expert + "w1.weight"] = published.tensors[mixture + expert + "w3.weight"] = {16, 32};
    published.tensors[mixture + expert + "w2.weight"] = {32, 16};
    for (const char* name : {"w1.weight", "w2.weight", "w3.weight"}) without.push_back(mixture + expert + name);
  }
  const ZeroModel mlx = asMlx(published, without,
                              {{dense + "gate_proj.weight", {48, 32}},
                               {dense + "up_proj.weight", {48, 32}},
                               {dense + "down_proj.weight", {32, 48}},
                               {mixture + "switch_mlp.gate_proj.weight", {2, 16, 32}},
                               {mixture + "switch_mlp.up_proj.weight", {2, 16, 32}},
                               {mixture + "switch_mlp.down_proj.weight", {2, 32, 16}}});
  ModelConfig read;
  ASSERT_NO_FATAL_FAILURE(expectSame(published, mlx, read));
  EXPECT_EQ(mlx.nameOf(read.layers[0].gate.weight), dense + "gate_proj.weight");
  EXPECT_EQ(mlx.nameOf(read.layers[0].up.weight), dense + "up_proj.weight");
  EXPECT_EQ(mlx.nameOf(read.layers[0].down.weight), dense + "down_proj.weight");
}

TEST(MlxFamilies, DenseGraniteHasAnOrdinaryFeedForward) {
  const std::string layer = "model.layers.0.";
  ZeroModel published = folderOf(
      {{"model_type", "granitemoehybrid"}, {"shared_intermediate_size", 48}, {"num_local_experts", 0}, {"layer_types", {"attention"}}},
      {{"model.embed_tokens.weight", {8, 32}},
       {"model.norm.weight", {32}},
       {layer + "shared_mlp.input_linear.weight", {96, 32}},
       {layer + "shared_mlp.output_linear.weight", {32, 48}}});
  addAttention(layer, published);
  const ZeroModel mlx = asMlx(
      published, {layer + "shared_mlp.input_linear.weight", layer + "shared_mlp.output_linear.weight"},
      {{layer + "mlp.gate_proj.weight", {48, 32}}, {layer + "mlp.up_proj.weight", {48, 32}}, {layer + "mlp.down_proj.weight", {32, 48}}});
  ModelConfig read;
  ASSERT_NO_FATAL_FAILURE(expectSame(published, mlx, read));
  EXPECT_EQ(mlx.nameOf(read.layers[0].gate.weight), layer + "mlp.gate_proj.weight");
  EXPECT_EQ(mlx.nameOf(read.layers[0].up.weight), layer + "mlp.up_proj.weight");
}

// A mixture with experts in stacks at this place.
ZeroModel mixtureOf(const Json& config, const std::string& stacked) {
  const std::string layer = "model.layers.0.", mlp = layer + "mlp.";
  ZeroModel made = folderOf(config, {{"model.embed_tokens.weight", {8, 32}}, {"model.norm.weight", {32}}, {mlp + "gate.weight", {2, 32}}});
  addAttention(layer, made);
  made.tensors[mlp + stacked + "gate_proj.weight"] = made.tensors[mlp + stacked + "up_proj.weight"] = {2, 16, 32};
  made.tensors[mlp + stacked + "down_proj.weight"] = {2, 32, 16};
  made.format = format::FileFormat::mlx;
  return made;
}

// MLX's tools leave the bias out, and so do their models.
TEST(MlxFamilies, ErniesExpertsAreChosenWithoutABias) {
  const std::string bias = "model.layers.0.mlp.moe_statics.e_score_correction_bias";
  ZeroModel made =
      mixtureOf({{"model_type", "ernie4_5_moe"}, {"moe_num_experts", 2}, {"moe_k", 1}, {"moe_intermediate_size", 16}}, "switch_mlp.");
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_TRUE(read->layers[0].experts.selectionBias.empty());
  made.tensors[bias] = {1, 2};
  EXPECT_EQ(made.nameOf(made.read()->layers[0].experts.selectionBias), bias);
  made.format = format::FileFormat::safetensors;
  EXPECT_TRUE(made.read().has_value());
  EXPECT_NE(refusedAfter(made, [&](ZeroModel& m) { m.tensors.erase(bias); }).what.find(bias), std::string::npos) << "a published folder";
}

TEST(MlxFamilies, DotsHasItsStacksUnderExperts) {
  ZeroModel made =
      mixtureOf({{"model_type", "dots1"}, {"n_routed_experts", 2}, {"num_experts_per_tok", 1}, {"moe_intermediate_size", 16}}, "experts.");
  made.tensors["model.layers.0.mlp.gate.e_score_correction_bias"] = {2};
  for (const char* name : {"q_norm", "k_norm"}) made.tensors[std::string("model.layers.0.self_attn.") + name + ".weight"] = {16};
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->warnings, std::vector<std::string>());
  EXPECT_EQ(made.nameOf(read->layers[0].experts.gate.weights.at(0)), "model.layers.0.mlp.experts.gate_proj.weight");
  EXPECT_EQ(made.nameOf(read->layers[0].experts.up.weights.at(0)), "model.layers.0.mlp.experts.up_proj.weight");
  EXPECT_EQ(made.nameOf(read->layers[0].experts.down.weights.at(0)), "model.layers.0.mlp.experts.down_proj.weight");
}

// A layer of Kimi Delta Attention with a mixture.
ZeroModel kimiFolder(bool mlx) {
  const std::string layer = "model.layers.0.", block = layer + (mlx ? "mlp." : "block_sparse_moe."), attention = layer + "self_attn.";
  ZeroModel made = folderOf(
      {{"model_type", "kimi_linear"},
       {"kv_lora_rank", 5},
       {"qk_nope_head_dim", 4},
       {"qk_rope_head_dim", 2},
       {"v_head_dim", 3},
       {"num_experts", 2},
       {"num_experts_per_token", 1},
       {"num_shared_experts", 1},
       {"moe_intermediate_size", 16},
       {"linear_attn_config", {{"full_attn_layers", Json::array()}, {"num_heads", 2}, {"head_dim", 4}, {"short_conv_kernel_size", 4}}}},
      {{"model.embed_tokens.weight", {8, 32}},
       {"model.norm.weight", {32}},
       {layer + "input_layernorm.weight", {32}},
       {layer + "post_attention_layernorm.weight", {32}},
       {block + "gate.weight", {2, 32}},
       {block + (mlx ? "e_score_correction_bias" : "gate.e_score_correction_bias"), {2}},
       {block + "shared_experts.gate_proj.weight", {16, 32}},
       {block + "shared_experts.up_proj.weight", {16, 32}},
       {block + "shared_experts.down_proj.weight", {32, 16}},
       {attention + "b_proj.weight", {2, 32}},
       {attention + "A_log", {2}},
       {attention + "dt_bias", {8}},
       {attention + "o_norm.weight", {4}},
       {attention + "o_proj.weight", {32, 8}}});
  for (const std::string one : {"q", "k", "v"}) {
    made.tensors[attention + one + "_proj.weight"] = {8, 32};
    made.tensors[attention + one + (mlx ? "_conv.conv.weight" : "_conv1d.weight")] = {8, 1, 4};
  }
  for (const std::string one : {"f", "g"}) {
    made.tensors[attention + one + "_a_proj.weight"] = {4, 32};
    made.tensors[attention + one + "_b_proj.weight"] = {8, 4};
  }
  for (const auto& [in, out] : {std::pair("w1", "gate_proj"), std::pair("w3", "up_proj"), std::pair("w2", "down_proj")}) {
    const bool down = out == std::string("down_proj");
    if (mlx) made.tensors[block + "switch_mlp." + out + ".weight"] = {2, down ? 32 : 16, down ? 16 : 32};
    for (const std::string expert : {"experts.0.", "experts.1."})
      if (!mlx) made.tensors[block + expert + in + ".weight"] = {down ? 32 : 16, down ? 16 : 32};
  }
  if (mlx) made.format = format::FileFormat::mlx;
  return made;
}

TEST(MlxFamilies, KimiHasOtherNamesForItsMixtureAndItsConvolutions) {
  const ZeroModel mlx = kimiFolder(true);
  ModelConfig read;
  ASSERT_NO_FATAL_FAILURE(expectSame(kimiFolder(false), mlx, read));
  const std::string mlp = "model.layers.0.mlp.";
  const Experts& experts = read.layers[0].experts;
  EXPECT_EQ(mlx.nameOf(experts.gate.weights.at(0)), mlp + "switch_mlp.gate_proj.weight");
  EXPECT_EQ(mlx.nameOf(experts.up.weights.at(0)), mlp + "switch_mlp.up_proj.weight");
  EXPECT_EQ(mlx.nameOf(experts.selectionBias), mlp + "e_score_correction_bias");
  EXPECT_EQ(mlx.nameOf(experts.sharedGate.weight), mlp + "shared_experts.gate_proj.weight");
}

// A part that no layer has by the names that are known is one of another layout, rather than a damaged file.
TEST(MlxFamilies, AnUnknownLayoutIsSaidToBeOne) {
  const auto withoutUp = [](const ZeroModel& made) {
    return refusedAfter(made, [](ZeroModel& m) { m.tensors.erase("model.layers.0.mlp.switch_mlp.up_proj.weight"); });
  };
  ZeroModel made =
      mixtureOf({{"model_type", "ernie4_5_moe"}, {"moe_num_experts", 2}, {"moe_k", 1}, {"moe_intermediate_size", 16}}, "switch_mlp.");
  const std::string words = "layout that is not known";
  const Error error = withoutUp(made);
  EXPECT_NE(error.hint.find(words), std::string::npos) << error.message();
  const std::string gate = "model.layers.0.mlp.gate.weight";
  made.tensors["model.layers.1.mlp.gate.weight"] = {2, 32};
  const Error damaged = refusedAfter(made, [&](ZeroModel& m) { m.tensors.erase(gate); });
  EXPECT_NE(damaged.what.find(gate), std::string::npos) << damaged.what;
  EXPECT_EQ(damaged.hint.find(words), std::string::npos) << damaged.hint;
  made.format = format::FileFormat::safetensors;
  EXPECT_EQ(withoutUp(made).hint.find(words), std::string::npos);
}

}  // namespace
}  // namespace minerva::model
