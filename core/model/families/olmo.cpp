// OLMo 1 and 1.7: Llama's decoder with layer norms that have neither weights nor biases. Queries, keys and values of the latter are
// limited.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillOlmo(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.attentionNorm = form.feedForwardNorm = form.outputNorm = {};
  form.window = {};
  form.epsilon = {"attention.layer_norm_epsilon", ""};
  form.defaultEpsilon = 1e-5;
  form.norm = NormKind::layer;
  form.rope.ggufLayout = RopeLayout::interleaved;
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (LayerConfig& layer : config.layers) layer.attentionNorm.withoutWeight = layer.feedForwardNorm.withoutWeight = true;
  config.outputNorm.withoutWeight = true;
  constexpr Key limit{"attention.clamp_kqv", "clip_qkv"};  // OLMo 1.7
  MINERVA_ASSIGN(const auto stated, reader.number(limit));
  if (stated.value_or(0) == 0) return {};
  MINERVA_ASSIGN(const double most, reader.positive(limit, 1e6));
  config.attentionLimit = static_cast<float>(most);
  return {};
}

constexpr std::string_view olmoNames[] = {"olmo"};

}  // namespace

const Family olmoFamily{"olmo", olmoNames, olmoNames, fillOlmo};

}  // namespace minerva::model
