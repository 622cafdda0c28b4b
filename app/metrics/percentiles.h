// The percentiles shown in the panel, by the nearest-rank method (core/base/percentile.h), computed without a full sort.
#pragma once

#include <vector>

namespace minerva::app {

struct Percentiles {
  double p50, p95, p99;  // NaN for an empty input
};
[[nodiscard]] Percentiles percentilesOf(std::vector<float> values);

}  // namespace minerva::app
