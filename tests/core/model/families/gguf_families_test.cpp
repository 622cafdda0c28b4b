// What families read from GGUF files that say less, or other things, than the newest ones.
#include "core/format/model_file.h"
#include "tests/core/model/families/zero_model.h"

#include <gtest/gtest.h>

namespace minerva::model {
namespace {

using GgufShapes = std::map<std::string, std::vector<std::int64_t>>;

// A GGUF with these keys of the architecture and these tensors of layer 0, beside what all have: 32 values per token, 2 heads.
ZeroModel ggufModel(std::string_view architecture, const std::map<std::string, format::MetadataValue>& keys, const GgufShapes& layer) {
  const std::string prefix = std::string(architecture) + ".";
  ZeroModel made;
  made.format = format::FileFormat::gguf;
  made.metadata = {{"general.architecture", ggufText(architecture)}, {prefix + "block_count", ggufNumber(1)},
                   {prefix + "context_length", ggufNumber(64)},      {prefix + "embedding_length", ggufNumber(32)},
                   {prefix + "feed_forward_length", ggufNumber(32)}, {prefix + "attention.head_count", ggufNumber(2)}};
  for (const auto& [key, value] : keys) made.metadata[prefix + key] = value;
  made.tensors = {{"token_embd.weight", {8, 32}},
                  {"output_norm.weight", {32}},
                  {"blk.0.attn_norm.weight", {32}},
                  {"blk.0.ffn_norm.weight", {32}},
                  {"blk.0.attn_output.weight", {32, 32}}};
  for (const auto& [name, dims] : layer) made.tensors["blk.0." + name] = dims;
  return made;
}

ZeroModel latentModel() {
  return ggufModel("deepseek2",
                   {{"attention.kv_lora_rank", ggufNumber(16)},
                    {"attention.key_length_mla", ggufNumber(24)},
                    {"attention.value_length_mla", ggufNumber(16)},
                    {"rope.dimension_count", ggufNumber(8)},
                    {"expert_count", ggufNumber(4)},
                    {"expert_used_count", ggufNumber(2)},
                    {"expert_feed_forward_length", ggufNumber(16)}},
                   {{"attn_q.weight", {48, 32}},
                    {"attn_kv_a_mqa.weight", {24, 32}},
                    {"attn_kv_a_norm.weight", {16}},
                    {"attn_k_b.weight", {2, 16, 16}},
                    {"attn_v_b.weight", {2, 16, 16}},
                    {"ffn_gate_inp.weight", {4, 32}},
                    {"ffn_gate_exps.weight", {4, 16, 32}},
                    {"ffn_up_exps.weight", {4, 16, 32}},
                    {"ffn_down_exps.weight", {4, 32, 16}}});
}

// The first files of GLM-4.7-Flash do not state the scoring, nor do those of DeepSeek-V2: only the former have a bias.
TEST(GgufFamilies, ABiasOfTheSelectionMeansSigmoids) {
  const auto experts = [](const std::function<void(ZeroModel&)>& change) {
    ZeroModel made = latentModel();
    change(made);
    const auto config = made.read();
    EXPECT_TRUE(config.has_value()) << config.error().message();
    return config ? config->layers[0].experts : Experts{};
  };
  const auto addBias = [](ZeroModel& made) { made.tensors["blk.0.exp_probs_b.bias"] = {4}; };
  const Experts plain = experts([](ZeroModel&) {});
  EXPECT_EQ(plain.scoring, Scoring::softmax);
  EXPECT_TRUE(plain.selectionBias.empty());
  for (const bool stated : {false, true}) {
    const Experts biased = experts([&](ZeroModel& made) {
      addBias(made);
      if (stated) made.metadata["deepseek2.expert_gating_func"] = ggufNumber(0);
    });
    EXPECT_EQ(biased.scoring, Scoring::sigmoid);
    EXPECT_EQ(biased.groupRank, GroupRank::twoLargest);
    EXPECT_EQ(biased.selectionBias.shape.elements(), 4);
  }
  EXPECT_EQ(experts([&](ZeroModel& made) {
              addBias(made);
              made.metadata["deepseek2.expert_gating_func"] = ggufNumber(1);
            }).scoring,
            Scoring::softmax);
}

// As the first conversions of Mixtral, before experts were stacked.
TEST(GgufFamilies, ExpertsMayHaveTensorsOfTheirOwn) {
  GgufShapes layer{{"attn_q.weight", {32, 32}}, {"attn_k.weight", {32, 32}}, {"attn_v.weight", {32, 32}}, {"ffn_gate_inp.weight", {4, 32}}};
  for (const char* expert : {"0", "1", "2", "3"}) {
    layer["ffn_gate." + std::string(expert) + ".weight"] = layer["ffn_up." + std::string(expert) + ".weight"] = {16, 32};
    layer["ffn_down." + std::string(expert) + ".weight"] = {32, 16};
  }
  const auto config =
      ggufModel("llama", {{"expert_count", ggufNumber(4)}, {"expert_used_count", ggufNumber(2)}, {"feed_forward_length", ggufNumber(16)}},
                layer)
          .read();
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->layers[0].experts.up.weights.size(), 4U);
  EXPECT_EQ(config->layers[0].experts.down.weights.size(), 4U);
}

// The first conversions of Gemma 2 do not state its caps.
TEST(GgufFamilies, Gemma2HasItsCapsWithoutKeysForThem) {
  const GgufShapes layer{{"attn_q.weight", {32, 32}},          {"attn_k.weight", {32, 32}},   {"attn_v.weight", {32, 32}},
                         {"post_attention_norm.weight", {32}}, {"ffn_gate.weight", {32, 32}}, {"ffn_up.weight", {32, 32}},
                         {"ffn_down.weight", {32, 32}},        {"post_ffw_norm.weight", {32}}};
  const auto older = ggufModel("gemma2", {}, layer).read();
  ASSERT_TRUE(older) << older.error().message();
  EXPECT_EQ(older->attentionSoftCap, 50.0F);
  EXPECT_EQ(older->logitSoftCap, 30.0F);
  const auto newer =
      ggufModel("gemma2", {{"attn_logit_softcapping", ggufReal(40)}, {"final_logit_softcapping", ggufReal(20)}}, layer).read();
  ASSERT_TRUE(newer) << newer.error().message();
  EXPECT_EQ(newer->attentionSoftCap, 40.0F);
  EXPECT_EQ(newer->logitSoftCap, 20.0F);
}

// Converters reorder q and k of GLM-4.1V and GLM-4.6V-Flash, which are told by the sections of their rope.
TEST(GgufFamilies, SectionsOfTheRopeMeanHalvesInGlm4) {
  const auto layout = [](std::vector<std::int32_t> sections) {
    ZeroModel made = ggufModel("glm4", {},
                               {{"attn_q.weight", {32, 32}},
                                {"attn_k.weight", {32, 32}},
                                {"attn_v.weight", {32, 32}},
                                {"post_attention_norm.weight", {32}},
                                {"ffn_up.weight", {64, 32}},
                                {"ffn_down.weight", {32, 32}},
                                {"post_ffw_norm.weight", {32}}});
    if (!sections.empty()) made.metadata["glm4.rope.dimension_sections"] = ggufList(sections);
    const auto config = made.read();
    EXPECT_TRUE(config.has_value()) << config.error().message();
    return config ? config->ropes[0].layout : RopeLayout();
  };
  EXPECT_EQ(layout({}), RopeLayout::interleaved);
  EXPECT_EQ(layout({0, 0, 0, 0}), RopeLayout::interleaved);
  EXPECT_EQ(layout({2, 1, 1, 0}), RopeLayout::halves);
}

// Every layer sees everything, by the base of the global ones, if the file states no window.
TEST(GgufFamilies, AGemma3WithoutAWindowHasGlobalLayers) {
  const auto windowAndRope = [](const std::map<std::string, format::MetadataValue>& keys) {
    const auto config = ggufModel("gemma3", keys,
                                  {{"attn_q.weight", {32, 32}},
                                   {"attn_k.weight", {32, 32}},
                                   {"attn_v.weight", {32, 32}},
                                   {"attn_q_norm.weight", {16}},
                                   {"attn_k_norm.weight", {16}},
                                   {"post_attention_norm.weight", {32}},
                                   {"ffn_gate.weight", {32, 32}},
                                   {"ffn_up.weight", {32, 32}},
                                   {"ffn_down.weight", {32, 32}},
                                   {"post_ffw_norm.weight", {32}}})
                            .read();
    EXPECT_TRUE(config.has_value()) << config.error().message();
    return config ? std::pair(config->layers[0].visible.window, config->layers[0].rope) : std::pair(-1, -1);
  };
  EXPECT_EQ(windowAndRope({}), std::pair(0, 0));
  EXPECT_EQ(windowAndRope({{"attention.sliding_window", ggufNumber(0)}}), std::pair(0, 0));
  EXPECT_EQ(windowAndRope({{"attention.sliding_window", ggufNumber(16)}}), std::pair(16, 1));
}

const GgufShapes graniteMixture{{"attn_q.weight", {32, 32}},           {"attn_k.weight", {32, 32}},
                                {"attn_v.weight", {32, 32}},           {"ffn_gate_inp.weight", {4, 32}},
                                {"ffn_gate_exps.weight", {4, 32, 32}}, {"ffn_up_exps.weight", {4, 32, 32}},
                                {"ffn_down_exps.weight", {4, 32, 32}}};

// A shared expert beside the routed ones (GraniteMoeShared).
TEST(GgufFamilies, GranitesSharedExpertIsRead) {
  ZeroModel made = ggufModel("granitemoe", {{"expert_count", ggufNumber(4)}, {"expert_used_count", ggufNumber(2)}}, graniteMixture);
  const auto without = made.read();
  ASSERT_TRUE(without.has_value()) << without.error().message();
  EXPECT_EQ(without->layers[0].experts.sharedSize, 0);
  made.metadata["granitemoe.expert_shared_feed_forward_length"] = ggufNumber(16);
  EXPECT_FALSE(made.read().has_value()) << "its tensors are missing";
  made.tensors["blk.0.ffn_gate_shexp.weight"] = made.tensors["blk.0.ffn_up_shexp.weight"] = {16, 32};
  made.tensors["blk.0.ffn_down_shexp.weight"] = {32, 16};
  const auto with = made.read();
  ASSERT_TRUE(with.has_value()) << with.error().message();
  EXPECT_TRUE(with->warnings.empty()) << with->warnings.front();
  EXPECT_EQ(with->layers[0].experts.sharedSize, 16);
  EXPECT_EQ(with->layers[0].experts.sharedDown.weight.shape.rows(), 32);
}

TEST(Families, GranitesSharedExpertOfAFolderIsRead) {
  const std::string layer = "model.layers.0.";
  const ZeroModel made{.config = {{"model_type", "granitemoeshared"},
                                  {"hidden_size", 32},
                                  {"intermediate_size", 32},
                                  {"shared_intermediate_size", 16},
                                  {"num_hidden_layers", 1},
                                  {"num_attention_heads", 2},
                                  {"num_local_experts", 4},
                                  {"num_experts_per_tok", 2},
                                  {"vocab_size", 8},
                                  {"tie_word_embeddings", true}},
                       .tensors = {{"model.embed_tokens.weight", {8, 32}},
                                   {"model.norm.weight", {32}},
                                   {layer + "input_layernorm.weight", {32}},
                                   {layer + "post_attention_layernorm.weight", {32}},
                                   {layer + "self_attn.q_proj.weight", {32, 32}},
                                   {layer + "self_attn.k_proj.weight", {32, 32}},
                                   {layer + "self_attn.v_proj.weight", {32, 32}},
                                   {layer + "self_attn.o_proj.weight", {32, 32}},
                                   {layer + "block_sparse_moe.router.layer.weight", {4, 32}},
                                   {layer + "block_sparse_moe.input_linear.weight", {4, 64, 32}},
                                   {layer + "block_sparse_moe.output_linear.weight", {4, 32, 32}},
                                   {layer + "shared_mlp.input_linear.weight", {32, 32}},
                                   {layer + "shared_mlp.output_linear.weight", {32, 16}}}};
  const auto config = made.read();
  ASSERT_TRUE(config.has_value()) << config.error().message();
  EXPECT_TRUE(config->warnings.empty()) << config->warnings.front();
  EXPECT_EQ(config->layers[0].experts.sharedSize, 16);
}

}  // namespace
}  // namespace minerva::model
