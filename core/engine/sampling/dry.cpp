// "Don't repeat yourself" (p-e-w, 2024): lowers the score of a token that would go on with a repetition of what was written before, the
// more the longer that is.
#include "core/engine/sampling/best.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace minerva::engine::sampling {
namespace {

bool asksForDry(const SamplingOptions& options) {
  return options.dryMultiplier > 0 && options.dryBase >= 1 && options.dryPenaltyLastN != 0;
}

// By token: how many of the last tokens stood before it, too, where it was written last time, if they are enough. A repetition does not
// reach beyond a breaker.
std::unordered_map<std::int32_t, int> repetitionsOf(const SamplingOptions& options, std::span<const std::int32_t> recent) {
  std::unordered_map<std::int32_t, int> out;
  const std::span<const std::int32_t> window = lastOf(recent, options.dryPenaltyLastN);
  const auto isBreaker = [&](std::int32_t id) { return std::ranges::binary_search(options.dryBreakers, id); };
  int longest = 0;  // of a repetition
  for (auto token = window.rbegin(); token != window.rend() && !isBreaker(*token); ++token) ++longest;
  if (longest < options.dryAllowedLength) return out;
  // Backwards, so that a suffix is a prefix: how much of the beginning stands again from i on (the Z algorithm).
  const auto size = static_cast<int>(window.size());
  const auto at = [&](int i) { return window[static_cast<std::size_t>(size - 1 - i)]; };
  std::vector<int> again(window.size(), 0);
  for (int i = 1, begin = 0, end = 0; i < size; ++i) {
    int& length = again[static_cast<std::size_t>(i)];
    if (i < end) length = std::min(end - i, again[static_cast<std::size_t>(i - begin)]);
    while (i + length < size && at(length) == at(i + length)) ++length;
    if (i + length > end) {
      begin = i;
      end = i + length;
    }
    const int counted = std::min(length, longest);
    if (counted < options.dryAllowedLength) continue;
    int& known = out[at(i - 1)];  // what followed there
    known = std::max(known, counted);
  }
  return out;
}

float penaltyOf(int length, const SamplingOptions& options) {
  constexpr double longestLogarithm = 88.7228391;  // of the largest float
  double exponent = length - options.dryAllowedLength;
  const double base = static_cast<double>(options.dryBase);
  if (base > 1.000001) exponent = std::min(exponent, std::floor(longestLogarithm / std::log(base)));
  return static_cast<float>(static_cast<double>(options.dryMultiplier) * std::pow(base, exponent));
}

void applyDry(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  for (const auto& [id, length] : repetitionsOf(options, recent))
    if (id >= 0 && static_cast<std::size_t>(id) < candidates.scores.size())
      candidates.scores[static_cast<std::size_t>(id)] -= penaltyOf(length, options);
  candidates.largest = *std::ranges::max_element(candidates.scores);
}

bool applyDryToBest(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) {
  const auto repetitions = repetitionsOf(options, recent);
  if (repetitions.empty()) return true;
  for (Candidate& c : candidates.chosen)
    if (const auto found = repetitions.find(c.id); found != repetitions.end()) c.score -= penaltyOf(found->second, options);
  forgetTotal(candidates);
  return settleBest(candidates);
}

}  // namespace

const Stage dry{"dry", asksForDry, true, false, CandidateState::everything, applyDry, true, applyDryToBest};

}  // namespace minerva::engine::sampling
