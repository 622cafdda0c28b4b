#include "bench/cost_estimate.h"

#include "bench/peer_plan.h"
#include "gpu/available.h"

#include <algorithm>

namespace minerva::bench {

namespace {

// First and past the last op that belong to layers.
std::pair<std::size_t, std::size_t> layerOps(const model::Plan& plan) {
  if (plan.layerBegins.size() < 2) return {0, 0};
  return {plan.layerBegins.front(), plan.layerBegins.back()};
}

double layerCountOf(const model::Plan& plan) { return plan.layerBegins.size() < 2 ? 0 : static_cast<double>(plan.layerBegins.size() - 1); }

// onUnits(op): whether matrix units multiply for it. stretched: by the cores that its workgroups leave idle.
template <class OnUnits>
speed::StepWork stepWork(const std::vector<OpCost>& ops, const backend::OpCounts& counts, bool stretched, const OnUnits& onUnits) {
  const model::OpWork work = sumOf(ops).work;
  speed::StepWork step{.bytes = work.weightBytes + work.stateBytes,
                       .expertBytes = work.expertBytes,
                       .dispatches = static_cast<double>(counts.dispatches),
                       .barriers = static_cast<double>(counts.barriers)};
  for (const OpCost& op : ops) {
    const bool units = onUnits(op);
    const double stretch = stretched ? op.counts.stretch : 1;
    (units ? step.unitFlops : step.flops) += stretch * op.work.flops;
    (units ? step.unitExpertFlops : step.expertFlops) += stretch * op.work.expertFlops;
  }
  return step;
}

// What was measured on a device in software as the rate of matrix units is that of our kernels for many rows.
bool multipliesOnUnits(const Card& card, const OpCost& op, int rows) {
  return card.software ? rows >= rowsForUnits && card.unitPeak > 0 : op.counts.units;
}

Prediction predict(const speed::StepWork& work, const speed::DeviceRates& rates, int tokens, double layers) {
  const speed::StepCost cost = speed::costOf(work, rates);
  const speed::StepWork less{.dispatches = layers, .barriers = layers};
  return {.perSecond = tokens / cost.total(), .limit = cost.limit(), .dispatchWorth = speed::worthOf(less, work, rates)};
}

backend::OpCounts countsOf(const std::vector<OpCost>& ops, std::pair<std::size_t, std::size_t> range) {
  backend::OpCounts sum;
  for (std::size_t i = range.first; i < range.second; ++i) {
    sum.dispatches += ops[i].counts.dispatches;
    sum.barriers += ops[i].counts.barriers;
  }
  return sum;
}

void change(speed::StepWork& work, const std::vector<OpCost>& ops, const model::Plan& plan, const CostChanges& changes) {
  const backend::OpCounts layers = countsOf(ops, layerOps(plan));
  const double count = layerCountOf(plan);
  if (changes.dispatchesPerLayer >= 0) work.dispatches += changes.dispatchesPerLayer * count - static_cast<double>(layers.dispatches);
  if (changes.barriersPerLayer >= 0) work.barriers += changes.barriersPerLayer * count - static_cast<double>(layers.barriers);
  work.bytes += (changes.weightFactor - 1) * sumOf(ops).work.weightBytes;
  work.expertBytes *= changes.weightFactor;
}

struct Both {
  Prediction ours;
  std::optional<Prediction> peer;
  std::vector<OpCost> ops;
};

Result<Both> predictBoth(const model::Plan& plan, const Card& card, const CostTask& task, const model::StepSize& step) {
  MINERVA_ASSIGN(std::vector<OpCost> ops, costsOfOps(plan, card, task, step));
  // A driver on the CPU was measured with as few workgroups as it is predicted for; llama.cpp's tiles are not counted, and it splits
  // columns.
  speed::StepWork ours =
      stepWork(ops, sumOf(ops).counts, !card.software, [&](const OpCost& op) { return multipliesOnUnits(card, op, step.rows); });
  change(ours, ops, plan, task.changes);
  Both both{.ours = predict(ours, ratesOf(card, Program::minerva), step.rows, layerCountOf(plan)), .peer = {}, .ops = std::move(ops)};
  if (const auto counts = peerCounts(plan, step.rows, card.kind.peerQuantizes)) {
    const bool units = step.rows >= rowsForUnits && card.peerUnitPeak > 0;
    const speed::StepWork peer = stepWork(both.ops, *counts, false, [&](const OpCost&) { return units; });
    both.peer = predict(peer, ratesOf(card, Program::peer), step.rows, layerCountOf(plan));
  }
  return both;
}

}  // namespace

Result<std::vector<OpCost>> costsOfOps(const model::Plan& plan, const Card& card, const CostTask& task, const model::StepSize& step) {
  const std::vector<model::OpWork> work = model::workOf(plan, step, task.kv);
  const backend::PlaceOptions options{.contextLength = std::min(plan.contextLength, step.depth + step.rows),
                                      .slots = 1,
                                      .maxRows = step.rows,
                                      .maxOutputRows = step.outputs,
                                      .precision = {},
                                      .kvType = task.kv};
  MINERVA_ASSIGN(const std::vector<backend::OpCounts> counts, countStep(describe(card), plan, options, step));
  std::vector<OpCost> ops;
  for (std::size_t i = 0; i < work.size(); ++i) ops.push_back({work[i], counts[i]});
  return ops;
}

OpCost sumOf(const std::vector<OpCost>& ops) {
  std::vector<model::OpWork> work;
  for (const OpCost& op : ops) work.push_back(op.work);
  return {.work = model::sumOf(work), .counts = countsOf(ops, {0, ops.size()})};
}

Result<CardEstimate> estimate(const model::Plan& plan, const Card& card, const CostTask& task) {
  CardEstimate all{.card = card,
                   .dispatches = {},
                   .layerDispatches = {},
                   .decode = {},
                   .deep = {},
                   .prefill = {},
                   .peerDispatches = peerCounts(plan, 1, card.kind.peerQuantizes),
                   .peerDecode = {},
                   .peerDeep = {},
                   .peerPrefill = {}};
  MINERVA_ASSIGN(const Both decode, predictBoth(plan, card, task, {.rows = 1, .outputs = 1, .depth = 0}));
  all.dispatches = sumOf(decode.ops).counts;
  all.layerDispatches = countsOf(decode.ops, layerOps(plan));
  all.decode = decode.ours;
  all.peerDecode = decode.peer;
  if (task.depth < plan.contextLength) {
    MINERVA_ASSIGN(const Both deep, predictBoth(plan, card, task, {.rows = 1, .outputs = 1, .depth = task.depth}));
    all.deep = deep.ours;
    all.peerDeep = deep.peer;
  }
  if (task.prompt <= plan.contextLength) {
    MINERVA_ASSIGN(const Both prefill, predictBoth(plan, card, task, {.rows = task.prompt, .outputs = 1, .depth = 0}));
    all.prefill = prefill.ours;
    all.peerPrefill = prefill.peer;
  }
  return all;
}

}  // namespace minerva::bench
