// A comparison as text for others: Markdown to read, CSV for a sheet, JSON with everything. Pure functions.
#pragma once

#include "app/compare/compare_types.h"

namespace minerva::app {

[[nodiscard]] QString toMarkdown(const CompareRun& run);
[[nodiscard]] QString toCsv(const CompareRun& run);  // one line a model; figures with all their digits, in base units
[[nodiscard]] QByteArray toJson(const CompareRun& run);

}  // namespace minerva::app
