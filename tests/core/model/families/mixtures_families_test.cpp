// What MiMo-V2, Step-3.5 and Hunyuan 3 read, and what they refuse. Exact logits of whole models are in tests/golden.
#include "core/format/model_file.h"
#include "tests/core/model/families/mixture_model.h"

#include <array>

namespace minerva::model {
namespace {

using namespace mixture;

// A full dense layer with one key/value head, a mixture with a window and sinks.
ZeroModel mimo() {
  ZeroModel made = twoLayers("mimo_v2_flash");
  made.config.update({{"num_key_value_heads", 1},
                      {"v_head_dim", 8},
                      {"swa_num_attention_heads", 2},
                      {"swa_num_key_value_heads", 2},
                      {"swa_head_dim", 16},
                      {"swa_v_head_dim", 8},
                      {"hybrid_layer_pattern", {0, 1}},
                      {"moe_layer_freq", {0, 1}},
                      {"add_swa_attention_sink_bias", true},
                      {"sliding_window", 4},
                      {"rope_theta", 5e6},
                      {"swa_rope_theta", 1e4},
                      {"partial_rotary_factor", 0.26},
                      {"attention_value_scale", 0.707},
                      {"n_routed_experts", experts},
                      {"routed_scaling_factor", nullptr},
                      {"n_shared_experts", nullptr}});
  made.tensors["model.layers.0.self_attn.k_proj.weight"] = {16, hidden};
  made.tensors["model.layers.0.self_attn.v_proj.weight"] = {8, hidden};
  made.tensors["model.layers.1.self_attn.v_proj.weight"] = {16, hidden};
  for (const char* layer : {"model.layers.0.", "model.layers.1."})
    made.tensors[std::string(layer) + "self_attn.o_proj.weight"] = {hidden, 16};
  made.tensors["model.layers.1.self_attn.attention_sink_bias"] = {2};
  addGated(made, "model.layers.0.mlp.");
  made.tensors["model.layers.1.mlp.gate.weight"] = {experts, hidden};
  made.tensors["model.layers.1.mlp.gate.e_score_correction_bias"] = {experts};
  addExperts(made, "model.layers.1.mlp.experts.");
  return made;
}

TEST(MixtureFamilies, MimosLayersDiffer) {
  ZeroModel made = mimo();
  made.tensors["model.mtp.layers.0.eh_proj.weight"] = {hidden, 2 * hidden};
  const ModelConfig config = readOf(made);
  ASSERT_EQ(config.layers.size(), 2U);
  const LayerConfig &full = config.layers[0], &sliding = config.layers[1];
  EXPECT_EQ(std::tuple(full.kvHeadCount, full.headDim, full.valueSize(), full.visible.window, full.rope), std::tuple(1, 16, 8, 0, 0));
  EXPECT_EQ(std::tuple(sliding.kvHeadCount, sliding.headDim, sliding.valueSize(), sliding.visible.window, sliding.rope),
            std::tuple(2, 16, 8, 4, 1));
  EXPECT_TRUE(full.sinks.empty());
  EXPECT_EQ(made.nameOf(sliding.sinks), "model.layers.1.self_attn.attention_sink_bias");
  EXPECT_FLOAT_EQ(full.attentionResultScale, 0.707F);
  EXPECT_FALSE(full.hasExperts());
  EXPECT_EQ(sliding.experts.scoring, Scoring::sigmoid);
  EXPECT_EQ(sliding.experts.sharedSize, 0);
  EXPECT_EQ(config.ropes[0].dimension, 4);  // whole pairs of a quarter of 16
  EXPECT_GT(config.ropes[1].frequencies[1], config.ropes[0].frequencies[1]);
  ASSERT_EQ(config.warnings.size(), 1U);
  EXPECT_NE(config.warnings[0].find("after the next one"), std::string::npos) << config.warnings[0];
}

TEST(MixtureFamilies, MimosDamagesAreRefused) {
  expectRefused(mimo(), ErrorKind::unsupported, "qkv_proj", [](ZeroModel& made) {
    made.tensors["model.layers.0.self_attn.qkv_proj.weight"] = {56, hidden};
  });
  expectRefused(mimo(), ErrorKind::corrupt, "attention_sink_bias",
                [](ZeroModel& made) { made.tensors.erase("model.layers.1.self_attn.attention_sink_bias"); });
  expectRefused(mimo(), ErrorKind::corrupt, "hybrid_layer_pattern", [](ZeroModel& made) {
    made.config["hybrid_layer_pattern"] = {0, 1, 1};
  });
  expectRefused(mimo(), ErrorKind::corrupt, "moe_layer_freq", [](ZeroModel& made) { made.config["moe_layer_freq"] = {0, 2}; });
  expectRefused(mimo(), ErrorKind::corrupt, "divide", [](ZeroModel& made) { made.config["swa_num_attention_heads"] = 3; });
}

// Lists of a GGUF file go on for layers that only predict further tokens.
TEST(MixtureFamilies, MimosGgufMayPredictFurtherTokens) {
  static constexpr std::array<std::int32_t, 2> kvHeads{2, 2}, pattern{1, 1};
  ZeroModel made;
  made.format = format::FileFormat::gguf;
  made.metadata = {{"general.architecture", ggufText("mimo2")},       {"mimo2.block_count", ggufNumber(2)},
                   {"mimo2.nextn_predict_layers", ggufNumber(1)},     {"mimo2.context_length", ggufNumber(64)},
                   {"mimo2.embedding_length", ggufNumber(hidden)},    {"mimo2.feed_forward_length", ggufNumber(size)},
                   {"mimo2.attention.head_count", ggufNumber(2)},     {"mimo2.attention.head_count_kv", ggufList(kvHeads)},
                   {"mimo2.attention.key_length", ggufNumber(16)},    {"mimo2.attention.value_length", ggufNumber(8)},
                   {"mimo2.attention.sliding_window", ggufNumber(4)}, {"mimo2.attention.sliding_window_pattern", ggufList(pattern)},
                   {"mimo2.attention.value_scale", ggufReal(0.5)}};
  made.tensors = {
      {"token_embd.weight", {8, hidden}},        {"output_norm.weight", {hidden}},        {"blk.0.attn_norm.weight", {hidden}},
      {"blk.0.ffn_norm.weight", {hidden}},       {"blk.0.attn_qkv.weight", {80, hidden}}, {"blk.0.attn_output.weight", {hidden, 16}},
      {"blk.0.ffn_gate.weight", {size, hidden}}, {"blk.0.ffn_up.weight", {size, hidden}}, {"blk.0.ffn_down.weight", {hidden, size}}};
  const ModelConfig config = readOf(made);
  ASSERT_EQ(config.layers.size(), 1U);
  EXPECT_EQ(config.layers[0].v.weight.shape.rows(), 16);
  EXPECT_EQ(config.layers[0].visible.window, 4);
  EXPECT_FLOAT_EQ(config.layers[0].attentionResultScale, 0.5F);
  EXPECT_TRUE(config.layers[0].sinks.empty());
}

// MiMo 7B is a Qwen 2.
TEST(MixtureFamilies, DenseMimoIsAQwen) {
  ZeroModel made = twoLayers("mimo");
  for (const char* layer : {"model.layers.0.", "model.layers.1."}) {
    addGated(made, std::string(layer) + "mlp.");
    for (const char* part : {"q_proj", "k_proj", "v_proj"}) made.tensors[std::string(layer) + "self_attn." + part + ".bias"] = {32};
  }
  made.tensors["model.mtp_layers.0.input_proj.weight"] = {hidden, 2 * hidden};
  const ModelConfig config = readOf(made);
  EXPECT_EQ(config.family, "qwen2");
  ASSERT_EQ(config.warnings.size(), 1U);
  EXPECT_NE(config.warnings[0].find("after the next one"), std::string::npos) << config.warnings[0];
}

// A full dense layer, then a mixture with a window and twice the heads; the lists go on for a layer that predicts.
ZeroModel step() {
  ZeroModel made = twoLayers("step3p5");
  made.config.update({{"num_attention_groups", 2},
                      {"attention_other_setting", {{"num_attention_heads", 4}, {"num_attention_groups", 1}}},
                      {"num_nextn_predict_layers", 1},
                      {"layer_types", {"full_attention", "sliding_attention", "full_attention"}},
                      {"rope_theta", {5e6, 1e4, 5e6}},
                      {"partial_rotary_factors", {0.5, 1.0, 0.5}},
                      {"yarn_only_types", {"full_attention"}},
                      {"rope_scaling",
                       {{"rope_type", "llama3"},
                        {"factor", 2.0},
                        {"low_freq_factor", 1.0},
                        {"high_freq_factor", 32.0},
                        {"original_max_position_embeddings", 16}}},
                      {"sliding_window", 4},
                      {"moe_layers_enum", "1"},
                      {"moe_num_experts", experts},
                      {"moe_top_k", 2},
                      {"share_expert_dim", size},
                      {"use_head_wise_attn_gate", true},
                      {"swiglu_limits", {0, 7, 0}},
                      {"swiglu_limits_shared", {nullptr, 16, 0}}});
  addQueryAndKeyNorms(made);
  made.tensors["model.layers.1.self_attn.q_proj.weight"] = {64, hidden};
  made.tensors["model.layers.1.self_attn.k_proj.weight"] = {16, hidden};
  made.tensors["model.layers.1.self_attn.v_proj.weight"] = {16, hidden};
  made.tensors["model.layers.1.self_attn.o_proj.weight"] = {hidden, 64};
  made.tensors["model.layers.0.self_attn.g_proj.weight"] = {2, hidden};
  made.tensors["model.layers.1.self_attn.g_proj.weight"] = {4, hidden};
  addGated(made, "model.layers.0.mlp.");
  made.tensors["model.layers.1.moe.gate.weight"] = {experts, hidden};
  made.tensors["model.layers.1.moe.router_bias"] = {experts};
  made.tensors["model.layers.1.moe.gate_proj.weight"] = {experts, size, hidden};
  made.tensors["model.layers.1.moe.up_proj.weight"] = {experts, size, hidden};
  made.tensors["model.layers.1.moe.down_proj.weight"] = {experts, hidden, size};
  addGated(made, "model.layers.1.share_expert.");
  return made;
}

TEST(MixtureFamilies, StepsLayersDiffer) {
  const ModelConfig config = readOf(step());
  ASSERT_EQ(config.layers.size(), 2U);
  const LayerConfig &full = config.layers[0], &sliding = config.layers[1];
  EXPECT_EQ(std::tuple(full.headCount, full.kvHeadCount, full.visible.window, full.rope), std::tuple(2, 2, 0, 0));
  EXPECT_EQ(std::tuple(sliding.headCount, sliding.kvHeadCount, sliding.visible.window, sliding.rope), std::tuple(4, 1, 4, 1));
  EXPECT_EQ(std::tuple(config.ropes[0].dimension, config.ropes[1].dimension), std::tuple(8, 16));
  EXPECT_LT(config.ropes[0].frequencies[3], std::pow(5e6F, -0.75F));  // scaled
  EXPECT_FLOAT_EQ(config.ropes[1].frequencies[4], std::pow(1e4F, -0.5F));
  EXPECT_EQ(sliding.outputGate.weight.shape.rows(), 4);
  EXPECT_EQ(std::tuple(full.gateLimit, sliding.experts.gateLimit, sliding.experts.sharedGateLimit), std::tuple(0.0F, 7.0F, 16.0F));
  EXPECT_EQ(config.normPlus, 1);
}

TEST(MixtureFamilies, StepsDamagesAreRefused) {
  const auto with = [](const char* key, const Json& value) { return [=](ZeroModel& made) { made.config[key] = value; }; };
  expectRefused(step(), ErrorKind::corrupt, "rope_theta", with("rope_theta", {5e6}));
  expectRefused(step(), ErrorKind::corrupt, "partial_rotary_factors", with("partial_rotary_factors", {0.5, 0, 0.5}));
  expectRefused(step(), ErrorKind::corrupt, "swiglu_limits", with("swiglu_limits", {0, -1}));
  expectRefused(step(), ErrorKind::corrupt, "moe_layers_enum", with("moe_layers_enum", "1;2"));
  expectRefused(step(), ErrorKind::corrupt, "attention_other_setting", with("attention_other_setting", Json{{"num_attention_heads", "4"}}));
  expectRefused(step(), ErrorKind::corrupt, "layer_types", with("layer_types", {"full_attention"}));
  expectRefused(step(), ErrorKind::unsupported, "softplus", with("moe_router_activation", "softplus"));
}

ZeroModel hunyuan() {
  ZeroModel made = twoLayers("hy_v3");
  made.config.update({{"num_shared_experts", 1}, {"mlp_layer_types", {"dense", "sparse"}}, {"router_scaling_factor", 2.826}});
  addQueryAndKeyNorms(made);
  addGated(made, "model.layers.0.mlp.");
  made.tensors["model.layers.1.mlp.router.gate.weight"] = {experts, hidden};
  made.tensors["model.layers.1.mlp.expert_bias"] = {experts};
  addExperts(made, "model.layers.1.mlp.experts.");
  addGated(made, "model.layers.1.mlp.shared_mlp.");
  return made;
}

TEST(MixtureFamilies, HunyuansRouterIsRead) {
  const ModelConfig config = readOf(hunyuan());
  ASSERT_EQ(config.layers.size(), 2U);
  EXPECT_FALSE(config.layers[0].hasExperts());
  const Experts& mixture = config.layers[1].experts;
  EXPECT_EQ(mixture.scoring, Scoring::sigmoid);
  EXPECT_TRUE(mixture.normalised);
  EXPECT_FLOAT_EQ(mixture.scale, 2.826F);
  EXPECT_EQ(mixture.sharedSize, size);
  EXPECT_FALSE(config.layers[1].normsRotated);
  // As in the first published folders, and with the name that MLX's tools give the bias.
  ZeroModel other = hunyuan();
  other.config.erase("mlp_layer_types");
  other.config.update(
      {{"first_k_dense_replace", 1}, {"expert_hidden_dim", size}, {"moe_intermediate_size", nullptr}, {"route_norm", false}});
  other.tensors.erase("model.layers.1.mlp.expert_bias");
  other.tensors["model.layers.1.mlp.router.expert_bias"] = {experts};
  const ModelConfig first = readOf(other);
  ASSERT_EQ(first.layers.size(), 2U);
  EXPECT_FALSE(first.layers[1].experts.normalised);
  EXPECT_EQ(other.nameOf(first.layers[1].experts.selectionBias), "model.layers.1.mlp.router.expert_bias");
  expectRefused(hunyuan(), ErrorKind::corrupt, "expert_bias",
                [](ZeroModel& made) { made.tensors.erase("model.layers.1.mlp.expert_bias"); });
  expectRefused(hunyuan(), ErrorKind::corrupt, "dense and sparse", [](ZeroModel& made) {
    made.config["mlp_layer_types"] = {"dense", "moe"};
  });
}

}  // namespace
}  // namespace minerva::model
