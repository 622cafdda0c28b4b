// Drops candidates whose logit is more than n standard deviations below the best one (Tang et al. 2024). It does not depend on the
// temperature.
#include "core/engine/sampling/chain.h"

#include <cmath>
#include <limits>

namespace minerva::engine::sampling {
namespace {

bool asksForTopNSigma(const SamplingOptions& options) { return options.topNSigma > 0; }

// Of the whole row, but for what is ruled out already.
double deviationOf(std::span<const float> scores) {
  double sum = 0, squares = 0;
  std::size_t count = 0;
  for (const float score : scores) {
    if (!std::isfinite(score)) continue;
    sum += static_cast<double>(score);
    ++count;
  }
  const double mean = count > 0 ? sum / static_cast<double>(count) : 0;
  for (const float score : scores) {
    if (!std::isfinite(score)) continue;
    const double distance = static_cast<double>(score) - mean;
    squares += distance * distance;
  }
  return count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0;
}

void applyTopNSigma(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const double lowest = static_cast<double>(candidates.largest) - static_cast<double>(options.topNSigma) * deviationOf(candidates.scores);
  for (float& score : candidates.scores)
    if (static_cast<double>(score) < lowest) score = -std::numeric_limits<float>::infinity();
}

}  // namespace

const Stage topNSigma{"top-n-sigma", asksForTopNSigma, true, false, CandidateState::everything, applyTopNSigma, false};

}  // namespace minerva::engine::sampling
