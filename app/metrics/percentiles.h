// Percentiles by the nearest rank: the smallest value such that at least p percent are not above it.
#pragma once

#include <vector>

namespace minerva::app {

struct Percentiles {
  double p50, p95, p99;  // NaN for an empty input
};
[[nodiscard]] Percentiles percentilesOf(std::vector<float> values);

}  // namespace minerva::app
