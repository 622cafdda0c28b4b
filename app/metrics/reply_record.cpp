#include "app/metrics/reply_record.h"

#include "app/metrics/percentiles.h"

#include <algorithm>

namespace minerva::app {
namespace {

constexpr double stallTimesMedian = 4, stallFromMs = 50;

}  // namespace

std::vector<int> stallsIn(const std::vector<float>& intervals) {
  std::vector<int> places;
  if (intervals.empty()) return places;
  const double limit = std::max(stallFromMs, stallTimesMedian * percentilesOf(intervals).p50);
  for (std::size_t i = 0; i < intervals.size(); ++i)
    if (static_cast<double>(intervals[i]) > limit) places.push_back(static_cast<int>(i));
  return places;
}

ReplyPhases phasesOf(const engine::Timings& timings, TimePoint sent, double loadMs, TimePoint ended, TimePoint shown) {
  const engine::Phases& engine = timings.phases;
  return {.queueMs = millisecondsBetween(sent, timings.arrival) - loadMs + engine.queueMs,
          .loadMs = loadMs,
          .templateMs = engine.templateMs,
          .tokenizeMs = engine.tokenizeMs,
          .prefillMs = engine.prefillMs,
          .firstTokenMs = engine.firstTokenMs,
          .decodeMs = engine.decodeMs,
          .detokenizeMs = engine.detokenizeMs,
          .renderMs = millisecondsBetween(ended, shown),
          .wallMs = millisecondsBetween(sent, shown)};
}

}  // namespace minerva::app
