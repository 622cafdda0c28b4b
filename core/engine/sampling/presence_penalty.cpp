// Subtracts from the scores of recent tokens: once if they occur, and for each time they occur (OpenAI's penalties).
#include "core/engine/sampling/chain.h"

#include <algorithm>

namespace minerva::engine::sampling {
namespace {

bool asksForPresencePenalty(const SamplingOptions& options) {
  return (options.presencePenalty != 0 || options.frequencyPenalty != 0) && options.repeatLastN != 0;
}

std::vector<std::int32_t> sortedWindow(const SamplingOptions& options, std::span<const std::int32_t> recent) {
  const auto window = options.repeatLastN < 0 ? recent.size() : std::min(recent.size(), static_cast<std::size_t>(options.repeatLastN));
  std::vector<std::int32_t> tokens(recent.end() - static_cast<std::ptrdiff_t>(window), recent.end());
  std::ranges::sort(tokens);
  return tokens;
}

// Of an occurrence of a token.
float penaltyOf(const SamplingOptions& options, bool first) { return options.frequencyPenalty + (first ? options.presencePenalty : 0); }

void applyPresencePenalty(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  const std::vector<std::int32_t> tokens = sortedWindow(options, recent);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < 0 || static_cast<std::size_t>(tokens[i]) >= candidates.scores.size()) continue;
    const bool first = i == 0 || tokens[i] != tokens[i - 1];
    candidates.scores[static_cast<std::size_t>(tokens[i])] -= penaltyOf(options, first);
  }
  candidates.largest = *std::ranges::max_element(candidates.scores);
}

// A penalty that encourages may bring tokens among the best that are not there.
bool applyPresencePenaltyToBest(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  const std::vector<std::int32_t> tokens = sortedWindow(options, recent);
  std::size_t found = 0;
  for (Candidate& c : candidates.chosen) {
    const auto occurrences = std::ranges::equal_range(tokens, c.id);
    for (std::size_t i = 0; i < occurrences.size(); ++i) c.score -= penaltyOf(options, i == 0);
    found += occurrences.size();
  }
  const bool lowers = penaltyOf(options, true) >= 0 && penaltyOf(options, false) >= 0;
  if (!lowers && found < tokens.size()) return false;
  forgetTotal(candidates);
  return settleBest(candidates);
}

}  // namespace

const Stage presencePenalty{"presence and frequency penalty", asksForPresencePenalty, true, false,
                            CandidateState::everything,       applyPresencePenalty,   true, applyPresencePenaltyToBest};

}  // namespace minerva::engine::sampling
