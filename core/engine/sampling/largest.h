// Whether a row of logits can be used at all.
#pragma once

#include <span>

namespace minerva::engine::sampling {

// Largest finite score; NaN if the logits are unusable: one is not a number, or none is finite.
[[nodiscard]] float largestOf(std::span<const float> logits);

}  // namespace minerva::engine::sampling
