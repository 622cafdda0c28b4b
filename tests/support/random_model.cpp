#include "tests/support/random_model.h"

#include "core/tensor/arrangement.h"

#include <cstring>
#include <utility>

namespace minerva::tests {
namespace {

std::vector<float> normals(Random& random, std::size_t n, double rms) {
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.normal() * rms);
  return values;
}

}  // namespace

std::span<std::byte> TensorStore::allocate(std::size_t bytes) { return m_storage.emplace_back(bytes); }

TensorView TensorStore::matrix(ElementType type, std::int64_t rows, std::int64_t columns, double rms) {
  const ElementTypeTraits& t = traits(type);
  std::vector<std::byte> blocks(bytesOf(type, static_cast<std::size_t>(rows * columns)));
  fillRandom(m_random, t, blocks, rms);
  TensorView view{type, Shape{{rows, columns, 1, 1}, 2}, {}};
  if (!view.apart()) {
    view.bytes = m_storage.emplace_back(std::move(blocks));
    return view;
  }
  SplitBlocks split = splitBlocks(t, blocks);
  view.bytes = m_storage.emplace_back(std::move(split.codes));
  view.planes.scales = m_storage.emplace_back(std::move(split.scales));
  view.planes.biases = m_storage.emplace_back(std::move(split.biases));
  return view;
}

TensorView TensorStore::vector(ElementType type, std::int64_t columns, double centre, double noise) {
  std::vector<float> values = normals(m_random, static_cast<std::size_t>(columns), noise);
  for (float& value : values) value += static_cast<float>(centre);
  const std::span<std::byte> bytes = allocate(bytesOf(type, values.size()));
  traits(type).quantize(values.data(), bytes.data(), values.size());
  return {type, Shape{{columns, 1, 1, 1}, 1}, bytes};
}

TensorView TensorStore::values(const std::vector<float>& values, std::int64_t rows, std::int64_t columns) {
  const std::span<std::byte> bytes = allocate(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {ElementType::F32, Shape{{rows, columns, 1, 1}, 2}, bytes};
}

RandomModel randomModel(const ModelShape& shape) {
  RandomModel made{TensorStore(shape.seed), {}};
  TensorStore& store = made.store;
  model::ModelConfig& config = made.config;
  const auto linear = [&](int rows, int columns, double gain, bool bias) {
    model::Linear l;
    l.weight = store.matrix(shape.type, rows, columns, gain / std::sqrt(columns));
    if (bias) l.bias = store.vector(shape.vectorType, rows, 0.0, 0.2);
    return l;
  };
  const auto norm = [&] {
    model::NormWeights n;
    n.weight = store.vector(shape.vectorType, shape.hidden, 1.0, 0.1);
    if (shape.norm == model::NormKind::layer) n.bias = store.vector(shape.vectorType, shape.hidden, 0.0, 0.1);
    return n;
  };
  config.family = "random";
  config.displayName = describe(shape);
  config.vocabularySize = shape.vocabulary;
  config.hiddenSize = shape.hidden;
  config.contextLength = shape.context;
  config.norm = shape.norm;
  config.activation = shape.activation;
  config.attentionScale = static_cast<float>(1.0 / std::sqrt(shape.headDim));
  config.ropes.resize(1);
  model::Rope& rope = config.ropes.front();
  rope.layout = shape.layout;
  rope.dimension = shape.ropeDimension < 0 ? shape.headDim : shape.ropeDimension;
  rope.magnitude = shape.ropeMagnitude;
  for (int i = 0; i < rope.dimension / 2; ++i) {
    rope.frequencies.push_back(static_cast<float>(std::pow(10000.0, -2.0 * i / rope.dimension)));
  }
  config.tokenEmbedding = store.matrix(shape.type, shape.vocabulary, shape.hidden, shape.tied ? 3.0 / std::sqrt(shape.hidden) : 1.0);
  for (int i = 0; i < shape.layers; ++i) {
    model::LayerConfig layer;
    layer.headCount = shape.heads;
    layer.kvHeadCount = shape.kvHeads;
    layer.headDim = shape.headDim;
    layer.visible.window = i % 2 == 0 ? shape.window : 0;
    layer.feedForwardSize = shape.feedForward;
    layer.rope = rope.dimension > 0 ? 0 : -1;
    layer.attentionNorm = norm();
    layer.q = linear(shape.heads * shape.headDim, shape.hidden, 1.5, shape.biases);
    layer.k = linear(shape.kvHeads * shape.headDim, shape.hidden, 1.5, shape.biases);
    layer.v = linear(shape.kvHeads * shape.headDim, shape.hidden, 1.0, shape.biases);
    layer.o = linear(shape.hidden, shape.heads * shape.headDim, 1.0, shape.biases);
    layer.feedForwardNorm = norm();
    if (shape.gated) layer.gate = linear(shape.feedForward, shape.hidden, 1.5, shape.biases);
    layer.up = linear(shape.feedForward, shape.hidden, 1.0, shape.biases);
    layer.down = linear(shape.hidden, shape.feedForward, 1.0, shape.biases);
    config.layers.push_back(std::move(layer));
  }
  config.outputNorm = norm();
  config.tiedHead = shape.tied;
  if (shape.tied) {
    config.head.weight = config.tokenEmbedding;
  } else {
    config.head = linear(shape.vocabulary, shape.hidden, 3.0, false);
  }
  return made;
}

TensorView tooLargeToArrange(const Shape& shape) {
  static const std::byte first{};
  TensorView stored{ElementType::Q8_0, {{shape.columns(), std::int64_t{1} << 47, 1, 1}, 2}, {}};
  stored.bytes = {&first, static_cast<std::size_t>(shape.columns()) * stored.storedRowBytes()};
  return transposedGroups(stored, shape, 0);
}

std::string describe(const ModelShape& shape) {
  std::string text(traits(shape.type).name);
  text += " v" + std::to_string(shape.vocabulary) + " h" + std::to_string(shape.hidden) + " L" + std::to_string(shape.layers);
  text += " heads " + std::to_string(shape.heads) + "/" + std::to_string(shape.kvHeads) + "x" + std::to_string(shape.headDim);
  text += " ff" + std::to_string(shape.feedForward);
  if (shape.window > 0) text += " window " + std::to_string(shape.window);
  if (shape.biases) text += " biases";
  if (shape.tied) text += " tied";
  return text + " seed " + std::to_string(shape.seed);
}

}  // namespace minerva::tests
