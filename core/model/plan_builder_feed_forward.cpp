// What follows a layer's mixers: the residual sums, the dense feed-forward, the mixture of experts.
#include "core/model/plan_builder.h"

#include <array>

namespace minerva::model {

void Builder::outputBlock(int index, BufferId x, const std::vector<Mixed>& mixed, bool outputRows) {
  const LayerConfig& layer = layerOf(index);
  if (!m_streams.empty()) return streamBlock(index, x, mixed, outputRows);
  // Parallel blocks read x before either adds its result, and so may a router.
  const bool parallel = m_config.parallelBlocks, mixture = layer.hasExperts();
  const BufferId early = parallel && layer.hasDense() ? feedForwardInner(index, x, outputRows) : none;
  BufferId chosen = mixture && layer.experts.routesEarly ? choose(index, x, outputRows) : none;
  BufferId read = none;
  if (parallel && mixture) {
    read = normedInput(x, feedForwardNormOf(index), outputRows);
    if (chosen == none) chosen = choose(index, routerInput(index, x, read, outputRows), outputRows);
  }
  for (const Mixed& one : mixed) {
    if (layer.attentionResultNorm.present()) mixAgain(index, x, one, outputRows);
    else addBlock(index, one.role, *one.out, layer.postAttentionNorm, one.inner, x, outputRows, one.scale);
  }
  if (layer.attentionSumNorm.present()) {
    const BufferId middle = buffer("middle", m_config.hiddenSize, outputRows);
    normSum(layerName(index, "attention sum norm"), layer.attentionSumNorm, x, middle);
    feedForward(index, middle, outputRows);
    return normSum(layerName(index, "feed-forward sum norm"), layer.feedForwardSumNorm, middle, x);
  }
  if (early != none) addBlock(index, "down", layer.down, layer.postFeedForwardNorm, early, x, outputRows);
  else if (mixture && !layer.hasDense()) experts(index, x, {read, chosen}, outputRows);
  else feedForward(index, x, outputRows);
  if (!layer.perLayerInput.gate.weight.empty()) perLayerInput(index, x, std::array{x}, outputRows);
  if (!layer.scale.empty()) m_plan.ops.push_back(ScaleOp{.scale = weight(layerName(index, "scale"), layer.scale), .out = x});
}

// x += norm(x + mixer).
void Builder::mixAgain(int index, BufferId x, const Mixed& mixed, bool outputRows) {
  const BufferId sum = buffer("block", m_config.hiddenSize, outputRows);
  m_plan.ops.push_back(CombineOp{
      .in = x, .route = none, .used = 1, .shared = none, .sharedGate = false, .scale = 1.0F, .out = sum, .add = false, .weighted = false});
  addBlock(index, mixed.role, *mixed.out, {}, mixed.inner, sum, outputRows, mixed.scale);
  const Norm how = norm(layerName(index, "attention result norm"), layerOf(index).attentionResultNorm);
  m_plan.ops.push_back(NormOp{.in = sum, .norm = how, .add = true, .scale = 1.0F, .out = x});
}

void Builder::normSum(const std::string& name, const NormWeights& how, BufferId from, BufferId to) {
  m_plan.ops.push_back(NormOp{.in = from, .norm = norm(name, how), .add = false, .scale = 1.0F, .out = to});
}

void Builder::feedForward(int index, BufferId x, bool outputRows) {
  const LayerConfig& layer = layerOf(index);
  if (layer.hasDense() && layer.hasExperts()) return sideBySide(index, x, outputRows);
  if (layer.hasDense()) {
    return addBlock(index, "down", layer.down, layer.postFeedForwardNorm, feedForwardInner(index, x, outputRows), x, outputRows,
                    layer.feedForwardResultScale);
  }
  if (layer.hasExperts()) experts(index, x, {none, none}, outputRows);
}

// Those parts of `known` that are none are made of x here.
void Builder::experts(int index, BufferId x, Routed known, bool outputRows) {
  const LayerConfig& layer = layerOf(index);
  const Routed routed = route(index, x, feedForwardNormOf(index), known, outputRows);
  const float scale = m_config.residualScale * layer.feedForwardResultScale;
  if (!layer.postFeedForwardNorm.present()) return runExperts(index, routed, x, true, scale, outputRows);
  const BufferId y = buffer("experts' sum", m_config.hiddenSize, outputRows);
  runExperts(index, routed, y, false, 1, outputRows);
  const Norm after = norm(layerName(index, "experts norm"), layer.postFeedForwardNorm);
  m_plan.ops.push_back(NormOp{.in = y, .norm = after, .add = true, .scale = m_config.residualScale, .out = x});
}

// x += postFeedForwardNorm(postDenseNorm(dense(x)) + postExpertsNorm(experts(x))).
void Builder::sideBySide(int index, BufferId x, bool outputRows) {
  const LayerConfig& layer = layerOf(index);
  const auto normed = [&](const char* role, const NormWeights& how, BufferId in, bool add, BufferId out) {
    m_plan.ops.push_back(NormOp{.in = in, .norm = norm(layerName(index, role), how), .add = add, .scale = 1.0F, .out = out});
  };
  const BufferId sum = buffer("feed-forward sum", m_config.hiddenSize, outputRows);
  const BufferId inner = feedForwardInner(index, x, outputRows);
  const BufferId dense = layer.postDenseNorm.present() ? buffer("block", m_config.hiddenSize, outputRows) : sum;
  project(inner, {}, {part(layerName(index, "down"), layer.down, 0)}, Epilogue::store, dense);
  if (dense != sum) normed("dense norm", layer.postDenseNorm, dense, false, sum);
  const Routed routed = route(index, x, {layerName(index, "experts input norm"), layer.expertsNorm}, {none, none}, outputRows);
  const bool apart = layer.postExpertsNorm.present();
  const BufferId experts = apart ? buffer("experts' sum", m_config.hiddenSize, outputRows) : sum;
  runExperts(index, routed, experts, !apart, 1, outputRows);
  if (apart) normed("experts norm", layer.postExpertsNorm, experts, true, sum);
  const Norm after = norm(layerName(index, "feed-forward sum norm"), layer.postFeedForwardNorm);
  m_plan.ops.push_back(NormOp{.in = sum, .norm = after, .add = true, .scale = m_config.residualScale, .out = x});
}

Builder::NamedNorm Builder::feedForwardNormOf(int index) const {
  const LayerConfig& layer = layerOf(index);
  const bool own = layer.feedForwardNorm.present() || !m_config.parallelBlocks;
  return {layerName(index, "feed-forward norm"), own ? layer.feedForwardNorm : layer.attentionNorm};
}

BufferId Builder::feedForwardInner(int index, BufferId x, bool outputRows) {
  const LayerConfig& layer = layerOf(index);
  const NamedNorm before = feedForwardNormOf(index);
  if (layer.gateDeviations || layer.gateLimit > 0) return gatedApart(index, x, before, outputRows);
  const bool gated = !layer.gate.weight.empty();
  const BufferId inner = buffer("feed-forward", layer.feedForwardSize, outputRows);
  std::vector<ProjPart> parts;
  if (gated) parts.push_back(part(layerName(index, "gate"), layer.gate, 0));
  parts.push_back(part(layerName(index, "up"), layer.up, gated ? layer.feedForwardSize : 0));
  const Epilogue ungated = layer.xielu ? Epilogue::store : Epilogue::activated;
  project(x, before, std::move(parts), gated ? Epilogue::gated : ungated, inner);
  if (layer.xielu) m_plan.ops.push_back(XieluOp{.form = *layer.xielu, .x = inner});
  return inner;
}

// A threshold needs the whole row of gates, and limits are of both factors.
BufferId Builder::gatedApart(int index, BufferId x, const NamedNorm& before, bool outputRows) {
  const LayerConfig& layer = layerOf(index);
  const BufferId gate = buffer("gate", layer.feedForwardSize, outputRows);
  const BufferId inner = buffer("feed-forward", layer.feedForwardSize, outputRows);
  project(x, before, {part(layerName(index, "gate"), layer.gate, 0)}, Epilogue::store, gate);
  project(x, before, {part(layerName(index, "up"), layer.up, 0)}, Epilogue::store, inner);
  if (layer.gateDeviations) m_plan.ops.push_back(ThresholdOp{.deviations = *layer.gateDeviations, .x = gate});
  multiplyByGate(gate, inner, layer.gateLimit);
  return inner;
}

void Builder::multiplyByGate(BufferId gate, BufferId out, float limit) {
  m_plan.ops.push_back(GateOp{
      .gate = gate, .gateColumn = 0, .activation = m_config.activation, .out = out, .column = 0, .columns = columns(out), .limit = limit});
}

BufferId Builder::normedInput(BufferId x, const NamedNorm& before, bool outputRows) {
  const BufferId out = buffer("normed", m_config.hiddenSize, outputRows);
  normSum(before.first, before.second, x, out);
  return out;
}

// What a router reads: the experts' input, or x through a norm of its own.
BufferId Builder::routerInput(int index, BufferId x, BufferId normed, bool outputRows) {
  const Experts& e = layerOf(index).experts;
  if (!e.routerNorm.present()) return normed;
  Norm how = norm(layerName(index, "router norm"), {}, 0);
  how.weight = weight(layerName(index, "router scale"), e.routerNorm.weight, {.times = e.routerScale});
  const BufferId out = buffer("router input", m_config.hiddenSize, outputRows);
  m_plan.ops.push_back(NormOp{.in = x, .norm = how, .add = false, .scale = 1.0F, .out = out});
  return out;
}

// The experts' input and which experts each row uses.
Builder::Routed Builder::route(int index, BufferId x, const NamedNorm& before, Routed known, bool outputRows) {
  if (known.input == none) known.input = before.second.present() ? normedInput(x, before, outputRows) : x;
  if (known.route == none) known.route = choose(index, routerInput(index, x, known.input, outputRows), outputRows);
  return known;
}

// Which experts each row uses.
BufferId Builder::choose(int index, BufferId routed, bool outputRows) {
  const Experts& e = layerOf(index).experts;
  const bool sharedGate = !e.sharedRouter.empty();
  const BufferId logits = buffer("router logits", e.count + (sharedGate ? 1 : 0), outputRows);
  std::vector<ProjPart> routers{part(layerName(index, "router"), e.router, 0)};
  if (sharedGate) routers.push_back(part(layerName(index, "shared router"), {e.sharedRouter, {}}, e.count));
  project(routed, {}, std::move(routers), Epilogue::store, logits);
  std::get<ProjOp>(m_plan.ops.back()).chooses = true;
  const BufferId out = buffer("route", 2 * e.used + (sharedGate ? 1 : 0), outputRows);
  m_plan.ops.push_back(RouteOp{.logits = logits,
                               .experts = e.count,
                               .used = e.used,
                               .normalised = e.normalised,
                               .scale = e.scale,
                               .groups = e.groups,
                               .groupsUsed = e.groupsUsed,
                               .sharedGate = sharedGate,
                               .out = out,
                               .scoring = e.scoring,
                               .groupRank = e.groupRank,
                               .selectionBias = weight(layerName(index, "selection bias"), e.selectionBias),
                               .expertScale = weight(layerName(index, "experts' scale"), e.expertScale)});
  return out;
}

void Builder::runExperts(int index, const Routed& routed, BufferId out, bool add, float scale, bool outputRows) {
  const Experts& e = layerOf(index).experts;
  BufferId in = routed.input;
  const bool latent = !e.latentDown.weight.empty();
  if (latent) {
    in = buffer("experts' latent input", static_cast<int>(e.latentDown.weight.shape.rows()), outputRows);
    project(routed.input, {}, {part(layerName(index, "experts' latent down"), e.latentDown, 0)}, Epilogue::store, in);
  }
  const int width = columns(in);
  if (e.scalesInput) {
    const BufferId spread = buffer("experts' input", e.used * width, outputRows);
    m_plan.ops.push_back(SpreadOp{.in = in, .route = routed.route, .used = e.used, .out = spread});
    in = spread;
  }
  const BufferId inner = expertsInner(index, in, routed.route, outputRows);
  const BufferId results = buffer("expert results", e.used * width, outputRows);
  m_plan.ops.push_back(ExpertOp{.in = inner,
                                .perPlace = true,
                                .route = routed.route,
                                .experts = e.count,
                                .used = e.used,
                                .parts = {expertPart(layerName(index, "expert down"), e.down)},
                                .gated = false,
                                .gatePlace = GatePlace::separate,
                                .activation = Activation::identity,
                                .out = results});
  CombineOp combine{.in = results,
                    .route = routed.route,
                    .used = e.used,
                    .shared = none,
                    .sharedGate = !e.sharedRouter.empty(),
                    .scale = scale,
                    .out = out,
                    .add = add,
                    .weighted = !e.scalesInput,
                    .bias = weight(layerName(index, "experts' bias"), e.resultBias)};
  if (e.sharedSize > 0) sharedExpert(index, routed.input, outputRows, combine);
  if (!latent) return m_plan.ops.push_back(combine);
  combine.out = buffer("experts' latent sum", width, outputRows);
  combine.add = false;
  combine.scale = 1;
  m_plan.ops.push_back(combine);
  project(combine.out, {}, {part(layerName(index, "experts' latent up"), e.latentUp, 0)}, add ? Epilogue::add : Epilogue::store, out);
  if (add) std::get<ProjOp>(m_plan.ops.back()).scale = scale;
}

// Of gates with a limit both factors are made apart.
BufferId Builder::expertsInner(int index, BufferId in, BufferId route, bool outputRows) {
  const Experts& e = layerOf(index).experts;
  const BufferId inner = buffer("experts", e.used * e.feedForwardSize, outputRows);
  ExpertOp op{.in = in,
              .perPlace = e.scalesInput,
              .route = route,
              .experts = e.count,
              .used = e.used,
              .parts = {},
              .gated = e.gated,
              .gatePlace = e.gatePlace,
              .activation = m_config.activation,
              .out = inner};
  if (e.gated) op.parts.push_back(expertPart(layerName(index, "expert gate"), e.gate));
  if (e.gatePlace == GatePlace::separate) op.parts.push_back(expertPart(layerName(index, "expert up"), e.up));
  if (e.gateLimit == 0) {
    m_plan.ops.push_back(std::move(op));
    return inner;
  }
  const BufferId gates = buffer("experts' gates", columns(inner), outputRows);
  op.gated = false;
  op.activation = Activation::identity;
  const std::vector<ExpertPart> parts = std::move(op.parts);
  for (const bool isUp : {false, true}) {
    op.parts = {parts[isUp ? 1 : 0]};
    op.out = isUp ? inner : gates;
    m_plan.ops.push_back(op);
  }
  multiplyByGate(gates, inner, e.gateLimit);
  return inner;
}

// The result is added by CombineOp if that applies a weight or overwrites its output; else directly, like a dense feed-forward.
void Builder::sharedExpert(int index, BufferId h, bool outputRows, CombineOp& combine) {
  const Experts& experts = layerOf(index).experts;
  const bool gated = !experts.sharedGate.weight.empty();
  const BufferId inner = buffer("shared expert", experts.sharedSize, outputRows);
  if (experts.sharedGateLimit > 0) {
    const BufferId gates = buffer("shared expert's gate", experts.sharedSize, outputRows);
    project(h, {}, {part(layerName(index, "shared gate"), experts.sharedGate, 0)}, Epilogue::store, gates);
    project(h, {}, {part(layerName(index, "shared up"), experts.sharedUp, 0)}, Epilogue::store, inner);
    multiplyByGate(gates, inner, experts.sharedGateLimit);
  } else {
    std::vector<ProjPart> parts;
    if (gated) parts.push_back(part(layerName(index, "shared gate"), experts.sharedGate, 0));
    parts.push_back(part(layerName(index, "shared up"), experts.sharedUp, gated ? experts.sharedSize : 0));
    project(h, {}, std::move(parts), gated ? Epilogue::gated : Epilogue::activated, inner);
  }
  if (combine.add && !combine.sharedGate) {
    project(inner, {}, {part(layerName(index, "shared down"), experts.sharedDown, 0)}, Epilogue::add, combine.out);
    std::get<ProjOp>(m_plan.ops.back()).scale = combine.scale;
    return;
  }
  combine.shared = buffer("shared result", m_config.hiddenSize, outputRows);
  project(inner, {}, {part(layerName(index, "shared down"), experts.sharedDown, 0)}, Epilogue::store, combine.shared);
}

void Builder::perLayerInput(int index, BufferId from, std::span<const BufferId> to, bool outputRows) {
  const PerLayerInput& input = layerOf(index).perLayerInput;
  const int size = m_config.perLayerEmbedding.size;
  const BufferId gate = buffer("per-layer gate", size, outputRows);
  project(from, {}, {part(layerName(index, "per-layer gate"), input.gate, 0)}, Epilogue::activated, gate);
  m_plan.ops.push_back(GateOp{
      .gate = m_perLayer, .gateColumn = index * size, .activation = Activation::identity, .out = gate, .column = 0, .columns = size});
  addBlock(index, "per-layer projection", input.projection, input.norm, gate, to.front(), outputRows);
  for (const BufferId further : to.subspan(1)) {
    NormOp again = std::get<NormOp>(m_plan.ops.back());
    again.out = further;
    m_plan.ops.push_back(again);
  }
}

}  // namespace minerva::model
