#include "core/backend/reference/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minerva::backend::reference {

std::vector<double> weightRow(const TensorView& view, std::size_t row) {
  const auto columns = static_cast<std::size_t>(view.shape.columns());
  std::vector<float> values(columns);
  dequantizeRows(view, row, 1, values.data());
  return {values.begin(), values.end()};
}

std::vector<double> weightVector(const model::Plan& plan, model::WeightId id) {
  if (id == model::none) return {};
  const model::Weight& weight = plan.weights[static_cast<std::size_t>(id)];
  std::vector<double> values;
  for (std::size_t row = 0; row < static_cast<std::size_t>(weight.view.shape.rows()); ++row) {
    const std::vector<double> more = weightRow(weight.view, row);
    values.insert(values.end(), more.begin(), more.end());
  }
  const model::VectorForm& form = weight.form;
  for (double& value : values) {
    value = static_cast<double>(form.times) * (form.negatedExp ? -std::exp(value) : value) + static_cast<double>(form.plus);
  }
  return values;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double activate(model::Activation activation, double x, double up) {
  switch (activation) {
    case model::Activation::silu: return x / (1.0 + std::exp(-x)) * up;
    case model::Activation::geluErf: return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2)) * up;
    case model::Activation::geluTanh: {
      const double inner = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
      return 0.5 * x * (1.0 + std::tanh(inner)) * up;
    }
    case model::Activation::clampedSwiglu: {
      const double gate = std::min(x, 7.0);
      return (std::clamp(up, -7.0, 7.0) + 1.0) * gate / (1.0 + std::exp(-1.702 * gate));
    }
    case model::Activation::sigmoid: return up / (1.0 + std::exp(-x));
    case model::Activation::relu: return std::max(x, 0.0) * up;
    case model::Activation::reluSquared: return std::max(x, 0.0) * std::max(x, 0.0) * up;
    case model::Activation::identity: return x * up;
    case model::Activation::tanh: return std::tanh(x) * up;
    case model::Activation::softplus: return softplus(x) * up;
  }
  return x;
}

void normaliseRow(const model::Norm& norm, std::span<double> x, std::span<const double> weight, std::span<const double> bias) {
  const auto n = static_cast<double>(x.size());
  double mean = 0;
  if (norm.kind == model::NormKind::layer) {
    for (const double value : x) mean += value;
    mean /= n;
  }
  double squares = 0;
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double scale = 1.0 / std::sqrt(squares / n + static_cast<double>(norm.epsilon));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (x[i] - mean) * scale * (weight.empty() ? 1.0 : weight[i]) + (bias.empty() ? 0.0 : bias[i]);
}

double softCapped(double x, double cap) { return cap > 0 ? cap * std::tanh(x / cap) : x; }

}  // namespace minerva::backend::reference
