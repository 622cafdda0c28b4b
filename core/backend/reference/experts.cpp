#include "core/backend/reference/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace minerva::backend::reference {
namespace {

std::vector<double> scoresOf(const model::RouteOp& op, std::span<const double> logits) {
  std::vector<double> scores(logits.begin(), logits.end());
  if (op.scoring == model::Scoring::sigmoid) {
    for (double& score : scores) score = 1.0 / (1.0 + std::exp(-score));
    return scores;
  }
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (double& score : scores) score /= sum;
  return scores;
}

// Experts that may be chosen: those of the groupsUsed groups with the best rank.
std::vector<std::size_t> candidates(const model::RouteOp& op, std::span<const double> choice) {
  const auto groups = static_cast<std::size_t>(op.groups);
  const std::size_t size = static_cast<std::size_t>(op.experts) / groups;
  std::vector<std::size_t> order(groups);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t g) {
    std::vector<double> group(choice.begin() + static_cast<std::ptrdiff_t>(g * size),
                              choice.begin() + static_cast<std::ptrdiff_t>((g + 1) * size));
    std::ranges::sort(group, std::greater{});
    return group[0] + (op.groupRank == model::GroupRank::twoLargest && size > 1 ? group[1] : 0.0);
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  order.resize(static_cast<std::size_t>(op.groupsUsed));
  std::ranges::sort(order);
  std::vector<std::size_t> experts;
  for (const std::size_t g : order) {
    for (std::size_t e = 0; e < size; ++e) experts.push_back(g * size + e);
  }
  return experts;
}

struct Choice {
  std::vector<std::size_t> experts;
  std::vector<double> weights;
};

Choice bestExperts(const model::RouteOp& op, std::span<const double> logits, std::span<const double> selectionBias) {
  const std::vector<double> scores = scoresOf(op, logits);
  std::vector<double> choice = scores;
  for (std::size_t e = 0; e < selectionBias.size(); ++e) choice[e] += selectionBias[e];
  Choice chosen{candidates(op, choice), {}};
  std::ranges::stable_sort(chosen.experts, [&](std::size_t a, std::size_t b) { return choice[a] > choice[b]; });
  chosen.experts.resize(static_cast<std::size_t>(op.used));
  double sum = 0;
  for (const std::size_t e : chosen.experts) sum += scores[e];
  for (const std::size_t e : chosen.experts) chosen.weights.push_back(op.normalised ? scores[e] / sum : scores[e]);
  return chosen;
}

// Scoring::sparseMixer (Liu et al. 2023, "Sparse Backpropagation for MoE Training", as Phi-3.5 MoE infers).
Choice mixedExperts(const model::RouteOp& op, std::span<const double> logits) {
  std::vector<double> left(logits.begin(), logits.end());
  Choice chosen;
  for (int s = 0; s < op.used; ++s) {
    const auto best = static_cast<std::size_t>(std::ranges::max_element(left) - left.begin());
    double sum = 0;
    for (std::size_t e = 0; e < left.size(); ++e) {
      const double factor = std::max(std::abs(logits[e]), left[best]);
      const bool far = (left[best] - logits[e]) / factor > 0.02;  // false for 0 / 0
      if (std::isfinite(left[e]) && !far) sum += std::exp(left[e] - left[best]);
    }
    chosen.experts.push_back(best);
    chosen.weights.push_back(1.0 / sum);
    left[best] = -std::numeric_limits<double>::infinity();
  }
  return chosen;
}

// A row of one expert's matrix, which is either a slice of a stacked tensor or a separate tensor.
std::vector<double> expertRow(const model::Plan& plan, const model::ExpertPart& part, std::size_t expert, std::size_t row,
                              std::size_t rows) {
  const bool own = part.weights.size() > 1;
  const TensorView& view = plan.weights[static_cast<std::size_t>(part.weights[own ? expert : 0])].view;
  return weightRow(view, own ? row : expert * rows + row);
}

// y = W_e x + b_e
std::vector<double> multiplyExpert(const model::Plan& plan, const model::ExpertPart& part, std::size_t expert, std::size_t rows,
                                   std::span<const double> x) {
  const std::vector<double> bias = weightVector(plan, part.bias);
  std::vector<double> y(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    y[r] = dot(x, expertRow(plan, part, expert, r, rows)) + (bias.empty() ? 0.0 : bias[expert * rows + r]);
  }
  return y;
}

void runExpert(const model::ExpertOp& op, const model::Plan& plan, std::size_t expert, std::span<const double> x, std::span<double> out) {
  const bool fused = op.gated && op.gatePlace != model::GatePlace::separate;
  const std::size_t rows = out.size() * (fused ? 2 : 1);
  const std::vector<double> y = multiplyExpert(plan, op.parts[0], expert, rows, x);
  const std::vector<double> up = op.gated && !fused ? multiplyExpert(plan, op.parts[1], expert, rows, x) : std::vector<double>();
  for (std::size_t r = 0; r < out.size(); ++r) {
    if (!op.gated) out[r] = activate(op.activation, y[r], 1.0);
    else if (!fused) out[r] = activate(op.activation, y[r], up[r]);
    else if (op.gatePlace == model::GatePlace::halves) out[r] = activate(op.activation, y[r], y[out.size() + r]);
    else out[r] = activate(op.activation, y[2 * r], y[2 * r + 1]);
  }
}

bool areNumbers(std::span<const double> values) {
  return std::ranges::none_of(values, [](double value) { return std::isnan(value); });
}

// Where there is no order: any experts, with weights that are no numbers.
Choice firstExperts(std::size_t count) {
  Choice choice{std::vector<std::size_t>(count), std::vector<double>(count, std::numeric_limits<double>::quiet_NaN())};
  std::iota(choice.experts.begin(), choice.experts.end(), std::size_t{0});
  return choice;
}

}  // namespace

void run(const model::RouteOp& op, StepState& step) {
  const Matrix& logits = buffer(step, op.logits);
  const std::vector<double> selectionBias = weightVector(step.plan, op.selectionBias),
                            expertScale = weightVector(step.plan, op.expertScale);
  const auto used = static_cast<std::size_t>(op.used);
  for (std::size_t i = 0; i < logits.rows; ++i) {
    const std::span<const double> row = logits.row(i).first(static_cast<std::size_t>(op.experts));
    const bool ordered = areNumbers(row) && areNumbers(selectionBias);
    const Choice chosen = !ordered                                    ? firstExperts(used)
                          : op.scoring == model::Scoring::sparseMixer ? mixedExperts(op, row)
                                                                      : bestExperts(op, row, selectionBias);
    const std::span<double> out = buffer(step, op.out).row(i);
    for (std::size_t s = 0; s < used; ++s) {
      const std::size_t e = chosen.experts[s];
      out[s] = static_cast<double>(e);
      out[used + s] = static_cast<double>(op.scale) * chosen.weights[s] * (expertScale.empty() ? 1.0 : expertScale[e]);
    }
    if (op.sharedGate) out[2 * used] = 1.0 / (1.0 + std::exp(-logits.row(i).back()));
  }
}

void run(const model::SpreadOp& op, StepState& step) {
  const Matrix& in = buffer(step, op.in);
  const auto used = static_cast<std::size_t>(op.used);
  for (std::size_t i = 0; i < in.rows; ++i) {
    for (std::size_t s = 0; s < used; ++s) {
      const double weight = buffer(step, op.route).row(i)[used + s];
      for (std::size_t c = 0; c < in.columns; ++c) buffer(step, op.out).row(i)[s * in.columns + c] = weight * in.row(i)[c];
    }
  }
}

void run(const model::ExpertOp& op, StepState& step) {
  const Matrix& in = buffer(step, op.in);
  Matrix& out = buffer(step, op.out);
  const auto used = static_cast<std::size_t>(op.used);
  const std::size_t inputs = op.perPlace ? in.columns / used : in.columns;
  const std::size_t results = out.columns / used;
  for (std::size_t i = 0; i < in.rows; ++i) {
    for (std::size_t s = 0; s < used; ++s) {
      const auto expert = static_cast<std::size_t>(buffer(step, op.route).row(i)[s]);
      runExpert(op, step.plan, expert, in.row(i).subspan(op.perPlace ? s * inputs : 0, inputs), out.row(i).subspan(s * results, results));
    }
  }
}

void run(const model::CombineOp& op, StepState& step) {
  Matrix& out = buffer(step, op.out);
  const auto used = static_cast<std::size_t>(op.used);
  const std::vector<double> bias = weightVector(step.plan, op.bias);
  for (std::size_t i = 0; i < out.rows; ++i) {
    const std::span<const double> route = op.route == model::none ? std::span<const double>() : buffer(step, op.route).row(i);
    for (std::size_t c = 0; c < out.columns; ++c) {
      double sum = 0;
      for (std::size_t s = 0; s < used; ++s) sum += (op.weighted ? route[used + s] : 1.0) * buffer(step, op.in).row(i)[s * out.columns + c];
      if (!bias.empty()) sum += bias[c];
      if (op.shared != model::none) sum += (op.sharedGate ? route[2 * used] : 1.0) * buffer(step, op.shared).row(i)[c];
      out.row(i)[c] = (op.add ? out.row(i)[c] : 0.0) + static_cast<double>(op.scale) * sum;
    }
  }
}

}  // namespace minerva::backend::reference
