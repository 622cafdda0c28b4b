#include "core/convert/families.h"

#include "core/format/text_config.h"

#include <algorithm>

namespace minerva::convert {

namespace {

using enum Form;

// Names after the prefix ("model.", "transformer.", ...) has been removed.
constexpr Place modelPlaces[] = {
    {"embed_tokens", "token_embd"},
    {"wte", "token_embd"},
    {"embed_in", "token_embd"},
    {"wpe", "position_embd"},
    {"norm", "output_norm"},
    {"ln_f", "output_norm"},
    {"final_layer_norm", "output_norm"},
    {"final_layernorm", "output_norm"},
    {"lm_head", "output"},
    {"embed_out", "output"},
    {"word_embeddings", "token_embd"},
    {"embeddings", "token_embd"},
    {"embedding", "token_embd"},
    {"norm_f", "output_norm"},
    {"embedding_norm", "token_embd_norm"},
    {"embed_tokens_per_layer", "per_layer_token_embd"},
    {"per_layer_model_projection", "per_layer_model_proj"},
    {"per_layer_projection_norm", "per_layer_proj_norm"},
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
    {"operator_norm", "attn_norm"},
    {"ffn_norm", "ffn_norm"},
    // attention
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.qkv_proj", "attn_qkv"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.out_proj", "attn_output"},
    {"self_attn.dense", "attn_output"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
    {"self_attn.q_layernorm", "attn_q_norm"},
    {"self_attn.k_layernorm", "attn_k_norm"},
    {"self_attn.query_layernorm", "attn_q_norm"},
    {"self_attn.key_layernorm", "attn_k_norm"},
    {"attention.query_layernorm", "attn_q_norm"},
    {"attention.key_layernorm", "attn_k_norm"},
    {"self_attn.q_layernorm.norms", "attn_q_norm"},
    {"self_attn.k_layernorm.norms", "attn_k_norm"},
    {"self_attn.sinks", "attn_sinks"},
    {"self_attn.q_a_proj", "attn_q_a"},
    {"self_attn.q_a_layernorm", "attn_q_a_norm"},
    {"self_attn.q_b_proj", "attn_q_b"},
    {"self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"},
    {"self_attn.kv_a_layernorm", "attn_kv_a_norm"},
    {"self_attn.kv_b_proj", "attn_k_b", latent, "attn_v_b"},
    {"self_attn.embed_q", "attn_k_b"},
    {"self_attn.unembed_out", "attn_v_b"},
    {"attn.c_attn", "attn_qkv"},
    {"attn.c_proj", "attn_output"},
    {"attention.query_key_value", "attn_qkv", threePerHead},
    {"attention.dense", "attn_output"},
    // feed-forward
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
    {"mlp.gate_up_proj", "ffn_up"},
    {"feed_forward.w1", "ffn_gate"},
    {"feed_forward.w2", "ffn_down"},
    {"feed_forward.w3", "ffn_up"},
    {"feed_forward.gate_proj", "ffn_gate"},
    {"feed_forward.up_proj", "ffn_up"},
    {"feed_forward.down_proj", "ffn_down"},
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
    {"mlp.gate.wg", "ffn_gate_inp"},
    {"mlp.gate.gate_proj", "ffn_gate_inp"},
    {"feed_forward.gate", "ffn_gate_inp"},
    {"feed_forward.router", "ffn_gate_inp"},
    {"mlp.gate.e_score_correction", "exp_probs_b"},
    {"mlp.gate.expert", "exp_probs_b"},
    {"mlp.moe_statics.e_score_correction", "exp_probs_b"},
    {"block_sparse_moe.e_score_correction", "exp_probs_b"},
    {"feed_forward.expert", "exp_probs_b"},
    {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
    {"mlp.shared_expert.gate_proj", "ffn_gate_shexp"},
    {"mlp.shared_expert.up_proj", "ffn_up_shexp"},
    {"mlp.shared_expert.down_proj", "ffn_down_shexp"},
    {"mlp.shared_experts.gate_proj", "ffn_gate_shexp"},
    {"mlp.shared_experts.up_proj", "ffn_up_shexp"},
    {"mlp.shared_experts.down_proj", "ffn_down_shexp"},
    {"mlp.shared_mlp.gate_proj", "ffn_gate_shexp"},
    {"mlp.shared_mlp.up_proj", "ffn_up_shexp"},
    {"mlp.shared_mlp.down_proj", "ffn_down_shexp"},
    {"feed_forward.shared_expert.gate_proj", "ffn_gate_shexp"},
    {"feed_forward.shared_expert.up_proj", "ffn_up_shexp"},
    {"feed_forward.shared_expert.down_proj", "ffn_down_shexp"},
    {"feed_forward.experts.gate_up_proj", "ffn_gate_exps", halves, "ffn_up_exps"},
    {"feed_forward.experts.gate_proj", "ffn_gate_exps"},
    {"feed_forward.experts.up_proj", "ffn_up_exps"},
    {"feed_forward.experts.down_proj", "ffn_down_exps"},
    {"feed_forward.switch_mlp.gate_proj", "ffn_gate_exps"},
    {"feed_forward.switch_mlp.up_proj", "ffn_up_exps"},
    {"feed_forward.switch_mlp.down_proj", "ffn_down_exps"},
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
                                  {"gate_proj", "ffn_gate_exps"}, {"up_proj", "ffn_up_exps"}, {"down_proj", "ffn_down_exps"},
                                  {"gate", "ffn_gate_exps"},      {"up", "ffn_up_exps"},      {"down", "ffn_down_exps"}};

const Place* find(std::span<const Place> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Place::folder);
  return found == table.end() ? nullptr : &*found;
}

template <class Use>
void eachFamily(Use use) {
  for (const auto rows : {denseFamilies(), olderFamilies(), expertFamilies(), gemmaFamilies(), hybridFamilies(), encoderFamilies()}) {
    for (const Family& family : rows) use(family);
  }
}

}  // namespace

const Family* findFamily(const nlohmann::json& config, const model::ModelConfig& model) {
  const auto ofType = [&](const nlohmann::json& from) {
    const auto type = from.find("model_type");
    const Family* found = nullptr;
    if (type == from.end() || !type->is_string()) return found;
    const auto& name = type->get_ref<const std::string&>();
    eachFamily([&](const Family& family) {
      if (!found && family.modelType == name && (family.when == nullptr || family.when(model))) found = &family;
    });
    return found;
  };
  const Family* found = ofType(config);
  const auto* text = format::textConfigOf(config);
  return found || !text ? found : ofType(*text);
}

std::string convertibleFamilies() {
  std::string names;
  std::string_view last;
  eachFamily([&](const Family& family) {
    if (family.modelType != last) names += (names.empty() ? "" : ", ") + std::string(family.modelType);
    last = family.modelType;
  });
  return names;
}

const Place* modelPlaceOf(const Family& family, std::string_view name) {
  const Place* own = find(family.own, name);
  return own ? own : find(modelPlaces, name);
}

const Place* layerPlaceOf(const Family& family, std::string_view name) {
  const Place* own = find(family.own, name);
  return own ? own : find(layerPlaces, name);
}

const Place* expertPlaceOf(std::string_view name) { return find(expertPlaces, name); }

}  // namespace minerva::convert
