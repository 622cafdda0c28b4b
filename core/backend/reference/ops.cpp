#include "core/backend/reference/ops.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minerva::backend::reference {
namespace {

std::vector<double> weightRow(const TensorView& view, std::size_t row) {
  const auto columns = static_cast<std::size_t>(view.shape.columns());
  std::vector<float> values(columns);
  traits(view.type).dequantize(view.row(row), values.data(), columns);
  return {values.begin(), values.end()};
}

std::vector<double> weightVector(const model::Plan& plan, model::WeightId id) {
  return id == model::none ? std::vector<double>{} : weightRow(plan.weights[static_cast<std::size_t>(id)].view, 0);
}

Matrix& buffer(StepState& step, model::BufferId id) { return step.buffers[static_cast<std::size_t>(id)]; }

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double activate(model::Activation activation, double x) {
  switch (activation) {
    case model::Activation::silu: return x / (1.0 + std::exp(-x));
    case model::Activation::geluErf: return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    case model::Activation::geluTanh: {
      const double inner = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
      return 0.5 * x * (1.0 + std::tanh(inner));
    }
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
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = (x[i] - mean) * scale * weight[i] + (bias.empty() ? 0.0 : bias[i]);
}

Matrix normalised(const StepState& step, const model::Norm& norm, const Matrix& in) {
  const std::vector<double> weight = weightVector(step.plan, norm.weight);
  const std::vector<double> bias = weightVector(step.plan, norm.bias);
  Matrix out = in;
  for (std::size_t i = 0; i < out.rows; ++i) normaliseRow(norm, out.row(i), weight, bias);
  return out;
}

// out[:, column + r] = in . W[r] + bias[r]
void multiply(const StepState& step, const Matrix& in, model::WeightId weight, model::WeightId bias, std::size_t column,
              Matrix& out) {
  const TensorView& view = step.plan.weights[static_cast<std::size_t>(weight)].view;
  const std::vector<double> biases = weightVector(step.plan, bias);
  const auto rows = static_cast<std::size_t>(view.shape.rows());
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<double> w = weightRow(view, r);
    for (std::size_t i = 0; i < in.rows; ++i) {
      out.row(i)[column + r] = dot(in.row(i), w) + (biases.empty() ? 0.0 : biases[r]);
    }
  }
}

void applyEpilogue(const model::ProjOp& op, const Matrix& y, Matrix& out) {
  for (std::size_t i = 0; i < out.rows; ++i) {
    const std::span<const double> from = y.row(i);
    const std::span<double> to = out.row(i);
    for (std::size_t c = 0; c < out.columns; ++c) {
      switch (op.epilogue) {
        case model::Epilogue::store: to[c] = from[c]; break;
        case model::Epilogue::add: to[c] += from[c]; break;
        case model::Epilogue::activated: to[c] = activate(op.activation, from[c]); break;
        case model::Epilogue::gated: to[c] = activate(op.activation, from[c]) * from[out.columns + c]; break;
      }
    }
  }
}

void rotateHead(const model::Rope& rope, int position, std::span<double> head) {
  const auto half = static_cast<std::size_t>(rope.dimension / 2);
  for (std::size_t i = 0; i < half; ++i) {
    const double angle = static_cast<double>(position) * static_cast<double>(rope.frequencies[i]);
    const double c = std::cos(angle) * static_cast<double>(rope.magnitude);
    const double s = std::sin(angle) * static_cast<double>(rope.magnitude);
    const bool halves = rope.layout == model::RopeLayout::halves;
    double& a = head[halves ? i : 2 * i];
    double& b = head[halves ? i + half : 2 * i + 1];
    const double x = a;
    const double y = b;
    a = x * c - y * s;
    b = x * s + y * c;
  }
}

// softmax(scale q k^T) v of one head of one row, over positions [first, position].
void attendHead(const model::AttentionOp& op, KvStore& kv, const StepRow& row, std::span<const double> q, std::size_t kvColumn,
                std::span<double> out) {
  const int first = op.window > 0 ? std::max(0, row.position - op.window + 1) : 0;
  const auto d = static_cast<std::size_t>(op.headDim);
  std::vector<double> scores;
  for (int p = first; p <= row.position; ++p) {
    scores.push_back(static_cast<double>(op.scale) * dot(q, kv.key(row.slot, p).subspan(kvColumn, d)));
  }
  const double largest = *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  std::ranges::fill(out, 0.0);
  for (int p = first; p <= row.position; ++p) {
    const std::span<const double> v = kv.value(row.slot, p).subspan(kvColumn, d);
    const double share = scores[static_cast<std::size_t>(p - first)] / sum;
    for (std::size_t i = 0; i < d; ++i) out[i] += share * v[i];
  }
}

}  // namespace

void run(const model::EmbedOp& op, StepState& step) {
  const TensorView& table = step.plan.weights[static_cast<std::size_t>(op.table)].view;
  Matrix& out = buffer(step, op.out);
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    const std::vector<double> row = weightRow(table, static_cast<std::size_t>(step.rows[i].token));
    for (std::size_t c = 0; c < row.size(); ++c) out.row(i)[c] = row[c] * static_cast<double>(op.scale);
  }
}

void run(const model::ProjOp& op, StepState& step) {
  const Matrix& in = buffer(step, op.in);
  const Matrix x = op.normalised ? normalised(step, op.norm, in) : in;
  Matrix& out = buffer(step, op.out);
  Matrix y;
  y.resize(x.rows, out.columns * (op.epilogue == model::Epilogue::gated ? 2 : 1));
  for (const model::ProjPart& part : op.parts) {
    multiply(step, x, part.weight, part.bias, static_cast<std::size_t>(part.column), y);
  }
  applyEpilogue(op, y, out);
}

void run(const model::RopeKvOp& op, StepState& step) {
  const auto d = static_cast<std::size_t>(op.headDim);
  const auto heads = static_cast<std::size_t>(op.headCount);
  const auto kvHeads = static_cast<std::size_t>(op.kvHeadCount);
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    const StepRow& row = step.rows[i];
    const std::span<double> qkv = buffer(step, op.qkv).row(i);
    for (std::size_t h = 0; op.rotary && h < heads + kvHeads; ++h) {
      rotateHead(step.plan.rope, row.position, qkv.subspan(h * d, d));
    }
    KvStore& kv = step.kv[static_cast<std::size_t>(op.layer)];
    std::ranges::copy(qkv.subspan(heads * d, kvHeads * d), kv.key(row.slot, row.position).begin());
    std::ranges::copy(qkv.subspan((heads + kvHeads) * d, kvHeads * d), kv.value(row.slot, row.position).begin());
  }
}

void run(const model::AttentionOp& op, StepState& step) {
  const auto d = static_cast<std::size_t>(op.headDim);
  const auto group = static_cast<std::size_t>(op.headCount / op.kvHeadCount);
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    const std::span<const double> qkv = buffer(step, op.qkv).row(i);
    for (std::size_t h = 0; h < static_cast<std::size_t>(op.headCount); ++h) {
      attendHead(op, step.kv[static_cast<std::size_t>(op.layer)], step.rows[i], qkv.subspan(h * d, d), h / group * d,
                 buffer(step, op.out).row(i).subspan(h * d, d));
    }
  }
}

void run(const model::GatherOp& op, StepState& step) {
  const Matrix& in = buffer(step, op.in);
  Matrix& out = buffer(step, op.out);
  std::size_t next = 0;
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    if (step.rows[i].wantsLogits) std::ranges::copy(in.row(i), out.row(next++).begin());
  }
}

void run(const model::HeadOp& op, StepState& step) {
  const Matrix x = normalised(step, op.norm, buffer(step, op.in));
  Matrix& out = buffer(step, op.out);
  multiply(step, x, op.weight, op.bias, 0, out);
  for (double& value : out.values) value *= static_cast<double>(op.scale);
}

}  // namespace minerva::backend::reference
