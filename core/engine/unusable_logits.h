// Why a model's logits are not numbers: finds the first weight that is not, so that the error can name it.
#pragma once

#include "core/model/plan.h"

namespace minerva::engine {

// Reads weights for at most searchMs. The kind is corrupt where a weight is to blame, else unsupported; where the time does
// not suffice for all weights the error says how much of them was read, and blames nothing.
[[nodiscard]] Error explainUnusableLogits(const model::Plan& plan, double searchMs = 1000);

}  // namespace minerva::engine
