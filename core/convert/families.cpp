#include "core/convert/families.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace minerva::convert {

namespace {

using enum Form;

// Names after the prefix ("model.", "transformer.", ...) has been removed.
constexpr Place modelPlaces[] = {
    {"embed_tokens", "token_embd"}, {"wte", "token_embd"},   {"embed_in", "token_embd"},          {"wpe", "position_embd"},
    {"norm", "output_norm"},        {"ln_f", "output_norm"}, {"final_layer_norm", "output_norm"}, {"final_layernorm", "output_norm"},
    {"lm_head", "output"},          {"embed_out", "output"},
};

// Names after "layers.N." or "h.N.".
constexpr Place layerPlaces[] = {
    // norms
    {"input_layernorm", "attn_norm"},
    {"post_attention_layernorm", "ffn_norm"},
    {"pre_feedforward_layernorm", "ffn_norm"},
    {"post_self_attn_layernorm", "post_attention_norm"},
    {"post_feedforward_layernorm", "post_ffw_norm"},
    {"post_mlp_layernorm", "post_ffw_norm"},
    {"ln_1", "attn_norm"},
    {"ln_2", "ffn_norm"},
    // attention
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.qkv_proj", "attn_qkv"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.dense", "attn_output"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
    {"self_attn.q_layernorm", "attn_q_norm"},
    {"self_attn.k_layernorm", "attn_k_norm"},
    {"self_attn.q_layernorm.norms", "attn_q_norm"},
    {"self_attn.k_layernorm.norms", "attn_k_norm"},
    {"self_attn.sinks", "attn_sinks"},
    {"self_attn.q_a_proj", "attn_q_a"},
    {"self_attn.q_a_layernorm", "attn_q_a_norm"},
    {"self_attn.q_b_proj", "attn_q_b"},
    {"self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"},
    {"self_attn.kv_a_layernorm", "attn_kv_a_norm"},
    {"self_attn.kv_b_proj", "attn_k_b", latent, "attn_v_b"},
    {"attn.c_attn", "attn_qkv"},
    {"attn.c_proj", "attn_output"},
    {"attention.query_key_value", "attn_qkv", threePerHead},
    {"attention.dense", "attn_output"},
    // feed-forward
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
    {"mlp.gate_up_proj", "ffn_up"},
    {"mlp.fc1", "ffn_up"},
    {"mlp.fc2", "ffn_down"},
    {"mlp.c_fc", "ffn_up"},
    {"mlp.c_proj", "ffn_down"},
    {"mlp.dense_h_to_4h", "ffn_up"},
    {"mlp.dense_4h_to_h", "ffn_down"},
    // experts
    {"mlp.gate", "ffn_gate_inp"},
    {"mlp.router", "ffn_gate_inp"},
    {"block_sparse_moe.gate", "ffn_gate_inp"},
    {"block_sparse_moe.router.layer", "ffn_gate_inp"},
    {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
    {"mlp.shared_expert.gate_proj", "ffn_gate_shexp"},
    {"mlp.shared_expert.up_proj", "ffn_up_shexp"},
    {"mlp.shared_expert.down_proj", "ffn_down_shexp"},
    {"mlp.shared_experts.gate_proj", "ffn_gate_shexp"},
    {"mlp.shared_experts.up_proj", "ffn_up_shexp"},
    {"mlp.shared_experts.down_proj", "ffn_down_shexp"},
    {"mlp.experts.gate_up_proj", "ffn_gate_exps", halves, "ffn_up_exps"},
    {"mlp.experts.gate_proj", "ffn_gate_exps"},
    {"mlp.experts.up_proj", "ffn_up_exps"},
    {"mlp.experts.down_proj", "ffn_down_exps"},
    {"mlp.switch_mlp.gate_proj", "ffn_gate_exps"},
    {"mlp.switch_mlp.up_proj", "ffn_up_exps"},
    {"mlp.switch_mlp.down_proj", "ffn_down_exps"},
    {"block_sparse_moe.switch_mlp.gate_proj", "ffn_gate_exps"},
    {"block_sparse_moe.switch_mlp.up_proj", "ffn_up_exps"},
    {"block_sparse_moe.switch_mlp.down_proj", "ffn_down_exps"},
    {"block_sparse_moe.input_linear", "ffn_gate_exps", halves, "ffn_up_exps"},
    {"block_sparse_moe.output_linear", "ffn_down_exps"},
};

constexpr Place expertPlaces[] = {{"w1", "ffn_gate_exps"},        {"w2", "ffn_down_exps"},    {"w3", "ffn_up_exps"},
                                  {"gate_proj", "ffn_gate_exps"}, {"up_proj", "ffn_up_exps"}, {"down_proj", "ffn_down_exps"}};

constexpr Place normsBehind[] = {{"post_attention_layernorm", "post_attention_norm"}};
constexpr Place gptOss[] = {{"post_attention_layernorm", "post_attention_norm"},
                            {"mlp.experts.gate_up_proj", "ffn_gate_exps", alternating, "ffn_up_exps"}};

Result<void> addGraniteScales(Keys& keys) {
  constexpr std::pair<const char*, const char*> names[] = {{"embedding_multiplier", "embedding_scale"},
                                                           {"residual_multiplier", "residual_scale"},
                                                           {"logits_scaling", "logit_scale"},
                                                           {"attention_multiplier", "attention.scale"}};
  for (const auto& [config, gguf] : names) {
    if (const auto value = keys.number(config)) keys.setFloat(gguf, *value);
  }
  return {};
}

Result<void> addLogitScale(Keys& keys) {
  keys.setFloat("logit_scale", keys.model.logitScale);
  return {};
}

Result<void> addParallelBlocks(Keys& keys) {
  keys.setFlag("use_parallel_residual", keys.model.parallelBlocks);
  return {};
}

std::unexpected<Error> unsupported(const char* what, std::string expected, std::string actual) {
  return fail({.kind = ErrorKind::unsupported,
               .what = what,
               .where = {},
               .expected = std::move(expected),
               .actual = std::move(actual),
               .hint = "Use the model as it is; Minerva runs its folder."});
}

// GGUF has no key for query_pre_attn_scalar. Readers assume the head size, or for the 27B model hidden size / heads.
Result<void> checkGemmaScale(const Keys& keys, std::size_t layersOf27B) {
  const model::ModelConfig& model = keys.model;
  const int size = model.layers.size() == layersOf27B ? model.hiddenSize / model.layers.front().headCount : model.layers.front().headDim;
  const float expected = 1.0F / std::sqrt(static_cast<float>(size));
  if (std::abs(model.attentionScale - expected) <= 1e-5F * expected) return {};
  return unsupported("A GGUF file cannot express this Gemma's attention scale", "query_pre_attn_scalar " + std::to_string(size),
                     std::to_string(std::lround(1 / (model.attentionScale * model.attentionScale))));
}

// llama.cpp defaults to soft caps of 50 and 30, so a file cannot say that there are none.
Result<void> addSoftCaps(Keys& keys) {
  MINERVA_TRY(checkGemmaScale(keys, 46));
  if (keys.model.attentionSoftCap <= 0 || keys.model.logitSoftCap <= 0) {
    return unsupported("A GGUF file cannot express a Gemma 2 without soft caps", "attn_logit_softcapping and final_logit_softcapping",
                       "null");
  }
  keys.setFloat("attn_logit_softcapping", keys.model.attentionSoftCap);
  keys.setFloat("final_logit_softcapping", keys.model.logitSoftCap);
  return {};
}

Result<void> addLocalRope(Keys& keys) {
  MINERVA_TRY(checkGemmaScale(keys, 62));
  double base = keys.number("rope_local_base_freq").value_or(10000);
  const auto parameters = keys.config.find("rope_parameters");
  if (parameters != keys.config.end() && parameters->is_object() && parameters->contains("sliding_attention")) {
    base = Keys::numberIn((*parameters)["sliding_attention"], "rope_theta").value_or(base);
  }
  keys.setFloat("rope.freq_base_swa", base);
  if (keys.model.logitSoftCap > 0) keys.setFloat("final_logit_softcapping", keys.model.logitSoftCap);
  return {};
}

Result<void> addDeepseekExperts(Keys& keys) {
  const auto mixture = std::ranges::find_if(keys.model.layers, [](const model::LayerConfig& layer) { return layer.experts.count > 0; });
  keys.set("leading_dense_block_count", static_cast<int>(mixture - keys.model.layers.begin()));
  if (mixture == keys.model.layers.end()) return {};
  const model::Experts& experts = mixture->experts;
  if (experts.groups > 1)
    return unsupported("A GGUF file of this architecture cannot express that experts are chosen by group", "topk_method greedy", "groups");
  keys.set("expert_shared_count", experts.sharedSize / experts.feedForwardSize);
  keys.setFloat("expert_weights_scale", experts.scale);
  keys.setFlag("expert_weights_norm", experts.normalised);
  return {};
}

// GGUF stores latent attention (MLA) in its absorbed form: one KV head of the latent's size plus the rotary part of the key.
Result<void> addLatentAttention(Keys& keys) {
  const model::LatentAttention& latent = keys.model.layers.front().latentAttention;
  keys.set("attention.kv_lora_rank", latent.latent);
  if (!latent.qDown.weight.empty()) keys.set("attention.q_lora_rank", static_cast<int>(latent.qDown.weight.shape.rows()));
  keys.set("attention.key_length_mla", latent.plainDim + latent.rotaryDim);
  keys.set("attention.value_length_mla", latent.valueDim);
  return addDeepseekExperts(keys);
}

constexpr Family families[] = {
    {.modelType = "llama", .architecture = "llama", .interleaved = true},
    {.modelType = "mistral", .architecture = "llama", .interleaved = true},
    {.modelType = "mixtral", .architecture = "llama", .interleaved = true},
    {.modelType = "granite", .architecture = "granite", .interleaved = true, .addKeys = addGraniteScales},
    {.modelType = "granitemoe", .architecture = "granitemoe", .interleaved = true, .addKeys = addGraniteScales},
    {.modelType = "smollm3", .architecture = "smollm3", .interleaved = true},
    {.modelType = "olmo2", .architecture = "olmo2", .own = normsBehind},
    {.modelType = "olmoe", .architecture = "olmoe"},
    {.modelType = "qwen2", .architecture = "qwen2"},
    {.modelType = "qwen2_moe", .architecture = "qwen2moe"},
    {.modelType = "qwen3", .architecture = "qwen3"},
    {.modelType = "qwen3_moe", .architecture = "qwen3moe"},
    {.modelType = "phi", .architecture = "phi2"},
    {.modelType = "phi3", .architecture = "phi3"},
    {.modelType = "gemma", .architecture = "gemma"},
    {.modelType = "gemma2", .architecture = "gemma2", .own = normsBehind, .appliesWindow = true, .addKeys = addSoftCaps},
    {.modelType = "gemma3_text",
     .architecture = "gemma3",
     .own = normsBehind,
     .appliesWindow = true,
     .ropeBase = 1e6,
     .addKeys = addLocalRope},
    {.modelType = "gemma3", .architecture = "gemma3", .own = normsBehind, .appliesWindow = true, .ropeBase = 1e6, .addKeys = addLocalRope},
    {.modelType = "gpt_oss", .architecture = "gpt-oss", .own = gptOss, .transposedRank = 3, .appliesWindow = true, .ropeBase = 150000},
    {.modelType = "stablelm", .architecture = "stablelm", .addKeys = addParallelBlocks},
    {.modelType = "starcoder2", .architecture = "starcoder2"},
    {.modelType = "deepseek", .architecture = "deepseek", .interleaved = true, .addKeys = addDeepseekExperts},
    {.modelType = "deepseek_v2", .architecture = "deepseek2", .addKeys = addLatentAttention},
    {.modelType = "cohere", .architecture = "command-r", .addKeys = addLogitScale},
    {.modelType = "cohere2", .architecture = "cohere2", .appliesWindow = true, .addKeys = addLogitScale},
    {.modelType = "glm4", .architecture = "glm4"},
    {.modelType = "gpt2", .architecture = "gpt2", .transposedRank = 2},
    {.modelType = "gpt_neox", .architecture = "gptneox", .addKeys = addParallelBlocks},
};

const Place* find(std::span<const Place> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Place::folder);
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

std::optional<double> Keys::numberIn(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_number() ? std::nullopt : std::optional(found->get<double>());
}

const Family* findFamily(std::string_view modelType) {
  const auto* found = std::ranges::find(families, modelType, &Family::modelType);
  return found == std::end(families) ? nullptr : found;
}

std::string convertibleFamilies() {
  std::string names;
  for (const Family& family : families) names += (names.empty() ? "" : ", ") + std::string(family.modelType);
  return names;
}

const Place* modelPlaceOf(std::string_view name) { return find(modelPlaces, name); }

const Place* layerPlaceOf(const Family& family, std::string_view name) {
  const Place* own = find(family.own, name);
  return own ? own : find(layerPlaces, name);
}

const Place* expertPlaceOf(std::string_view name) { return find(expertPlaces, name); }

}  // namespace minerva::convert
