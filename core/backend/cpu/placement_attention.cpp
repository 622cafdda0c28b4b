// Rotation, KV store and attention; these functions run on every thread.
#include "core/backend/cpu/codes.h"
#include "core/backend/cpu/placement.h"

#include <algorithm>
#include <cmath>

namespace minerva::cpu {

void CpuPlacement::normaliseHeads(const model::HeadNormStep& step, int headCount, int headDim, float* heads) const {
  if (!step.present()) return;
  const float* weight = m_weights.vector(step.norm.weight);
  const float* bias = m_weights.vector(step.norm.bias);
  // Each head has its own weights, or all share one set.
  const bool apart = weight != nullptr && m_plan.weights[static_cast<std::size_t>(step.norm.weight)].view.shape.elements() > step.group;
  const int own = apart ? step.group : 0;
  const int stride = std::max(step.group, headDim);
  for (int at = 0, set = 0; at < headCount * headDim; at += stride, set += own) {
    m_kernels.normalise(heads + at, step.group, codeOf(step.norm.kind), step.norm.epsilon, weight == nullptr ? nullptr : weight + set,
                        bias == nullptr ? nullptr : bias + set, heads + at);
  }
}

void CpuPlacement::prepareHeads(const model::RopeKvOp& op, int row, float* q) const {
  float* k = q + op.headCount * op.headDim;
  const auto normalise = [&] {
    normaliseHeads(op.qNorm, op.headCount, op.headDim, q);
    normaliseHeads(op.kNorm, op.kvHeadCount, op.headDim, k);
  };
  if (!op.normsRotated) normalise();
  normaliseHeads(op.vNorm, op.kvHeadCount, op.valueDim, k + op.kvHeadCount * op.headDim);
  if (op.rope != model::none) {
    const model::Rope& rope = m_plan.ropes[static_cast<std::size_t>(op.rope)];
    const float* cosSin =
        m_cosSin[static_cast<std::size_t>(op.rope)].data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(rope.dimension);
    m_kernels.rotate(q + op.ropeOffset, op.headCount + op.kvHeadCount, op.headDim, rope.dimension,
                     rope.layout == model::RopeLayout::interleaved, cosSin);
  }
  if (op.normsRotated) normalise();
  if (op.temperature.strength == 0) return;
  const auto factor = static_cast<float>(op.temperature.at(m_rows[static_cast<std::size_t>(row)].position));
  for (int i = 0; i < op.headCount * op.headDim; ++i) q[i] *= factor;
}

void CpuPlacement::runOp(const model::RopeKvOp& op, std::size_t index, int) {
  const Rows qkv = rowsOf(op.qkv);
  shareRows(m_jobs[index].jobs, qkv.count, [&](int row) {
    const backend::StepRow& place = m_rows[static_cast<std::size_t>(row)];
    prepareHeads(op, row, qkv.row(row));
    if (op.kv == model::none) return;
    const float* k = qkv.row(row) + op.headCount * op.headDim;
    const float* v = op.valuesFromKeys ? k : k + op.kvHeadCount * op.headDim;
    const int valueStep = op.valuesFromKeys ? op.headDim : op.valueDim;
    for (int h = 0; h < op.kvHeadCount; ++h) {
      m_kernels.storeKeyValue[static_cast<int>(m_cache.type())](k + h * op.headDim, v + h * valueStep, op.headDim, op.valueDim,
                                                                place.position, m_cache.head(m_slots.pages(), op.kv, place.slot, h));
    }
  });
}

// Partial results are stored after the threads' scratch.
float* CpuPlacement::partial(const model::AttentionOp& op, int row, int head, int split) const {
  const std::size_t own = attentionScratch(attentionDim(m_plan)) * static_cast<std::size_t>(m_pool->size());
  const auto place = static_cast<std::size_t>((row * op.headCount + head) * maxAttentionSplits + split);
  return reinterpret_cast<float*>(m_attentionScratch.data()) + own + place * static_cast<std::size_t>(op.valueDim + 2);
}

// Attends rows [firstRow, firstRow + rows) of one slot for all heads that share kvHead, in batches of attentionQueries.
void CpuPlacement::attendRows(const model::AttentionOp& op, int firstRow, int rows, int kvHead, const Splits& split, float* scratch) {
  const Rows qkv = rowsOf(op.qkv), out = rowsOf(op.out);
  const int group = op.headCount / op.kvHeadCount;
  const int slot = m_rows[static_cast<std::size_t>(firstRow)].slot;
  const KvHead kv = m_cache.head(m_slots.pages(), op.kv, slot, kvHead);
  const auto attend = m_kernels.attend[static_cast<int>(m_cache.type())];
  const AttentionShape shape{op.headDim, op.valueDim, op.scale, op.softCap};
  const float* sinks = m_weights.vector(op.sinks);
  AttentionQuery queries[attentionQueries];
  int count = 0;
  for (int row = firstRow; row < firstRow + rows; ++row) {
    const int position = m_rows[static_cast<std::size_t>(row)].position;
    int begin = op.visible.begin(position), end = op.visible.end(position, m_slots.filled(slot));
    if (split.count > 1) {
      begin = std::max(begin, split.index * split.length);
      end = std::min(end, (split.index + 1) * split.length);
    }
    for (int g = 0; g < group; ++g) {
      const int head = kvHead * group + g;
      AttentionQuery query{qkv.row(row) + head * op.headDim, out.row(row) + head * op.valueDim, begin, end};
      if (sinks != nullptr && split.index == 0) query.sink = sinks[head];
      if (split.count > 1) {
        query.out = partial(op, row, head, split.index);
        query.state = query.out + op.valueDim;
      }
      if (begin >= end) {  // the row sees no position of this split
        std::fill(query.out, query.out + op.valueDim, 0.0F);
        query.state[0] = query.sink;
        query.state[1] = query.sink > noSink ? 1.0F : 0.0F;
        continue;
      }
      queries[count++] = query;
      if (count < attentionQueries) continue;
      attend(kv, shape, queries, count, scratch);
      count = 0;
    }
  }
  if (count > 0) attend(kv, shape, queries, count, scratch);
}

void CpuPlacement::joinSplits(const model::AttentionOp& op, int splits, JobCounter& jobs) {
  const Rows out = rowsOf(op.out);
  const int total = out.count * op.headCount;
  for (int job = jobs.take(); job < total; job = jobs.take()) {
    const int row = job / op.headCount, head = job % op.headCount;
    float largest = noSink, sum = 0;
    for (int s = 0; s < splits; ++s) largest = std::max(largest, partial(op, row, head, s)[op.valueDim]);
    float* to = out.row(row) + head * op.valueDim;
    std::fill(to, to + op.valueDim, 0.0F);
    for (int s = 0; s < splits; ++s) {
      const float* from = partial(op, row, head, s);
      const float share = std::exp(from[op.valueDim] - largest);
      sum += share * from[op.valueDim + 1];
      for (int d = 0; d < op.valueDim; ++d) to[d] += share * from[d];
    }
    for (int d = 0; d < op.valueDim; ++d) to[d] /= sum;
    jobs.finish(total);
  }
  jobs.wait(total);
}

void CpuPlacement::runOp(const model::AttentionOp& op, std::size_t index, int thread) {
  constexpr int step = 16;  // rows per job
  const int rows = static_cast<int>(m_rows.size());
  float* scratch =
      reinterpret_cast<float*>(m_attentionScratch.data()) + static_cast<std::size_t>(thread) * attentionScratch(attentionDim(m_plan));
  JobCounter& jobs = m_jobs[index].jobs;
  int positions = 0;
  for (const backend::StepRow& row : m_rows) positions = std::max(positions, row.position + 1);
  Splits split;
  if (rows <= maxSplitRows && (op.visible.reach() == 0 || op.visible.reach() > positions)) {
    const int wanted = 4 * m_pool->size() / (rows * op.kvHeadCount) + 1;
    split.count = std::clamp(std::min(wanted, positions / shortestSplit), 1, maxAttentionSplits);
  }
  if (split.count > 1) {
    split.length = ((positions + split.count - 1) / split.count + 15) / 16 * 16;
    const int total = rows * op.kvHeadCount * split.count;
    for (int job = jobs.take(); job < total; job = jobs.take()) {
      split.index = job % split.count;
      attendRows(op, job / split.count / op.kvHeadCount, 1, job / split.count % op.kvHeadCount, split, scratch);
      jobs.finish(total);
    }
    jobs.wait(total);
    return joinSplits(op, split.count, m_jobs[index].preparation);
  }
  const int blocks = (rows + step - 1) / step, total = blocks * op.kvHeadCount;
  for (int job = jobs.take(); job < total; job = jobs.take()) {
    const int first = (blocks - 1 - job / op.kvHeadCount) * step;  // later rows see more positions, so start with them
    const int last = std::min(rows, first + step);
    for (int row = first; row < last;) {
      int end = row + 1;
      while (end < last && m_rows[static_cast<std::size_t>(end)].slot == m_rows[static_cast<std::size_t>(row)].slot) ++end;
      attendRows(op, row, end - row, job % op.kvHeadCount, split, scratch);
      row = end;
    }
    jobs.finish(total);
  }
  jobs.wait(total);
}

}  // namespace minerva::cpu
