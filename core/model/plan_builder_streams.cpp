// Models with several residual streams (Streams and StreamMixing in model_config.h). The blocks of a layer run on x, the first of them.
#include "core/model/plan_builder.h"

#include <algorithm>
#include <cmath>

namespace minerva::model {

Result<void> Builder::checkStreams(std::size_t index) const {
  const LayerConfig& layer = m_config.layers[index];
  const Streams& streams = m_config.streams;
  const bool whole = !layer.streamMixing.router.weight.empty() && layer.lowRankResidual.norm.present() && layer.hasAttention() &&
                     layer.attentionNorm.present() && layer.postAttentionNorm.present() && layer.postFeedForwardNorm.present() &&
                     layer.hasDense() && !layer.perLayerInput.gate.weight.empty() && layer.perLayerInput.norm.present();
  const bool fits = streams.end.size() == streams.begin.size() && streams.begin.size() < static_cast<std::size_t>(mostStreams);
  if (whole && fits && !m_config.parallelBlocks) return {};
  return fail({.kind = ErrorKind::unsupported,
               .what = "A layer of this kind is not supported in a model with several residual streams",
               .where = "layer " + std::to_string(index),
               .expected = "up to " + std::to_string(mostStreams) + " streams, attention and a dense feed-forward, a norm after each block",
               .actual = std::to_string(streams.begin.size() + 1) + " streams"});
}

void Builder::beginStreams(BufferId x) {
  for (std::size_t i = 0; i < m_config.streams.begin.size(); ++i) {
    const std::string name = "stream " + std::to_string(i + 1);
    const BufferId stream = buffer(name, m_config.hiddenSize, false);
    project(x, {}, {part(name + " begin", m_config.streams.begin[i], 0)}, Epilogue::store, stream);
    m_plan.ops.push_back(LevelOp{.like = x, .floor = m_config.streams.floor, .x = stream});
    m_streams.push_back(stream);
  }
}

BufferId Builder::streamCoefficients(int index, BufferId in, const Linear& from, const char* role, bool outputRows) {
  const StreamMixing& mixing = layerOf(index).streamMixing;
  const auto count = static_cast<int>(m_streams.size()) + 1;
  NormWeights before = mixing.routerNorm;
  before.times /= static_cast<float>(m_config.hiddenSize);
  const BufferId modalities = buffer("modalities", count, outputRows);
  project(in, {layerName(index, "streams' router norm"), before}, {part(layerName(index, "streams' router"), mixing.router, 0)},
          Epilogue::activated, modalities);
  std::get<ProjOp>(m_plan.ops.back()).activation = Activation::tanh;
  const BufferId coefficients = buffer("coefficients", static_cast<int>(from.weight.shape.rows()), outputRows);
  project(modalities, {}, {part(layerName(index, role), from, 0)}, Epilogue::store, coefficients);
  return coefficients;
}

void Builder::mixStreams(BufferId x, BufferId coefficients, BufferId target) {
  MixOp mix{.streams = {x}, .coefficients = coefficients, .target = target};
  mix.streams.insert(mix.streams.end(), m_streams.begin(), m_streams.end());
  m_plan.ops.push_back(std::move(mix));
}

void Builder::predictStreams(int index, BufferId x) {
  if (m_streams.empty()) return;
  mixStreams(x, streamCoefficients(index, x, layerOf(index).streamMixing.prediction, "prediction", false), none);
}

// The layer's blocks, whose result corrects the predicted streams.
void Builder::streamBlock(int index, BufferId x, const std::vector<Mixed>& mixed, bool outputRows) {
  const LayerConfig& layer = layerOf(index);
  const float half = std::sqrt(0.5F);
  const BufferId y = buffer("result", m_config.hiddenSize, outputRows);
  const NamedNorm before = mixerNorm(index);
  const auto copy = [this](BufferId in, float scale, bool add, BufferId out) {
    m_plan.ops.push_back(CombineOp{.in = in,
                                   .route = none,
                                   .used = 1,
                                   .shared = none,
                                   .sharedGate = false,
                                   .scale = scale,
                                   .out = out,
                                   .add = add,
                                   .weighted = false});
  };
  const auto addHalf = [&](const char* role, const Linear& linear, const NormWeights& after, BufferId in) {
    addBlock(index, role, linear, after, in, y, outputRows);
    std::get<NormOp>(m_plan.ops.back()).scale *= half;
  };
  copy(x, half, false, y);
  m_plan.ops.push_back(NormOp{.in = x, .norm = norm(before.first, before.second), .add = true, .scale = half, .out = y});
  const LowRankResidual& residual = layer.lowRankResidual;
  const BufferId low = buffer("low rank", static_cast<int>(residual.left.weight.shape.rows()), outputRows);
  project(x, before, {part(layerName(index, "low-rank left"), residual.left, 0)}, Epilogue::store, low);
  addHalf("low-rank right", residual.right, residual.norm, low);
  for (const Mixed& one : mixed) addHalf(one.role, *one.out, layer.postAttentionNorm, one.inner);
  feedForward(index, y, outputRows);
  mixStreams(x, streamCoefficients(index, y, layer.streamMixing.correction, "correction", outputRows), y);
  BufferId first = x;
  if (!layer.streamMixing.resultScale.empty()) {
    first = buffer("block", m_config.hiddenSize, outputRows);
    copy(x, 1, false, first);
    m_plan.ops.push_back(ScaleOp{.scale = weight(layerName(index, "result scale"), layer.streamMixing.resultScale), .out = first});
  }
  perLayerInput(index, first, m_streams, outputRows);
}

// x becomes the sum of x and of the others' projections.
void Builder::joinStreams(BufferId x) {
  if (m_streams.empty()) return;
  const int hidden = m_config.hiddenSize;
  const BufferId joined = buffer("joined streams", static_cast<int>(m_streams.size()) * hidden, true);
  // From the last to the first: only a projection that begins behind the first column may be the first to write part of a buffer.
  for (std::size_t i = m_streams.size(); i-- > 0;) {
    const std::string name = "stream " + std::to_string(i + 1) + " end";
    project(m_streams[i], {}, {part(name, m_config.streams.end[i], static_cast<int>(i) * hidden)}, Epilogue::store, joined);
  }
  m_plan.ops.push_back(LevelOp{.like = x, .floor = m_config.streams.floor, .x = joined});
  m_plan.ops.push_back(CombineOp{.in = joined,
                                 .route = none,
                                 .used = static_cast<int>(m_streams.size()),
                                 .shared = none,
                                 .sharedGate = false,
                                 .scale = 1,
                                 .out = x,
                                 .add = true,
                                 .weighted = false});
}

}  // namespace minerva::model
