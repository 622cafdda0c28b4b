// What attention and recurrent mixers read.
#pragma once

#include "core/model/plan.h"

#include <vector>

namespace minerva::model {

// For each buffer of the plan, whether its values become queries, keys, values or inputs of a recurrent state: those that such an op reads,
// and what they are computed from, back to the residual stream, which itself is not one. Rounding errors in them grow: in the exponential
// of a softmax, or over the steps of a state.
[[nodiscard]] std::vector<bool> mixerInputs(const Plan& plan);

}  // namespace minerva::model
