// Divides every score by the temperature. Temperature 0 never comes here: the sampler is greedy then.
#include "core/engine/sampling/chain.h"

namespace minerva::engine::sampling {
namespace {

bool enabled(const SamplingOptions& options) { return options.temperature > 0 && options.temperature != 1.0F; }

void apply(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const float factor = 1.0F / options.temperature;
  for (float& score : candidates.scores) score *= factor;
  candidates.largest *= factor;
}

}  // namespace

const Stage temperature{"temperature", enabled, true, false, CandidateState::everything, apply};

}  // namespace minerva::engine::sampling
