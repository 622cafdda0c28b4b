// Divides every score by the temperature. Not used for temperature 0, where the sampler is greedy.
#include "core/engine/sampling/chain.h"

#include <algorithm>
#include <limits>

namespace minerva::engine::sampling {
namespace {

bool asksForTemperature(const SamplingOptions& options) { return options.temperature > 0 && options.temperature != 1.0F; }

void applyTemperature(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  // Relative to the largest score, which becomes 0, so that even a tiny temperature cannot make it infinite.
  const float factor = std::min(1.0F / options.temperature, std::numeric_limits<float>::max());
  for (float& score : candidates.scores) score = (score - candidates.largest) * factor;
  candidates.largest = 0;
}

}  // namespace

const Stage temperature{"temperature", asksForTemperature, true, false, CandidateState::everything, applyTemperature, false};

}  // namespace minerva::engine::sampling
