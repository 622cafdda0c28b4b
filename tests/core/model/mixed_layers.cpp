#include "tests/core/model/mixed_layers.h"

#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minerva::tests {
namespace {

constexpr int hidden = 64;

model::Linear matrix(RandomModel& made, int rows, int columns) {
  return {made.store.matrix(ElementType::F32, rows, columns, 1.0 / std::sqrt(columns)), {}};
}

TensorView values(RandomModel& made, int size, double centre) { return made.store.vector(ElementType::F32, size, centre, 0.1); }

}  // namespace

void dropAttention(model::LayerConfig& layer) {
  layer.headCount = layer.kvHeadCount = layer.headDim = 0;
  layer.rope = -1;
  layer.q = layer.k = layer.v = layer.o = {};
}

void dropFeedForward(model::LayerConfig& layer) {
  layer.feedForwardSize = 0;
  layer.gate = layer.up = layer.down = {};
  layer.feedForwardNorm = {};
}

void addDeltaNet(RandomModel& made, model::LayerConfig& layer) {
  model::DeltaNet& net = layer.deltaNet;
  net.keyHeads = 2;
  net.valueHeads = 4;
  net.keyDim = 8;
  net.valueDim = 16;
  const int channels = 2 * 2 * 8 + 4 * 16;
  net.q = matrix(made, channels, hidden);
  net.z = matrix(made, 4 * 16, hidden);
  net.b = matrix(made, 4, hidden);
  net.a = matrix(made, 4, hidden);
  net.convolution = 4;
  net.convolutionWeight = values(made, channels * 4, 0.3);
  net.decay = values(made, 4, -1.0);
  net.stepBias = values(made, 4, 0.5);
  net.norm = randomNorm(made, 16);
  net.out = matrix(made, hidden, 4 * 16);
}

void addMamba(RandomModel& made, model::LayerConfig& layer) {
  model::Mamba& mamba = layer.mamba;
  mamba.heads = 4;
  mamba.headDim = 16;
  mamba.groups = 2;
  mamba.stateSize = 8;
  const int inner = 4 * 16, channels = inner + 2 * 2 * 8;
  mamba.in = matrix(made, inner + channels + 4, hidden);
  mamba.convolution = 4;
  mamba.convolutionWeight = values(made, channels * 4, 0.3);
  mamba.convolutionBias = values(made, channels, 0.0);
  mamba.decay = values(made, 4, -1.0);
  mamba.stepBias = values(made, 4, 0.5);
  mamba.skip = values(made, 4, 1.0);
  mamba.norm = randomNorm(made, inner);
  mamba.out = matrix(made, hidden, inner);
}

void addShortConvolution(RandomModel& made, model::LayerConfig& layer) {
  model::ShortConvolution& conv = layer.shortConvolution;
  conv.width = 3;
  conv.in = matrix(made, 3 * hidden, hidden);
  conv.out = matrix(made, hidden, hidden);
  conv.weight = values(made, hidden * 3, 0.3);
  conv.bias = values(made, hidden, 0.0);
}

void addMixture(RandomModel& made, model::LayerConfig& layer, bool beside) {
  constexpr int count = 6, size = 32;
  model::Experts& experts = layer.experts;
  experts.count = count;
  experts.used = 2;
  experts.feedForwardSize = size;
  experts.router = matrix(made, count, hidden);
  experts.routerNorm = randomNorm(made, hidden);
  experts.routerScale = 0.125F;
  experts.selectionBias = values(made, count, 0.0);
  experts.expertScale = values(made, count, 1.0);
  experts.scalesInput = !beside;
  experts.gatePlace = model::GatePlace::halves;
  experts.gate.weights = {randomStack(made, ElementType::F32, count, 2 * size, hidden)};
  experts.down.weights = {randomStack(made, ElementType::F32, count, hidden, size)};
  if (!beside) {
    layer.feedForwardSize = 0;
    layer.gate = layer.up = layer.down = {};
    return;
  }
  layer.postDenseNorm = randomNorm(made, hidden);
  layer.expertsNorm = randomNorm(made, hidden);
  layer.postExpertsNorm = randomNorm(made, hidden);
  layer.postFeedForwardNorm = randomNorm(made, hidden);
}

void addOutputGate(RandomModel& made, model::LayerConfig& layer) {
  layer.outputGate = matrix(made, layer.headCount * layer.headDim, hidden);
}

void shareKeysAndValues(model::LayerConfig& layer, int from) {
  layer.kvFrom = from;
  layer.k = layer.v = {};
}

void addPerLayerInputs(RandomModel& made) {
  constexpr int size = 8;
  model::ModelConfig& config = made.config;
  const int width = static_cast<int>(config.layers.size()) * size;
  config.perLayerEmbedding = {size, made.store.matrix(ElementType::F32, config.vocabularySize, width, 1.0), matrix(made, width, hidden),
                              randomNorm(made, size)};
  for (model::LayerConfig& layer : config.layers) {
    layer.perLayerInput = {matrix(made, size, hidden), matrix(made, hidden, size), randomNorm(made, hidden)};
    layer.scale = values(made, 1, 0.7);
  }
}

RandomModel modelOfEveryKind() {
  RandomModel made = randomModel({.layers = 6});
  std::vector<model::LayerConfig>& layers = made.config.layers;
  addOutputGate(made, layers[0]);
  layers[0].vNorm.weights.withoutWeight = true;
  layers[0].temperature = {.strength = 0.1F, .length = 16};
  dropAttention(layers[1]);
  addDeltaNet(made, layers[1]);
  addMamba(made, layers[2]);
  dropAttention(layers[3]);
  addShortConvolution(made, layers[3]);
  addMixture(made, layers[3], false);
  shareKeysAndValues(layers[4], 0);
  addMixture(made, layers[4], true);
  addPerLayerInputs(made);
  return made;
}

model::Plan planOf(const RandomModel& made) {
  auto plan = model::buildPlan(made.config);
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().message());
  return plan ? *std::move(plan) : model::Plan{};
}

std::vector<std::string> opsOfLayer(const model::Plan& plan, int layer) {
  std::vector<std::string> names;
  const auto l = static_cast<std::size_t>(layer);
  for (std::size_t i = plan.layerBegins.at(l); i < plan.layerBegins.at(l + 1); ++i) names.emplace_back(model::name(plan.ops[i]));
  return names;
}

}  // namespace minerva::tests
