// Subtracts from the scores of recent tokens: once if they occur, and for each time they occur (OpenAI's penalties).
#include "core/engine/sampling/chain.h"

#include <algorithm>

namespace minerva::engine::sampling {
namespace {

bool asksForPresencePenalty(const SamplingOptions& options) {
  return (options.presencePenalty != 0 || options.frequencyPenalty != 0) && options.repeatLastN != 0;
}

void applyPresencePenalty(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  const auto window = options.repeatLastN < 0 ? recent.size() : std::min(recent.size(), static_cast<std::size_t>(options.repeatLastN));
  std::vector<std::int32_t> tokens(recent.end() - static_cast<std::ptrdiff_t>(window), recent.end());
  std::ranges::sort(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < 0 || static_cast<std::size_t>(tokens[i]) >= candidates.scores.size()) continue;
    const bool first = i == 0 || tokens[i] != tokens[i - 1];
    candidates.scores[static_cast<std::size_t>(tokens[i])] -= options.frequencyPenalty + (first ? options.presencePenalty : 0);
  }
  candidates.largest = *std::ranges::max_element(candidates.scores);
}

}  // namespace

const Stage presencePenalty{"presence and frequency penalty", asksForPresencePenalty, true, false,
                            CandidateState::everything,       applyPresencePenalty,   true};

}  // namespace minerva::engine::sampling
