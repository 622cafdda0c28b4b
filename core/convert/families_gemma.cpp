// Rows of the Gemma families.
#include "core/convert/families.h"

#include <cmath>

namespace minerva::convert {

namespace {

using enum Form;

constexpr Place gemmaPlaces[] = {{"post_attention_layernorm", "post_attention_norm"}};
constexpr Place gemma4Places[] = {{"post_attention_layernorm", "post_attention_norm"},
                                  {"post_feedforward_layernorm_1", "post_ffw_norm_1"},
                                  {"pre_feedforward_layernorm_2", "pre_ffw_norm_2"},
                                  {"post_feedforward_layernorm_2", "post_ffw_norm_2"},
                                  {"router.proj", "ffn_gate_inp"},
                                  {"router.scale", "ffn_gate_inp.scale", fullName},
                                  {"router.per_expert_scale", "ffn_down_exps.scale", fullName},
                                  {"experts.gate_up_proj", "ffn_gate_up_exps"},
                                  {"experts.down_proj", "ffn_down_exps"},
                                  {"experts.switch_glu.gate_proj", "ffn_gate_exps"},
                                  {"experts.switch_glu.up_proj", "ffn_up_exps"},
                                  {"experts.switch_glu.down_proj", "ffn_down_exps"},
                                  {"layer_scalar", "layer_output_scale"},
                                  {"per_layer_input_gate", "inp_gate"},
                                  {"per_layer_projection", "proj"},
                                  {"post_per_layer_input_norm", "post_norm"}};

// GGUF has no key for query_pre_attn_scalar. Readers assume the head size, or for the 27B model hidden size / heads.
Result<void> checkGemmaScale(const Keys& keys, std::size_t layersOf27B) {
  const model::ModelConfig& model = keys.model;
  const int size = model.layers.size() == layersOf27B ? model.hiddenSize / model.layers.front().headCount : model.layers.front().headDim;
  const float expected = 1.0F / std::sqrt(static_cast<float>(size));
  if (std::abs(model.attentionScale - expected) <= 1e-5F * expected) return {};
  return cannotBeStated("A GGUF file cannot express this Gemma's attention scale", "query_pre_attn_scalar " + std::to_string(size),
                        std::to_string(std::lround(1 / (model.attentionScale * model.attentionScale))));
}

// llama.cpp defaults to soft caps of 50 and 30, so a file cannot say that there are none.
Result<void> addSoftCaps(Keys& keys) {
  MINERVA_TRY(checkGemmaScale(keys, 46));
  if (keys.model.attentionSoftCap <= 0 || keys.model.logitSoftCap <= 0) {
    return cannotBeStated("A GGUF file cannot express a Gemma 2 without soft caps", "attn_logit_softcapping and final_logit_softcapping",
                          "null");
  }
  keys.setFloat("attn_logit_softcapping", keys.model.attentionSoftCap);
  keys.setFloat("final_logit_softcapping", keys.model.logitSoftCap);
  return {};
}

void addLogitCap(Keys& keys) {
  if (keys.model.logitSoftCap > 0) keys.setFloat("final_logit_softcapping", keys.model.logitSoftCap);
}

void addSlidingRope(Keys& keys) {
  double base = keys.number("rope_local_base_freq").value_or(10000);
  const auto parameters = keys.config.find("rope_parameters");
  if (parameters != keys.config.end() && parameters->is_object() && parameters->contains("sliding_attention")) {
    base = Keys::numberIn((*parameters)["sliding_attention"], "rope_theta").value_or(base);
  }
  keys.setFloat("rope.freq_base_swa", base);
}

Result<void> addGemma3(Keys& keys) {
  MINERVA_TRY(checkGemmaScale(keys, 62));
  addSlidingRope(keys);
  addLogitCap(keys);
  return {};
}

Result<void> addGemma4(Keys& keys) {
  const auto& layers = keys.model.layers;
  const auto shared = std::ranges::count_if(layers, [](const model::LayerConfig& layer) { return layer.kvFrom >= 0; });
  keys.set("attention.shared_kv_layers", static_cast<int>(shared));
  keys.set("embedding_length_per_layer_input", keys.model.perLayerEmbedding.size);
  addWindowPattern(keys);
  if (const auto* sliding = keys.firstLayer([](const model::LayerConfig& layer) { return layer.visible.window > 0; })) {
    keys.set("attention.key_length_swa", sliding->headDim);
    keys.set("attention.value_length_swa", sliding->headDim);
    keys.set("rope.dimension_count_swa", keys.model.ropes[static_cast<std::size_t>(sliding->rope)].dimension);
  }
  addSlidingRope(keys);
  addLogitCap(keys);
  return {};
}

constexpr Family gemmaRows[] = {
    {.modelType = "gemma", .architecture = "gemma"},
    {.modelType = "gemma2", .architecture = "gemma2", .own = gemmaPlaces, .appliesWindow = true, .addKeys = addSoftCaps},
    {.modelType = "gemma3_text",
     .architecture = "gemma3",
     .own = gemmaPlaces,
     .appliesWindow = true,
     .rope = {.base = 1e6},
     .addKeys = addGemma3},
    {.modelType = "gemma3",
     .architecture = "gemma3",
     .own = gemmaPlaces,
     .appliesWindow = true,
     .rope = {.base = 1e6},
     .addKeys = addGemma3},
    {.modelType = "gemma4_text",
     .architecture = "gemma4",
     .own = gemma4Places,
     .appliesWindow = true,
     .rope = {.base = 1e6},
     .addKeys = addGemma4},
};

}  // namespace

std::span<const Family> gemmaFamilies() { return gemmaRows; }

}  // namespace minerva::convert
