// Divides positive and multiplies negative scores of recent tokens, each once (Keskar et al. 2019, CTRL).
#include "core/engine/sampling/chain.h"
#include "core/engine/sampling/recent_counts.h"

#include <algorithm>

namespace minerva::engine::sampling {
namespace {

bool asksForRepetitionPenalty(const SamplingOptions& options) { return options.repeatPenalty != 1.0F && options.repeatLastN != 0; }

float penalised(float score, const SamplingOptions& options) {
  return score > 0 ? score / options.repeatPenalty : score * options.repeatPenalty;
}

void applyRepetitionPenalty(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  const RecentCounts counts(lastOf(recent, options.repeatLastN));
  for (const std::int32_t id : counts.ids()) {
    if (static_cast<std::size_t>(id) >= candidates.scores.size()) continue;
    float& score = candidates.scores[static_cast<std::size_t>(id)];
    score = penalised(score, options);
  }
  candidates.largest = *std::ranges::max_element(candidates.scores);
}

// A penalty below 1 may bring tokens among the best that are not there.
bool applyRepetitionPenaltyToBest(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  const RecentCounts counts(lastOf(recent, options.repeatLastN));
  std::size_t found = 0;
  for (Candidate& c : candidates.chosen) {
    if (counts.of(c.id) == 0) continue;
    c.score = penalised(c.score, options);
    ++found;
  }
  if (!(options.repeatPenalty >= 1) && found < counts.ids().size()) return false;
  forgetTotal(candidates);
  return settleBest(candidates);
}

}  // namespace

const Stage repetitionPenalty{"repetition penalty",       asksForRepetitionPenalty, true, false,
                              CandidateState::everything, applyRepetitionPenalty,   true, applyRepetitionPenaltyToBest};

}  // namespace minerva::engine::sampling
