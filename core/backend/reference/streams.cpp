// What is applied to a row in place, and the ops of models with several residual streams.
#include "core/backend/reference/arithmetic.h"

#include <algorithm>
#include <cmath>

namespace minerva::backend::reference {
namespace {

double meanSquare(std::span<const double> x) { return dot(x, x) / static_cast<double>(x.size()); }

}  // namespace

void run(const model::ThresholdOp& op, StepState& step) {
  Matrix& x = buffer(step, op.x);
  for (std::size_t i = 0; i < x.rows; ++i) {
    double mean = 0, variance = 0;
    for (const double value : x.row(i)) mean += value / static_cast<double>(x.columns);
    for (const double value : x.row(i)) variance += (value - mean) * (value - mean) / static_cast<double>(x.columns);
    const double threshold = mean + static_cast<double>(op.deviations) * std::sqrt(variance);
    for (double& value : x.row(i)) value = std::max(0.0, value - threshold);
  }
}

void run(const model::XieluOp& op, StepState& step) {
  const auto positive = static_cast<double>(op.form.positive), negative = static_cast<double>(op.form.negative);
  const auto beta = static_cast<double>(op.form.beta), epsilon = static_cast<double>(op.form.epsilon);
  for (double& x : buffer(step, op.x).values) {
    x = x > 0 ? positive * x * x + beta * x : negative * (std::expm1(std::min(x, epsilon)) - x) + beta * x;
  }
}

void run(const model::LevelOp& op, StepState& step) {
  const Matrix& like = buffer(step, op.like);
  Matrix& x = buffer(step, op.x);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t at = 0; at < x.columns; at += like.columns) {
      const std::span<double> values = x.row(i).subspan(at, like.columns);
      const double factor = std::sqrt(meanSquare(like.row(i)) / std::max(meanSquare(values), static_cast<double>(op.floor)));
      for (double& value : values) value *= factor;
    }
  }
}

void run(const model::MixOp& op, StepState& step) {
  const std::size_t count = op.streams.size();
  const auto stream = [&](std::size_t i) -> Matrix& { return buffer(step, op.streams[i]); };
  for (std::size_t row = 0; row < stream(0).rows; ++row) {
    const std::span<const double> coefficients = buffer(step, op.coefficients).row(row);
    for (std::size_t c = 0; c < stream(0).columns; ++c) {
      std::vector<double> before(count);
      for (std::size_t i = 0; i < count; ++i) before[i] = stream(i).row(row)[c];
      for (std::size_t i = 0; i < count; ++i) {
        double& value = stream(i).row(row)[c];
        if (op.target == model::none) value += dot(coefficients.subspan(i * count, count), before);
        else value += (1.0 + coefficients[i]) * (buffer(step, op.target).row(row)[c] - before[0]);
      }
    }
  }
}

}  // namespace minerva::backend::reference
