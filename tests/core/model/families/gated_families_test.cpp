// What is read of families with a gate of the attention's result (Muse Glimmer, Laguna, Trinity), of EXAONE's and of Arcee's, and what is
// refused, by name.
#include "core/format/model_file.h"
#include "tests/core/model/families/zero_model.h"

#include <gtest/gtest.h>

namespace minerva::model {
namespace {

using Json = nlohmann::json;
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

std::string layerOf(int layer) { return "model.layers." + std::to_string(layer) + "."; }

void addWeights(ZeroModel& made, const std::string& prefix, const Shapes& shapes) {
  for (const auto& [name, sizes] : shapes) made.tensors[prefix + name + ".weight"] = sizes;
}

// Two heads of 4 elements, one of keys, a hidden size of 8, of so many layers.
ZeroModel plainDecoder(const std::string& type, int layers) {
  ZeroModel made{.config = {{"model_type", type},
                            {"hidden_size", 8},
                            {"num_hidden_layers", layers},
                            {"num_attention_heads", 2},
                            {"num_key_value_heads", 1},
                            {"head_dim", 4},
                            {"intermediate_size", 12},
                            {"vocab_size", 10},
                            {"tie_word_embeddings", true}},
                 .tensors = {{"model.embed_tokens.weight", {10, 8}}, {"model.norm.weight", {8}}}};
  for (int i = 0; i < layers; ++i) {
    addWeights(made, layerOf(i),
               {{"input_layernorm", {8}},
                {"post_attention_layernorm", {8}},
                {"self_attn.q_proj", {8, 8}},
                {"self_attn.k_proj", {4, 8}},
                {"self_attn.v_proj", {4, 8}},
                {"self_attn.o_proj", {8, 8}}});
  }
  return made;
}

void addFeedForward(ZeroModel& made, int layer) {
  addWeights(made, layerOf(layer) + "mlp.", {{"gate_proj", {12, 8}}, {"up_proj", {12, 8}}, {"down_proj", {8, 12}}});
}

// Two experts of 6, and a shared one.
void addMixture(ZeroModel& made, int layer, const std::string& router, const std::string& shared, const std::string& bias) {
  const std::string mlp = layerOf(layer) + "mlp.";
  addWeights(made, mlp, {{router, {2, 8}}});
  made.tensors[mlp + bias] = {2};
  for (const std::string& expert : {std::string("experts.0."), std::string("experts.1."), shared})
    addWeights(made, mlp + expert, {{"gate_proj", {6, 8}}, {"up_proj", {6, 8}}, {"down_proj", {8, 6}}});
}

void addNormsOfHeads(ZeroModel& made, int layers) {
  for (int i = 0; i < layers; ++i) addWeights(made, layerOf(i) + "self_attn.", {{"q_norm", {4}}, {"k_norm", {4}}});
}

ModelConfig readGated(const ZeroModel& made) {
  const auto config = made.read();
  EXPECT_TRUE(config.has_value()) << config.error().message();
  return config ? *config : ModelConfig{};
}

ZeroModel muse() {
  ZeroModel made = plainDecoder("muse_glimmer", 4);
  made.config["sliding_window"] = 3;
  for (int i = 0; i < 4; ++i) {
    addFeedForward(made, i);
    addWeights(made, layerOf(i),
               {{"pre_feedforward_layernorm", {8}}, {"post_feedforward_layernorm", {8}}, {"self_attn.gate_proj", {8, 8}}});
  }
  return made;
}

TEST(GatedFamilies, MuseGlimmer) {
  const ModelConfig config = readGated(muse());
  EXPECT_TRUE(config.embeddingNorm.withoutWeight);
  EXPECT_EQ(config.normPlus, 1);
  EXPECT_TRUE(config.outputNorm.whole);
  EXPECT_FLOAT_EQ(config.logitScale, 0.19611613F);
  EXPECT_EQ(config.logitSoftCap, 20);
  for (std::size_t i = 0; i < 4; ++i) {
    const LayerConfig& layer = config.layers[i];
    EXPECT_EQ(layer.visible.window, i == 3 ? 0 : 3);
    EXPECT_EQ(layer.rope, i == 3 ? -1 : 0);
    EXPECT_FLOAT_EQ(layer.postAttentionNorm.epsilon, 1e-8F);
    EXPECT_FLOAT_EQ(layer.postFeedForwardNorm.epsilon, 1e-8F);
    EXPECT_EQ(layer.feedForwardNorm.epsilon, 0);
    EXPECT_FLOAT_EQ(layer.qNorm.weights.times, 3.87F);
    EXPECT_TRUE(layer.kNorm.weights.withoutWeight);
    EXPECT_EQ(layer.outputGate.weight.shape.rows(), 8);
    EXPECT_EQ(layer.outputGateActivation, Activation::sigmoid);
  }
}

// Without a list of the layers, those that see everything are counted from the last one.
TEST(GatedFamilies, MuseGlimmerEndsWithALayerThatSeesEverything) {
  ZeroModel made = muse();
  made.config["num_hidden_layers"] = 3;
  std::erase_if(made.tensors, [](const auto& tensor) { return tensor.first.starts_with("model.layers.3."); });
  const ModelConfig config = readGated(made);
  EXPECT_EQ(config.layers[0].visible.window, 3);
  EXPECT_EQ(config.layers[2].visible.window, 0);
}

// MLX keeps the published norms, without the 1, and has the text model beside the parts for images.
TEST(GatedFamilies, MuseGlimmerInMlx) {
  ZeroModel made = muse(), nested{.format = format::FileFormat::mlx, .config = {{"model_type", "muse_glimmer"}}};
  nested.config["text_config"] = made.config;
  nested.config["text_config"]["model_type"] = "muse_glimmer_text";
  for (const auto& [name, sizes] : made.tensors) nested.tensors["language_model." + name] = sizes;
  nested.tensors["vision_adapter.fc1.weight"] = nested.tensors["vision_projection.weight"] = {8, 8};
  const ModelConfig config = readGated(nested);
  EXPECT_EQ(config.normPlus, 1);
  EXPECT_EQ(nested.nameOf(config.layers.at(0).outputGate.weight), "language_model.model.layers.0.self_attn.gate_proj.weight");
  ASSERT_EQ(config.warnings.size(), 1U);
  EXPECT_NE(config.warnings[0].find("parts for images and sound"), std::string::npos) << config.warnings[0];
}

TEST(GatedFamilies, MuseGlimmerIsRotatedByOneBase) {
  ZeroModel made = muse();
  made.config["layer_rope_theta"] = {0, 500000.0, 500000, 500000.0};
  EXPECT_EQ(readGated(made).layers[0].rope, -1);
  EXPECT_EQ(readGated(made).layers[3].rope, 0);
  const Error bases = refusedAfter(made, [](ZeroModel& m) { m.config["layer_rope_theta"][1] = 10000; });
  EXPECT_EQ(bases.kind, ErrorKind::unsupported);
  EXPECT_NE(bases.what.find("different bases"), std::string::npos) << bases.message();
  const Error fewer = refusedAfter(made, [](ZeroModel& m) { m.config["layer_rope_theta"] = {0}; });
  EXPECT_EQ(fewer.kind, ErrorKind::corrupt);
  EXPECT_EQ(fewer.actual, "1 entries");
}

// Two layers, the first dense with one head, the second a mixture with two.
ZeroModel laguna() {
  ZeroModel made = plainDecoder("laguna", 2);
  made.config.update(Json{{"num_attention_heads_per_layer", {1, 2}},
                          {"sliding_window", 3},
                          {"layer_types", {"full_attention", "sliding_attention"}},
                          {"mlp_layer_types", {"dense", "sparse"}},
                          {"num_experts", 2},
                          {"num_experts_per_tok", 1},
                          {"moe_intermediate_size", 6},
                          {"shared_expert_intermediate_size", 6},
                          {"moe_routed_scaling_factor", 2.5}});
  addWeights(made, layerOf(0) + "self_attn.", {{"q_proj", {4, 8}}, {"o_proj", {8, 4}}, {"g_proj", {1, 8}}});
  addWeights(made, layerOf(1) + "self_attn.", {{"g_proj", {2, 8}}});
  addNormsOfHeads(made, 2);
  addFeedForward(made, 0);
  addMixture(made, 1, "gate", "shared_expert.", "experts.e_score_correction_bias");
  return made;
}

TEST(GatedFamilies, Laguna) {
  const ModelConfig config = readGated(laguna());
  ASSERT_EQ(config.ropes.size(), 2U);
  EXPECT_EQ(config.ropes[0].dimension, 2) << "half of a head";
  EXPECT_EQ(config.ropes[1].dimension, 4);
  const LayerConfig &full = config.layers[0], &sliding = config.layers[1];
  EXPECT_EQ(full.headCount, 1);
  EXPECT_EQ(sliding.headCount, 2);
  EXPECT_EQ(full.rope, 0);
  EXPECT_EQ(sliding.rope, 1);
  EXPECT_EQ(full.visible.window, 0);
  EXPECT_EQ(sliding.visible.window, 3);
  EXPECT_EQ(sliding.outputGateActivation, Activation::softplus);
  EXPECT_EQ(sliding.outputGate.weight.shape.rows(), 2) << "one gate a head";
  EXPECT_TRUE(full.hasDense());
  EXPECT_EQ(sliding.experts.scoring, Scoring::sigmoid);
  EXPECT_TRUE(sliding.experts.normalised);
  EXPECT_EQ(sliding.experts.scale, 2.5F);
  EXPECT_EQ(sliding.experts.sharedSize, 6);
}

// Half of a head is what Transformers takes where no parameters are given at all.
TEST(GatedFamilies, LagunasGivenRotationIsOfTheWholeHeadUnlessItSaysSo) {
  ZeroModel made = laguna();
  Json& ropes = made.config["rope_parameters"];
  ropes = {{"full_attention", {{"rope_type", "default"}, {"rope_theta", 500000.0}}},
           {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 10000.0}, {"partial_rotary_factor", 0.5}}}};
  EXPECT_EQ(readGated(made).ropes[0].dimension, 4);
  EXPECT_EQ(readGated(made).ropes[1].dimension, 2);
  made.config["rope_parameters"]["full_attention"]["partial_rotary_factor"] = 0.5;
  EXPECT_EQ(readGated(made).ropes[0].dimension, 2);
}

TEST(GatedFamilies, LagunasGateMayBeOfEveryElement) {
  ZeroModel made = laguna();
  made.tensors[layerOf(1) + "self_attn.g_proj.weight"] = {8, 8};
  EXPECT_EQ(readGated(made).layers[1].outputGate.weight.shape.rows(), 8);
  made.tensors[layerOf(1) + "self_attn.g_proj.weight"] = {4, 8};
  EXPECT_FALSE(made.read().has_value());
}

TEST(GatedFamilies, LagunasTensorsHaveOtherNamesInTransformersAndInMlx) {
  ZeroModel made = plainDecoder("laguna", 1);
  made.config = laguna().config;
  made.config.update(Json{{"num_hidden_layers", 1},
                          {"num_attention_heads_per_layer", nullptr},
                          {"layer_types", {"full_attention"}},
                          {"mlp_layer_types", {"sparse"}}});
  addWeights(made, layerOf(0) + "self_attn.", {{"g_proj", {2, 8}}});
  addNormsOfHeads(made, 1);
  addMixture(made, 0, "gate.proj", "shared_experts.", "gate.e_score_correction_bias");
  const LayerConfig layer = readGated(made).layers.at(0);
  EXPECT_EQ(made.nameOf(layer.experts.router.weight), layerOf(0) + "mlp.gate.proj.weight");
  EXPECT_EQ(made.nameOf(layer.experts.selectionBias), layerOf(0) + "mlp.gate.e_score_correction_bias");
  EXPECT_EQ(made.nameOf(layer.experts.sharedUp.weight), layerOf(0) + "mlp.shared_experts.up_proj.weight");
}

TEST(GatedFamilies, WhatLagunasRouterCannotDo) {
  const Error cap = refusedAfter(laguna(), [](ZeroModel& m) { m.config["moe_router_logit_softcapping"] = 30.0; });
  EXPECT_EQ(cap.kind, ErrorKind::unsupported);
  EXPECT_NE(cap.what.find("soft cap of the router"), std::string::npos) << cap.message();
  const Error input = refusedAfter(laguna(), [](ZeroModel& m) { m.config["moe_apply_router_weight_on_input"] = true; });
  EXPECT_EQ(input.kind, ErrorKind::unsupported);
  const Error scores = refusedAfter(laguna(), [](ZeroModel& m) { m.config["moe_router_score_func"] = "sqrtsoftplus"; });
  EXPECT_EQ(scores.kind, ErrorKind::unsupported);
  const Error heads = refusedAfter(laguna(), [](ZeroModel& m) { m.config["num_attention_heads_per_layer"] = {1, 0}; });
  EXPECT_NE(heads.what.find("do not divide the query heads"), std::string::npos) << heads.message();
}

ZeroModel afmoe() {
  ZeroModel made = plainDecoder("afmoe", 2);
  made.config.update(Json{{"sliding_window", 3},
                          {"global_attn_every_n_layers", 2},
                          {"num_dense_layers", 1},
                          {"num_experts", 2},
                          {"num_experts_per_tok", 1},
                          {"num_shared_experts", 1},
                          {"moe_intermediate_size", 6},
                          {"route_scale", 2.5},
                          {"mup_enabled", true}});
  addNormsOfHeads(made, 2);
  addFeedForward(made, 0);
  addMixture(made, 1, "router.gate", "shared_experts.", "expert_bias");
  for (int i = 0; i < 2; ++i)
    addWeights(made, layerOf(i), {{"pre_mlp_layernorm", {8}}, {"post_mlp_layernorm", {8}}, {"self_attn.gate_proj", {8, 8}}});
  return made;
}

TEST(GatedFamilies, Afmoe) {
  ZeroModel made = afmoe();
  const ModelConfig config = readGated(made);
  EXPECT_FLOAT_EQ(config.embeddingScale, std::sqrt(8.0F));
  EXPECT_EQ(config.layers[0].visible.window, 3);
  EXPECT_EQ(config.layers[0].rope, 0);
  EXPECT_EQ(config.layers[1].visible.window, 0);
  EXPECT_EQ(config.layers[1].rope, -1);
  EXPECT_TRUE(config.layers[1].postFeedForwardNorm.present());
  EXPECT_EQ(config.layers[1].experts.scoring, Scoring::sigmoid);
  EXPECT_EQ(config.layers[1].experts.scale, 2.5F);
  EXPECT_TRUE(config.layers[1].experts.normalised);
  made.config["mup_enabled"] = false;
  made.config["route_norm"] = false;
  EXPECT_EQ(readGated(made).embeddingScale, 1);
  EXPECT_FALSE(readGated(made).layers[1].experts.normalised);
  EXPECT_FALSE(refusedAfter(made, [](ZeroModel& m) { m.tensors.erase(layerOf(1) + "mlp.expert_bias"); }).what.empty());
  EXPECT_EQ(refusedAfter(made, [](ZeroModel& m) { m.config["score_func"] = "tanh"; }).kind, ErrorKind::unsupported);
}

TEST(GatedFamilies, AfmoesExpertsAreStackedInMlx) {
  ZeroModel made = afmoe();
  made.format = format::FileFormat::mlx;
  const std::string experts = layerOf(1) + "mlp.experts.";
  std::erase_if(made.tensors, [&](const auto& tensor) { return tensor.first.starts_with(experts); });
  made.tensors[experts + "gate_proj.weight"] = made.tensors[experts + "up_proj.weight"] = {2, 6, 8};
  made.tensors[experts + "down_proj.weight"] = {2, 8, 6};
  const Experts read = readGated(made).layers.at(1).experts;
  EXPECT_EQ(made.nameOf(read.down.weights.at(0)), experts + "down_proj.weight");
}

TEST(GatedFamilies, Exaone) {
  ZeroModel made{.config = {{"model_type", "exaone"},
                            {"hidden_size", 8},
                            {"num_layers", 1},
                            {"num_attention_heads", 2},
                            {"num_key_value_heads", 1},
                            {"intermediate_size", 12},
                            {"activation_function", "silu"},
                            {"layer_norm_epsilon", 0.25},
                            {"vocab_size", 10},
                            {"tie_word_embeddings", true}},
                 .tensors = {{"transformer.wte.weight", {10, 8}}, {"transformer.ln_f.weight", {8}}}};
  addWeights(made, "transformer.h.0.",
             {{"ln_1", {8}},
              {"ln_2", {8}},
              {"attn.attention.q_proj", {8, 8}},
              {"attn.attention.k_proj", {4, 8}},
              {"attn.attention.v_proj", {4, 8}},
              {"attn.attention.out_proj", {8, 8}},
              {"mlp.c_fc_0", {12, 8}},
              {"mlp.c_fc_1", {12, 8}},
              {"mlp.c_proj", {8, 12}}});
  const ModelConfig config = readGated(made);
  EXPECT_EQ(config.normEpsilon, 0.25F);
  EXPECT_EQ(config.norm, NormKind::rms);
  EXPECT_EQ(made.nameOf(config.layers.at(0).gate.weight), "transformer.h.0.mlp.c_fc_0.weight");
  EXPECT_EQ(made.nameOf(config.layers.at(0).up.weight), "transformer.h.0.mlp.c_fc_1.weight");
  EXPECT_EQ(refusedAfter(made, [](ZeroModel& m) { m.config["activation_function"] = "elu"; }).kind, ErrorKind::unsupported);
}

ZeroModel exaoneMoe() {
  ZeroModel made = plainDecoder("exaone_moe", 2);
  made.config.update(Json{{"sliding_window", 3},
                          {"sliding_window_pattern", "LG"},
                          {"num_experts", 2},
                          {"num_experts_per_tok", 1},
                          {"num_shared_experts", 1},
                          {"moe_intermediate_size", 6}});
  addNormsOfHeads(made, 2);
  addFeedForward(made, 0);
  addMixture(made, 1, "gate", "shared_experts.", "e_score_correction_bias");
  return made;
}

TEST(GatedFamilies, ExaoneMoe) {
  ZeroModel made = exaoneMoe();
  const ModelConfig config = readGated(made);
  EXPECT_EQ(config.layers[0].visible.window, 3);
  EXPECT_EQ(config.layers[1].rope, -1);
  EXPECT_TRUE(config.layers[0].hasDense());
  EXPECT_EQ(config.layers[1].experts.scoring, Scoring::sigmoid);
  EXPECT_EQ(made.nameOf(config.layers[1].experts.selectionBias), layerOf(1) + "mlp.e_score_correction_bias");
}

// In published folders a list of booleans, in those of Transformers one of words.
TEST(GatedFamilies, ExaonesMixturesAreListed) {
  for (const bool words : {false, true}) {
    ZeroModel made = plainDecoder("exaone_moe", 2);
    made.config = exaoneMoe().config;
    if (words) made.config["mlp_layer_types"] = {"sparse", "dense"};
    else made.config["is_moe_layer"] = {true, false};
    addNormsOfHeads(made, 2);
    addFeedForward(made, 1);
    addMixture(made, 0, "gate", "shared_experts.", "gate.e_score_correction_bias");
    EXPECT_TRUE(readGated(made).layers.at(0).hasExperts()) << words;
    EXPECT_TRUE(readGated(made).layers.at(1).hasDense()) << words;
  }
  const Error fewer = refusedAfter(exaoneMoe(), [](ZeroModel& m) { m.config["is_moe_layer"] = {true}; });
  EXPECT_EQ(fewer.kind, ErrorKind::corrupt);
  EXPECT_EQ(fewer.actual, "1 entries");
  const Error order = refusedAfter(exaoneMoe(), [](ZeroModel& m) { m.config["sliding_window_pattern"] = "GL"; });
  EXPECT_NE(order.what.find("order of the layers"), std::string::npos) << order.message();
}

TEST(GatedFamilies, Arcee) {
  ZeroModel made = plainDecoder("arcee", 1);
  addWeights(made, layerOf(0) + "mlp.", {{"up_proj", {12, 8}}, {"down_proj", {8, 12}}});
  const ModelConfig config = readGated(made);
  EXPECT_EQ(config.activation, Activation::reluSquared);
  EXPECT_TRUE(config.layers.at(0).gate.weight.empty());
}

TEST(GatedFamilies, SolarOpenRotatesWholeHeads) {
  ZeroModel made = plainDecoder("solar_open", 1);
  made.config.update(Json{{"n_routed_experts", 2}, {"num_experts_per_tok", 1}, {"n_shared_experts", 1}, {"moe_intermediate_size", 6}});
  made.config.erase("intermediate_size");
  addMixture(made, 0, "gate", "shared_experts.", "gate.e_score_correction_bias");
  const ModelConfig config = readGated(made);
  EXPECT_EQ(config.family, "glm4-moe");
  EXPECT_EQ(config.ropes.at(0).dimension, 4);
  EXPECT_FLOAT_EQ(config.ropes.at(0).frequencies.at(1), 1e-3F);
  EXPECT_FALSE(config.layers.at(0).qNorm.weights.present());
  made.config["model_type"] = "glm4_moe";
  EXPECT_EQ(readGated(made).ropes.at(0).dimension, 2);
}

// A file of llama.cpp's converter has YaRN's magnitude under this key, if the makers state one.
TEST(GatedFamilies, LagunasMagnitudeIsThatOfItsMakers) {
  const std::vector<std::int32_t> heads{2};
  const std::string blk = "blk.0.";
  ZeroModel made{.format = format::FileFormat::gguf,
                 .metadata = {{"general.architecture", ggufText("laguna")},
                              {"laguna.block_count", ggufNumber(1)},
                              {"laguna.context_length", ggufNumber(64)},
                              {"laguna.embedding_length", ggufNumber(8)},
                              {"laguna.feed_forward_length", ggufNumber(12)},
                              {"laguna.attention.head_count", ggufList(heads)},
                              {"laguna.attention.head_count_kv", ggufNumber(1)},
                              {"laguna.attention.key_length", ggufNumber(4)},
                              {"laguna.attention.value_length", ggufNumber(4)},
                              {"laguna.leading_dense_block_count", ggufNumber(1)},
                              {"laguna.expert_count", ggufNumber(2)},
                              {"laguna.expert_used_count", ggufNumber(1)},
                              {"laguna.expert_feed_forward_length", ggufNumber(6)},
                              {"laguna.expert_shared_feed_forward_length", ggufNumber(6)},
                              {"laguna.rope.scaling.type", ggufText("yarn")},
                              {"laguna.rope.scaling.factor", ggufReal(4)},
                              {"laguna.rope.scaling.original_context_length", ggufNumber(16)}},
                 .tensors = {{"token_embd.weight", {10, 8}},
                             {"output_norm.weight", {8}},
                             {blk + "attn_norm.weight", {8}},
                             {blk + "ffn_norm.weight", {8}},
                             {blk + "attn_q.weight", {8, 8}},
                             {blk + "attn_k.weight", {4, 8}},
                             {blk + "attn_v.weight", {4, 8}},
                             {blk + "attn_output.weight", {8, 8}},
                             {blk + "attn_gate.weight", {2, 8}},
                             {blk + "attn_q_norm.weight", {4}},
                             {blk + "attn_k_norm.weight", {4}},
                             {blk + "ffn_gate.weight", {12, 8}},
                             {blk + "ffn_up.weight", {12, 8}},
                             {blk + "ffn_down.weight", {8, 12}}}};
  EXPECT_FLOAT_EQ(readGated(made).ropes.at(0).magnitude, 1.1386294F) << "YaRN's own";
  made.metadata["laguna.rope.scaling.yarn_attn_factor"] = ggufReal(1);
  EXPECT_FLOAT_EQ(readGated(made).ropes.at(0).magnitude, 1);
  made.metadata["laguna.rope.scaling.attn_factor"] = ggufReal(0.5);
  EXPECT_FLOAT_EQ(readGated(made).ropes.at(0).magnitude, 0.5F * 1.1386294F) << "what llama.cpp reads comes first";
}

}  // namespace
}  // namespace minerva::model
