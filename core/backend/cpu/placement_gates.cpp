// Norms, gates and scales of rows that are already there; these functions run on every thread.
#include "core/backend/cpu/codes.h"
#include "core/backend/cpu/placement.h"

#include <algorithm>

namespace minerva::cpu {

// Runs of `group` columns, whose weights are those of one run or of the whole row. from and to may be the same.
void CpuPlacement::normaliseRuns(const model::Norm& norm, int group, int columns, const float* from, float* to) const {
  const float *weight = m_weights.vector(norm.weight), *bias = m_weights.vector(norm.bias);
  const auto ofRun = [&](const float* values, model::WeightId id, int at) {
    if (values == nullptr) return values;
    return m_plan.weights[static_cast<std::size_t>(id)].view.shape.elements() > group ? values + at : values;
  };
  for (int at = 0; at < columns; at += group) {
    m_kernels.normalise(from + at, group, codeOf(norm.kind), norm.epsilon, ofRun(weight, norm.weight, at), ofRun(bias, norm.bias, at),
                        to + at);
  }
}

void CpuPlacement::runOp(const model::NormOp& op, std::size_t index, int thread) {
  const Rows in = rowsOf(op.in), out = rowsOf(op.out);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.in)].columns;
  float* y = m_threadFloats[static_cast<std::size_t>(thread)].data();
  shareRows(m_jobs[index].jobs, in.count, [&](int row) {
    normaliseRuns(op.norm, op.group > 0 ? op.group : columns, columns, in.row(row), y);
    float* to = out.row(row);
    for (int c = 0; c < columns; ++c) to[c] = (op.add ? to[c] : 0.0F) + op.scale * y[c];
  });
}

void CpuPlacement::runOp(const model::GateOp& op, std::size_t index, int thread) {
  const Rows gate = rowsOf(op.gate), out = rowsOf(op.out);
  const ActivationCode activation = codeOf(op.activation);
  float* y = m_threadFloats[static_cast<std::size_t>(thread)].data();
  shareRows(m_jobs[index].jobs, out.count, [&](int row) {
    const float* gates = gate.row(row) + op.gateColumn;
    float* to = out.row(row) + op.column;
    if (op.group == 1 && op.limit == 0) return m_kernels.gate(gates, op.columns, activation, to);
    const int count = op.columns / op.group;
    std::fill_n(y, count, 1.0F);
    m_kernels.gate(gates, count, activation, y);
    for (int c = 0; c < op.columns; ++c) {
      if (op.limit > 0) to[c] = std::clamp(to[c], -op.limit, op.limit);
      const float value = y[c / op.group];
      to[c] *= op.limit > 0 && value > op.limit ? op.limit : value;
    }
  });
}

void CpuPlacement::runOp(const model::GatedNormOp& op, std::size_t index, int) {
  const Rows gate = rowsOf(op.gate), x = rowsOf(op.x);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.x)].columns;
  shareRows(m_jobs[index].jobs, x.count, [&](int row) {
    const float* from = gate.row(row) + op.gateColumn;
    float* to = x.row(row);
    if (op.gateFirst) m_kernels.gate(from, columns, ActivationCode::silu, to);
    normaliseRuns(op.norm, op.group, columns, to, to);
    if (!op.gateFirst) m_kernels.gate(from, columns, ActivationCode::silu, to);
  });
}

void CpuPlacement::runOp(const model::ScaleOp& op, std::size_t index, int) {
  const Rows out = rowsOf(op.out);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.out)].columns;
  const float* scale = m_weights.vector(op.scale);
  const bool one = m_plan.weights[static_cast<std::size_t>(op.scale)].view.shape.elements() == 1;
  shareRows(m_jobs[index].jobs, out.count, [&](int row) {
    float* to = out.row(row);
    for (int c = 0; c < columns; ++c) to[c] *= scale[one ? 0 : c];
  });
}

}  // namespace minerva::cpu
