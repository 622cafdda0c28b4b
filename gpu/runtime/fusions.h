// Ops that need no dispatch of their own in a step of few rows, because the ops that read or write their buffer do their work. Functions
// of the plan alone.
#pragma once

#include "core/model/plan.h"

#include <cstddef>
#include <optional>

namespace minerva::gpu {

// Whether all that reads the result of the norm with this index are projections, to which its input is still the same: each may then
// normalise that itself.
[[nodiscard]] bool readersNormalise(const model::Plan& plan, std::size_t norm);

// The sum of the results that this projection of experts computes, and the projection whose results this sum adds: pairs of which nothing
// else reads the results, so that the projection may run in the sum's place and write only that.
[[nodiscard]] std::optional<std::size_t> sumOfExperts(const model::Plan& plan, std::size_t experts);
[[nodiscard]] std::optional<std::size_t> expertsOfSum(const model::Plan& plan, std::size_t sum);

}  // namespace minerva::gpu
