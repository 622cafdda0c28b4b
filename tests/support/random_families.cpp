#include "tests/support/random_families.h"

#include <cmath>

namespace minerva::tests {
namespace {

TensorView biases(RandomModel& m, int count, int rows) {
  TensorView view = m.store.vector(ElementType::F32, std::int64_t{count} * rows, 0.0, 0.3);
  view.shape = Shape{{count, rows, 1, 1}, 2};
  return view;
}

model::Linear projection(RandomModel& m, ElementType type, int rows, int columns) {
  return {m.store.matrix(type, rows, columns, 1.5 / std::sqrt(columns)), {}};
}

model::DeltaNet deltaNet(RandomModel& m, ElementType type, int hidden, bool tiled) {
  model::DeltaNet net;
  net.keyHeads = 2;
  net.valueHeads = 4;
  net.keyDim = 16;
  net.valueDim = 24;
  net.tiled = tiled;
  const int keys = net.keyHeads * net.keyDim, values = net.valueHeads * net.valueDim;
  net.q = projection(m, type, keys, hidden);
  net.k = projection(m, type, keys, hidden);
  net.v = projection(m, type, values, hidden);
  net.z = projection(m, type, values, hidden);
  net.b = projection(m, type, net.valueHeads, hidden);
  net.a = projection(m, type, net.valueHeads, hidden);
  net.convolution = 4;
  net.convolutionWeight = m.store.vector(ElementType::F32, std::int64_t{2 * keys + values} * net.convolution, 0.0, 0.6);
  net.decay = m.store.vector(ElementType::F32, net.valueHeads, -2.0, 0.5);
  net.decayIsLog = true;
  net.stepBias = m.store.vector(ElementType::F32, net.valueHeads, 0.0, 0.5);
  net.norm = randomNorm(m, net.valueDim);
  net.out = projection(m, type, hidden, values);
  return net;
}

// Kimi Delta Attention: a decay per channel, of low rank like the gate.
model::DeltaNet channelDeltaNet(RandomModel& m, ElementType type, int hidden) {
  model::DeltaNet net;
  net.keyHeads = net.valueHeads = 3;
  net.keyDim = net.valueDim = 32;
  net.channelDecay = net.sigmoidGate = true;
  const int width = net.valueHeads * net.valueDim;
  for (model::Linear* one : {&net.q, &net.k, &net.v}) *one = projection(m, type, width, hidden);
  for (model::Linear* one : {&net.aDown, &net.zDown}) *one = projection(m, type, net.valueDim, hidden);
  for (model::Linear* one : {&net.a, &net.z}) *one = projection(m, type, width, net.valueDim);
  net.b = projection(m, type, net.valueHeads, hidden);
  net.convolution = 4;
  net.convolutionWeight = m.store.vector(ElementType::F32, std::int64_t{3} * width * net.convolution, 0.0, 0.6);
  net.decay = m.store.vector(ElementType::F32, net.valueHeads, -2.0, 0.5);
  net.decayIsLog = true;
  net.stepBias = m.store.vector(ElementType::F32, width, 0.0, 0.5);
  net.norm = randomNorm(m, net.valueDim);
  net.out = projection(m, type, hidden, width);
  return net;
}

model::Mamba mamba(RandomModel& m, ElementType type, int hidden, bool normalised) {
  model::Mamba mamba;
  mamba.heads = 4;
  mamba.headDim = 24;
  mamba.groups = 2;
  mamba.stateSize = 16;
  const int inner = mamba.heads * mamba.headDim, channels = inner + 2 * mamba.groups * mamba.stateSize;
  mamba.in = projection(m, type, inner + channels + mamba.heads, hidden);
  mamba.convolution = 4;
  mamba.convolutionWeight = m.store.vector(ElementType::F32, std::int64_t{channels} * mamba.convolution, 0.0, 0.6);
  mamba.convolutionBias = m.store.vector(ElementType::F32, channels, 0.0, 0.2);
  mamba.decay = m.store.vector(ElementType::F32, mamba.heads, -2.0, 0.5);
  mamba.decayIsLog = true;
  mamba.stepBias = m.store.vector(ElementType::F32, mamba.heads, 0.0, 0.5);
  mamba.skip = m.store.vector(ElementType::F32, mamba.heads, 1.0, 0.3);
  if (normalised) mamba.norm = randomNorm(m, inner);
  mamba.out = projection(m, type, hidden, inner);
  return mamba;
}

// Mamba, whose channels have steps and decays of their own.
model::Mamba selectiveMamba(RandomModel& m, ElementType type, int hidden, bool normalised) {
  model::Mamba mamba;
  mamba.heads = mamba.groups = 1;
  mamba.headDim = 2 * hidden;
  mamba.stateSize = 16;
  mamba.stepRank = 32;
  const int inner = mamba.headDim;
  mamba.in = projection(m, type, 2 * inner, hidden);
  mamba.convolution = 4;
  mamba.convolutionWeight = m.store.vector(ElementType::F32, std::int64_t{inner} * mamba.convolution, 0.0, 0.6);
  mamba.convolutionBias = m.store.vector(ElementType::F32, inner, 0.0, 0.2);
  mamba.select = projection(m, type, mamba.stepRank + 2 * mamba.stateSize, inner);
  mamba.step = projection(m, type, inner, mamba.stepRank);
  if (normalised) {
    mamba.stepNorm = randomNorm(m, mamba.stepRank);
    mamba.keyNorm = randomNorm(m, 2 * mamba.stateSize);
  }
  mamba.decay = m.store.vector(ElementType::F32, std::int64_t{inner} * mamba.stateSize, -1.5, 0.7);
  mamba.decayIsLog = true;
  mamba.stepBias = m.store.vector(ElementType::F32, inner, -1.0, 0.5);
  mamba.skip = m.store.vector(ElementType::F32, inner, 1.0, 0.3);
  mamba.out = projection(m, type, hidden, inner);
  return mamba;
}

model::ShortConvolution shortConvolution(RandomModel& m, ElementType type, int hidden) {
  model::ShortConvolution conv;
  conv.width = 3;
  conv.in = projection(m, type, 3 * hidden, hidden);
  conv.weight = m.store.vector(ElementType::F32, std::int64_t{hidden} * conv.width, 0.0, 0.6);
  conv.out = projection(m, type, hidden, hidden);
  return conv;
}

}  // namespace

model::NormWeights randomNorm(RandomModel& m, int columns) { return {m.store.vector(ElementType::F32, columns, 1.0, 0.2), {}}; }

TensorView randomStack(RandomModel& m, ElementType type, int count, int rows, int columns) {
  TensorView view = m.store.matrix(type, std::int64_t{count} * rows, columns, 1.5 / std::sqrt(columns));
  view.shape = Shape{{count, rows, columns, 1}, 3};
  return view;
}

std::vector<ExpertsShape> expertShapes() {
  using enum model::Activation;
  using enum model::GatePlace;
  return {{"separate", separate, ElementType::F32, ElementType::F32, false, false, true, false, 1, silu},
          {"own tensors, two types", separate, ElementType::Q8_0, ElementType::F16, true, true, false, true, 1, geluTanh},
          {"halves, groups", halves, ElementType::Q4_0, ElementType::Q4_0, false, true, true, true, 3, silu},
          {"alternating", alternating, ElementType::MXFP4, ElementType::MXFP4, false, true, true, false, 1, clampedSwiglu},
          {"latent", separate, ElementType::Q8_0, ElementType::F16, false, false, true, true, 1, silu, true}};
}

void addExperts(RandomModel& m, const ExpertsShape& c) {
  constexpr int count = 6, size = 32 * 3, hidden = 64;
  const int width = c.latent ? 32 : hidden;
  m.config.activation = c.activation;
  for (model::LayerConfig& layer : m.config.layers) {
    model::Experts& experts = layer.experts;
    experts.count = count;
    experts.used = 2;
    experts.feedForwardSize = size;
    experts.normalised = c.normalised;
    experts.scale = 1.3F;
    experts.groups = c.groups;
    experts.groupsUsed = c.groups == 1 ? 1 : 2;
    experts.router.weight = m.store.matrix(ElementType::F32, count, hidden, 0.4);
    experts.gatePlace = c.place;
    const bool separate = c.place == model::GatePlace::separate;
    const auto fill = [&](model::ExpertMatrices& to, ElementType type, int rows, int columns) {
      if (c.own) {
        for (int e = 0; e < count; ++e) to.weights.push_back(m.store.matrix(type, rows, columns, 1.5 / std::sqrt(columns)));
      } else {
        to.weights = {randomStack(m, type, count, rows, columns)};
      }
      if (c.bias) to.bias = biases(m, count, rows);
    };
    fill(experts.gate, c.type, separate ? size : 2 * size, width);
    if (separate) fill(experts.up, c.upType, size, width);
    fill(experts.down, c.type, width, size);
    if (c.latent) {
      experts.latentDown = projection(m, c.type, width, hidden);
      experts.latentUp = projection(m, c.type, hidden, width);
    }
    layer.gate = layer.up = layer.down = {};
    layer.feedForwardSize = 0;
    if (!c.shared) continue;
    experts.sharedSize = 40;
    experts.sharedGate.weight = m.store.matrix(ElementType::F32, 40, hidden, 0.2);
    experts.sharedUp.weight = m.store.matrix(ElementType::F32, 40, hidden, 0.2);
    experts.sharedDown.weight = m.store.matrix(ElementType::F32, hidden, 40, 0.2);
    if (!c.latent) experts.sharedRouter = m.store.matrix(ElementType::F32, 1, hidden, 0.2);
  }
}

void addLatentAttention(RandomModel& m) {
  constexpr int hidden = 64, heads = 3, latent = 32, plain = 18, rotary = 8, value = 16;
  for (model::LayerConfig& layer : m.config.layers) {
    const auto linear = [&](int rows, int columns) {
      return model::Linear{m.store.matrix(ElementType::F32, rows, columns, 1.5 / std::sqrt(columns)), {}};
    };
    model::LatentAttention& a = layer.latentAttention;
    a.latent = latent;
    a.plainDim = plain;
    a.rotaryDim = rotary;
    a.valueDim = value;
    a.qDown = linear(40, hidden);
    a.qNorm = randomNorm(m, 40);
    a.latentDown = linear(latent, hidden);
    a.keyDown = linear(rotary, hidden);
    a.latentNorm = randomNorm(m, latent);
    a.keyUp = randomStack(m, ElementType::F32, heads, latent, plain);
    a.valueUp = randomStack(m, ElementType::F32, heads, value, latent);
    layer.headCount = heads;
    layer.kvHeadCount = 1;
    layer.headDim = plain + rotary;
    layer.q = linear(heads * (plain + rotary), 40);
    layer.k = layer.v = {};
    layer.o = linear(hidden, heads * value);
  }
  m.config.attentionScale = 0.2F;
}

void addMixers(RandomModel& m, const std::vector<Mixer>& mixers, ElementType type) {
  const int hidden = m.config.hiddenSize;
  for (std::size_t i = 0; i < m.config.layers.size(); ++i) {
    model::LayerConfig& layer = m.config.layers[i];
    const Mixer mixer = mixers[i % mixers.size()];
    const bool second = i / mixers.size() % 2 == 1;
    if (mixer == Mixer::deltaNet) layer.deltaNet = deltaNet(m, type, hidden, second);
    if (mixer == Mixer::channelDeltaNet) layer.deltaNet = channelDeltaNet(m, type, hidden);
    if (mixer == Mixer::mamba || mixer == Mixer::attentionAndMamba) layer.mamba = mamba(m, type, hidden, !second);
    if (mixer == Mixer::selectiveMamba) layer.mamba = selectiveMamba(m, type, hidden, !second);
    if (mixer == Mixer::shortConvolution) layer.shortConvolution = shortConvolution(m, type, hidden);
    if (mixer == Mixer::attention || mixer == Mixer::attentionAndMamba) continue;
    layer.headCount = layer.kvHeadCount = layer.headDim = 0;
    layer.q = layer.k = layer.v = layer.o = {};
    layer.rope = -1;
  }
}

void addStreams(RandomModel& made, ElementType type) {
  constexpr int streams = 3, size = 32, rank = 64;
  model::ModelConfig& config = made.config;
  const int hidden = config.hiddenSize, width = static_cast<int>(config.layers.size()) * size;
  const auto small = [&](int rows, int columns, double rms) {
    return model::Linear{made.store.matrix(ElementType::F32, rows, columns, rms), {}};
  };
  config.perLayerEmbedding = {.size = size,
                              .table = made.store.matrix(type, config.vocabularySize - 9, width, 0.2),
                              .projection = projection(made, type, width, hidden),
                              .norm = randomNorm(made, size)};
  for (int i = 1; i < streams; ++i) {
    config.streams.begin.push_back(projection(made, type, hidden, hidden));
    config.streams.end.push_back(projection(made, type, hidden, hidden));
  }
  for (model::LayerConfig& layer : config.layers) {
    layer.postAttentionNorm = randomNorm(made, hidden);
    layer.postFeedForwardNorm = randomNorm(made, hidden);
    layer.perLayerInput = {projection(made, type, size, hidden), projection(made, type, hidden, size), randomNorm(made, hidden)};
    layer.lowRankResidual = {projection(made, type, rank, hidden), projection(made, type, hidden, rank), randomNorm(made, hidden)};
    layer.streamMixing = {.routerNorm = randomNorm(made, hidden),
                          .router = small(streams, hidden, std::sqrt(hidden)),
                          .prediction = small(streams * streams, streams, 0.3),
                          .correction = small(streams, streams, 0.3),
                          .resultScale = made.store.vector(ElementType::F32, hidden, 1.0, 0.3)};
  }
  config.layers.front().gateDeviations = 0.5F;
}

}  // namespace minerva::tests
