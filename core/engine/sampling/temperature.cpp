// Divides every score by the temperature. Temperature 0 never comes here: the sampler is greedy then.
#include "core/engine/sampling/chain.h"

namespace minerva::engine::sampling {
namespace {

bool asksForTemperature(const SamplingOptions& options) { return options.temperature > 0 && options.temperature != 1.0F; }

void applyTemperature(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const float factor = 1.0F / options.temperature;
  for (float& score : candidates.scores) score *= factor;
  candidates.largest *= factor;
}

}  // namespace

const Stage temperature{"temperature", asksForTemperature, true, false, CandidateState::everything, applyTemperature};

}  // namespace minerva::engine::sampling
