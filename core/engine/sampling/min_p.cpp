// Drops candidates less likely than p times the best one (Nguyen et al. 2024).
#include "core/engine/sampling/chain.h"

#include <cmath>

namespace minerva::engine::sampling {
namespace {

bool asksForMinP(const SamplingOptions& options) { return options.minP > 0; }

float lowestKept(const SamplingOptions& options, const Candidates& candidates) {
  return candidates.largest + std::log(std::fmin(options.minP, 1.0F));
}

void applyMinP(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const float lowest = lowestKept(options, candidates);
  if (candidates.state == CandidateState::chosen) {
    std::erase_if(candidates.chosen, [lowest](const Candidate& c) { return c.score < lowest; });
    return;
  }
  candidates.chosen.clear();
  for (std::size_t i = 0; i < candidates.scores.size(); ++i) {
    if (candidates.scores[i] >= lowest) candidates.chosen.push_back({static_cast<std::int32_t>(i), candidates.scores[i]});
  }
}

bool applyMinPToBest(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const float lowest = lowestKept(options, candidates);
  if (!(lowest > candidates.limit)) return false;
  std::erase_if(candidates.chosen, [lowest](const Candidate& c) { return c.score < lowest; });
  candidates.state = CandidateState::chosen;
  return true;
}

}  // namespace

const Stage minP{"min-p", asksForMinP, true, true, CandidateState::chosen, applyMinP, false, applyMinPToBest};

}  // namespace minerva::engine::sampling
