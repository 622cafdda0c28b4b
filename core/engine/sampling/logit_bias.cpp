// Adds what the request asks for to the scores of some tokens (OpenAI's logit_bias).
#include "core/engine/sampling/chain.h"

#include <algorithm>

namespace minerva::engine::sampling {
namespace {

bool asksForBias(const SamplingOptions& options) { return !options.logitBias.empty(); }

void applyBias(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  for (const auto& [id, bias] : options.logitBias) {
    if (id >= 0 && static_cast<std::size_t>(id) < candidates.scores.size()) candidates.scores[static_cast<std::size_t>(id)] += bias;
  }
  candidates.largest = *std::ranges::max_element(candidates.scores);
}

// A token that is not among the best may be biased against, which cannot bring it there.
bool applyBiasToBest(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  for (const auto& [id, bias] : options.logitBias) {
    const auto found = std::ranges::find(candidates.chosen, id, &Candidate::id);
    if (found != candidates.chosen.end()) found->score += bias;
    else if (bias > 0) return false;
  }
  forgetTotal(candidates);
  return settleBest(candidates);
}

}  // namespace

const Stage logitBias{"logit bias", asksForBias, true, false, CandidateState::everything, applyBias, true, applyBiasToBest};

}  // namespace minerva::engine::sampling
