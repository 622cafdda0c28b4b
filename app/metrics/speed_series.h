// Decode speed over the time of a reply, as points of a small graph.
#pragma once

#include "core/base/clock.h"

#include <QList>
#include <QPointF>

#include <vector>

namespace minerva::app {

// x: seconds since the first token, y: tokens per second since the previous point. Each point covers the same number of
// tokens, at least four and enough that there are at most about `mostPoints`. The last may cover fewer; a remainder of one or
// two tokens is dropped unless it is the only point. Empty for fewer than two tokens.
[[nodiscard]] QList<QPointF> speedSeries(const std::vector<TimePoint>& tokens, std::size_t mostPoints);

}  // namespace minerva::app
