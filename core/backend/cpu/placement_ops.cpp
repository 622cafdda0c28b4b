// The ops of a step, as each thread runs them.
#include "core/backend/cpu/placement.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace minerva::cpu {

void CpuPlacement::runOps(int thread) {
  prepareRotation(thread);
  for (std::size_t i = 0; i < m_plan.ops.size(); ++i) {
    std::visit([&](const auto& op) { runOp(op, i, thread); }, m_plan.ops[i]);
    if (i + 1 < m_plan.ops.size()) m_pool->barrier();
  }
}

template <class Work>
void CpuPlacement::shareRows(std::size_t index, int rows, Work work) {
  constexpr int step = 8;
  std::atomic<int>& jobs = m_counters[index].jobs;
  for (int first = jobs.fetch_add(step, std::memory_order_relaxed); first < rows; first = jobs.fetch_add(step, std::memory_order_relaxed)) {
    for (int row = first; row < std::min(rows, first + step); ++row) work(row);
  }
}

// cos and sin of every row's position, once for all layers. Rows are dealt out; the first op's barrier publishes them.
void CpuPlacement::prepareRotation(int thread) {
  for (std::size_t r = 0; r < m_plan.ropes.size(); ++r) {
    const model::Rope& rope = m_plan.ropes[r];
    const auto pairs = static_cast<std::size_t>(rope.dimension / 2);
    for (std::size_t row = static_cast<std::size_t>(thread); row < m_rows.size(); row += static_cast<std::size_t>(m_pool->size())) {
      const bool far = m_rows[row].longRope && !rope.longFrequencies.empty();
      const std::vector<float>& frequencies = far ? rope.longFrequencies : rope.frequencies;
      float* out = m_cosSin[r].data() + row * pairs * 2;
      for (std::size_t i = 0; i < pairs; ++i) {
        const double angle = static_cast<double>(m_rows[row].position) * static_cast<double>(frequencies[i]);
        out[2 * i] = static_cast<float>(std::cos(angle)) * rope.magnitude;
        out[2 * i + 1] = static_cast<float>(std::sin(angle)) * rope.magnitude;
      }
    }
  }
}

void CpuPlacement::runOp(const model::EmbedOp& op, std::size_t index, int) {
  const TensorView& table = m_plan.weights[static_cast<std::size_t>(op.table)].view;
  const Rows out = rowsOf(op.out);
  const auto columns = static_cast<std::size_t>(table.shape.columns());
  shareRows(index, out.count, [&](int row) {
    const backend::StepRow& place = m_rows[static_cast<std::size_t>(row)];
    float* values = out.row(row);
    dequantizeRows(table, static_cast<std::size_t>(place.token), 1, values);
    for (std::size_t i = 0; op.scale != 1.0F && i < columns; ++i) values[i] *= op.scale;
    if (op.positions == model::none) return;
    std::vector<float> position(columns);
    dequantizeRows(m_plan.weights[static_cast<std::size_t>(op.positions)].view, static_cast<std::size_t>(place.position), 1, position.data());
    for (std::size_t i = 0; i < columns; ++i) values[i] += position[i];
  });
}

void CpuPlacement::runProjection(std::size_t index, int thread) {
  const auto rows = [&](model::BufferId in, model::BufferId out) {
    Projection p = m_projections[index];
    p.in = rowsOf(in);
    p.out = rowsOf(out);
    return p;
  };
  const auto* proj = std::get_if<model::ProjOp>(&m_plan.ops[index]);
  const auto* head = std::get_if<model::HeadOp>(&m_plan.ops[index]);
  const Projection p = proj != nullptr ? rows(proj->in, proj->out) : rows(head->in, head->out);
  if (p.in.count > 0) m_projector.run(p, thread, m_counters[index].jobs, m_counters[index].preparation);
}

void CpuPlacement::runOp(const model::ProjOp&, std::size_t index, int thread) { runProjection(index, thread); }
void CpuPlacement::runOp(const model::HeadOp&, std::size_t index, int thread) { runProjection(index, thread); }

void CpuPlacement::runOp(const model::RopeKvOp& op, std::size_t index, int) {
  const Rows qkv = rowsOf(op.qkv);
  const model::Rope* rope = op.rope == model::none ? nullptr : &m_plan.ropes[static_cast<std::size_t>(op.rope)];
  shareRows(index, qkv.count, [&](int row) {
    const backend::StepRow& place = m_rows[static_cast<std::size_t>(row)];
    float* q = qkv.row(row);
    float* k = q + op.headCount * op.headDim;
    const float* v = k + op.kvHeadCount * op.headDim;
    if (rope != nullptr) {
      const float* cosSin = m_cosSin[static_cast<std::size_t>(op.rope)].data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(rope->dimension);
      m_kernels.rotate(q, op.headCount + op.kvHeadCount, op.headDim, rope->dimension, rope->layout == model::RopeLayout::interleaved, cosSin);
    }
    for (int h = 0; h < op.kvHeadCount; ++h) {
      m_kernels.storeKeyValue[static_cast<int>(m_cache.type())](k + h * op.headDim, v + h * op.headDim, op.headDim, place.position,
                                                                m_cache.head(op.layer, place.slot, h));
    }
  });
}

// Rows [firstRow, firstRow + rows) of one slot, with the heads that share kvHead, as many queries a call as it takes.
void CpuPlacement::attendRows(const model::AttentionOp& op, int firstRow, int rows, int kvHead, float* scratch) {
  const Rows qkv = rowsOf(op.qkv), out = rowsOf(op.out);
  const int group = op.headCount / op.kvHeadCount;
  const int slot = m_rows[static_cast<std::size_t>(firstRow)].slot;
  const KvHead kv = m_cache.head(op.layer, slot, kvHead);
  const auto attend = m_kernels.attend[static_cast<int>(m_cache.type())];
  AttentionQuery queries[attentionQueries];
  int count = 0;
  for (int row = firstRow; row < firstRow + rows; ++row) {
    const int end = m_rows[static_cast<std::size_t>(row)].position + 1;
    const int begin = op.window > 0 ? std::max(0, end - op.window) : 0;
    for (int g = 0; g < group; ++g) {
      const int head = (kvHead * group + g) * op.headDim;
      queries[count++] = {qkv.row(row) + head, out.row(row) + head, begin, end};
      if (count < attentionQueries) continue;
      attend(kv, op.headDim, op.scale, queries, count, scratch);
      count = 0;
    }
  }
  if (count > 0) attend(kv, op.headDim, op.scale, queries, count, scratch);
}

void CpuPlacement::runOp(const model::AttentionOp& op, std::size_t index, int thread) {
  constexpr int step = 16;  // rows of a job
  const int rows = static_cast<int>(m_rows.size());
  const int blocks = (rows + step - 1) / step;
  float* scratch = reinterpret_cast<float*>(m_attentionScratch.data()) + static_cast<std::size_t>(thread) * attentionScratch(attentionDim(m_plan));
  std::atomic<int>& jobs = m_counters[index].jobs;
  for (int job = jobs++; job < blocks * op.kvHeadCount; job = jobs++) {
    const int first = (blocks - 1 - job / op.kvHeadCount) * step;  // the last rows see most: they go first
    const int last = std::min(rows, first + step);
    for (int row = first; row < last;) {
      int end = row + 1;
      while (end < last && m_rows[static_cast<std::size_t>(end)].slot == m_rows[static_cast<std::size_t>(row)].slot) ++end;
      attendRows(op, row, end - row, job % op.kvHeadCount, scratch);
      row = end;
    }
  }
}

void CpuPlacement::runOp(const model::GatherOp& op, std::size_t index, int) {
  const Rows in = rowsOf(op.in), out = rowsOf(op.out);
  shareRows(index, out.count, [&](int row) {
    std::memcpy(out.row(row), in.row(m_outputRows[static_cast<std::size_t>(row)]), in.strideBytes());
  });
}

}  // namespace minerva::cpu
