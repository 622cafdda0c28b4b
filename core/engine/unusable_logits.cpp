#include "core/engine/unusable_logits.h"

#include "core/base/byte_text.h"
#include "core/base/clock.h"

#include <algorithm>
#include <cmath>

namespace minerva::engine {
namespace {

class Search {
 public:
  explicit Search(double ms) : m_ms(ms) {}

  // Index of the first row with a non-finite value; -1 if there is none or time ran out.
  std::int64_t badRow(const TensorView& view) {
    std::vector<float> values(static_cast<std::size_t>(view.shape.columns()));
    const std::uint64_t rowBytes = storedBytes(view) / static_cast<std::uint64_t>(std::max<std::int64_t>(1, view.shape.rows()));
    for (std::int64_t row = 0; row < view.shape.rows() && !timeUp(); ++row) {
      dequantizeRows(view, static_cast<std::size_t>(row), 1, values.data());
      if (!std::ranges::all_of(values, [](float v) { return std::isfinite(v); })) return row;
      m_read += rowBytes;
    }
    return -1;
  }
  [[nodiscard]] bool timeUp() const { return millisecondsBetween(m_start, Clock::now()) >= m_ms; }
  [[nodiscard]] std::uint64_t read() const { return m_read; }

 private:
  const double m_ms;
  const TimePoint m_start = Clock::now();
  std::uint64_t m_read = 0;  // bytes
};

}  // namespace

Error explainUnusableLogits(const model::Plan& plan, double searchMs) {
  Error error{.kind = ErrorKind::unsupported,
              .what = "The model computes values that are not numbers",
              .where = {},
              .expected = "finite logits",
              .actual = "NaN or infinity",
              .hint = {}};
  Search search(searchMs);
  for (const model::Weight& weight : plan.weights) {
    const std::int64_t row = search.badRow(weight.view);
    if (row >= 0) {
      error.kind = ErrorKind::corrupt;
      error.what = "The model's weights produce values that are not numbers";
      error.where = weight.name + ", row " + std::to_string(row);
      error.hint = "The file is damaged or was converted wrongly: download or convert it again";
      return error;
    }
    if (!search.timeUp()) continue;
    std::uint64_t all = 0;
    for (const model::Weight& each : plan.weights) all += storedBytes(each.view);
    error.hint = "The first " + readable(search.read()) + " of " + readable(all) +
                 " of weights are finite; the rest was not checked in time: try exact precision or another device, and "
                 "download the file again if that does not help";
    return error;
  }
  error.what = "The model computes values that are not numbers, although every weight is finite";
  error.hint = "Its activations overflow in this precision: try exact precision or another device";
  return error;
}

}  // namespace minerva::engine
