// Subtracts from the scores of tokens of the reply: once if they occur, and for each time they occur (OpenAI's penalties). The prompt's
// are not meant: they are what the reply is about, and the marks that end turns.
#include "core/engine/sampling/chain.h"
#include "core/engine/sampling/recent_counts.h"

#include <algorithm>

namespace minerva::engine::sampling {
namespace {

bool asksForPresencePenalty(const SamplingOptions& options) {
  return (options.presencePenalty != 0 || options.frequencyPenalty != 0) && options.presenceLastN != 0;
}

std::span<const std::int32_t> replyTokens(const SamplingOptions& options, std::span<const std::int32_t> recent) {
  return lastOf(recent.subspan(std::min(recent.size(), options.promptTokens)), options.presenceLastN);
}

// The score of a token that occurs so often. The penalties are subtracted one after the other, because each difference is rounded.
float lowered(float score, int occurrences, const SamplingOptions& options) {
  for (int i = 0; i < occurrences; ++i) score -= options.frequencyPenalty + (i == 0 ? options.presencePenalty : 0);
  return score;
}

void applyPresencePenalty(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  const RecentCounts counts(replyTokens(options, recent));
  for (const std::int32_t id : counts.ids()) {
    if (static_cast<std::size_t>(id) >= candidates.scores.size()) continue;
    float& score = candidates.scores[static_cast<std::size_t>(id)];
    score = lowered(score, counts.of(id), options);
  }
  candidates.largest = *std::ranges::max_element(candidates.scores);
}

// A penalty that encourages may bring tokens among the best that are not there.
bool applyPresencePenaltyToBest(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  const RecentCounts counts(replyTokens(options, recent));
  std::size_t found = 0;
  for (Candidate& c : candidates.chosen) {
    const int occurrences = counts.of(c.id);
    c.score = lowered(c.score, occurrences, options);
    found += occurrences > 0 ? 1 : 0;
  }
  const bool lowers = options.frequencyPenalty >= 0 && options.frequencyPenalty + options.presencePenalty >= 0;
  if (!lowers && found < counts.ids().size()) return false;
  forgetTotal(candidates);
  return settleBest(candidates);
}

}  // namespace

const Stage presencePenalty{"presence and frequency penalty", asksForPresencePenalty, true, false,
                            CandidateState::everything,       applyPresencePenalty,   true, applyPresencePenaltyToBest};

}  // namespace minerva::engine::sampling
