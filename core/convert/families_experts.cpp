// Rows of the mixtures of experts, all of whose layers have attention.
#include "core/convert/families.h"

namespace minerva::convert {

namespace {

using enum Form;

constexpr Place gptOssPlaces[] = {{"post_attention_layernorm", "post_attention_norm"},
                                  {"mlp.experts.gate_up_proj", "ffn_gate_exps", alternating, "ffn_up_exps"}};
constexpr Place glm4MoePlaces[] = {{"post_attention_layernorm", "post_attention_norm"}};
constexpr Place graniteSharedPlaces[] = {{"shared_mlp.input_linear", "ffn_gate_shexp", halves, "ffn_up_shexp"},
                                         {"shared_mlp.output_linear", "ffn_down_shexp"}};
constexpr Place bailingPlaces[] = {{"attention.query_key_value", "attn_qkv"}};

constexpr Place lagunaPlaces[] = {{"self_attn.g_proj", "attn_gate"}, {"mlp.experts.e_score_correction", "exp_probs_b"}};
constexpr Place afmoePlaces[] = {{"post_attention_layernorm", "post_attention_norm"},
                                 {"pre_mlp_layernorm", "ffn_norm"},
                                 {"self_attn.gate_proj", "attn_gate"},
                                 {"mlp.router.gate", "ffn_gate_inp"},
                                 {"mlp.expert", "exp_probs_b"}};
constexpr Place exaoneMoePlaces[] = {{"mlp.e_score_correction", "exp_probs_b"}};

Result<void> addDeepseekExperts(Keys& keys) {
  const model::LayerConfig* mixture = keys.firstMixture();
  addLeadingDense(keys);
  if (mixture && mixture->experts.groups > 1) {
    return cannotBeStated("A GGUF file of this architecture cannot express that experts are chosen by group", "topk_method greedy",
                          "groups");
  }
  addSharedExpertCount(keys);
  addExpertWeights(keys);
  return {};
}

// GGUF stores latent attention (MLA) in its absorbed form: one KV head of the latent's size plus the rotary part of the key.
Result<void> addLatent(Keys& keys) {
  const model::LatentAttention& latent = keys.model.layers.front().latentAttention;
  if (keys.model.ropes.front().layout != model::RopeLayout::interleaved) {
    return cannotBeStated("A GGUF file of this architecture cannot express how its heads are rotated", "rope_interleave true", "false");
  }
  keys.set("attention.kv_lora_rank", latent.latent);
  if (!latent.qDown.weight.empty()) keys.set("attention.q_lora_rank", static_cast<int>(latent.qDown.weight.shape.rows()));
  keys.set("attention.key_length_mla", latent.plainDim + latent.rotaryDim);
  keys.set("attention.value_length_mla", latent.valueDim);
  return {};
}

Result<void> addDeepseek2(Keys& keys) {
  MINERVA_TRY(addLatent(keys));
  return addDeepseekExperts(keys);
}

Result<void> addDeepseek3(Keys& keys) {
  MINERVA_TRY(addLatent(keys));
  return addBiasedExperts(keys);
}

Result<void> addMinimaxExperts(Keys& keys) {
  addSigmoids(keys);
  return {};
}

Result<void> addErnieExperts(Keys& keys) {
  keys.set("interleave_moe_layer_step", static_cast<int>(keys.number("moe_layer_interval").value_or(1)));
  addLeadingDense(keys);
  addSharedExpertCount(keys);
  addSharedExpertSize(keys);
  return {};
}

Result<void> addBailingExperts(Keys& keys) {
  MINERVA_TRY(addBiasedExperts(keys));
  addSharedExpertSize(keys);
  return {};
}

Result<void> addHunyuanExperts(Keys& keys) {
  addSharedExpertCount(keys);
  addSharedExpertSize(keys);
  return {};
}

Result<void> addGraniteShared(Keys& keys) {
  addSharedExpertSize(keys);
  return addGraniteScales(keys);
}

// Which layers are mixtures: every so many-th.
Result<void> addLlama4Experts(Keys& keys) {
  const auto first = std::ranges::find_if(keys.model.layers, &model::LayerConfig::hasExperts);
  keys.set("interleave_moe_layer_step", static_cast<int>(first - keys.model.layers.begin()) + 1);
  return {};
}

// Layers with a window have a rotation of their own.
Result<void> addLaguna(Keys& keys) {
  addLeadingDense(keys);
  addSharedExpertSize(keys);
  addExpertWeights(keys);
  addSigmoids(keys);
  addSlidingRope(keys, "");
  keys.set("rope.dimension_count_swa", keys.model.ropes.back().dimension);
  return {};
}

Result<void> addAfmoe(Keys& keys) {
  addLeadingDense(keys);
  addSharedExpertCount(keys);
  addExpertWeights(keys);
  addSigmoids(keys);
  return {};
}

Result<void> addExaoneMoe(Keys& keys) {
  MINERVA_TRY(addBiasedExperts(keys));
  addSharedExpertSize(keys);
  addWindowPattern(keys);
  keys.set("nextn_predict_layers", 0);  // they are left out
  keys.setText("rope.scaling.type", "none");
  return {};
}

// Its norms have a mean, but readers look for the other kind's key.
Result<void> addPhimoeKeys(Keys& keys) {
  keys.setFloat("attention.layer_norm_rms_epsilon", keys.model.normEpsilon);
  return {};
}

constexpr Family rowsWithExperts[] = {
    {.modelType = "mixtral", .architecture = "llama", .interleaved = true},
    {.modelType = "granitemoe", .architecture = "granitemoe", .interleaved = true, .addKeys = addGraniteScales},
    {.modelType = "granitemoeshared",
     .architecture = "granitemoe",
     .interleaved = true,
     .own = graniteSharedPlaces,
     .addKeys = addGraniteShared},
    {.modelType = "olmoe", .architecture = "olmoe"},
    {.modelType = "qwen2_moe", .architecture = "qwen2moe"},
    {.modelType = "qwen3_moe", .architecture = "qwen3moe"},
    {.modelType = "gpt_oss",
     .architecture = "gpt-oss",
     .own = gptOssPlaces,
     .transposedRank = 3,
     .appliesWindow = true,
     .rope = {.base = 150000}},
    {.modelType = "deepseek", .architecture = "deepseek", .interleaved = true, .addKeys = addDeepseekExperts},
    {.modelType = "deepseek_v2", .architecture = "deepseek2", .addKeys = addDeepseek2},
    {.modelType = "deepseek_v3", .architecture = "deepseek2", .addKeys = addDeepseek3},
    {.modelType = "kimi_k2", .architecture = "deepseek2", .addKeys = addDeepseek3},
    {.modelType = "glm4_moe_lite", .architecture = "deepseek2", .addKeys = addDeepseek3},
    {.modelType = "glm4_moe", .architecture = "glm4moe", .own = glm4MoePlaces, .addKeys = addBiasedExperts},
    {.modelType = "glm4v_moe", .architecture = "glm4moe", .own = glm4MoePlaces, .addKeys = addBiasedExperts},
    {.modelType = "solar_open", .architecture = "glm4moe", .own = glm4MoePlaces, .rope = {.base = 1e6}, .addKeys = addBiasedExperts},
    {.modelType = "laguna",
     .architecture = "laguna",
     .own = lagunaPlaces,
     .appliesWindow = true,
     .rope = {.base = 500000},
     .addKeys = addLaguna},
    {.modelType = "afmoe", .architecture = "afmoe", .own = afmoePlaces, .appliesWindow = true, .addKeys = addAfmoe},
    {.modelType = "exaone_moe", .architecture = "exaone-moe", .own = exaoneMoePlaces, .appliesWindow = true, .addKeys = addExaoneMoe},
    {.modelType = "dots1", .architecture = "dots1", .addKeys = addBiasedExperts},
    {.modelType = "minimax_m2", .architecture = "minimax-m2", .addKeys = addMinimaxExperts},
    {.modelType = "ernie4_5_moe", .architecture = "ernie4_5-moe", .rope = {.base = 500000}, .addKeys = addErnieExperts},
    {.modelType = "bailing_moe_v2", .architecture = "bailingmoe2", .own = bailingPlaces, .addKeys = addBailingExperts},
    {.modelType = "hunyuan_v1_moe", .architecture = "hunyuan-moe", .addKeys = addHunyuanExperts},
    {.modelType = "llama4_text", .architecture = "llama4", .transposedRank = 3, .rope = {.base = 500000}, .addKeys = addLlama4Experts},
    {.modelType = "phimoe", .architecture = "phimoe", .addKeys = addPhimoeKeys},
};

}  // namespace

std::span<const Family> expertFamilies() { return rowsWithExperts; }

}  // namespace minerva::convert
