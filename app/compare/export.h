// Exports a comparison: Markdown for reading, CSV for spreadsheets, JSON with everything. Pure functions.
#pragma once

#include "app/compare/compare_types.h"

namespace minerva::app {

[[nodiscard]] QString toMarkdown(const CompareRun& run);
[[nodiscard]] QString toCsv(const CompareRun& run);  // one line per model; figures with full precision, in base units
[[nodiscard]] QByteArray toJson(const CompareRun& run);

}  // namespace minerva::app
