// The likeliest token after a row, if it is likely enough for a draft.
#pragma once

#include "core/backend/backend.h"

namespace minerva::engine {

// Of the i-th row of the placement's last step that wanted logits: its likeliest token, or -1 if the probability of that is less than
// `leastProbability`. vocabulary: tokens that count, at most the plan's. Errors: those of Placement::logits.
[[nodiscard]] Result<backend::TokenId> likeliestToken(backend::Placement& placement, const model::Plan& plan, int i, int vocabulary,
                                                      double leastProbability);

}  // namespace minerva::engine
