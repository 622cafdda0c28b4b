// ModelConfig -> Plan. A plain dense decoder layer is five ops; after the last mixers only rows that want logits are computed.
#include "core/model/plan_builder.h"

#include "core/tensor/arrangement.h"

#include <algorithm>
#include <cmath>

namespace minerva::model {

namespace {

constexpr int headStep = 128;  // rows of a head that may share scales

}  // namespace

// Buffers of the same role and width are shared by all layers.
BufferId Builder::buffer(const std::string& name, int columns, bool outputRows) {
  const std::string full = outputRows ? name + " (output rows)" : name;
  const auto [it, added] = m_buffers.try_emplace({full, columns}, static_cast<BufferId>(m_plan.buffers.size()));
  if (added) m_plan.buffers.push_back({full, columns, outputRows});
  return it->second;
}

WeightId Builder::weight(const std::string& name, const TensorView& view, VectorForm form) {
  if (view.empty()) return none;
  const void* source = view.arrangement ? static_cast<const void*>(view.arrangement.get()) : view.bytes.data();
  const auto [it, added] = m_weights.try_emplace({source, storedBytes(view), form}, static_cast<WeightId>(m_plan.weights.size()));
  if (added) m_plan.weights.push_back({name, view, form});
  return it->second;
}

ProjPart Builder::part(const std::string& name, const Linear& linear, int column) {
  return {weight(name, linear.weight), weight(name + " bias", linear.bias), column};
}

Norm Builder::norm(const std::string& name, const NormWeights& weights, float plus) {
  const float added = weights.whole ? 0 : plus * weights.times;
  return {m_config.norm, weights.epsilon > 0 ? weights.epsilon : m_config.normEpsilon,
          weight(name, weights.weight, {.plus = added, .times = weights.times}), weight(name + " bias", weights.bias)};
}

HeadNormStep Builder::headNorm(const std::string& name, const HeadNorm& config, int headCount, int headDim) {
  if (!config.weights.present()) return {};
  return {norm(name, config.weights), config.wholeWidth ? headCount * headDim : headDim};
}

// Nothing of a whole text is kept for a later step, so that all layers of one shape use one state in turn.
int Builder::kvState(KvState state) {
  if (m_config.embeds()) {
    state.window = 0;
    for (std::size_t i = 0; i < m_plan.kv.size(); ++i) {
      const KvState& other = m_plan.kv[i];
      if (other.kvHeadCount == state.kvHeadCount && other.headDim == state.headDim && other.valueDim == state.valueDim) {
        return static_cast<int>(i);
      }
    }
  }
  m_plan.kv.push_back(state);
  return static_cast<int>(m_plan.kv.size()) - 1;
}

int Builder::recurrentState(const std::string& name, int rows, int columns) {
  m_plan.recurrent.push_back({name, rows, columns});
  return static_cast<int>(m_plan.recurrent.size()) - 1;
}

ExpertPart Builder::expertPart(const std::string& name, const ExpertMatrices& matrices) {
  ExpertPart part{{}, weight(name + " bias", matrices.bias)};
  for (std::size_t i = 0; i < matrices.weights.size(); ++i) {
    part.weights.push_back(weight(matrices.weights.size() == 1 ? name : name + " " + std::to_string(i), matrices.weights[i]));
  }
  return part;
}

void Builder::project(BufferId in, const NamedNorm& before, std::vector<ProjPart> parts, Epilogue epilogue, BufferId out) {
  const bool normalised = before.second.present();
  m_plan.ops.push_back(ProjOp{.in = in,
                              .normalised = normalised,
                              .norm = normalised ? norm(before.first, before.second) : Norm{},
                              .parts = std::move(parts),
                              .epilogue = epilogue,
                              .activation = m_config.activation,
                              .out = out,
                              .scale = epilogue == Epilogue::add ? m_config.residualScale : 1.0F});
}

void Builder::addBlock(int index, const char* role, const Linear& linear, const NormWeights& after, BufferId in, BufferId x,
                       bool outputRows, float scale) {
  if (!after.present()) {
    project(in, {}, {part(layerName(index, role), linear, 0)}, Epilogue::add, x);
    std::get<ProjOp>(m_plan.ops.back()).scale *= scale;
    return;
  }
  const BufferId y = buffer("block", m_config.hiddenSize, outputRows);
  project(in, {}, {part(layerName(index, role), linear, 0)}, Epilogue::store, y);
  const std::string name = layerName(index, role) + " norm";
  m_plan.ops.push_back(NormOp{.in = y, .norm = norm(name, after), .add = true, .scale = m_config.residualScale, .out = x});
}

void Builder::embed(BufferId x) {
  const bool normed = m_config.embeddingNorm.present();
  const BufferId sum = normed ? buffer("embeddings", m_config.hiddenSize, false) : x;
  m_plan.ops.push_back(EmbedOp{.table = weight("token embedding", m_config.tokenEmbedding),
                               .scale = m_config.embeddingScale,
                               .out = sum,
                               .positions = weight("position embedding", m_config.positionEmbedding),
                               .types = weight("type embedding", m_config.typeEmbedding)});
  if (normed) normSum("embedding norm", m_config.embeddingNorm, sum, x);
  if (m_config.perLayerEmbedding.size > 0) embedPerLayer(x);
}

// The projection's division by sqrt(hidden) only changes the norm's epsilon.
void Builder::embedPerLayer(BufferId x) {
  const PerLayerEmbedding& e = m_config.perLayerEmbedding;
  const int width = static_cast<int>(m_config.layers.size()) * e.size;
  const float half = std::sqrt(0.5F);
  m_perLayer = buffer("per-layer inputs", width, false);
  m_plan.ops.push_back(EmbedOp{.table = weight("per-layer embedding", e.table),
                               .scale = std::sqrt(static_cast<float>(e.size)) * half,
                               .out = m_perLayer,
                               .elseFirst = e.table.shape.rows() < m_config.vocabularySize});
  const BufferId projected = buffer("per-layer projection", width, false);
  project(x, {}, {part("per-layer projection", e.projection, 0)}, Epilogue::store, projected);
  Norm how = norm("per-layer projection norm", e.norm);
  how.epsilon *= static_cast<float>(m_config.hiddenSize);
  m_plan.ops.push_back(NormOp{.in = projected, .norm = how, .add = true, .scale = half, .out = m_perLayer, .group = e.size});
}

// Both halves of a pair have the same number of elements, so that one norm does for both.
void Builder::combine(BufferId x) {
  const Prediction& p = *m_combines;
  const int hidden = m_config.hiddenSize;
  NormWeights both;
  both.weight = joined({p.embeddingNorm.weight, p.hiddenNorm.weight}, {.dims = {2, hidden, 1, 1}, .rank = 2});
  m_plan.pairs = buffer("pairs", 2 * hidden, false);
  const BufferId normed = buffer("normed pairs", 2 * hidden, false);
  m_plan.ops.push_back(
      NormOp{.in = m_plan.pairs, .norm = norm("pair norm", both), .add = false, .scale = 1.0F, .out = normed, .group = hidden});
  project(normed, {}, {part("combine", p.combine, 0)}, Epilogue::store, x);
}

void Builder::giveHidden(BufferId x) {
  const bool ofOutputs = m_plan.buffers[static_cast<std::size_t>(x)].outputRows;
  m_plan.hidden = buffer("hidden", m_config.hiddenSize, ofOutputs);
  normSum("output norm", m_config.outputNorm, x, m_plan.hidden);
  BufferId xOut = x;
  if (!ofOutputs) {
    xOut = buffer("x", m_config.hiddenSize, true);
    m_plan.ops.push_back(GatherOp{.in = x, .out = xOut});
  }
  head(xOut);
  m_plan.parts = {{.firstOp = 0, .received = {}, .sent = {m_plan.hidden}}};
  if (m_plan.pairs != none) m_plan.parts.front().received = {m_plan.pairs};
}

Result<Plan> Builder::build() {
  MINERVA_TRY(checkSupported());
  m_plan.ropes = m_config.ropes;
  m_plan.hiddenSize = m_config.hiddenSize;
  m_plan.vocabularySize = m_config.vocabularySize;
  m_plan.contextLength = m_config.contextLength;

  BufferId x = buffer("x", m_config.hiddenSize, false);
  if (m_combines != nullptr) combine(x);
  else embed(x);
  beginStreams(x);
  const int last = static_cast<int>(m_config.layers.size()) - 1;
  for (int i = 0; i < last; ++i) {
    m_plan.layerBegins.push_back(m_plan.ops.size());
    outputBlock(i, x, mixers(i, x), false);
    x = endOfPass(i, x);
  }
  // The last layer's mixers need every token; all later ops only the rows that want logits.
  m_plan.layerBegins.push_back(m_plan.ops.size());
  std::vector<Mixed> mixed = mixers(last, x);
  if (m_config.embedding.pooling == Pooling::mean) {  // of every token's row
    outputBlock(last, x, mixed, false);
    m_plan.layerBegins.push_back(m_plan.ops.size());
    embedTexts(x, false);
    return finish();
  }
  if (m_gives == Gives::logitsAndHidden && m_combines == nullptr) {  // of every token, too
    outputBlock(last, x, mixed, false);
    m_plan.layerBegins.push_back(m_plan.ops.size());
    giveHidden(x);
    return finish();
  }
  const auto gathered = [this](BufferId in) {
    const Buffer from = m_plan.buffers[static_cast<std::size_t>(in)];
    const BufferId out = buffer(from.name, from.columns, true);
    if (m_config.embeds()) m_plan.ops.push_back(PoolOp{.in = in, .pooling = m_config.embedding.pooling, .out = out});
    else m_plan.ops.push_back(GatherOp{.in = in, .out = out});
    return out;
  };
  const BufferId xOut = gathered(x);
  for (BufferId& stream : m_streams) stream = gathered(stream);
  for (Mixed& one : mixed) one.inner = gathered(one.inner);
  if (m_perLayer != none && !layerOf(last).perLayerInput.gate.weight.empty()) m_perLayer = gathered(m_perLayer);
  outputBlock(last, xOut, mixed, true);
  m_plan.layerBegins.push_back(m_plan.ops.size());
  joinStreams(xOut);

  if (m_config.embeds()) embedTexts(xOut, true);
  else if (m_gives == Gives::logitsAndHidden) giveHidden(xOut);
  else head(xOut);
  return finish();
}

// The residual stream behind a layer that ends with a norm of it, in another buffer.
BufferId Builder::endOfPass(int index, BufferId x) {
  const LayerConfig& layer = layerOf(index);
  if (!layer.feedForwardSumNorm.present() || layer.attentionSumNorm.present()) return x;
  const bool first = m_plan.buffers[static_cast<std::size_t>(x)].name == "x";
  const BufferId out = buffer(first ? "x of a later pass" : "x", m_config.hiddenSize, false);
  normSum(layerName(index, "norm behind"), layer.feedForwardSumNorm, x, out);
  return out;
}

Result<Plan> Builder::finish() {
  m_plan.usualKv = usualKvOf(m_plan);
  MINERVA_TRY(checkPlan(m_plan));
  return std::move(m_plan);
}

void Builder::head(BufferId x) {
  Norm outputNorm = norm("output norm", m_config.outputNorm);
  // joinStreams leaves the sum of the streams, not their mean: to the norm only its epsilon makes a difference.
  outputNorm.epsilon *= static_cast<float>((m_streams.size() + 1) * (m_streams.size() + 1));
  m_plan.logits = buffer("logits", m_config.vocabularySize, true);
  m_plan.ops.push_back(HeadOp{.in = x,
                              .norm = outputNorm,
                              .weight = weight("head", m_config.head.weight),
                              .bias = weight("head bias", m_config.head.bias),
                              .scale = m_config.logitScale,
                              .out = m_plan.logits,
                              .softCap = m_config.logitSoftCap});
}

void Builder::embedTexts(BufferId x, bool pooled) {
  if (m_config.outputNorm.present()) {
    const BufferId normed = buffer("output", m_config.hiddenSize, pooled);
    normSum("output norm", m_config.outputNorm, x, normed);
    x = normed;
  }
  if (!pooled) {
    const BufferId one = buffer("pooled", m_config.hiddenSize, true);
    m_plan.ops.push_back(PoolOp{.in = x, .pooling = m_config.embedding.pooling, .out = one});
    x = one;
  }
  int index = 0;
  for (const Linear& dense : m_config.embedding.dense) {
    const std::string name = "dense " + std::to_string(index++);
    const BufferId out = buffer(name, static_cast<int>(dense.weight.shape.rows()), true);
    project(x, {}, {part(name, dense, 0)}, Epilogue::store, out);
    x = out;
  }
  m_plan.embedding = x;
  if (!m_config.embedding.normalised) return;
  // A vector of length 1 has the mean square 1 / columns. The epsilon only keeps a vector of zeros as it is.
  const int width = columns(x);
  m_plan.embedding = buffer("embedding", width, true);
  m_plan.ops.push_back(NormOp{.in = x,
                              .norm = {.kind = NormKind::rms, .epsilon = 1e-30F},
                              .add = false,
                              .scale = 1.0F / std::sqrt(static_cast<float>(width)),
                              .out = m_plan.embedding});
}

Result<Plan> buildPlan(const ModelConfig& config, Gives gives) { return Builder(config, gives).build(); }

Result<Plan> buildPredictionPlan(const ModelConfig& config) {
  const Prediction& prediction = *config.prediction;
  ModelConfig one = config;
  one.layers = {prediction.layer};
  one.outputNorm = prediction.outputNorm;
  one.head = prediction.head;
  const int tokens = (std::max(predictedTokens, config.vocabularySize / 2) + headStep - 1) / headStep * headStep;
  if (tokens < config.vocabularySize && one.head.bias.empty()) {
    one.head.weight = sliceRows(one.head.weight, 0, tokens);
    one.vocabularySize = tokens;
  }
  return Builder(one, Gives::logitsAndHidden, &prediction).build();
}

}  // namespace minerva::model
