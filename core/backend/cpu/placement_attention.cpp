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
  if (op.limit > 0) {
    float* const end = k + op.kvHeadCount * (op.headDim + op.valueDim);
    std::transform(q, end, q, [&](float x) { return std::clamp(x, -op.limit, op.limit); });
  }
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

namespace {

// out += from, two softmaxes over different positions that are not divided by their sums yet; states are [largest score, sum].
// In steps of a known length, which the compiler makes vectors of: this is done once for every 256 positions of each row and head.
void mergeRun(const float* __restrict from, const float* fromState, int dim, float* __restrict out, float* state) {
  const bool rises = fromState[0] > state[0];
  const float lesser = std::exp(-std::abs(fromState[0] - state[0])), own = rises ? lesser : 1.0F, other = rises ? 1.0F : lesser;
  constexpr int step = 16;
  int d = 0;
  for (; d + step <= dim; d += step) {
    for (int i = 0; i < step; ++i) out[d + i] = out[d + i] * own + from[d + i] * other;
  }
  for (; d < dim; ++d) out[d] = out[d] * own + from[d] * other;
  state[0] = std::max(state[0], fromState[0]);
  state[1] = state[1] * own + fromState[1] * other;
}

void divideBySum(float* out, int dim, float sum) {
  const float inverse = 1.0F / sum;
  for (int d = 0; d < dim; ++d) out[d] *= inverse;
}

}  // namespace

AttentionRange CpuPlacement::seenBy(const model::AttentionOp& op, int row) const {
  const backend::StepRow& place = m_rows[static_cast<std::size_t>(row)];
  return {op.visible.begin(place.position), op.visible.end(place.position, m_slots.filled(place.slot))};
}

// One run of positions for the rows and heads of a job.
void CpuPlacement::attendRun(const AttentionJob& job, int run, int thread) {
  const model::AttentionOp& op = job.op;
  const Rows qkv = rowsOf(op.qkv), out = rowsOf(op.out);
  const int slot = m_rows[static_cast<std::size_t>(job.rows.first)].slot;
  const AttentionMemory memory = m_attention.of(thread);
  const AttentionShape shape{op.headDim, op.valueDim, op.scale, op.softCap};
  const float* sinks = m_weights.vector(op.sinks);
  KvHead kv = m_cache.head(m_slots.pages(), op.kv, slot, job.firstHead / (op.headCount / op.kvHeadCount));
  kv.positions = m_slots.filled(slot);
  AttentionQuery queries[attentionQueries];
  struct Merge {
    float *out, *state;  // null: nothing to merge with
    bool last;
  } merges[attentionQueries];
  int count = 0;
  const auto attend = [&] {
    m_kernels.attend[static_cast<int>(m_cache.type())](kv, shape, queries, count, memory.scratch);
    for (int i = 0; i < count; ++i) {
      if (merges[i].out == nullptr) continue;
      mergeRun(queries[i].out, queries[i].state, op.valueDim, merges[i].out, merges[i].state);
      if (merges[i].last) divideBySum(merges[i].out, op.valueDim, merges[i].state[1]);
    }
    count = 0;
  };
  for (int row = job.rows.first; row < job.rows.first + job.rows.count; ++row) {
    const AttentionRange seen = seenBy(op, row);
    if (run < seen.firstRun() || run >= seen.endRun()) continue;
    for (int head = job.firstHead; head < job.firstHead + job.heads; ++head) {
      float* const result = out.row(row) + head * op.valueDim;
      float* const state = memory.states + 2 * ((row - job.rows.first) * job.heads + head - job.firstHead);
      AttentionQuery query{qkv.row(row) + head * op.headDim, result, std::max(seen.begin, run * attentionRun),
                           std::min(seen.end, (run + 1) * attentionRun)};
      merges[count] = {nullptr, nullptr, run + 1 == seen.endRun()};
      if (sinks != nullptr && run == seen.firstRun()) query.sink = sinks[head];
      if (op.alibi != 0) query.slope = model::alibiSlope(op.alibi, head, op.headCount);
      query.position = m_rows[static_cast<std::size_t>(row)].position;
      if (job.apart && seen.runs() > 1) {
        query.out = m_attention.partial((row - job.passRow) * op.headCount + head, run - seen.firstRun(), job.runs, op.valueDim);
        query.state = query.out + op.valueDim;
      } else if (seen.runs() > 1 && run == seen.firstRun()) {
        query.state = state;
      } else if (seen.runs() > 1) {
        merges[count].out = result;
        merges[count].state = state;
        query.out = memory.results + static_cast<std::size_t>(count) * valueStride(op.valueDim);
        query.state = memory.resultStates + 2 * count;
      }
      queries[count++] = query;
      if (count == attentionQueries) attend();
    }
  }
  if (count > 0) attend();
}

// Merges the runs of every row and head in the order in which attendRun() does.
void CpuPlacement::joinRuns(const model::AttentionOp& op, RowBlock rows, int runs, JobCounter& jobs) {
  const Rows out = rowsOf(op.out);
  shareJobs(jobs, rows.count * op.headCount, [&](int job) {
    const int row = rows.first + job / op.headCount, head = job % op.headCount, own = seenBy(op, row).runs();
    if (own == 1) return;
    const auto part = [&](int run) { return m_attention.partial(job, run, runs, op.valueDim); };
    float* result = out.row(row) + head * op.valueDim;
    float state[2] = {part(0)[op.valueDim], part(0)[op.valueDim + 1]};
    std::copy(part(0), part(0) + op.valueDim, result);
    for (int run = 1; run < own; ++run) mergeRun(part(run), part(run) + op.valueDim, op.valueDim, result, state);
    divideBySum(result, op.valueDim, state[1]);
  });
}

// One pass: so many jobs that all threads have some. Those next to each other read the same keys and values.
void CpuPlacement::attendRows(const model::AttentionOp& op, RowBlock rows, int runs, OpJobs& jobs, int thread) {
  const int blocks = m_attention.blocksOf(rows), group = op.headCount / op.kvHeadCount;
  const auto [parts, heads] = m_attention.divide({rows.count, blocks, op.headCount, op.kvHeadCount, op.valueDim, runs}, m_pool->size());
  const int sets = (group + heads - 1) / heads;
  shareJobs(jobs.jobs, blocks * op.kvHeadCount * parts * sets, [&, parts = parts, heads = heads](int job) {
    const int set = job % sets, part = job / sets % parts, kvHead = job / sets / parts % op.kvHeadCount;
    // Later rows see more positions, so start with them.
    const RowBlock block = m_attention.block(rows, blocks - 1 - job / sets / parts / op.kvHeadCount);
    const AttentionRange first = seenBy(op, block.first), last = seenBy(op, block.first + block.count - 1);
    const int from = first.firstRun(), all = last.endRun() - from;
    const AttentionJob own{op, block, kvHead * group + set * heads, std::min(heads, group - set * heads), rows.first, runs, parts > 1};
    for (int run = from + all * part / parts; run < from + all * (part + 1) / parts; ++run) attendRun(own, run, thread);
  });
  if (parts > 1) joinRuns(op, rows, runs, jobs.preparation);
}

void CpuPlacement::runOp(const model::AttentionOp& op, std::size_t index, int thread) {
  const int rows = static_cast<int>(m_rows.size());
  int runs = 1;
  for (int row = 0; row < rows; ++row) runs = std::max(runs, seenBy(op, row).runs());
  const int blocks = m_attention.blocksOf({0, rows});
  const int step = m_attention.rowsOfPass({rows, blocks, op.headCount, op.kvHeadCount, op.valueDim, runs}, m_pool->size());
  for (int first = 0; first < rows; first += step) {
    if (first > 0) {
      m_pool->barrier();  // until nobody waits for the jobs of the pass before
      if (thread == 0) m_jobs[index].reset();
      m_pool->barrier();
    }
    attendRows(op, {first, std::min(step, rows - first)}, runs, m_jobs[index], thread);
  }
}

}  // namespace minerva::cpu
