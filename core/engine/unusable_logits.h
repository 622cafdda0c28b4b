// Diagnoses non-finite logits: searches for the first non-finite weight, so that the error can name it.
#pragma once

#include "core/model/plan.h"

namespace minerva::engine {

// Reads weights for at most searchMs. The error's kind is corrupt if a weight is to blame, else unsupported. If time runs
// out, the error only states how much of the weights was checked.
[[nodiscard]] Error explainUnusableLogits(const model::Plan& plan, double searchMs);

}  // namespace minerva::engine
