#include "core/engine/unusable_logits.h"

#include "core/base/clock.h"

#include <algorithm>
#include <cmath>

namespace minerva::engine {
namespace {

constexpr double searchMs = 1000;

// Row with a value that is no finite number, or -1. Stops when the time is up.
std::int64_t badRow(const TensorView& view, TimePoint start, bool& timeUp) {
  std::vector<float> values(static_cast<std::size_t>(view.shape.columns()));
  for (std::int64_t row = 0; row < view.shape.rows(); ++row) {
    if (millisecondsBetween(start, Clock::now()) > searchMs) {
      timeUp = true;
      return -1;
    }
    dequantizeRows(view, static_cast<std::size_t>(row), 1, values.data());
    if (!std::ranges::all_of(values, [](float v) { return std::isfinite(v); })) return row;
  }
  return -1;
}

}  // namespace

Error explainUnusableLogits(const model::Plan& plan) {
  Error error{.kind = ErrorKind::corrupt,
              .what = "The model's weights produce values that are not numbers",
              .where = {},
              .expected = "finite logits",
              .actual = "NaN or infinity",
              .hint = "The file is damaged or was converted wrongly: download or convert it again"};
  const TimePoint start = Clock::now();
  bool timeUp = false;
  for (const model::Weight& weight : plan.weights) {
    const std::int64_t row = badRow(weight.view, start, timeUp);
    if (row >= 0) {
      error.where = weight.name + ", row " + std::to_string(row);
      return error;
    }
    if (timeUp) return error;
  }
  error.kind = ErrorKind::unsupported;
  error.what = "The model computes values that are not numbers, though every weight is one";
  error.hint = "Its activations overflow in this precision: try exact precision or another device";
  return error;
}

}  // namespace minerva::engine
