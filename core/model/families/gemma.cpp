// Gemma 1: Llama's decoder with GELU, norms by 1 + weight and scaled embeddings.
#include "core/model/families/gemma.h"

#include "core/model/families/family.h"

#include <cmath>

namespace minerva::model {

namespace {

Result<void> fillGemma(Reader& reader, ModelConfig& config) { return fillGemmaLike(reader, gemmaForm(), config); }

constexpr std::string_view gemmaNames[] = {"gemma"};

}  // namespace

DecoderForm gemmaForm() {
  DecoderForm form;
  form.window = {};
  form.activationKey = "hidden_activation";  // the older hidden_act is wrong in published files: it says "gelu"
  form.activation = Activation::geluTanh;
  return form;
}

Result<void> fillGemmaLike(Reader& reader, const DecoderForm& form, ModelConfig& config) {
  MINERVA_TRY(fillDecoder(reader, form, config));
  if (!reader.isGguf()) config.normPlus = 1;  // GGUF converters have already added it
  config.embeddingScale = std::sqrt(static_cast<float>(config.hiddenSize));
  return {};
}

void addPostNorms(DecoderForm& form) {
  form.postAttentionNorm = {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"};
  form.feedForwardNorm = {"blk.#.ffn_norm", "model.layers.#.pre_feedforward_layernorm"};
  form.postFeedForwardNorm = {"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm"};
}

Result<void> readGemmaScale(const Reader& reader, int layersOf27B, ModelConfig& config) {
  const LayerConfig& layer = config.layers.front();
  const bool large = reader.isGguf() && static_cast<int>(config.layers.size()) == layersOf27B;
  const double divisor = large ? static_cast<double>(config.hiddenSize) / layer.headCount : layer.headDim;
  MINERVA_ASSIGN(const double scalar, reader.positive({"", "query_pre_attn_scalar"}, Limits::hidden, divisor));
  config.attentionScale = static_cast<float>(1.0 / std::sqrt(scalar));
  return {};
}

const Family gemmaFamily{"gemma", gemmaNames, gemmaNames, fillGemma};

}  // namespace minerva::model
