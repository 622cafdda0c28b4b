// The other ops of a step; these functions run on every thread.
#include "core/backend/cpu/placement.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace minerva::cpu {

void CpuPlacement::runOps(int thread, std::size_t part) {
  const auto [first, last] = model::opsOfPart(m_plan, part);
  if (part == 0) prepareRotation();
  for (std::size_t i = first; i < last; ++i) {
    std::visit([&](const auto& op) { runOp(op, i, thread); }, m_plan.ops[i]);
    if (thread == 0 && !m_ends.empty()) m_ends[i] = Clock::now();
  }
}

// Computes cos and sin for every row's position, once for all layers.
void CpuPlacement::prepareRotation() {
  const auto rotate = [this](const model::Rope& rope, std::size_t row, float* out) {
    const auto pairs = static_cast<std::size_t>(rope.dimension / 2);
    const bool far = m_rows[row].longRope && !rope.longFrequencies.empty();
    const std::vector<float>& frequencies = far ? rope.longFrequencies : rope.frequencies;
    for (std::size_t i = 0; i < pairs; ++i) {
      const double angle = static_cast<double>(m_rows[row].position) * static_cast<double>(frequencies[i]);
      out[2 * i] = static_cast<float>(std::cos(angle)) * rope.magnitude;
      out[2 * i + 1] = static_cast<float>(std::sin(angle)) * rope.magnitude;
    }
  };
  shareRows(m_rotations, static_cast<int>(m_rows.size()), [&](int row) {
    const auto at = static_cast<std::size_t>(row);
    for (std::size_t r = 0; r < m_plan.ropes.size(); ++r) {
      rotate(m_plan.ropes[r], at, m_cosSin[r].data() + at * static_cast<std::size_t>(m_plan.ropes[r].dimension));
    }
  });
}

void CpuPlacement::runOp(const model::EmbedOp& op, std::size_t index, int) {
  const TensorView& table = m_plan.weights[static_cast<std::size_t>(op.table)].view;
  const Rows out = rowsOf(op.out);
  const auto columns = static_cast<std::size_t>(table.shape.columns());
  shareRows(m_jobs[index].jobs, out.count, [&](int row) {
    const backend::StepRow& place = m_rows[static_cast<std::size_t>(row)];
    float* values = out.row(row);
    const bool stored = !op.elseFirst || place.token < table.shape.rows();
    dequantizeRows(table, stored ? static_cast<std::size_t>(place.token) : 0, 1, values);
    for (std::size_t i = 0; op.scale != 1.0F && i < columns; ++i) values[i] *= op.scale;
    const auto add = [&](model::WeightId table, int at) {
      if (table == model::none) return;
      std::vector<float> more(columns);
      dequantizeRows(m_plan.weights[static_cast<std::size_t>(table)].view, static_cast<std::size_t>(at), 1, more.data());
      for (std::size_t i = 0; i < columns; ++i) values[i] += more[i];
    };
    add(op.positions, place.position);
    add(op.types, place.type);
  });
}

namespace {

Projection someRows(Projection p, int first, int count, backend::RowUse use) {
  p.in = {p.in.row(first), p.in.stride, count};
  p.out = {p.out.row(first), p.out.stride, count};
  p.use = use;
  return p;
}

}  // namespace

// How many of a buffer's first rows count as rows of replies. Of rows with logits these are all but those of tools: a prompt has only one.
int CpuPlacement::repliesOf(model::BufferId buffer) const {
  if (!m_plan.buffers[static_cast<std::size_t>(buffer)].outputRows) return m_replies;
  return m_rows.back().use == backend::RowUse::any ? 0 : static_cast<int>(m_outputRows.size());
}

// Rows of replies and of prompts are run apart only where their ways differ, because that reads the weights twice.
void CpuPlacement::runProjection(std::size_t index, int thread) {
  const auto* proj = std::get_if<model::ProjOp>(&m_plan.ops[index]);
  const auto* head = std::get_if<model::HeadOp>(&m_plan.ops[index]);
  const model::BufferId in = proj != nullptr ? proj->in : head->in;
  Projection p = m_projections[index];
  p.in = rowsOf(in);
  p.out = rowsOf(proj != nullptr ? proj->out : head->out);
  if (p.in.count == 0) return;
  const int replies = m_projector.runsApart(p) ? repliesOf(in) : 0;
  OpJobs& work = m_jobs[index];
  if (replies > 0) m_projector.run(someRows(p, 0, replies, backend::RowUse::reply), thread, work);
  if (replies == p.in.count) return;
  if (replies > 0) {
    m_pool->barrier();
    if (thread == 0) work.reset();
    m_pool->barrier();
  }
  m_projector.run(someRows(p, replies, p.in.count - replies, m_rows.back().use), thread, work);
}

void CpuPlacement::runOp(const model::ProjOp&, std::size_t index, int thread) { runProjection(index, thread); }
void CpuPlacement::runOp(const model::HeadOp&, std::size_t index, int thread) { runProjection(index, thread); }

void CpuPlacement::runOp(const model::GatherOp& op, std::size_t index, int) {
  const Rows in = rowsOf(op.in), out = rowsOf(op.out);
  shareRows(m_jobs[index].jobs, out.count,
            [&](int row) { std::memcpy(out.row(row), in.row(m_outputRows[static_cast<std::size_t>(row)]), in.strideBytes()); });
}

// Rows of a text are next to each other and begin at position 0.
void CpuPlacement::runOp(const model::PoolOp& op, std::size_t index, int) {
  const Rows in = rowsOf(op.in), out = rowsOf(op.out);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.in)].columns;
  shareJobs(m_jobs[index].jobs, out.count, [&](int text) {
    const int last = m_outputRows[static_cast<std::size_t>(text)];
    const int first = last - m_rows[static_cast<std::size_t>(last)].position;
    float* to = out.row(text);
    std::memcpy(to, in.row(op.pooling == model::Pooling::last ? last : first), in.strideBytes());
    if (op.pooling != model::Pooling::mean) return;
    for (int row = first + 1; row <= last; ++row) {
      const float* from = in.row(row);
      for (int c = 0; c < columns; ++c) to[c] += from[c];
    }
    for (int c = 0; c < columns; ++c) to[c] /= static_cast<float>(last - first + 1);
  });
}

}  // namespace minerva::cpu
