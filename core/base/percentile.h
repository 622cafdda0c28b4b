// The median, and percentiles by the nearest-rank method: the smallest value such that at least p percent of the values are <= it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace minerva {

// Index among `count` sorted values, count > 0. Integer arithmetic, because 0.95 * 20 is not exactly 19.
[[nodiscard]] inline std::size_t nearestRankIndex(std::size_t count, int percent) {
  return std::max<std::size_t>((static_cast<std::size_t>(percent) * count + 99) / 100, 1) - 1;
}

// 0 if there are no values.
[[nodiscard]] inline double nearestRank(const std::vector<double>& sorted, int percent) {
  return sorted.empty() ? 0 : sorted[nearestRankIndex(sorted.size(), percent)];
}

// Of any order; 0 if there are no values.
[[nodiscard]] inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

}  // namespace minerva
