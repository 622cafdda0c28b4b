// Keeps the k best, best first.
#include "core/engine/sampling/best.h"

#include <limits>

namespace minerva::engine::sampling {
namespace {

bool asksForTopK(const SamplingOptions& options) { return options.topK > 0; }

void applyTopK(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const std::vector<float>& scores = candidates.scores;
  const auto at = [&](std::size_t i) { return Candidate{static_cast<std::int32_t>(i), scores[i]}; };
  findBest(static_cast<std::size_t>(options.topK), scores.size(), at, candidates.chosen);
}

bool applyTopKToBest(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const auto k = static_cast<std::size_t>(options.topK);
  const bool isAll = candidates.limit == -std::numeric_limits<float>::infinity();
  if (k > candidates.chosen.size() && !isAll) return false;
  candidates.chosen.resize(std::min(k, candidates.chosen.size()));
  candidates.state = CandidateState::chosen;
  return true;
}

}  // namespace

const Stage topK{"top-k", asksForTopK, true, false, CandidateState::chosen, applyTopK, false, applyTopKToBest};

}  // namespace minerva::engine::sampling
