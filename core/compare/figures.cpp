#include "core/compare/figures.h"

#include "core/base/percentile.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace minerva::compare {

Figures figuresOf(std::span<const engine::Reply> replies, bool ownSteps) {
  Figures figures;
  if (replies.empty()) return figures;
  std::vector<double> intervals;
  double prefillMs = 0;
  int computed = 0;
  for (const engine::Reply& reply : replies) {
    const engine::Timings& t = reply.timings;
    const std::vector<double>& own = ownSteps ? reply.ownIntervals : reply.intervals;
    intervals.insert(intervals.end(), own.begin(), own.end());
    figures.ttftMs += (ownSteps ? reply.ownTtftMs : t.ttftMs) / static_cast<double>(replies.size());
    prefillMs += ownSteps ? reply.ownTtftMs : t.prefillMs;
    computed += t.promptTokens - t.reusedTokens;
    figures.promptTokens += t.promptTokens;
    figures.generatedTokens += t.generatedTokens;
  }
  std::ranges::sort(intervals);
  const double decodeMs = std::accumulate(intervals.begin(), intervals.end(), 0.0);
  if (prefillMs > 0) figures.prefillTokensPerSecond = computed * 1e3 / prefillMs;
  if (decodeMs > 0) figures.decodeTokensPerSecond = static_cast<double>(intervals.size()) * 1e3 / decodeMs;
  figures.tpotP50 = nearestRank(intervals, 50);
  figures.tpotP95 = nearestRank(intervals, 95);
  return figures;
}

}  // namespace minerva::compare
