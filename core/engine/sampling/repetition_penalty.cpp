// Divides positive and multiplies negative scores of recent tokens, each once (Keskar et al. 2019, CTRL).
#include "core/engine/sampling/chain.h"

#include <algorithm>

namespace minerva::engine::sampling {
namespace {

bool asksForRepetitionPenalty(const SamplingOptions& options) { return options.repeatPenalty != 1.0F && options.repeatLastN != 0; }

// Each once, in ascending order.
std::vector<std::int32_t> seenTokens(const SamplingOptions& options, std::span<const std::int32_t> recent) {
  const auto window = options.repeatLastN < 0 ? recent.size() : std::min(recent.size(), static_cast<std::size_t>(options.repeatLastN));
  std::vector<std::int32_t> seen(recent.end() - static_cast<std::ptrdiff_t>(window), recent.end());
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  return seen;
}

float penalised(float score, const SamplingOptions& options) {
  return score > 0 ? score / options.repeatPenalty : score * options.repeatPenalty;
}

void applyRepetitionPenalty(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  for (const std::int32_t id : seenTokens(options, recent)) {
    if (id < 0 || static_cast<std::size_t>(id) >= candidates.scores.size()) continue;
    float& score = candidates.scores[static_cast<std::size_t>(id)];
    score = penalised(score, options);
  }
  candidates.largest = *std::ranges::max_element(candidates.scores);
}

// A penalty below 1 may bring tokens among the best that are not there.
bool applyRepetitionPenaltyToBest(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  const std::vector<std::int32_t> seen = seenTokens(options, recent);
  std::size_t found = 0;
  for (Candidate& c : candidates.chosen) {
    if (!std::ranges::binary_search(seen, c.id)) continue;
    c.score = penalised(c.score, options);
    ++found;
  }
  if (!(options.repeatPenalty >= 1) && found < seen.size()) return false;
  forgetTotal(candidates);
  return settleBest(candidates);
}

}  // namespace

const Stage repetitionPenalty{"repetition penalty",       asksForRepetitionPenalty, true, false,
                              CandidateState::everything, applyRepetitionPenalty,   true, applyRepetitionPenaltyToBest};

}  // namespace minerva::engine::sampling
