// Divides positive and multiplies negative scores of recent tokens, each once (Keskar et al. 2019, CTRL).
#include "core/engine/sampling/chain.h"

#include <algorithm>

namespace minerva::engine::sampling {
namespace {

bool asksForRepetitionPenalty(const SamplingOptions& options) { return options.repeatPenalty != 1.0F && options.repeatLastN != 0; }

void applyRepetitionPenalty(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  const auto window = options.repeatLastN < 0 ? recent.size() : std::min(recent.size(), static_cast<std::size_t>(options.repeatLastN));
  std::vector<std::int32_t> seen(recent.end() - static_cast<std::ptrdiff_t>(window), recent.end());
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (const std::int32_t id : seen) {
    if (id < 0 || static_cast<std::size_t>(id) >= candidates.scores.size()) continue;
    float& score = candidates.scores[static_cast<std::size_t>(id)];
    score = score > 0 ? score / options.repeatPenalty : score * options.repeatPenalty;
  }
  candidates.largest = *std::ranges::max_element(candidates.scores);
}

}  // namespace

const Stage repetitionPenalty{"repetition penalty",       asksForRepetitionPenalty, true, false,
                              CandidateState::everything, applyRepetitionPenalty,   true};

}  // namespace minerva::engine::sampling
