#include "app/metrics/percentiles.h"

#include "core/base/percentile.h"

#include <algorithm>
#include <limits>

namespace minerva::app {

Percentiles percentilesOf(std::vector<float> values) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {unknown, unknown, unknown};
  const auto at = [&values](int percent) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(nearestRankIndex(values.size(), percent));
    std::nth_element(values.begin(), place, values.end());
    return static_cast<double>(*place);
  };
  return {at(50), at(95), at(99)};
}

}  // namespace minerva::app
