// ModelConfig -> Plan: one dense decoder layer is five ops; only the rows that want logits go on after the last attention.
#include "core/model/plan.h"

#include <map>
#include <utility>

namespace minerva::model {
namespace {

class Builder {
 public:
  explicit Builder(const ModelConfig& config) : m_config(config) {}

  Result<Plan> build();

 private:
  BufferId buffer(const std::string& name, int columns, bool outputRows);
  WeightId weight(const std::string& name, const TensorView& view);
  ProjPart part(const std::string& name, const Linear& linear, int column);
  Norm norm(const std::string& name, const NormWeights& weights);
  Result<void> checkSupported() const;
  void attentionBlock(int index, BufferId x);
  void outputBlock(int index, BufferId x, BufferId attention, bool outputRows);
  void feedForward(int index, BufferId x, bool outputRows);

  const ModelConfig& m_config;
  Plan m_plan;
  std::map<std::pair<std::string, int>, BufferId> m_buffers;
  std::map<const std::byte*, WeightId> m_weights;  // a tied head is the table's own id
  BufferId m_attention = none;
};

std::string layerName(int index, const char* part) { return "layer " + std::to_string(index) + " " + part; }

// Buffers of the same role and width are shared by all layers.
BufferId Builder::buffer(const std::string& name, int columns, bool outputRows) {
  const std::string full = outputRows ? name + " (output rows)" : name;
  const auto [it, added] = m_buffers.try_emplace({full, columns}, static_cast<BufferId>(m_plan.buffers.size()));
  if (added) m_plan.buffers.push_back({full, columns, outputRows});
  return it->second;
}

WeightId Builder::weight(const std::string& name, const TensorView& view) {
  if (view.empty()) return none;
  const auto [it, added] = m_weights.try_emplace(view.bytes.data(), static_cast<WeightId>(m_plan.weights.size()));
  if (added) m_plan.weights.push_back({name, view});
  return it->second;
}

ProjPart Builder::part(const std::string& name, const Linear& linear, int column) {
  return {weight(name, linear.weight), weight(name + " bias", linear.bias), column};
}

Norm Builder::norm(const std::string& name, const NormWeights& weights) {
  return {m_config.norm, m_config.normEpsilon, weight(name, weights.weight), weight(name + " bias", weights.bias)};
}

Result<void> Builder::checkSupported() const {
  if (m_config.layers.empty()) {
    return fail({.kind = ErrorKind::corrupt, .what = "The model has no layers", .expected = "at least 1", .actual = "0"});
  }
  for (std::size_t i = 0; i < m_config.layers.size(); ++i) {
    const LayerConfig& layer = m_config.layers[i];
    if (layer.rotary && m_config.rope.dimension > layer.headDim) {
      return fail({.kind = ErrorKind::corrupt,
                   .what = "The rotary dimension is larger than a head",
                   .where = "layer " + std::to_string(i),
                   .expected = "at most " + std::to_string(layer.headDim),
                   .actual = std::to_string(m_config.rope.dimension)});
    }
  }
  return {};
}

// x -> qkv (norm folded in) -> rotated and stored -> attention.
void Builder::attentionBlock(int index, BufferId x) {
  const LayerConfig& layer = m_config.layers[static_cast<std::size_t>(index)];
  const int q = layer.headCount * layer.headDim;
  const int kv = layer.kvHeadCount * layer.headDim;
  const BufferId qkv = buffer("qkv", q + 2 * kv, false);
  m_attention = buffer("attention", q, false);
  m_plan.ops.push_back(ProjOp{.in = x,
                              .normalised = true,
                              .norm = norm(layerName(index, "attention norm"), layer.attentionNorm),
                              .parts = {part(layerName(index, "q"), layer.q, 0), part(layerName(index, "k"), layer.k, q),
                                        part(layerName(index, "v"), layer.v, q + kv)},
                              .epilogue = Epilogue::store,
                              .activation = m_config.activation,
                              .out = qkv});
  m_plan.ops.push_back(RopeKvOp{.layer = index,
                                .headCount = layer.headCount,
                                .kvHeadCount = layer.kvHeadCount,
                                .headDim = layer.headDim,
                                .rotary = layer.rotary && m_config.rope.dimension > 0,
                                .qkv = qkv});
  m_plan.ops.push_back(AttentionOp{.layer = index,
                                   .headCount = layer.headCount,
                                   .kvHeadCount = layer.kvHeadCount,
                                   .headDim = layer.headDim,
                                   .window = layer.window,
                                   .scale = m_config.attentionScale,
                                   .qkv = qkv,
                                   .out = m_attention});
  m_plan.kv.push_back({layer.kvHeadCount, layer.headDim, layer.window});
}

void Builder::outputBlock(int index, BufferId x, BufferId attention, bool outputRows) {
  const LayerConfig& layer = m_config.layers[static_cast<std::size_t>(index)];
  m_plan.ops.push_back(ProjOp{.in = attention,
                              .normalised = false,
                              .norm = {m_config.norm, m_config.normEpsilon, none, none},
                              .parts = {part(layerName(index, "o"), layer.o, 0)},
                              .epilogue = Epilogue::add,
                              .activation = m_config.activation,
                              .out = x});
  feedForward(index, x, outputRows);
}

void Builder::feedForward(int index, BufferId x, bool outputRows) {
  const LayerConfig& layer = m_config.layers[static_cast<std::size_t>(index)];
  const bool gated = !layer.gate.weight.empty();
  const BufferId inner = buffer("feed-forward", layer.feedForwardSize, outputRows);
  std::vector<ProjPart> parts;
  if (gated) parts.push_back(part(layerName(index, "gate"), layer.gate, 0));
  parts.push_back(part(layerName(index, "up"), layer.up, gated ? layer.feedForwardSize : 0));
  m_plan.ops.push_back(ProjOp{.in = x,
                              .normalised = true,
                              .norm = norm(layerName(index, "feed-forward norm"), layer.feedForwardNorm),
                              .parts = std::move(parts),
                              .epilogue = gated ? Epilogue::gated : Epilogue::activated,
                              .activation = m_config.activation,
                              .out = inner});
  m_plan.ops.push_back(ProjOp{.in = inner,
                              .normalised = false,
                              .norm = {m_config.norm, m_config.normEpsilon, none, none},
                              .parts = {part(layerName(index, "down"), layer.down, 0)},
                              .epilogue = Epilogue::add,
                              .activation = m_config.activation,
                              .out = x});
}

Result<Plan> Builder::build() {
  MINERVA_TRY(checkSupported());
  m_plan.rope = m_config.rope;
  m_plan.hiddenSize = m_config.hiddenSize;
  m_plan.vocabularySize = m_config.vocabularySize;
  m_plan.contextLength = m_config.contextLength;

  const BufferId x = buffer("x", m_config.hiddenSize, false);
  m_plan.ops.push_back(EmbedOp{.table = weight("token embedding", m_config.tokenEmbedding), .scale = 1.0F, .out = x});
  const int last = static_cast<int>(m_config.layers.size()) - 1;
  for (int i = 0; i < last; ++i) {
    attentionBlock(i, x);
    outputBlock(i, x, m_attention, false);
  }
  // The last layer's keys and values are needed of every token; all that follows only of rows that want logits.
  attentionBlock(last, x);
  const BufferId xOut = buffer("x", m_config.hiddenSize, true);
  const BufferId attentionOut = buffer("attention", m_plan.buffers[static_cast<std::size_t>(m_attention)].columns, true);
  m_plan.ops.push_back(GatherOp{.in = x, .out = xOut});
  m_plan.ops.push_back(GatherOp{.in = m_attention, .out = attentionOut});
  outputBlock(last, xOut, attentionOut, true);

  m_plan.logits = buffer("logits", m_config.vocabularySize, true);
  m_plan.ops.push_back(HeadOp{.in = xOut,
                              .norm = norm("output norm", m_config.outputNorm),
                              .weight = weight("head", m_config.head.weight),
                              .bias = weight("head bias", m_config.head.bias),
                              .scale = 1.0F,
                              .out = m_plan.logits});
  MINERVA_TRY(checkPlan(m_plan));
  return std::move(m_plan);
}

}  // namespace

Result<Plan> buildPlan(const ModelConfig& config) { return Builder(config).build(); }

}  // namespace minerva::model
