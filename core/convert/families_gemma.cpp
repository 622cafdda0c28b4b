// Rows of the Gemma families.
#include "core/convert/families.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

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

constexpr Place gemma3nPlaces[] = {{"post_attention_layernorm", "post_attention_norm"},
                                   {"per_layer_input_gate", "inp_gate"},
                                   {"per_layer_projection", "proj"},
                                   {"post_per_layer_input_norm", "post_norm"},
                                   {"laurel.linear_left", "laurel_l"},
                                   {"laurel.linear_right", "laurel_r"},
                                   {"laurel.post_laurel_norm", "laurel_post_norm"},
                                   {"altup.modality_router", "altup_router"},
                                   {"altup.router_norm", "altup_router_norm"},
                                   {"altup.prediction_coefs", "altup_predict_coef"},
                                   {"altup.correction_coefs", "altup_correct_coef"},
                                   {"altup.correct_output_scale", "altup_correct_scale.weight", fullName}};
constexpr std::string_view gemma3nProjections[] = {"altup_projections.", "altup_unembed_projections."};  // addGemma3nTensors stacks them

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

Result<void> addGemma3(Keys& keys) {
  MINERVA_TRY(checkGemmaScale(keys, 62));
  addSlidingRope(keys, "rope_local_base_freq");
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
  addSlidingRope(keys, "rope_local_base_freq");
  addLogitCap(keys);
  return {};
}

// Of the published models. llama.cpp's deviations are those of a sample (n - 1), Transformers' those of a population (n): with the
// published feed-forward of 8192 or 16384 that is nothing, but small models differ.
constexpr std::size_t sparseLayers = 10;
constexpr float sparseDeviations = 1.64485335F;  // 0.95 of a normal distribution, as torch computes it in float32

// What llama.cpp has no keys for, but takes from the published models.
Result<void> checkGemma3n(const Keys& keys) {
  const model::ModelConfig& model = keys.model;
  const auto same = [&](const char* what, double published, double actual) -> Result<void> {
    if (std::abs(published - actual) <= 1e-5 * published) return {};
    return cannotBeStated(std::string("A GGUF file cannot express this Gemma 3n's ") + what, std::to_string(published),
                          std::to_string(actual));
  };
  const auto& layers = model.layers;
  const auto shared = std::ranges::count_if(layers, [](const model::LayerConfig& layer) { return layer.kvFrom >= 0; });
  MINERVA_TRY(
      same("number of layers with keys and values of their own", 20, static_cast<double>(layers.size()) - static_cast<double>(shared)));
  MINERVA_TRY(same("number of residual streams", 4, static_cast<double>(model.streams.begin.size()) + 1));
  MINERVA_TRY(same("size of the layers' inputs", 256, model.perLayerEmbedding.size));
  MINERVA_TRY(same("soft cap of the logits", 30, model.logitSoftCap));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    MINERVA_TRY(same("rank of the learned residual", 64, static_cast<double>(layers[i].lowRankResidual.left.weight.shape.rows())));
    MINERVA_TRY(same("sparsity of the gates", i < sparseLayers ? sparseDeviations : 0, layers[i].gateDeviations.value_or(0)));
  }
  return {};
}

Result<void> addGemma3n(Keys& keys) {
  MINERVA_TRY(checkGemma3n(keys));
  const auto& layers = keys.model.layers;
  keys.set("altup.active_idx", 0);
  keys.set("altup.num_inputs", static_cast<int>(keys.model.streams.begin.size()) + 1);
  keys.set("embedding_length_per_layer_input", keys.model.perLayerEmbedding.size);
  keys.set("attention.shared_kv_layers", static_cast<int>(layers.size()) - 20);
  std::vector<float> deviations(layers.size(), -std::numeric_limits<float>::infinity());
  std::fill_n(deviations.begin(), sparseLayers, sparseDeviations);
  keys.writer.set(keys.prefix + "activation_sparsity_scale", std::span<const float>(deviations));
  addWindowPattern(keys);
  addSlidingRope(keys, "rope_local_base_freq");
  addLogitCap(keys);
  return {};
}

// Published folders hold keys and values for layers that use those of others, newer ones do not: llama.cpp asks for them.
void addUnusedKeys(const model::ModelConfig& model, std::vector<SourceTensor>& tensors) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const model::LayerConfig& layer = model.layers[i];
    const std::int64_t rows = std::int64_t{layer.kvHeadCount} * layer.headDim;
    const std::string block = "blk." + std::to_string(i) + ".attn_";
    if (layer.kvFrom < 0 || std::ranges::find(tensors, block + "k.weight", &SourceTensor::name) != tensors.end()) continue;
    const auto add = [&](const char* name, const Shape& shape) {
      tensors.push_back(
          {.name = block + name, .parts = {}, .shape = shape, .values = std::vector<float>(static_cast<std::size_t>(shape.elements()))});
    };
    const Shape matrix{.dims = {rows, model.hiddenSize, 1, 1}, .rank = 2};
    add("k.weight", matrix);
    add("v.weight", matrix);
    add("k_norm.weight", {.dims = {layer.headDim, 1, 1, 1}, .rank = 1});
  }
}

// The projections of the further streams are stacks, and the tables have a row for every token: zeros for those that stand for parts of
// images and sound.
Result<void> addGemma3nTensors(const Keys& keys, std::vector<SourceTensor>& tensors) {
  const std::int64_t hidden = keys.model.hiddenSize;
  const auto stack = [&](const char* name, const std::vector<model::Linear>& all) {
    SourceTensor out{.name = name, .parts = {}, .shape = {.dims = {static_cast<std::int64_t>(all.size()), hidden, hidden, 1}, .rank = 3}};
    for (const model::Linear& one : all) out.parts.push_back(one.weight);
    tensors.push_back(std::move(out));
  };
  stack("altup_proj.weight", keys.model.streams.begin);
  stack("altup_unembd_proj.weight", keys.model.streams.end);
  addUnusedKeys(keys.model, tensors);
  for (SourceTensor& tensor : tensors) {
    if (tensor.name != "per_layer_token_embd.weight") continue;
    tensor.zeroRows = std::max<std::int64_t>(0, keys.model.vocabularySize - tensor.shape.rows());
    tensor.shape.dims[0] += tensor.zeroRows;
  }
  return {};
}

// Readers know that EmbeddingGemma sees in both directions, and that every sixth layer has no window.
Result<void> addEmbeddingGemma(Keys& keys) {
  constexpr std::size_t usual = 6;
  const auto& layers = keys.model.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if ((layers[i].visible.window == 0) == (i % usual + 1 == usual)) continue;
    addWindowPattern(keys);
    break;
  }
  return addGemma3(keys);
}

bool embeds(const model::ModelConfig& model) { return model.embeds(); }

constexpr Family gemmaRows[] = {
    {.modelType = "gemma", .architecture = "gemma"},
    {.modelType = "gemma2", .architecture = "gemma2", .own = gemmaPlaces, .appliesWindow = true, .addKeys = addSoftCaps},
    {.modelType = "gemma3_text",
     .architecture = "gemma-embedding",
     .when = embeds,
     .own = gemmaPlaces,
     .appliesWindow = true,
     .seesBothDirections = true,
     .rope = {.base = 1e6},
     .addKeys = addEmbeddingGemma},
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
    {.modelType = "gemma3n_text",
     .architecture = "gemma3n",
     .own = gemma3nPlaces,
     .unused = gemma3nProjections,
     .appliesWindow = true,
     .needsUnusedKeys = true,
     .rope = {.base = 1e6},
     .addKeys = addGemma3n,
     .addTensors = addGemma3nTensors},
    {.modelType = "gemma3n",
     .architecture = "gemma3n",
     .own = gemma3nPlaces,
     .unused = gemma3nProjections,
     .appliesWindow = true,
     .needsUnusedKeys = true,
     .rope = {.base = 1e6},
     .addKeys = addGemma3n,
     .addTensors = addGemma3nTensors},
    {.modelType = "gemma4_text",
     .architecture = "gemma4",
     .own = gemma4Places,
     .appliesWindow = true,
     .rope = {.base = 1e6},
     .addKeys = addGemma4},
    {.modelType = "gemma4_unified_text",
     .architecture = "gemma4",
     .own = gemma4Places,
     .appliesWindow = true,
     .rope = {.base = 1e6},
     .addKeys = addGemma4},
};

}  // namespace

std::span<const Family> gemmaFamilies() { return gemmaRows; }

}  // namespace minerva::convert
