// The checks of a mixture's ops.
#include "core/model/plan_checker.h"

#include <algorithm>

namespace minerva::model {

Result<void> Checker::operation(const RouteOp& op) const {
  MINERVA_TRY(sameRows(op.logits, op.out));
  MINERVA_TRY(finite(op.scale, "routing's scale"));
  const bool grouped = op.groups >= 1 && op.groupsUsed >= 1 && op.groupsUsed <= op.groups && op.experts % op.groups == 0;
  if (op.experts <= 0 || op.used <= 0 || !grouped || op.used > op.experts / op.groups * op.groupsUsed) {
    return wrong("The expert routing is not valid", "at least " + std::to_string(op.used) + " to choose from",
                 std::to_string(op.experts) + " in " + std::to_string(op.groups) + " groups");
  }
  if (op.groupRank == GroupRank::twoLargest && op.groups > 1 && op.experts / op.groups < 2) {
    return wrong("A group is too small to be ranked by two experts", "2 or more", std::to_string(op.experts / op.groups));
  }
  if (op.scoring == Scoring::sparseMixer && (op.used != 2 || op.groups != 1 || op.selectionBias != none)) {
    return wrong("This routing is not supported", "2 experts of all, without a bias", std::to_string(op.used));
  }
  MINERVA_TRY(vector(op.selectionBias, op.experts, "selection bias", true));
  MINERVA_TRY(vector(op.expertScale, op.experts, "experts' scale", true));
  MINERVA_TRY(width(op.logits, op.experts + (op.sharedGate ? 1 : 0), "router's result"));
  return width(op.out, 2 * std::int64_t{op.used} + (op.sharedGate ? 1 : 0), "routing");
}

Result<void> Checker::expertMatrices(const ExpertOp& op, std::int64_t rows, std::int64_t inputs) const {
  for (const ExpertPart& part : op.parts) {
    const auto count = static_cast<std::int64_t>(part.weights.size());
    if (count != 1 && count != op.experts) {
      return wrong("The experts' matrices are not complete", "1 or " + std::to_string(op.experts), std::to_string(count));
    }
    if (count == 1 && op.experts > 1) MINERVA_TRY(stack(part.weights.front(), op.experts, inputs, rows, "expert"));
    for (const WeightId id : part.weights) {
      if (count > 1) MINERVA_TRY(matrix(id, inputs, rows, "expert"));
    }
    MINERVA_TRY(vector(part.bias, rows * op.experts, "experts' bias", true));
  }
  return {};
}

Result<void> Checker::operation(const ExpertOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  MINERVA_TRY(sameRows(op.in, op.route));
  const bool fits =
      op.used > 0 && op.used <= op.experts && columns(op.out) % op.used == 0 && (!op.perPlace || columns(op.in) % op.used == 0);
  if (!fits || columns(op.route) < 2 * op.used) {
    return wrong("The buffers of the experts do not fit", "runs for " + std::to_string(op.used) + " experts",
                 std::to_string(columns(op.out)) + " columns");
  }
  const bool fused = op.gated && op.gatePlace != GatePlace::separate;
  if (op.parts.size() != (op.gated && !fused ? 2U : 1U)) {
    return wrong("The experts have the wrong number of parts", op.gated && !fused ? "2" : "1", std::to_string(op.parts.size()));
  }
  MINERVA_TRY(ofProjections(op.activation));
  if (!op.gated && op.activation == Activation::clampedSwiglu) return wrong("This activation needs a gate", "two parts", "one");
  const std::int64_t rows = std::int64_t{columns(op.out)} / op.used * (fused ? 2 : 1);
  const bool apart = !fused && std::ranges::all_of(op.parts, [](const ExpertPart& part) { return part.weights.size() > 1; });
  if (!apart && rows % (fused ? 32 : 16) != 0) {
    return wrong("An expert's matrix has a number of rows that is not supported", fused ? "a multiple of 32" : "a multiple of 16",
                 std::to_string(rows));
  }
  return expertMatrices(op, rows, op.perPlace ? columns(op.in) / op.used : columns(op.in));
}

Result<void> Checker::operation(const SpreadOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  MINERVA_TRY(sameRows(op.in, op.route));
  if (op.used <= 0 || op.in == op.out)
    return wrong("The experts' input cannot be made in place", "1 or more experts", std::to_string(op.used));
  MINERVA_TRY(atLeast(op.route, 2 * std::int64_t{op.used}, "routing"));
  return width(op.out, std::int64_t{columns(op.in)} * op.used, "experts' input");
}

Result<void> Checker::operation(const CombineOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  MINERVA_TRY(finite(op.scale, "residual's scale"));
  MINERVA_TRY(width(op.in, std::int64_t{columns(op.out)} * op.used, "experts' result"));
  MINERVA_TRY(vector(op.bias, columns(op.out), "experts' bias", true));
  if (op.route == none) {
    if (!op.weighted && !op.sharedGate && op.shared == none && op.in != op.out) return {};
    return wrong("A sum without a routing has weights", "a plain sum", "weights");
  }
  MINERVA_TRY(sameRows(op.in, op.route));
  if (columns(op.route) < 2 * op.used + (op.sharedGate ? 1 : 0)) MINERVA_TRY(width(op.route, 2 * std::int64_t{op.used} + 1, "routing"));
  if (op.shared == none) return {};
  MINERVA_TRY(bufferInRange(op.shared));
  MINERVA_TRY(sameRows(op.in, op.shared));
  return width(op.shared, columns(op.out), "shared expert's result");
}

}  // namespace minerva::model
