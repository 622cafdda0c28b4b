// What a config may say that the builder has no ops for, or that contradicts itself.
#include "core/model/plan_builder.h"

#include <string>

namespace minerva::model {

Result<void> Builder::checkSupported() const {
  if (m_config.layers.empty()) {
    return fail({.kind = ErrorKind::corrupt, .what = "The model has no layers", .expected = "at least 1", .actual = "0"});
  }
  for (std::size_t i = 0; i < m_config.layers.size(); ++i) MINERVA_TRY(checkLayer(i));
  return {};
}

Result<void> Builder::checkLayer(std::size_t index) const {
  const LayerConfig& layer = m_config.layers[index];
  const std::string where = "layer " + std::to_string(index);
  if (layer.rope >= static_cast<int>(m_config.ropes.size())) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "A layer names a rotation that does not exist",
                 .where = where,
                 .expected = "below " + std::to_string(m_config.ropes.size()),
                 .actual = std::to_string(layer.rope)});
  }
  const int headDim = layer.latentAttention.latent > 0 ? layer.latentAttention.rotaryDim : layer.headDim;
  if (layer.rope >= 0 && m_config.ropes[static_cast<std::size_t>(layer.rope)].dimension > headDim) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "The rotary dimension is larger than a head",
                 .where = where,
                 .expected = "at most " + std::to_string(headDim),
                 .actual = std::to_string(m_config.ropes[static_cast<std::size_t>(layer.rope)].dimension)});
  }
  MINERVA_TRY(checkFeedForward(index));
  MINERVA_TRY(checkSumNorms(index));
  if (layer.kvFrom >= 0 && m_config.embeds()) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "An embedding model whose layers share keys and values is not supported",
                 .where = where,
                 .expected = "layers with keys and values of their own",
                 .actual = "layer " + std::to_string(layer.kvFrom)});
  }
  if (!m_config.streams.begin.empty()) MINERVA_TRY(checkStreams(index));
  return layer.kvFrom < 0 ? Result<void>{} : checkSharing(index);
}

Result<void> Builder::checkFeedForward(std::size_t index) const {
  const LayerConfig& layer = m_config.layers[index];
  const std::string where = "layer " + std::to_string(index);
  const Experts& experts = layer.experts;
  if (layer.hasExperts() && layer.hasDense() && m_config.parallelBlocks) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "A mixture of experts beside a dense feed-forward in this kind of layer is not supported",
                 .where = where,
                 .expected = "a layer that adds their result to the attention's",
                 .actual = "parallel blocks"});
  }
  if (experts.gateLimit > 0 && (!experts.gated || experts.gatePlace != GatePlace::separate)) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Limits of the gates of experts are supported only where gate and up are stored separately",
                 .where = where,
                 .expected = "two matrices an expert",
                 .actual = "one"});
  }
  if (!experts.latentDown.weight.empty() && experts.sharedSize > 0 &&
      (layer.postFeedForwardNorm.present() || !experts.sharedRouter.empty())) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Experts in a latent space in this kind of layer are not supported",
                 .where = where,
                 .expected = "a shared expert whose result is added as it is",
                 .actual = "a norm or a weight of it"});
  }
  if (layer.hasDense() && layer.hasExperts() && !layer.postFeedForwardNorm.present()) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Experts beside a dense feed-forward are supported only with a norm of their sum",
                 .where = where,
                 .expected = "a norm after the feed-forward",
                 .actual = "none"});
  }
  return {};
}

Result<void> Builder::checkSumNorms(std::size_t index) const {
  const LayerConfig& layer = m_config.layers[index];
  const std::string where = "layer " + std::to_string(index);
  const bool ends = layer.feedForwardSumNorm.present() && !layer.attentionSumNorm.present();
  if ((ends && index + 1 == m_config.layers.size()) ||
      (layer.attentionSumNorm.present() &&
       (!layer.feedForwardSumNorm.present() || layer.hasDense() == layer.hasExperts() || m_config.parallelBlocks))) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Norms of the residual sums in this kind of layer are not supported",
                 .where = where,
                 .expected = "one after the attention and one after a dense feed-forward or a mixture of experts",
                 .actual = "another layer"});
  }
  if (layer.attentionResultNorm.present() && (!layer.attentionSumNorm.present() || !layer.hasAttention())) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "A norm of the attention's result with the residual stream is not supported in this kind of layer",
                 .where = where,
                 .expected = "attention, and norms of the residual sums",
                 .actual = "another layer"});
  }
  return {};
}

// A layer that uses another's keys and values.
Result<void> Builder::checkSharing(std::size_t index) const {
  const LayerConfig& layer = m_config.layers[index];
  const LayerConfig* source = layer.kvFrom < static_cast<int>(index) ? &m_config.layers[static_cast<std::size_t>(layer.kvFrom)] : nullptr;
  const auto wrong = [&](const char* what, const char* expected) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = what,
                 .where = "layer " + std::to_string(index),
                 .expected = expected,
                 .actual = "layer " + std::to_string(layer.kvFrom)});
  };
  if (!source || source->kvFrom >= 0 || !source->hasAttention() || layer.latentAttention.latent > 0) {
    return wrong("A layer uses keys and values that no earlier layer stores", "an earlier layer with attention of its own");
  }
  if (source->latentAttention.latent > 0 || layer.headDim != source->headDim || layer.valueSize() != source->valueSize() ||
      layer.headCount % source->kvHeadCount != 0 || layer.visible != source->visible) {
    return wrong("A layer uses keys and values of another kind", "heads of the same size, which see the same positions");
  }
  return {};
}

}  // namespace minerva::model
