#include "app/metrics/percentiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minerva::app {

Percentiles percentilesOf(std::vector<float> values) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {unknown, unknown, unknown};
  const auto at = [&values](int percent) {
    // Integers: 0.95 * 20 is not exactly 19.
    const std::size_t rank = (static_cast<std::size_t>(percent) * values.size() + 99) / 100;
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
    std::nth_element(values.begin(), place, values.end());
    return static_cast<double>(*place);
  };
  return {at(50), at(95), at(99)};
}

}  // namespace minerva::app
