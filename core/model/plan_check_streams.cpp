// The checks of the ops of models with several residual streams, and of what is applied to a row in place.
#include "core/model/plan_checker.h"

#include <cmath>
#include <set>

namespace minerva::model {

Result<void> Checker::operation(const ThresholdOp& op) const { return finite(op.deviations, "threshold"); }

Result<void> Checker::operation(const XieluOp& op) const {
  for (const float value : {op.form.positive, op.form.negative, op.form.beta, op.form.epsilon}) MINERVA_TRY(finite(value, "activation"));
  return {};
}

Result<void> Checker::operation(const LevelOp& op) const {
  MINERVA_TRY(sameRows(op.like, op.x));
  if (op.like == op.x || columns(op.x) % columns(op.like) != 0) {
    return wrong("The runs of a level do not divide its buffer", "a multiple of " + std::to_string(columns(op.like)),
                 std::to_string(columns(op.x)));
  }
  if (op.floor > 0 && std::isfinite(op.floor)) return {};
  return wrong("The floor of a level is not valid", "a finite number above 0", std::to_string(op.floor));
}

Result<void> Checker::operation(const MixOp& op) const {
  const auto count = static_cast<int>(op.streams.size());
  std::set<BufferId> all(op.streams.begin(), op.streams.end());
  if (count < 1 || count > mostStreams || all.size() != op.streams.size() || all.contains(op.coefficients) || all.contains(op.target)) {
    return wrong("The streams are not valid", "1 to " + std::to_string(mostStreams) + " buffers, each of them once", std::to_string(count));
  }
  for (const BufferId stream : op.streams) {
    MINERVA_TRY(sameRows(op.streams.front(), stream));
    MINERVA_TRY(width(stream, columns(op.streams.front()), "stream"));
  }
  MINERVA_TRY(sameRows(op.streams.front(), op.coefficients));
  MINERVA_TRY(width(op.coefficients, op.target == none ? count * count : count, "streams' coefficients"));
  if (op.target == none) return {};
  MINERVA_TRY(sameRows(op.streams.front(), op.target));
  return width(op.target, columns(op.streams.front()), "streams' target");
}

}  // namespace minerva::model
