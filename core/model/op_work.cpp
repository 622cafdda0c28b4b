#include "core/model/op_work.h"

#include "core/model/op_parts.h"

#include <algorithm>
#include <cmath>

namespace minerva::model {

namespace {

const TensorView& viewOf(const Plan& plan, WeightId id) { return plan.weights[static_cast<std::size_t>(id)].view; }

struct Weighing : IgnoreParts {
  Weighing(const Plan& of, double rowsOfStep) : plan(of), rows(rowsOfStep) {}
  void matrix(WeightId id) {
    if (id == none) return;
    matrixBytes += static_cast<double>(storedBytes(viewOf(plan, id)));
    elements += static_cast<double>(viewOf(plan, id).shape.elements());
  }
  void vector(WeightId id) {
    if (id != none) bytes += static_cast<double>(storedBytes(viewOf(plan, id)));
  }
  void table(WeightId id) {
    if (id != none) bytes += rows * static_cast<double>(viewOf(plan, id).rowBytes());
  }

  const Plan& plan;
  double rows;
  double bytes = 0, matrixBytes = 0, elements = 0;
};

double shareOf(const ExpertOp& op) { return static_cast<double>(op.used) / op.experts; }

// Of experts of which each row uses this share, the share that some row uses.
double usedBySome(double share, double rows) { return 1.0 - std::pow(1.0 - share, rows); }

// Keys and values that the rows see together are read once, in the best case.
void addAttention(const Plan& plan, const AttentionOp& op, const StepSize& step, KvType type, OpWork& work) {
  const int length = step.depth + step.rows;
  double pairs = 0;  // of a row and a position that it sees
  int first = length;
  for (int row = 0; row < step.rows; ++row) {
    const int position = step.depth + row;
    pairs += op.visible.end(position, length) - op.visible.begin(position);
    first = std::min(first, op.visible.begin(position));
  }
  work.stateBytes +=
      static_cast<double>(length - first) * static_cast<double>(bytesPerPosition(plan.kv[static_cast<std::size_t>(op.kv)], type));
  work.flops += 2.0 * pairs * op.headCount * (op.headDim + op.valueDim);
}

bool hasOutputRows(const Plan& plan, const Op& op) {
  const std::vector<BufferId> written = writes(op);
  return !written.empty() && plan.buffers[static_cast<std::size_t>(written.front())].outputRows;
}

OpWork workOfOp(const Plan& plan, const Op& op, const StepSize& step, KvType type) {
  const double rows = hasOutputRows(plan, op) ? step.outputs : step.rows;
  OpWork work;
  if (rows == 0) return work;
  Weighing weighing(plan, rows);
  eachPart(op, weighing);
  work.weightBytes = weighing.bytes;
  if (const auto* expert = std::get_if<ExpertOp>(&op)) {
    work.expertBytes = weighing.matrixBytes * usedBySome(shareOf(*expert), rows);
    work.expertFlops = 2.0 * rows * shareOf(*expert) * weighing.elements;
  } else {
    work.weightBytes += weighing.matrixBytes;
    work.flops = 2.0 * rows * weighing.elements;
  }
  if (const auto* attention = std::get_if<AttentionOp>(&op)) addAttention(plan, *attention, step, type, work);
  if (const int kv = kvStateWritten(op); kv != none)
    work.stateBytes += rows * static_cast<double>(bytesPerPosition(plan.kv[static_cast<std::size_t>(kv)], type));
  if (const int state = recurrentStateOf(op); state != none) {
    const RecurrentState& recurrent = plan.recurrent[static_cast<std::size_t>(state)];
    work.stateBytes += 2.0 * 4.0 * recurrent.rows * recurrent.columns;
  }
  return work;
}

}  // namespace

std::vector<OpWork> workOf(const Plan& plan, const StepSize& step, KvType type) {
  std::vector<OpWork> all;
  all.reserve(plan.ops.size());
  for (const Op& op : plan.ops) all.push_back(workOfOp(plan, op, step, type));
  return all;
}

OpWork sumOf(const std::vector<OpWork>& ops) {
  OpWork sum;
  for (const OpWork& op : ops) {
    sum.weightBytes += op.weightBytes;
    sum.expertBytes += op.expertBytes;
    sum.stateBytes += op.stateBytes;
    sum.flops += op.flops;
    sum.expertFlops += op.expertFlops;
  }
  return sum;
}

double ExpertReads::bytesOfStep(int rows) const {
  double bytes = 0;
  for (const Kind& kind : kinds) bytes += kind.bytes * usedBySome(kind.share, rows);
  return bytes;
}

ExpertReads expertReads(const Plan& plan) {
  ExpertReads reads;
  for (const Op& op : plan.ops) {
    const auto* expert = std::get_if<ExpertOp>(&op);
    if (!expert) continue;
    Weighing weighing(plan, 1);
    eachPart(op, weighing);
    auto same = std::ranges::find(reads.kinds, shareOf(*expert), &ExpertReads::Kind::share);
    if (same != reads.kinds.end()) same->bytes += weighing.matrixBytes;
    else reads.kinds.push_back({.bytes = weighing.matrixBytes, .share = shareOf(*expert)});
  }
  return reads;
}

}  // namespace minerva::model
