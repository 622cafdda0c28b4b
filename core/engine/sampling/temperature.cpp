// Divides every score by the temperature. Not used for temperature 0, where the sampler is greedy.
#include "core/engine/sampling/chain.h"

#include <algorithm>
#include <limits>

namespace minerva::engine::sampling {
namespace {

bool asksForTemperature(const SamplingOptions& options) { return options.temperature > 0 && options.temperature != 1.0F; }

// Applied relative to the largest score, which becomes 0, so that even a tiny temperature cannot make it infinite.
float factorOf(const SamplingOptions& options) { return std::min(1.0F / options.temperature, std::numeric_limits<float>::max()); }

void applyTemperature(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const float factor = factorOf(options);
  for (float& score : candidates.scores) score = (score - candidates.largest) * factor;
  candidates.largest = 0;
}

bool applyTemperatureToBest(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const float factor = factorOf(options);
  for (Candidate& c : candidates.chosen) c.score = (c.score - candidates.largest) * factor;
  candidates.limit = (candidates.limit - candidates.largest) * factor;  // rounding may let some reach it
  return settleBest(candidates);
}

}  // namespace

const Stage temperature{"temperature", asksForTemperature,    true, false, CandidateState::everything, applyTemperature,
                        false,         applyTemperatureToBest};

}  // namespace minerva::engine::sampling
