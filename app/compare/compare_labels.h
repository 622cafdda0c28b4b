// Labels and speed curves of a comparison. Pure functions.
#pragma once

#include "app/compare/compare_types.h"

#include <QList>
#include <QPointF>
#include <QString>

#include <vector>

namespace minerva::app {

// A model's name, with that of the server that runs it: "owl-7b · Box".
[[nodiscard]] QString shownNameOf(const CompareModel& model);

// Unique labels of the columns, used in cards, table, charts and exports.
[[nodiscard]] QStringList labelsOf(const std::vector<CompareColumn>& columns);

// Decode speed over the time of a reply, from the intervals between its tokens in ms. Points as in speedSeries().
[[nodiscard]] QList<QPointF> speedsOf(const std::vector<double>& intervals);

}  // namespace minerva::app
