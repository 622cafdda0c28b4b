// ModelConfig -> Plan. A plain dense decoder layer is five ops; after the last attention only rows that want logits are
// computed.
#include "core/model/plan.h"

#include <map>
#include <tuple>
#include <utility>

namespace minerva::model {
namespace {

std::string layerName(int index, const char* part) { return "layer " + std::to_string(index) + " " + part; }

int rowsOf(const TensorView& matrix) { return static_cast<int>(matrix.shape.rows()); }

class Builder {
 public:
  explicit Builder(const ModelConfig& config) : m_config(config) {}

  Result<Plan> build();

 private:
  BufferId buffer(const std::string& name, int columns, bool outputRows);
  WeightId weight(const std::string& name, const TensorView& view, float plus = 0);
  ProjPart part(const std::string& name, const Linear& linear, int column);
  Norm norm(const std::string& name, const NormWeights& weights);
  HeadNormStep headNorm(const std::string& name, const HeadNorm& norm, int headCount, int headDim);
  ExpertPart expertPart(const std::string& name, const ExpertMatrices& matrices);
  Result<void> checkSupported() const;
  Result<void> checkLayer(std::size_t index) const;
  // out = epilogue(parts(norm(in))); the norm is skipped if it is not present.
  void project(BufferId in, const std::pair<std::string, NormWeights>& norm, std::vector<ProjPart> parts, Epilogue epilogue, BufferId out);
  // x += residualScale * after(in W^T): the end of a block.
  void addBlock(int index, const char* role, const Linear& linear, const NormWeights& after, BufferId in, BufferId x, bool outputRows);
  void attentionBlock(int index, BufferId x);
  BufferId queriesKeysValues(int index, BufferId x);
  BufferId latentQueriesAndKeys(int index, BufferId x);
  void latentResults(int index, BufferId attention);
  void outputBlock(int index, BufferId x, BufferId attention, bool outputRows);
  BufferId feedForwardInner(int index, BufferId x, bool outputRows);
  void expertsBlock(int index, BufferId x, bool outputRows);
  void sharedExpert(int index, BufferId h, BufferId x, bool outputRows, CombineOp& combine);

  [[nodiscard]] const LayerConfig& layerOf(int index) const { return m_config.layers[static_cast<std::size_t>(index)]; }
  [[nodiscard]] int columns(BufferId id) const { return m_plan.buffers[static_cast<std::size_t>(id)].columns; }

  const ModelConfig& m_config;
  Plan m_plan;
  std::map<std::pair<std::string, int>, BufferId> m_buffers;
  std::map<std::tuple<const void*, std::size_t, float>, WeightId> m_weights;  // deduplicates: a tied head gets the embedding table's id
  BufferId m_attention = none;
};

// Buffers of the same role and width are shared by all layers.
BufferId Builder::buffer(const std::string& name, int columns, bool outputRows) {
  const std::string full = outputRows ? name + " (output rows)" : name;
  const auto [it, added] = m_buffers.try_emplace({full, columns}, static_cast<BufferId>(m_plan.buffers.size()));
  if (added) m_plan.buffers.push_back({full, columns, outputRows});
  return it->second;
}

WeightId Builder::weight(const std::string& name, const TensorView& view, float plus) {
  if (view.empty()) return none;
  const void* source = view.arrangement ? static_cast<const void*>(view.arrangement.get()) : view.bytes.data();
  const auto [it, added] = m_weights.try_emplace({source, storedBytes(view), plus}, static_cast<WeightId>(m_plan.weights.size()));
  if (added) m_plan.weights.push_back({name, view, plus});
  return it->second;
}

ProjPart Builder::part(const std::string& name, const Linear& linear, int column) {
  return {weight(name, linear.weight), weight(name + " bias", linear.bias), column};
}

Norm Builder::norm(const std::string& name, const NormWeights& weights) {
  return {m_config.norm, m_config.normEpsilon, weight(name, weights.weight, m_config.normPlus), weight(name + " bias", weights.bias)};
}

HeadNormStep Builder::headNorm(const std::string& name, const HeadNorm& config, int headCount, int headDim) {
  if (!config.weights.present()) return {};
  return {norm(name, config.weights), config.wholeWidth ? headCount * headDim : headDim};
}

ExpertPart Builder::expertPart(const std::string& name, const ExpertMatrices& matrices) {
  ExpertPart part{{}, weight(name + " bias", matrices.bias)};
  for (std::size_t i = 0; i < matrices.weights.size(); ++i) {
    part.weights.push_back(weight(matrices.weights.size() == 1 ? name : name + " " + std::to_string(i), matrices.weights[i]));
  }
  return part;
}

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
  if (layer.experts.count > 0 && (m_config.parallelBlocks || layer.postFeedForwardNorm.present())) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "A mixture of experts in this kind of layer is not supported",
                 .where = where,
                 .expected = "a layer that adds the experts' result as it is",
                 .actual = m_config.parallelBlocks ? "parallel blocks" : "a norm after the experts"});
  }
  return {};
}

void Builder::project(BufferId in, const std::pair<std::string, NormWeights>& before, std::vector<ProjPart> parts, Epilogue epilogue,
                      BufferId out) {
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
                       bool outputRows) {
  if (!after.present()) return project(in, {}, {part(layerName(index, role), linear, 0)}, Epilogue::add, x);
  const BufferId y = buffer("block", m_config.hiddenSize, outputRows);
  project(in, {}, {part(layerName(index, role), linear, 0)}, Epilogue::store, y);
  const std::string name = layerName(index, role) + " norm";
  m_plan.ops.push_back(NormOp{.in = y, .norm = norm(name, after), .add = true, .scale = m_config.residualScale, .out = x});
}

// x -> qkv (norm fused) -> normalised, rotated and stored.
BufferId Builder::queriesKeysValues(int index, BufferId x) {
  const LayerConfig& layer = layerOf(index);
  const int q = layer.headCount * layer.headDim;
  const int kv = layer.kvHeadCount * layer.headDim;
  const BufferId qkv = buffer("qkv", q + 2 * kv, false);
  project(x, {layerName(index, "attention norm"), layer.attentionNorm},
          {part(layerName(index, "q"), layer.q, 0), part(layerName(index, "k"), layer.k, q), part(layerName(index, "v"), layer.v, q + kv)},
          Epilogue::store, qkv);
  m_plan.kv.push_back({layer.kvHeadCount, layer.headDim, layer.headDim, layer.window});
  m_plan.ops.push_back(RopeKvOp{.layer = index,
                                .headCount = layer.headCount,
                                .kvHeadCount = layer.kvHeadCount,
                                .headDim = layer.headDim,
                                .valueDim = layer.headDim,
                                .rope = layer.rope,
                                .qNorm = headNorm(layerName(index, "q norm"), layer.qNorm, layer.headCount, layer.headDim),
                                .kNorm = headNorm(layerName(index, "k norm"), layer.kNorm, layer.kvHeadCount, layer.headDim),
                                .qkv = qkv});
  return qkv;
}

// A single key head [latent | rotated] shared by all query heads; its values are the latent part.
BufferId Builder::latentQueriesAndKeys(int index, BufferId x) {
  const LayerConfig& layer = layerOf(index);
  const LatentAttention& mla = layer.latentAttention;
  const int headDim = mla.latent + mla.rotaryDim;
  const int keyColumn = layer.headCount * headDim;
  const std::pair<std::string, NormWeights> before{layerName(index, "attention norm"), layer.attentionNorm};
  const BufferId q = buffer("q", layer.headCount * (mla.plainDim + mla.rotaryDim), false);
  if (mla.qDown.weight.empty()) {
    project(x, before, {part(layerName(index, "q"), layer.q, 0)}, Epilogue::store, q);
  } else {
    const BufferId low = buffer("q latent", rowsOf(mla.qDown.weight), false);
    project(x, before, {part(layerName(index, "q down"), mla.qDown, 0)}, Epilogue::store, low);
    project(low, {layerName(index, "q latent norm"), mla.qNorm}, {part(layerName(index, "q"), layer.q, 0)}, Epilogue::store, q);
  }
  const BufferId qk = buffer("qk", keyColumn + headDim, false);
  project(x, before,
          {part(layerName(index, "latent"), mla.latentDown, keyColumn),
           part(layerName(index, "rotated key"), mla.keyDown, keyColumn + mla.latent)},
          Epilogue::store, qk);
  m_plan.ops.push_back(HeadProjOp{
      .in = q, .heads = layer.headCount, .weight = weight(layerName(index, "key up"), mla.keyUp), .rest = mla.rotaryDim, .out = qk});
  m_plan.kv.push_back({1, headDim, mla.latent, layer.window});
  m_plan.ops.push_back(RopeKvOp{.layer = index,
                                .headCount = layer.headCount,
                                .kvHeadCount = 1,
                                .headDim = headDim,
                                .valueDim = mla.latent,
                                .rope = layer.rope,
                                .ropeOffset = mla.latent,
                                .kNorm = {norm(layerName(index, "latent norm"), mla.latentNorm), mla.latent},
                                .valuesFromKeys = true,
                                .qkv = qk});
  return qk;
}

void Builder::latentResults(int index, BufferId attention) {
  const LayerConfig& layer = layerOf(index);
  const LatentAttention& mla = layer.latentAttention;
  m_attention = buffer("values", layer.headCount * mla.valueDim, false);
  m_plan.ops.push_back(HeadProjOp{.in = attention,
                                  .heads = layer.headCount,
                                  .weight = weight(layerName(index, "value up"), mla.valueUp),
                                  .rest = 0,
                                  .out = m_attention});
}

void Builder::attentionBlock(int index, BufferId x) {
  const LayerConfig& layer = layerOf(index);
  const bool latent = layer.latentAttention.latent > 0;
  const BufferId qkv = latent ? latentQueriesAndKeys(index, x) : queriesKeysValues(index, x);
  const KvLayer& kv = m_plan.kv.back();
  m_attention = buffer("attention", layer.headCount * kv.valueDim, false);
  m_plan.ops.push_back(AttentionOp{.layer = index,
                                   .headCount = layer.headCount,
                                   .kvHeadCount = kv.kvHeadCount,
                                   .headDim = kv.headDim,
                                   .valueDim = kv.valueDim,
                                   .window = layer.window,
                                   .scale = m_config.attentionScale,
                                   .qkv = qkv,
                                   .out = m_attention,
                                   .softCap = m_config.attentionSoftCap,
                                   .sinks = weight(layerName(index, "sinks"), layer.sinks)});
  if (latent) latentResults(index, m_attention);
}

void Builder::outputBlock(int index, BufferId x, BufferId attention, bool outputRows) {
  const LayerConfig& layer = layerOf(index);
  // Parallel blocks read x before either adds its result.
  const BufferId early = m_config.parallelBlocks ? feedForwardInner(index, x, outputRows) : none;
  addBlock(index, "o", layer.o, layer.postAttentionNorm, attention, x, outputRows);
  if (layer.experts.count > 0) return expertsBlock(index, x, outputRows);
  const BufferId inner = m_config.parallelBlocks ? early : feedForwardInner(index, x, outputRows);
  addBlock(index, "down", layer.down, layer.postFeedForwardNorm, inner, x, outputRows);
}

BufferId Builder::feedForwardInner(int index, BufferId x, bool outputRows) {
  const LayerConfig& layer = layerOf(index);
  const bool gated = !layer.gate.weight.empty();
  const BufferId inner = buffer("feed-forward", layer.feedForwardSize, outputRows);
  std::vector<ProjPart> parts;
  if (gated) parts.push_back(part(layerName(index, "gate"), layer.gate, 0));
  parts.push_back(part(layerName(index, "up"), layer.up, gated ? layer.feedForwardSize : 0));
  const bool own = layer.feedForwardNorm.present() || !m_config.parallelBlocks;
  project(x, {layerName(index, "feed-forward norm"), own ? layer.feedForwardNorm : layer.attentionNorm}, std::move(parts),
          gated ? Epilogue::gated : Epilogue::activated, inner);
  return inner;
}

// A gated shared expert stores its result for CombineOp, which applies its weight; an ungated one is added like a dense
// feed-forward.
void Builder::sharedExpert(int index, BufferId h, BufferId x, bool outputRows, CombineOp& combine) {
  const Experts& experts = layerOf(index).experts;
  const BufferId inner = buffer("shared expert", experts.sharedSize, outputRows);
  project(h, {},
          {part(layerName(index, "shared gate"), experts.sharedGate, 0),
           part(layerName(index, "shared up"), experts.sharedUp, experts.sharedSize)},
          Epilogue::gated, inner);
  if (!combine.sharedGate) return addBlock(index, "shared down", experts.sharedDown, {}, inner, x, outputRows);
  combine.shared = buffer("block", m_config.hiddenSize, outputRows);
  project(inner, {}, {part(layerName(index, "shared down"), experts.sharedDown, 0)}, Epilogue::store, combine.shared);
}

void Builder::expertsBlock(int index, BufferId x, bool outputRows) {
  const LayerConfig& layer = layerOf(index);
  const Experts& e = layer.experts;
  const bool sharedGate = !e.sharedRouter.empty();
  const BufferId h = buffer("normed", m_config.hiddenSize, outputRows);
  m_plan.ops.push_back(
      NormOp{.in = x, .norm = norm(layerName(index, "feed-forward norm"), layer.feedForwardNorm), .add = false, .scale = 1.0F, .out = h});

  const BufferId logits = buffer("router logits", e.count + (sharedGate ? 1 : 0), outputRows);
  std::vector<ProjPart> routers{part(layerName(index, "router"), e.router, 0)};
  if (sharedGate) routers.push_back(part(layerName(index, "shared router"), {e.sharedRouter, {}}, e.count));
  project(h, {}, std::move(routers), Epilogue::store, logits);
  std::get<ProjOp>(m_plan.ops.back()).chooses = true;
  const BufferId route = buffer("route", 2 * e.used + (sharedGate ? 1 : 0), outputRows);
  m_plan.ops.push_back(RouteOp{.logits = logits,
                               .experts = e.count,
                               .used = e.used,
                               .normalised = e.normalised,
                               .scale = e.scale,
                               .groups = e.groups,
                               .groupsUsed = e.groupsUsed,
                               .sharedGate = sharedGate,
                               .out = route});

  const BufferId inner = buffer("experts", e.used * e.feedForwardSize, outputRows);
  const BufferId results = buffer("expert results", e.used * m_config.hiddenSize, outputRows);
  std::vector<ExpertPart> gateAndUp{expertPart(layerName(index, "expert gate"), e.gate)};
  if (e.gatePlace == GatePlace::separate) gateAndUp.push_back(expertPart(layerName(index, "expert up"), e.up));
  m_plan.ops.push_back(ExpertOp{.in = h,
                                .perPlace = false,
                                .route = route,
                                .experts = e.count,
                                .used = e.used,
                                .parts = std::move(gateAndUp),
                                .gated = true,
                                .gatePlace = e.gatePlace,
                                .activation = m_config.activation,
                                .out = inner});
  m_plan.ops.push_back(ExpertOp{.in = inner,
                                .perPlace = true,
                                .route = route,
                                .experts = e.count,
                                .used = e.used,
                                .parts = {expertPart(layerName(index, "expert down"), e.down)},
                                .gated = false,
                                .gatePlace = GatePlace::separate,
                                .activation = m_config.activation,
                                .out = results});
  CombineOp combine{
      .in = results, .route = route, .used = e.used, .shared = none, .sharedGate = sharedGate, .scale = m_config.residualScale, .out = x};
  if (e.sharedSize > 0) sharedExpert(index, h, x, outputRows, combine);
  m_plan.ops.push_back(combine);
}

Result<Plan> Builder::build() {
  MINERVA_TRY(checkSupported());
  m_plan.ropes = m_config.ropes;
  m_plan.hiddenSize = m_config.hiddenSize;
  m_plan.vocabularySize = m_config.vocabularySize;
  m_plan.contextLength = m_config.contextLength;

  const BufferId x = buffer("x", m_config.hiddenSize, false);
  m_plan.ops.push_back(EmbedOp{.table = weight("token embedding", m_config.tokenEmbedding),
                               .scale = m_config.embeddingScale,
                               .out = x,
                               .positions = weight("position embedding", m_config.positionEmbedding)});
  const int last = static_cast<int>(m_config.layers.size()) - 1;
  for (int i = 0; i < last; ++i) {
    m_plan.layerBegins.push_back(m_plan.ops.size());
    attentionBlock(i, x);
    outputBlock(i, x, m_attention, false);
  }
  // Keys and values of the last layer are needed for every token; all later ops only for rows that want logits.
  m_plan.layerBegins.push_back(m_plan.ops.size());
  attentionBlock(last, x);
  const BufferId xOut = buffer("x", m_config.hiddenSize, true);
  const BufferId attentionOut = buffer("attention", columns(m_attention), true);
  m_plan.ops.push_back(GatherOp{.in = x, .out = xOut});
  m_plan.ops.push_back(GatherOp{.in = m_attention, .out = attentionOut});
  outputBlock(last, xOut, attentionOut, true);
  m_plan.layerBegins.push_back(m_plan.ops.size());

  m_plan.logits = buffer("logits", m_config.vocabularySize, true);
  m_plan.ops.push_back(HeadOp{.in = xOut,
                              .norm = norm("output norm", m_config.outputNorm),
                              .weight = weight("head", m_config.head.weight),
                              .bias = weight("head bias", m_config.head.bias),
                              .scale = m_config.logitScale,
                              .out = m_plan.logits,
                              .softCap = m_config.logitSoftCap});
  m_plan.usualKv = usualKvOf(m_plan);
  MINERVA_TRY(checkPlan(m_plan));
  return std::move(m_plan);
}

}  // namespace

Result<Plan> buildPlan(const ModelConfig& config) { return Builder(config).build(); }

}  // namespace minerva::model
