// Words and curves of a comparison. Pure functions.
#pragma once

#include "app/compare/compare_types.h"

#include <QList>
#include <QPointF>
#include <QString>

#include <vector>

namespace minerva::app {

// What the columns are called, wherever they stand: in cards, table, charts and exports.
[[nodiscard]] QStringList labelsOf(const std::vector<CompareColumn>& columns);

// An element type as people say it: "4-bit g64" for "MLX4_G64_BF16", others as they are.
[[nodiscard]] QString shownType(const QString& typeName);

// Decode speed over the time of a reply, from the ms between its tokens.
[[nodiscard]] QList<QPointF> speedsOf(const std::vector<double>& intervals);

}  // namespace minerva::app
