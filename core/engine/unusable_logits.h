// Why a model's logits are not numbers: finds the first weight that is not, so that the error can name it.
#pragma once

#include "core/model/plan.h"

namespace minerva::engine {

// Reads weights for at most about a second. The kind is corrupt where a weight is to blame, else unsupported.
[[nodiscard]] Error explainUnusableLogits(const model::Plan& plan);

}  // namespace minerva::engine
