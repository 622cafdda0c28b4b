// Percentiles by the nearest rank: the smallest value such that at least that many percent of them are not above it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace minerva {

// Where it stands among `count` sorted values, count > 0. In integers: 0.95 * 20 is not exactly 19.
[[nodiscard]] inline std::size_t nearestRankIndex(std::size_t count, int percent) {
  return std::max<std::size_t>((static_cast<std::size_t>(percent) * count + 99) / 100, 1) - 1;
}

// 0 for no values.
[[nodiscard]] inline double nearestRank(const std::vector<double>& sorted, int percent) {
  return sorted.empty() ? 0 : sorted[nearestRankIndex(sorted.size(), percent)];
}

}  // namespace minerva
