// What Granite with windows, Command A+, Mellum 2, SmallThinker, the first Ling and Nanbeige read, and
// what they refuse.
#include "core/format/model_file.h"
#include "tests/core/model/families/mixture_model.h"

namespace minerva::model {
namespace {

using namespace mixture;

// A dense one: a layer without rotation, then one with a window.
ZeroModel granite() {
  ZeroModel made = twoLayers("granite_swa");
  made.config.update({{"layer_types", {"full_attention", "sliding_attention"}}, {"layer_rope_theta", {0, 5e5}}, {"sliding_window", 4}});
  made.config["num_experts"] = nullptr;
  for (const char* layer : {"model.layers.0.", "model.layers.1."}) {
    addGated(made, std::string(layer) + "mlp.");
    made.tensors[std::string(layer) + "self_attn.sinks"] = {2};
  }
  return made;
}

TEST(MixtureFamilies, GranitesLayersHaveRopesOfTheirOwn) {
  const ModelConfig config = readOf(granite());
  ASSERT_EQ(config.layers.size(), 2U);
  EXPECT_EQ(std::tuple(config.layers[0].rope, config.layers[1].rope), std::tuple(-1, 0));
  EXPECT_FLOAT_EQ(config.ropes[0].frequencies[4], std::pow(5e5F, -0.5F));
  ZeroModel both = granite();
  both.config["layer_rope_theta"] = {1e4, 5e5};
  EXPECT_EQ(readOf(both).ropes.size(), 2U);
  ZeroModel neither = granite();
  neither.config.erase("layer_rope_theta");
  neither.config.erase("layer_types");
  const ModelConfig usual = readOf(neither);
  ASSERT_EQ(usual.layers.size(), 2U);
  EXPECT_EQ(std::tuple(usual.layers[0].visible.window, usual.layers[1].visible.window), std::tuple(0, 4));
  EXPECT_EQ(std::tuple(usual.layers[0].rope, usual.layers[1].rope), std::tuple(0, 0));
  expectRefused(granite(), ErrorKind::corrupt, "self_attn.sinks",
                [](ZeroModel& made) { made.tensors.erase("model.layers.0.self_attn.sinks"); });
  expectRefused(granite(), ErrorKind::corrupt, "layer_rope_theta", [](ZeroModel& made) { made.config["layer_rope_theta"] = {0, -1}; });
  expectRefused(granite(), ErrorKind::unsupported, "rope_parameters", [](ZeroModel& made) {
    made.config["rope_parameters"] = {{"rope_type", "yarn"}, {"factor", 2.0}, {"original_max_position_embeddings", 32}};
  });
}

// A dense layer, then a mixture with a window.
ZeroModel commandA() {
  ZeroModel made = twoLayers("cohere2_moe");
  made.config.update({{"num_shared_experts", 1},
                      {"mlp_layer_types", {"dense", "sparse"}},
                      {"layer_types", {"full_attention", "sliding_attention"}},
                      {"prefix_dense_intermediate_size", 48},
                      {"expert_selection_fn", "sigmoid"},
                      {"norm_topk_prob", false},
                      {"sliding_window", 4}});
  addGated(made, "model.layers.0.mlp.", 48);
  made.tensors["model.layers.1.mlp.gate.weight"] = {experts, hidden};
  addExperts(made, "model.layers.1.mlp.experts.");
  addGated(made, "model.layers.1.mlp.shared_experts.");
  return made;
}

TEST(MixtureFamilies, CommandAsExpertsAreAveraged) {
  const ModelConfig config = readOf(commandA());
  ASSERT_EQ(config.layers.size(), 2U);
  EXPECT_TRUE(config.parallelBlocks);
  EXPECT_EQ(config.norm, NormKind::layer);
  EXPECT_EQ(std::tuple(config.layers[0].rope, config.layers[1].rope, config.layers[1].visible.window), std::tuple(0, 0, 4));
  EXPECT_EQ(std::tuple(config.layers[0].feedForwardResultScale, config.layers[1].feedForwardResultScale), std::tuple(1.0F, 0.5F));
  EXPECT_FALSE(config.layers[1].experts.normalised);
  ZeroModel other = commandA();
  other.config.update({{"shared_expert_combination_strategy", "sum"},
                       {"expert_selection_fn", "softmax"},
                       {"prefix_dense_sliding_window_pattern", 2},
                       {"rms_norm_eps", 1e-5}});
  const ModelConfig summed = readOf(other);
  ASSERT_EQ(summed.layers.size(), 2U);
  EXPECT_EQ(summed.layers[1].feedForwardResultScale, 1);
  EXPECT_TRUE(summed.layers[1].experts.normalised);
  EXPECT_EQ(summed.layers[0].rope, -1);
  EXPECT_EQ(summed.norm, NormKind::rms);
  expectRefused(commandA(), ErrorKind::unsupported, "product",
                [](ZeroModel& made) { made.config["shared_expert_combination_strategy"] = "product"; });
  expectRefused(commandA(), ErrorKind::unsupported, "relu", [](ZeroModel& made) { made.config["expert_selection_fn"] = "relu"; });
}

ZeroModel mellum() {
  ZeroModel made = twoLayers("mellum");
  made.config.update({{"layer_types", {"sliding_attention", "full_attention"}},
                      {"sliding_window", 4},
                      {"rope_parameters",
                       {{"full_attention", {{"rope_type", "linear"}, {"rope_theta", 5e5}, {"factor", 4.0}}},
                        {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 1e4}}}}}});
  addQueryAndKeyNorms(made);
  for (const char* layer : {"model.layers.0.", "model.layers.1."}) {
    made.tensors[std::string(layer) + "mlp.gate.weight"] = {experts, hidden};
    addExperts(made, std::string(layer) + "mlp.experts.");
  }
  return made;
}

TEST(MixtureFamilies, MellumsWindowsHaveARopeOfTheirOwn) {
  const ModelConfig config = readOf(mellum());
  ASSERT_EQ(config.layers.size(), 2U);
  EXPECT_EQ(std::tuple(config.layers[0].visible.window, config.layers[0].rope), std::tuple(4, 1));
  EXPECT_EQ(std::tuple(config.layers[1].visible.window, config.layers[1].rope), std::tuple(0, 0));
  EXPECT_FLOAT_EQ(config.ropes[0].frequencies[0], 0.25F);
  EXPECT_FLOAT_EQ(config.ropes[1].frequencies[0], 1.0F);
  expectRefused(mellum(), ErrorKind::unsupported, "linear_attention", [](ZeroModel& made) {
    made.config["layer_types"] = {"linear_attention", "full_attention"};
  });
}

ZeroModel thinker() {
  ZeroModel made = twoLayers("smallthinker");
  made.config.update({{"moe_num_primary_experts", experts},
                      {"moe_num_active_primary_experts", 2},
                      {"moe_ffn_hidden_size", size},
                      {"rope_layout", {0, 1}},
                      {"sliding_window_layout", {0, 1}},
                      {"sliding_window_size", 4}});
  for (const char* layer : {"model.layers.0.", "model.layers.1."}) {
    const std::string moe = std::string(layer) + "block_sparse_moe.";
    made.tensors[moe + "primary_router.weight"] = {experts, hidden};
    for (int e = 0; e < experts; ++e) {
      const std::string expert = moe + "experts." + std::to_string(e) + ".";
      made.tensors[expert + "gate.weight"] = {size, hidden};
      made.tensors[expert + "up.weight"] = {size, hidden};
      made.tensors[expert + "down.weight"] = {hidden, size};
    }
  }
  return made;
}

TEST(MixtureFamilies, SmallThinkersRouterReadsEarly) {
  const ModelConfig config = readOf(thinker());
  ASSERT_EQ(config.layers.size(), 2U);
  EXPECT_TRUE(config.layers[0].experts.routesEarly);
  EXPECT_EQ(config.activation, Activation::relu);
  EXPECT_EQ(config.layers[0].experts.scoring, Scoring::sigmoid);
  EXPECT_EQ(std::tuple(config.layers[0].rope, config.layers[0].visible.window), std::tuple(-1, 0));
  EXPECT_EQ(std::tuple(config.layers[1].rope, config.layers[1].visible.window), std::tuple(0, 4));
  ZeroModel small = thinker();  // the smaller model has no windows
  small.config["rope_layout"] = {1, 1};
  small.config["sliding_window_layout"] = {0, 0};
  small.config["moe_primary_router_apply_softmax"] = true;
  const ModelConfig plain = readOf(small);
  ASSERT_EQ(plain.layers.size(), 2U);
  EXPECT_EQ(std::tuple(plain.layers[0].rope, plain.layers[1].visible.window), std::tuple(0, 0));
  EXPECT_EQ(plain.layers[0].experts.scoring, Scoring::softmax);
  expectRefused(thinker(), ErrorKind::unsupported, "A second choice of experts",
                [](ZeroModel& made) { made.config["moe_enable_secondary_experts"] = true; });
  expectRefused(thinker(), ErrorKind::corrupt, "rope_layout", [](ZeroModel& made) { made.config["rope_layout"] = {0, 1, 1}; });
}

// The first Ling's files have queries, keys and values apart, for a rope of adjacent pairs.
TEST(MixtureFamilies, TheFirstLingsGgufIsInterleaved) {
  ZeroModel made;
  made.format = format::FileFormat::gguf;
  made.metadata = {{"general.architecture", ggufText("bailingmoe")},     {"bailingmoe.block_count", ggufNumber(1)},
                   {"bailingmoe.context_length", ggufNumber(64)},        {"bailingmoe.embedding_length", ggufNumber(hidden)},
                   {"bailingmoe.feed_forward_length", ggufNumber(size)}, {"bailingmoe.attention.head_count", ggufNumber(2)},
                   {"bailingmoe.expert_count", ggufNumber(experts)},     {"bailingmoe.expert_used_count", ggufNumber(2)},
                   {"bailingmoe.expert_shared_count", ggufNumber(2)},    {"bailingmoe.expert_feed_forward_length", ggufNumber(size)}};
  made.tensors = {{"token_embd.weight", {8, hidden}},
                  {"output_norm.weight", {hidden}},
                  {"blk.0.attn_norm.weight", {hidden}},
                  {"blk.0.ffn_norm.weight", {hidden}},
                  {"blk.0.ffn_gate_inp.weight", {experts, hidden}},
                  {"blk.0.ffn_gate_exps.weight", {experts, size, hidden}},
                  {"blk.0.ffn_up_exps.weight", {experts, size, hidden}},
                  {"blk.0.ffn_down_exps.weight", {experts, hidden, size}},
                  {"blk.0.ffn_gate_shexp.weight", {2 * size, hidden}},
                  {"blk.0.ffn_up_shexp.weight", {2 * size, hidden}},
                  {"blk.0.ffn_down_shexp.weight", {hidden, 2 * size}}};
  for (const char* part : {"q", "k", "v", "output"}) made.tensors[std::string("blk.0.attn_") + part + ".weight"] = {hidden, hidden};
  const ModelConfig config = readOf(made);
  ASSERT_EQ(config.layers.size(), 1U);
  EXPECT_EQ(config.ropes[0].layout, RopeLayout::interleaved);
  EXPECT_EQ(config.ropes[0].dimension, 16);
  EXPECT_EQ(config.layers[0].experts.scoring, Scoring::softmax);
  EXPECT_EQ(config.layers[0].experts.sharedSize, 2 * size);
}

TEST(MixtureFamilies, NanbeigesLayersRunInTurn) {
  ZeroModel made = twoLayers("nanbeige");
  for (const char* layer : {"model.layers.0.", "model.layers.1."}) addGated(made, std::string(layer) + "mlp.");
  made.config["num_loops"] = 3;
  const ModelConfig config = readOf(made);
  ASSERT_EQ(config.layers.size(), 6U);
  EXPECT_EQ(made.nameOf(config.layers[5].down.weight), "model.layers.1.mlp.down_proj.weight");
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(config.layers[i].feedForwardSumNorm.present(), i == 1 || i == 3) << i;
  made.config["skip_loop_final_norm"] = true;
  EXPECT_FALSE(readOf(made).layers.at(1).feedForwardSumNorm.present());
  expectRefused(made, ErrorKind::unsupported, "loop_share_kv", [](ZeroModel& changed) { changed.config["loop_share_kv"] = true; });
  expectRefused(made, ErrorKind::corrupt, "num_loops", [](ZeroModel& changed) { changed.config["num_loops"] = 1000; });
}

}  // namespace
}  // namespace minerva::model
