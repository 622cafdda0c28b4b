#include "tests/conformance/mixer_plans.h"

#include <cmath>

namespace minerva::tests::mixers {
namespace {

using model::BufferId;
using model::none;
using model::WeightId;

BufferId rowsOf(OpPlan& p, int columns) { return embed(p, ElementType::F32, columns, 1.0); }

WeightId noise(OpPlan& p, const char* name, int columns, double centre, double deviation) {
  return addWeight(p.plan, name, p.store.vector(ElementType::F32, columns, centre, deviation));
}

int addState(OpPlan& p, const char* name, int rows, int columns) {
  p.plan.recurrent.push_back({name, rows, columns});
  return static_cast<int>(p.plan.recurrent.size()) - 1;
}

BufferId convolve(OpPlan& p, BufferId in, const ConvShape& shape) {
  const BufferId out = addBuffer(p.plan, "convolved", shape.channels, false);
  p.plan.ops.push_back(model::ConvOp{
      .in = in,
      .column = shape.column,
      .channels = shape.channels,
      .width = shape.width,
      .weight = addWeight(p.plan, "taps", p.store.matrix(ElementType::F32, shape.channels, shape.width, 1.0 / std::sqrt(shape.width))),
      .bias = shape.biased ? noise(p, "bias", shape.channels, 0.0, 0.5) : none,
      .activated = shape.activated,
      .state = addState(p, "convolution", shape.width - 1, shape.channels),
      .out = out});
  return out;
}

model::Norm runNorm(OpPlan& p, model::NormKind kind, int runs, int group, RunWeights weights) {
  if (weights == RunWeights::none) return {kind, 1e-5F, none, none};
  return addNorm(p, kind, ElementType::F32, weights == RunWeights::oneRun ? group : runs * group);
}

}  // namespace

OpPlan convPlan(const ConvShape& shape) {
  OpPlan p{TensorStore(21), {}};
  show(p, convolve(p, rowsOf(p, shape.column + shape.channels + 3), shape));
  return p;
}

OpPlan deltaPlan(const DeltaShape& shape) {
  OpPlan p{TensorStore(22), {}};
  const int columns = 2 * shape.keyHeads * shape.keyDim + shape.valueHeads * shape.valueDim;
  const int decays = shape.valueHeads * (shape.channelDecay ? shape.keyDim : 1);
  BufferId in = rowsOf(p, columns);
  if (shape.convolved) in = convolve(p, in, {.channels = columns, .biased = false});
  const BufferId gates = rowsOf(p, 2 + shape.valueHeads + 1 + decays + 1);
  const BufferId out = addBuffer(p.plan, "mixed", shape.valueHeads * shape.valueDim, false);
  p.plan.ops.push_back(model::DeltaOp{.in = in,
                                      .gates = gates,
                                      .betaColumn = 2,
                                      .decayColumn = 2 + shape.valueHeads + 1,
                                      .keyHeads = shape.keyHeads,
                                      .valueHeads = shape.valueHeads,
                                      .keyDim = shape.keyDim,
                                      .valueDim = shape.valueDim,
                                      .tiled = shape.tiled,
                                      .channelDecay = shape.channelDecay,
                                      .decay = noise(p, "decay", shape.valueHeads, -0.15, 0.03),
                                      .bias = noise(p, "decay bias", decays, 0.0, shape.biasDeviation),
                                      .state = addState(p, "delta rule", shape.valueHeads * shape.keyDim, shape.valueDim),
                                      .out = out});
  show(p, out);
  return p;
}

OpPlan scanPlan(const ScanShape& shape) {
  OpPlan p{TensorStore(23), {}};
  const int results = shape.heads * shape.headDim;
  const int keyColumns = 2 * shape.groups * shape.stateSize, stepCount = shape.channelDecay ? results : shape.heads;
  const int decays = shape.channelDecay ? results * shape.stateSize : shape.heads;
  const BufferId in = rowsOf(p, shape.channelDecay ? results + 3 : results + keyColumns);
  const BufferId keys = shape.channelDecay ? rowsOf(p, keyColumns + 5) : in;
  const BufferId steps = rowsOf(p, 3 + stepCount);
  const BufferId out = addBuffer(p.plan, "mixed", results, false);
  p.plan.ops.push_back(model::ScanOp{.in = in,
                                     .keys = keys,
                                     .keyColumn = shape.channelDecay ? 2 : results,
                                     .steps = steps,
                                     .dtColumn = 3,
                                     .heads = shape.heads,
                                     .headDim = shape.headDim,
                                     .groups = shape.groups,
                                     .stateSize = shape.stateSize,
                                     .channelDecay = shape.channelDecay,
                                     .decay = noise(p, "decay", decays, -0.3, shape.channelDecay ? 0.08 : 0.05),
                                     .bias = noise(p, "step bias", stepCount, 0.0, shape.biasDeviation),
                                     .skip = noise(p, "skip", stepCount, 1.0, 0.5),
                                     .dtMin = shape.dtMin,
                                     .dtMax = shape.dtMax,
                                     .state = addState(p, "scan", results, shape.stateSize),
                                     .out = out});
  show(p, out);
  return p;
}

OpPlan gatePlan(model::Activation activation, int columns, bool own, int group) {
  OpPlan p{TensorStore(24), {}};
  const int gates = columns / group;
  const BufferId x = rowsOf(p, own ? gates + columns + 1 : columns + 5);
  const BufferId gate = own ? x : rowsOf(p, gates + 3);
  p.plan.ops.push_back(model::GateOp{.gate = gate,
                                     .gateColumn = own ? 0 : 3,
                                     .activation = activation,
                                     .out = x,
                                     .column = own ? gates + 1 : 2,
                                     .columns = columns,
                                     .group = group});
  show(p, x);
  return p;
}

OpPlan normPlan(model::NormKind kind, int runs, int group, RunWeights weights, bool add) {
  OpPlan p{TensorStore(25), {}};
  const BufferId x = rowsOf(p, runs * group);
  const BufferId out = add ? rowsOf(p, runs * group) : addBuffer(p.plan, "normalised", runs * group, false);
  const model::Norm norm = runNorm(p, kind, runs, group, weights);
  p.plan.ops.push_back(model::NormOp{.in = x, .norm = norm, .add = add, .scale = 0.7F, .out = out, .group = runs > 1 ? group : 0});
  show(p, out);
  return p;
}

OpPlan gatedNormPlan(model::NormKind kind, int runs, int group, RunWeights weights, bool gateFirst) {
  OpPlan p{TensorStore(26), {}};
  const BufferId x = rowsOf(p, runs * group), gate = rowsOf(p, runs * group + 7);
  const model::Norm norm = runNorm(p, kind, runs, group, weights);
  p.plan.ops.push_back(model::GatedNormOp{.gate = gate, .gateColumn = 5, .norm = norm, .group = group, .gateFirst = gateFirst, .x = x});
  show(p, x);
  return p;
}

OpPlan weightlessPlan(model::NormKind kind, ElementType type, int inputs, int outputs) {
  ProjShape shape{.type = type, .inputs = inputs, .outputs = {outputs}, .normalised = true, .norm = kind};
  OpPlan p = projPlan(shape);
  for (model::Op& op : p.plan.ops) {
    if (auto* proj = std::get_if<model::ProjOp>(&op)) proj->norm.weight = proj->norm.bias = none;
    if (auto* head = std::get_if<model::HeadOp>(&op)) head->norm.weight = none;
  }
  return p;
}

OpPlan scalePlan(int columns, bool one) {
  OpPlan p{TensorStore(27), {}};
  const BufferId x = rowsOf(p, columns);
  p.plan.ops.push_back(model::ScaleOp{.scale = noise(p, "scale", one ? 1 : columns, 1.5, 0.5), .out = x});
  show(p, x);
  return p;
}

OpPlan routePlan(const RouteShape& shape) {
  OpPlan p{TensorStore(28), {}};
  constexpr int inputs = 64, results = 48;
  const BufferId logits = rowsOf(p, shape.experts + (shape.sharedGate ? 1 : 0)), x = rowsOf(p, inputs);
  const BufferId route = addBuffer(p.plan, "route", 2 * shape.used + (shape.sharedGate ? 1 : 0), false);
  p.plan.ops.push_back(model::RouteOp{.logits = logits,
                                      .experts = shape.experts,
                                      .used = shape.used,
                                      .normalised = shape.normalised,
                                      .scale = 1.3F,
                                      .groups = shape.groups,
                                      .groupsUsed = shape.groupsUsed,
                                      .sharedGate = shape.sharedGate,
                                      .out = route,
                                      .scoring = shape.scoring,
                                      .groupRank = shape.groupRank,
                                      .selectionBias = shape.selectionBias ? noise(p, "selection bias", shape.experts, 0.0, 0.3) : none,
                                      .expertScale = shape.expertScale ? noise(p, "experts' scale", shape.experts, 1.0, 0.3) : none});
  BufferId expertsIn = x;
  if (shape.spread) {
    expertsIn = addBuffer(p.plan, "spread", shape.used * inputs, false);
    p.plan.ops.push_back(model::SpreadOp{.in = x, .route = route, .used = shape.used, .out = expertsIn});
  }
  model::ExpertPart part{{}, none};
  for (int e = 0; e < shape.experts; ++e) {
    part.weights.push_back(addWeight(p.plan, "expert", p.store.matrix(ElementType::F32, results, inputs, 1.0 / std::sqrt(inputs))));
  }
  const BufferId each = addBuffer(p.plan, "experts", shape.used * results, false);
  p.plan.ops.push_back(model::ExpertOp{.in = expertsIn,
                                       .perPlace = shape.spread,
                                       .route = route,
                                       .experts = shape.experts,
                                       .used = shape.used,
                                       .parts = {part},
                                       .gated = false,
                                       .gatePlace = model::GatePlace::separate,
                                       .activation = shape.activation,
                                       .out = each});
  const BufferId shared = shape.sharedGate ? rowsOf(p, results) : none;
  const BufferId out = shape.add ? rowsOf(p, results) : addBuffer(p.plan, "combined", results, false);
  p.plan.ops.push_back(model::CombineOp{.in = each,
                                        .route = route,
                                        .used = shape.used,
                                        .shared = shared,
                                        .sharedGate = shape.sharedGate,
                                        .scale = 0.9F,
                                        .out = out,
                                        .add = shape.add,
                                        .weighted = shape.weighted,
                                        .bias = shape.resultBias ? noise(p, "experts' bias", results, 0.0, 0.5) : none});
  show(p, out);
  return p;
}

}  // namespace minerva::tests::mixers
