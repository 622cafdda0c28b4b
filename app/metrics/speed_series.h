// The decode speed over the time of a reply, as the points of a small graph.
#pragma once

#include "core/base/clock.h"

#include <QList>
#include <QPointF>

#include <vector>

namespace minerva::app {

// x: seconds since the first token, y: tokens per second up to there since the point before. Each point stands for the same
// number of tokens, at least four and so many that `mostPoints` are enough; the last may stand for fewer, but not for one or
// two. Empty for less than two tokens.
[[nodiscard]] QList<QPointF> speedSeries(const std::vector<TimePoint>& tokens, std::size_t mostPoints);

}  // namespace minerva::app
