// Charts as SVG, for reports: bars by label or lines over numbers, with axes, ticks, a legend and the figures themselves. One
// self-contained file without scripts, which follows the reader's light or dark scheme. Any text may go in: it is escaped.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace minerva::speed {

enum class ChartKind { bars, lines };

struct Series {
  std::string name;
  std::vector<std::optional<double>> values;  // one for each label or x, >= 0; nothing (or not finite): a gap
};

struct Chart {
  ChartKind kind = ChartKind::bars;
  std::string title, note;  // note: below the chart, wrapped
  std::string xTitle, yTitle;
  std::vector<std::string> labels;  // bars: a group of bars for each
  std::vector<double> x;            // lines: ascending, >= 0
  std::vector<Series> series;
};

// Both axes begin at 0. Pure.
[[nodiscard]] std::string toSvg(const Chart& chart);
// In one picture, one below the other.
[[nodiscard]] std::string toSvg(std::span<const Chart> charts);

// The distance of ticks for an axis from 0 to `most`: 1, 2 or 5 times a power of ten, about five steps. > 0 for any input.
[[nodiscard]] double tickStep(double most);

}  // namespace minerva::speed
