// Keeps the k best, best first.
#include "core/engine/sampling/best.h"

#include <cmath>
#include <limits>

namespace minerva::engine::sampling {
namespace {

bool asksForTopK(const SamplingOptions& options) { return options.topK > 0; }

void applyTopK(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const std::vector<float>& scores = candidates.scores;
  const auto at = [&](std::size_t i) { return Candidate{static_cast<std::int32_t>(i), scores[i]}; };
  findBest(static_cast<std::size_t>(options.topK), scores.size(), at, candidates.chosen);
}

// Of fewer than k it is known that what is missing is not above the limit, which says how much its mass can be.
bool applyTopKToBest(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  constexpr double rounding = 1e-6;
  const auto k = static_cast<std::size_t>(options.topK), known = candidates.chosen.size();
  if (k <= known || candidates.limit == -std::numeric_limits<float>::infinity()) {
    candidates.chosen.resize(std::min(k, known));
    candidates.state = CandidateState::chosen;
    return true;
  }
  double mass = 0;
  for (const Candidate& c : candidates.chosen) mass += static_cast<double>(std::exp(c.score - candidates.largest));
  const auto missing = static_cast<double>(std::exp(candidates.limit - candidates.largest));
  candidates.leastTotal = mass * (1 - rounding);
  candidates.mostTotal = (mass + static_cast<double>(k - known) * missing) * (1 + rounding);
  return true;
}

}  // namespace

const Stage topK{"top-k", asksForTopK, true, false, CandidateState::chosen, applyTopK, false, applyTopKToBest};

}  // namespace minerva::engine::sampling
