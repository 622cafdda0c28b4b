// Models that see images: their text models are read as the family's others are.
#include "tests/core/model/families/zero_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace minerva::model {
namespace {

using Json = nlohmann::json;

// Qwen's decoder with one layer; `inside` is what the names of its tensors begin with.
ZeroModel qwenFolder(const std::string& inside, const Json& config) {
  const std::string layer = inside + "layers.0.";
  return {.config = config,
          .tensors = {{inside + "embed_tokens.weight", {10, 8}},
                      {inside + "norm.weight", {8}},
                      {"lm_head.weight", {10, 8}},
                      {layer + "input_layernorm.weight", {8}},
                      {layer + "post_attention_layernorm.weight", {8}},
                      {layer + "self_attn.q_proj.weight", {16, 8}},
                      {layer + "self_attn.k_proj.weight", {8, 8}},
                      {layer + "self_attn.v_proj.weight", {8, 8}},
                      {layer + "self_attn.o_proj.weight", {8, 16}}}};
}

Json sizes() {
  return {{"hidden_size", 8},
          {"num_hidden_layers", 1},
          {"num_attention_heads", 2},
          {"num_key_value_heads", 1},
          {"head_dim", 8},
          {"intermediate_size", 12},
          {"vocab_size", 10},
          {"rms_norm_eps", 1e-6},
          {"max_position_embeddings", 64},
          {"rope_theta", 5e6},
          {"tie_word_embeddings", false}};
}

void addDense(ZeroModel& made, const std::string& layer) {
  made.tensors[layer + "mlp.gate_proj.weight"] = {12, 8};
  made.tensors[layer + "mlp.up_proj.weight"] = {12, 8};
  made.tensors[layer + "mlp.down_proj.weight"] = {8, 12};
}

void addHeadNorms(ZeroModel& made, const std::string& layer) {
  made.tensors[layer + "self_attn.q_norm.weight"] = {8};
  made.tensors[layer + "self_attn.k_norm.weight"] = {8};
}

ModelConfig readOf(const ZeroModel& made) {
  const auto config = made.read();
  EXPECT_TRUE(config.has_value()) << config.error().message();
  return config ? *config : ModelConfig{};
}

// Its settings are beside those of the tower, and its tensors are named as if there were none.
TEST(ImageFamilies, Qwen25VlIsAQwen2) {
  Json config = sizes();
  config.update({{"model_type", "qwen2_5_vl"},
                 {"rope_scaling", {{"type", "mrope"}, {"mrope_section", {2, 1, 1}}}},
                 {"vision_config", {{"hidden_size", 4}}}});
  ZeroModel made = qwenFolder("model.", config);
  addDense(made, "model.layers.0.");
  for (const char* part : {"q", "k", "v"})
    made.tensors[std::string("model.layers.0.self_attn.") + part + "_proj.bias"] = {part[0] == 'q' ? 16 : 8};
  made.tensors["visual.patch_embed.proj.weight"] = {4, 4};
  const ModelConfig model = readOf(made);
  ASSERT_EQ(model.layers.size(), 1U);
  EXPECT_FALSE(model.layers[0].q.bias.empty());
  ASSERT_EQ(model.ropes.size(), 1U);
  EXPECT_EQ(model.ropes[0].layout, RopeLayout::halves);
  EXPECT_NEAR(model.ropes[0].frequencies.at(1), std::pow(5e6, -0.25), 1e-6) << "not scaled";
}

ZeroModel qwen3Vl(const char* type) {
  Json text = sizes();
  text.update({{"model_type", std::string(type) + "_text"},
               {"rope_scaling", {{"rope_type", "default"}, {"mrope_interleaved", true}, {"mrope_section", {2, 1, 1}}}}});
  ZeroModel made = qwenFolder("model.language_model.", {{"model_type", type},
                                                        {"text_config", text},
                                                        {"tie_word_embeddings", false},
                                                        {"vision_config", {{"hidden_size", 4}, {"num_hidden_layers", 7}}}});
  addHeadNorms(made, "model.language_model.layers.0.");
  made.tensors["model.visual.blocks.0.attn.qkv.weight"] = {12, 4};
  return made;
}

TEST(ImageFamilies, Qwen3VlIsAQwen3) {
  ZeroModel made = qwen3Vl("qwen3_vl");
  addDense(made, "model.language_model.layers.0.");
  const ModelConfig model = readOf(made);
  ASSERT_EQ(model.layers.size(), 1U);
  EXPECT_EQ(model.layers[0].headDim, 8);
  EXPECT_FALSE(model.layers[0].qNorm.weights.weight.empty());
}

// Its first folders have a name of their own for the text model.
TEST(ImageFamilies, Exaone45IsAnExaone4) {
  for (const char* type : {"exaone4", "exaone4_5_text"}) {
    Json text = sizes();
    text.update({{"model_type", type}, {"sliding_window", 4}, {"layer_types", {"full_attention"}}, {"num_nextn_predict_layers", 1}});
    const std::string inside = "model.language_model.", layer = inside + "layers.0.";
    ZeroModel made = qwenFolder(inside, {{"model_type", "exaone4_5"}, {"text_config", text}, {"tie_word_embeddings", false}});
    made.tensors.erase(layer + "input_layernorm.weight");
    made.tensors[layer + "post_feedforward_layernorm.weight"] = {8};
    addDense(made, layer);
    addHeadNorms(made, layer);
    made.tensors["mtp.fc.weight"] = {8, 16};
    made.tensors["model.visual.merger.ln_q.weight"] = {4};
    const ModelConfig model = readOf(made);
    EXPECT_EQ(model.family, "exaone4");
    ASSERT_EQ(model.layers.size(), 1U);
    EXPECT_TRUE(model.layers[0].postAttentionNorm.present());
    EXPECT_FALSE(model.layers[0].attentionNorm.present());
    EXPECT_EQ(model.layers[0].rope, -1) << "it sees everything";
  }
}

// Its folders store the stacks of experts transposed; other programs write them as the others' are.
TEST(ImageFamilies, Qwen3VlsExpertsAreReadInBothOrders) {
  const auto expertsOf = [](bool transposed) {
    ZeroModel made = qwen3Vl("qwen3_vl_moe");
    made.config["text_config"].update({{"num_experts", 4}, {"num_experts_per_tok", 2}, {"moe_intermediate_size", 16}});
    const std::string mixture = "model.language_model.layers.0.mlp.";
    made.tensors[mixture + "gate.weight"] = {4, 8};
    made.tensors[mixture + "experts.gate_up_proj"] = transposed ? std::vector<std::int64_t>{4, 8, 32} : std::vector<std::int64_t>{4, 32, 8};
    made.tensors[mixture + "experts.down_proj"] = transposed ? std::vector<std::int64_t>{4, 16, 8} : std::vector<std::int64_t>{4, 8, 16};
    const ModelConfig model = readOf(made);
    return model.layers.empty() ? Experts{} : model.layers[0].experts;
  };
  for (const bool transposed : {false, true}) {
    const Experts experts = expertsOf(transposed);
    EXPECT_EQ(experts.count, 4);
    EXPECT_EQ(experts.gatePlace, GatePlace::halves);
    ASSERT_EQ(experts.gate.weights.size(), 1U);
    EXPECT_EQ(experts.gate.weights[0].shape.dims, (std::array<std::int64_t, 4>{4, 32, 8, 1})) << transposed;
    EXPECT_EQ(experts.down.weights.at(0).shape.columns(), 16) << transposed;
  }
}

}  // namespace
}  // namespace minerva::model
