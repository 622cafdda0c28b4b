#include "core/backend/reference/ops.h"

#include "core/backend/reference/arithmetic.h"

#include <algorithm>

namespace minerva::backend::reference {
namespace {

Matrix normalised(const StepState& step, const model::Norm& norm, const Matrix& in) {
  const std::vector<double> weight = weightVector(step.plan, norm.weight);
  const std::vector<double> bias = weightVector(step.plan, norm.bias);
  Matrix out = in;
  for (std::size_t i = 0; i < out.rows; ++i) normaliseRow(norm, out.row(i), weight, bias);
  return out;
}

// Normalises runs of `group` columns of a row; the weights are those of one run or of the whole row.
void normaliseRuns(const StepState& step, const model::Norm& norm, std::size_t group, std::span<double> row) {
  const std::vector<double> weight = weightVector(step.plan, norm.weight);
  const std::vector<double> bias = weightVector(step.plan, norm.bias);
  const auto ofRun = [&](const std::vector<double>& all, std::size_t at) {
    return all.size() <= group ? std::span<const double>(all) : std::span<const double>(all).subspan(at, group);
  };
  for (std::size_t at = 0; at < row.size(); at += group) normaliseRow(norm, row.subspan(at, group), ofRun(weight, at), ofRun(bias, at));
}

// out[:, column + r] = in . W[r] + bias[r]
void multiply(const StepState& step, const Matrix& in, model::WeightId weight, model::WeightId bias, std::size_t column, Matrix& out) {
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

std::size_t columnsWritten(const StepState& step, const model::ProjOp& op) {
  std::size_t columns = 0;
  for (const model::ProjPart& part : op.parts) {
    columns += static_cast<std::size_t>(step.plan.weights[static_cast<std::size_t>(part.weight)].view.shape.rows());
  }
  return columns;
}

void applyEpilogue(const model::ProjOp& op, const Matrix& y, std::size_t begin, Matrix& out) {
  const std::size_t columns = op.epilogue == model::Epilogue::gated ? y.columns / 2 : y.columns;
  for (std::size_t i = 0; i < out.rows; ++i) {
    const std::span<const double> from = y.row(i);
    const std::span<double> to = out.row(i).subspan(begin);
    for (std::size_t c = 0; c < columns; ++c) {
      switch (op.epilogue) {
        case model::Epilogue::store: to[c] = from[c]; break;
        case model::Epilogue::add: to[c] += static_cast<double>(op.scale) * from[c]; break;
        case model::Epilogue::activated: to[c] = activate(op.activation, from[c], 1.0); break;
        case model::Epilogue::gated: to[c] = activate(op.activation, from[c], from[columns + c]); break;
      }
    }
  }
}

}  // namespace

void run(const model::EmbedOp& op, StepState& step) {
  const auto viewOf = [&](model::WeightId id) { return step.plan.weights[static_cast<std::size_t>(id)].view; };
  Matrix& out = buffer(step, op.out);
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    const auto token = static_cast<std::int64_t>(step.rows[i].token);
    const bool stored = !op.elseFirst || token < viewOf(op.table).shape.rows();
    const std::vector<double> row = weightRow(viewOf(op.table), stored ? static_cast<std::size_t>(token) : 0);
    for (std::size_t c = 0; c < row.size(); ++c) out.row(i)[c] = row[c] * static_cast<double>(op.scale);
    const auto add = [&](model::WeightId table, int index) {
      if (table == model::none) return;
      const std::vector<double> more = weightRow(viewOf(table), static_cast<std::size_t>(index));
      for (std::size_t c = 0; c < row.size(); ++c) out.row(i)[c] += more[c];
    };
    add(op.positions, step.rows[i].position);
    add(op.types, step.rows[i].type);
  }
}

void run(const model::NormOp& op, StepState& step) {
  Matrix y = buffer(step, op.in);
  const std::size_t group = op.group > 0 ? static_cast<std::size_t>(op.group) : y.columns;
  for (std::size_t i = 0; i < y.rows; ++i) normaliseRuns(step, op.norm, group, y.row(i));
  Matrix& out = buffer(step, op.out);
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    out.values[i] = (op.add ? out.values[i] : 0.0) + static_cast<double>(op.scale) * y.values[i];
  }
}

void run(const model::ProjOp& op, StepState& step) {
  const Matrix& in = buffer(step, op.in);
  const Matrix x = op.normalised ? normalised(step, op.norm, in) : in;
  const auto begin = static_cast<std::size_t>(op.parts.front().column);
  Matrix y;
  y.resize(x.rows, columnsWritten(step, op));
  for (const model::ProjPart& part : op.parts) {
    multiply(step, x, part.weight, part.bias, static_cast<std::size_t>(part.column) - begin, y);
  }
  applyEpilogue(op, y, begin, buffer(step, op.out));
}

void run(const model::HeadProjOp& op, StepState& step) {
  const TensorView& view = step.plan.weights[static_cast<std::size_t>(op.weight)].view;
  const auto rows = static_cast<std::size_t>(view.shape.dims[1]), columns = static_cast<std::size_t>(view.shape.dims[2]);
  const auto rest = static_cast<std::size_t>(op.rest);
  for (std::size_t h = 0; h < static_cast<std::size_t>(op.heads); ++h) {
    for (std::size_t i = 0; i < buffer(step, op.in).rows; ++i) {
      const std::span<const double> in = buffer(step, op.in).row(i).subspan(h * (columns + rest), columns + rest);
      const std::span<double> out = buffer(step, op.out).row(i).subspan(h * (rows + rest), rows + rest);
      for (std::size_t r = 0; r < rows; ++r) out[r] = dot(in.first(columns), weightRow(view, h * rows + r));
      std::ranges::copy(in.subspan(columns), out.subspan(rows).begin());
    }
  }
}

void run(const model::GateOp& op, StepState& step) {
  for (std::size_t i = 0; i < buffer(step, op.out).rows; ++i) {
    const std::span<const double> gate = buffer(step, op.gate).row(i).subspan(static_cast<std::size_t>(op.gateColumn));
    const std::span<double> out = buffer(step, op.out).row(i).subspan(static_cast<std::size_t>(op.column));
    for (std::size_t c = 0; c < static_cast<std::size_t>(op.columns); ++c) {
      double value = activate(op.activation, gate[c / static_cast<std::size_t>(op.group)], 1.0);
      if (const double limit = op.limit; limit > 0) {
        value = std::min(value, limit);
        out[c] = std::clamp(out[c], -limit, limit);
      }
      out[c] *= value;
    }
  }
}

void run(const model::GatedNormOp& op, StepState& step) {
  Matrix& x = buffer(step, op.x);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::span<const double> gate = buffer(step, op.gate).row(i).subspan(static_cast<std::size_t>(op.gateColumn));
    const auto applyGate = [&] {
      for (std::size_t c = 0; c < x.columns; ++c) x.row(i)[c] *= activate(model::Activation::silu, gate[c], 1.0);
    };
    if (op.gateFirst) applyGate();
    normaliseRuns(step, op.norm, static_cast<std::size_t>(op.group), x.row(i));
    if (!op.gateFirst) applyGate();
  }
}

void run(const model::ScaleOp& op, StepState& step) {
  const std::vector<double> scale = weightVector(step.plan, op.scale);
  Matrix& out = buffer(step, op.out);
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] *= scale[scale.size() == 1 ? 0 : i % out.columns];
}

void run(const model::GatherOp& op, StepState& step) {
  const Matrix& in = buffer(step, op.in);
  Matrix& out = buffer(step, op.out);
  std::size_t next = 0;
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    if (step.rows[i].wantsLogits) std::ranges::copy(in.row(i), out.row(next++).begin());
  }
}

void run(const model::PoolOp& op, StepState& step) {
  const Matrix& in = buffer(step, op.in);
  std::size_t next = 0;
  for (std::size_t last = 0; last < step.rows.size(); ++last) {
    if (!step.rows[last].wantsLogits) continue;
    const std::span<double> out = buffer(step, op.out).row(next++);
    const std::size_t first = last - static_cast<std::size_t>(step.rows[last].position);
    const std::size_t begin = op.pooling == model::Pooling::last ? last : first;
    const std::size_t end = op.pooling == model::Pooling::first ? first : last;
    for (std::size_t row = begin; row <= end; ++row) {
      for (std::size_t c = 0; c < out.size(); ++c) out[c] += in.row(row)[c] / static_cast<double>(end - begin + 1);
    }
  }
}

void run(const model::HeadOp& op, StepState& step) {
  const Matrix x = normalised(step, op.norm, buffer(step, op.in));
  Matrix& out = buffer(step, op.out);
  multiply(step, x, op.weight, op.bias, 0, out);
  for (double& value : out.values) value = softCapped(value * static_cast<double>(op.scale), static_cast<double>(op.softCap));
}

}  // namespace minerva::backend::reference
