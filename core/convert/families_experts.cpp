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
constexpr Place mimo2Places[] = {{"self_attn.attention_sink", "attn_sinks.weight", fullName}};
constexpr Place step35Places[] = {{"moe.gate", "ffn_gate_inp"},
                                  {"moe.router", "exp_probs_b"},
                                  {"moe.gate_proj", "ffn_gate_exps"},
                                  {"moe.up_proj", "ffn_up_exps"},
                                  {"moe.down_proj", "ffn_down_exps"},
                                  {"share_expert.gate_proj", "ffn_gate_shexp"},
                                  {"share_expert.up_proj", "ffn_up_shexp"},
                                  {"share_expert.down_proj", "ffn_down_shexp"},
                                  {"mlp.gate.gate", "ffn_gate_inp"},
                                  {"mlp.gate.router", "exp_probs_b"},
                                  {"mlp.share_expert.gate_proj", "ffn_gate_shexp"},
                                  {"mlp.share_expert.up_proj", "ffn_up_shexp"},
                                  {"mlp.share_expert.down_proj", "ffn_down_shexp"},
                                  {"self_attn.g_proj", "attn_gate"}};
constexpr Place hyV3Places[] = {
    {"mlp.router.gate", "ffn_gate_inp"}, {"mlp.expert", "exp_probs_b", fullName}, {"mlp.router.expert", "exp_probs_b", fullName}};
constexpr Place graniteSwaPlaces[] = {{"block_sparse_moe.router", "ffn_gate_inp"},
                                      {"block_sparse_moe.input_linear", "ffn_gate_up_exps"},
                                      {"block_sparse_moe.experts.gate_up_proj", "ffn_gate_up_exps"},
                                      {"block_sparse_moe.experts.down_proj", "ffn_down_exps"},
                                      {"shared_mlp.input_linear", "ffn_up_shexp"},
                                      {"shared_mlp.output_linear", "ffn_down_shexp"}};
constexpr Place smallThinkerPlaces[] = {{"block_sparse_moe.primary_router", "ffn_gate_inp"}};
constexpr std::string_view bailingFused[] = {"query_key_value"};
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

// Readers normalise the experts' weights of this architecture, and find the dense layers by their tensors.
Result<void> addMimo2(Keys& keys) {
  const model::LayerConfig& first = keys.model.layers.front();
  std::vector<std::int32_t> windowed;
  for (const model::LayerConfig& layer : keys.model.layers) windowed.push_back(layer.visible.window > 0);
  keys.setNumbers("attention.sliding_window_pattern", windowed, true);
  addSlidingRope(keys, "swa_rope_theta");
  if (first.attentionResultScale != 1) keys.setFloat("attention.value_scale", first.attentionResultScale);
  addExpertGroups(keys);
  addSigmoids(keys);
  return {};
}

// Limits are lists, of the shared experts with those of dense layers.
Result<void> addStep35(Keys& keys) {
  const auto limits = [&](std::string_view key, const char* stated, auto of) {
    if (!keys.config.contains(stated)) return;
    std::vector<float> values;
    for (const model::LayerConfig& layer : keys.model.layers) values.push_back(of(layer));
    keys.writer.set(keys.prefix + std::string(key), std::span<const float>(values));
  };
  limits("swiglu_clamp_exp", "swiglu_limits", [](const model::LayerConfig& layer) { return layer.experts.gateLimit; });
  limits("swiglu_clamp_shexp", "swiglu_limits_shared",
         [](const model::LayerConfig& layer) { return layer.hasExperts() ? layer.experts.sharedGateLimit : layer.gateLimit; });
  addWindowPattern(keys);
  keys.setFloat("rope.freq_base_swa", keys.ofRope("rope_theta", 1).value_or(keys.number("rope_theta").value_or(10000)));
  addLeadingDense(keys);
  keys.set("moe_every_n_layers", 1);
  addSharedExpertSize(keys);
  addExpertWeights(keys);
  addSigmoids(keys);
  return {};
}

Result<void> addHyV3(Keys& keys) {
  addSharedExpertSize(keys);
  addExpertWeights(keys);
  addSigmoids(keys);
  return {};
}

Result<void> addGraniteShared(Keys& keys) {
  addSharedExpertSize(keys);
  return addGraniteScales(keys);
}

Result<void> addGraniteSwa(Keys& keys) {
  std::vector<bool> rotated;
  for (const model::LayerConfig& layer : keys.model.layers) rotated.push_back(layer.rope >= 0);
  if (std::ranges::find(rotated, false) != rotated.end()) keys.setFlags("attention.rope_pattern", rotated);
  addWindowPattern(keys);
  return addGraniteShared(keys);
}

// Readers take the norms to be RMS norms if there is an epsilon of those.
Result<void> addCohere2Moe(Keys& keys) {
  keys.setFloat("logit_scale", keys.model.logitScale);
  if (const auto epsilon = keys.number("layer_norm_eps")) keys.setFloat("attention.layer_norm_epsilon", *epsilon);
  addWindowPattern(keys);
  addLeadingDense(keys);
  addSharedExpertCount(keys);
  addSharedExpertSize(keys);
  addSigmoids(keys);
  if (const model::LayerConfig* mixture = keys.firstMixture()) keys.setFlag("expert_weights_norm", mixture->experts.normalised);
  keys.setText("rope.scaling.type", "none");
  return {};
}

Result<void> addMellum(Keys& keys) {
  addWindowPattern(keys);
  addSlidingRope(keys, "rope_local_base_freq");
  if (const model::LayerConfig* mixture = keys.firstMixture()) keys.setFlag("expert_weights_norm", mixture->experts.normalised);
  return {};
}

Result<void> addSmallThinker(Keys& keys) {
  if (const model::LayerConfig* mixture = keys.firstMixture()) keys.set("feed_forward_length", mixture->experts.feedForwardSize);
  addSigmoids(keys);
  return {};
}

Result<void> addBailing1(Keys& keys) {
  addLeadingDense(keys);
  addSharedExpertCount(keys);
  addExpertWeights(keys);
  return {};
}

// Queries, keys and values become tensors of their own, the former two for a rope of adjacent pairs.
Result<void> addBailingAttention(const Keys& keys, std::vector<SourceTensor>& tensors) {
  for (std::size_t i = 0; i < keys.model.layers.size(); ++i) {
    const model::LayerConfig& layer = keys.model.layers[i];
    const auto add = [&](const char* name, const TensorView& view, int rotatedHeads) {
      SourceTensor out{.name = "blk." + std::to_string(i) + "." + name + ".weight", .parts = {view}, .shape = view.shape};
      const std::int64_t size = layer.headDim;
      if (rotatedHeads > 0) out.order = {.counts = {rotatedHeads, size / 2, 2}, .steps = {size, 1, size / 2}};
      tensors.push_back(std::move(out));
    };
    add("attn_q", layer.q.weight, layer.headCount);
    add("attn_k", layer.k.weight, layer.kvHeadCount);
    add("attn_v", layer.v.weight, 0);
  }
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
    {.modelType = "mimo_v2_flash",
     .architecture = "mimo2",
     .own = mimo2Places,
     .appliesWindow = true,
     .lists = LayerLists::ofAttention,
     .addKeys = addMimo2},
    {.modelType = "mimo_v2",
     .architecture = "mimo2",
     .own = mimo2Places,
     .appliesWindow = true,
     .lists = LayerLists::ofAttention,
     .addKeys = addMimo2},
    {.modelType = "step3p5",
     .architecture = "step35",
     .own = step35Places,
     .appliesWindow = true,
     .rope = {.basesKey = "rope_theta", .statesHead = true},
     .wholeNormsInMlx = true,
     .addKeys = addStep35},
    {.modelType = "hy_v3", .architecture = "hy_v3", .own = hyV3Places, .rope = {.base = 11158840}, .addKeys = addHyV3},
    {.modelType = "granite_swa",
     .architecture = "granite_swa",
     .interleaved = true,
     .appliesWindow = true,
     .rope = {.basesKey = "layer_rope_theta"},
     .addKeys = addGraniteSwa},
    {.modelType = "granitemoe_swa",
     .architecture = "granite_swa",
     .interleaved = true,
     .own = graniteSwaPlaces,
     .appliesWindow = true,
     .rope = {.basesKey = "layer_rope_theta"},
     .addKeys = addGraniteSwa},
    {.modelType = "cohere2_moe", .architecture = "cohere2moe", .appliesWindow = true, .addKeys = addCohere2Moe},
    {.modelType = "mellum", .architecture = "mellum", .appliesWindow = true, .rope = {.base = 500000}, .addKeys = addMellum},
    {.modelType = "smallthinker",
     .architecture = "smallthinker",
     .own = smallThinkerPlaces,
     .appliesWindow = true,
     .addKeys = addSmallThinker},
    {.modelType = "bailing_moe",
     .architecture = "bailingmoe",
     .mixer = {"attention.", bailingFused},
     .addKeys = addBailing1,
     .addTensors = addBailingAttention},
    {.modelType = "llama4_text", .architecture = "llama4", .transposedRank = 3, .rope = {.base = 500000}, .addKeys = addLlama4Experts},
    {.modelType = "phimoe", .architecture = "phimoe", .addKeys = addPhimoeKeys},
};

}  // namespace

std::span<const Family> expertFamilies() { return rowsWithExperts; }

}  // namespace minerva::convert
