// The smallest plans with an op of several residual streams, or with one that changes a row in place. Inputs are rows of embedding tables,
// as in op_plans.h.
#pragma once

#include "tests/conformance/op_plans.h"

namespace minerva::tests::streams {

[[nodiscard]] OpPlan thresholdPlan(int columns, float deviations);
// rms: of the input.
[[nodiscard]] OpPlan xieluPlan(int columns, const model::Xielu& form, double rms);
// rms: of x; that of `like` is 1.
[[nodiscard]] OpPlan levelPlan(int columns, int runs, double rms);
// Shows the stream `shown`.
[[nodiscard]] OpPlan mixPlan(int count, int columns, bool targeted, int shown);
// A table without a row for every token.
[[nodiscard]] OpPlan shortTablePlan(ElementType type, int rows, int columns);
// A plain sum of parts of a row.
[[nodiscard]] OpPlan sumPlan(int parts, int columns, bool add);

}  // namespace minerva::tests::streams
