// The percentiles the panel shows, by the nearest rank (core/base/percentile.h), without sorting all values every time.
#pragma once

#include <vector>

namespace minerva::app {

struct Percentiles {
  double p50, p95, p99;  // NaN for an empty input
};
[[nodiscard]] Percentiles percentilesOf(std::vector<float> values);

}  // namespace minerva::app
