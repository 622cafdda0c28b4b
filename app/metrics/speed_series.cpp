#include "app/metrics/speed_series.h"

#include <algorithm>

namespace minerva::app {

QList<QPointF> speedSeries(const std::vector<TimePoint>& tokens, std::size_t mostPoints) {
  constexpr std::size_t fewest = 4;  // tokens per point; a single interval is too noisy
  if (tokens.size() < 2) return {};
  const std::size_t steps = tokens.size() - 1, stride = std::max(fewest, (steps + mostPoints - 1) / mostPoints);
  QList<QPointF> points;
  const auto add = [&](std::size_t from, std::size_t to) {
    const double ms = millisecondsBetween(tokens[from], tokens[to]);
    if (ms > 0) points.append({millisecondsBetween(tokens.front(), tokens[to]) / 1000, static_cast<double>(to - from) * 1000 / ms});
  };
  std::size_t from = 0;
  for (; from + stride <= steps; from += stride) add(from, from + stride);
  if (steps - from > 2 || from == 0) add(from, steps);
  return points;
}

}  // namespace minerva::app
