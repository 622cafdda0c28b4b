#include "core/engine/sampling/largest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace minerva::engine::sampling {

float largestOf(std::span<const float> logits) {
  constexpr std::size_t lanes = 16;  // independent maxima, to avoid one long dependency chain
  std::array<float, lanes> largest;
  largest.fill(-std::numeric_limits<float>::infinity());
  std::array<int, lanes> nans{};
  const std::size_t whole = logits.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const float logit = logits[i + k];
      largest[k] = logit > largest[k] ? logit : largest[k];
      nans[k] |= logit != logit ? 1 : 0;
    }
  }
  for (std::size_t i = whole; i < logits.size(); ++i) {
    largest[0] = std::max(largest[0], logits[i]);
    nans[0] |= logits[i] != logits[i] ? 1 : 0;
  }
  const float best = *std::ranges::max_element(largest);
  const bool nan = std::ranges::any_of(nans, [](int found) { return found != 0; });
  return nan || !std::isfinite(best) ? std::numeric_limits<float>::quiet_NaN() : best;
}

}  // namespace minerva::engine::sampling
