// Helpers of the ops: weights as doubles, products, norms, activations. Each follows its definition in plan.h literally.
#pragma once

#include "core/backend/reference/ops.h"

#include <span>
#include <vector>

namespace minerva::backend::reference {

[[nodiscard]] inline Matrix& buffer(StepState& step, model::BufferId id) { return step.buffers[static_cast<std::size_t>(id)]; }
[[nodiscard]] std::vector<double> weightRow(const TensorView& view, std::size_t row);
// Empty for model::none.
[[nodiscard]] std::vector<double> weightVector(const model::Plan& plan, model::WeightId id);
[[nodiscard]] double dot(std::span<const double> a, std::span<const double> b);
// log(1 + e^x).
[[nodiscard]] double softplus(double x);
// activation(gate) * up for gated ops; pass up = 1 for others.
[[nodiscard]] double activate(model::Activation activation, double gate, double up);
// weight (all 1) and bias (all 0) may be empty.
void normaliseRow(const model::Norm& norm, std::span<double> x, std::span<const double> weight, std::span<const double> bias);
// cap * tanh(x / cap); x if cap is 0.
[[nodiscard]] double softCapped(double x, double cap);

}  // namespace minerva::backend::reference
