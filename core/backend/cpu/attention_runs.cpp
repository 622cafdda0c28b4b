#include "core/backend/cpu/attention_runs.h"

#include <algorithm>

namespace minerva::cpu {
namespace {

constexpr int blockRows = 16;
// Jobs that a thread should have: of parts of the runs, which balance the load, and of few heads, which read the same keys and values.
constexpr int jobsPerThread = 4, leastJobsPerThread = 2;
constexpr int leastHeads = 4;  // of a job: a kernel reads keys and values once for so many
constexpr std::size_t partialFloatsPerThread = 1U << 19, mostPartialRows = 32;

int divideUp(int a, int b) { return (a + b - 1) / b; }

struct Sizes {
  int headDim = 1, valueDim = 1;  // the largest
  std::size_t group = 1;          // the most heads that share a KV head
  std::size_t partial = 0;        // floats of a row in one run
};

Sizes sizesOf(const model::Plan& plan) {
  Sizes sizes;
  for (const model::Op& op : plan.ops) {
    const auto* attention = std::get_if<model::AttentionOp>(&op);
    if (attention == nullptr) continue;
    sizes.headDim = std::max(sizes.headDim, attention->headDim);
    sizes.valueDim = std::max(sizes.valueDim, attention->valueDim);
    sizes.group = std::max(sizes.group, static_cast<std::size_t>(attention->headCount / attention->kvHeadCount));
    const std::size_t row = static_cast<std::size_t>(attention->headCount) * static_cast<std::size_t>(attention->valueDim + 2);
    sizes.partial = std::max(sizes.partial, row);
  }
  return sizes;
}

std::size_t resultFloats(int valueDim) { return attentionQueries * (valueStride(valueDim) + 2); }

std::size_t floatsPerThread(const Sizes& sizes) {
  const std::size_t all = attentionScratch(sizes.headDim, sizes.valueDim) + resultFloats(sizes.valueDim) + 2 * blockRows * sizes.group;
  return (all + 15) / 16 * 16;
}

// At least those of one row that sees the whole context. For few replies: with more, the threads have enough to do without splitting the
// runs of a row, and merge what they compute themselves.
std::size_t partialFloats(const Sizes& sizes, const backend::PlaceOptions& options, int threads) {
  const auto rows = std::min(static_cast<std::size_t>(options.maxRows), mostPartialRows);
  const std::size_t row = sizes.partial * static_cast<std::size_t>(divideUp(options.contextLength, attentionRun));
  return std::min(rows * row, std::max(row, static_cast<std::size_t>(threads) * partialFloatsPerThread));
}

}  // namespace

std::uint64_t AttentionRuns::bytesNeeded(const model::Plan& plan, const backend::PlaceOptions& options, int threads) {
  const Sizes sizes = sizesOf(plan);
  return (floatsPerThread(sizes) * static_cast<std::size_t>(threads) + partialFloats(sizes, options, threads)) * sizeof(float);
}

Result<AttentionRuns> AttentionRuns::create(const model::Plan& plan, const backend::PlaceOptions& options, int threads) {
  const Sizes sizes = sizesOf(plan);
  AttentionRuns runs;
  runs.m_threadFloats = floatsPerThread(sizes);
  runs.m_partialFloats = partialFloats(sizes, options, threads);
  runs.m_headDim = sizes.headDim;
  runs.m_valueDim = sizes.valueDim;
  MINERVA_ASSIGN(runs.m_memory, HostMemory::create(bytesNeeded(plan, options, threads), true));
  runs.m_partial = reinterpret_cast<float*>(runs.m_memory.data()) + runs.m_threadFloats * static_cast<std::size_t>(threads);
  runs.m_blocks.reserve(static_cast<std::size_t>(options.maxRows));
  runs.m_blockOf.reserve(static_cast<std::size_t>(options.maxRows));
  return runs;
}

void AttentionRuns::setRows(std::span<const backend::StepRow> rows) {
  m_blocks.clear();
  m_blockOf.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool goesOn = i > 0 && rows[i].slot == rows[i - 1].slot && m_blocks.back().count < blockRows;
    if (goesOn) ++m_blocks.back().count;
    else m_blocks.push_back({static_cast<int>(i), 1});
    m_blockOf.push_back(static_cast<int>(m_blocks.size()) - 1);
  }
}

RowBlock AttentionRuns::block(RowBlock rows, int index) const {
  const RowBlock& all = m_blocks[static_cast<std::size_t>(m_blockOf[static_cast<std::size_t>(rows.first)] + index)];
  const int first = std::max(all.first, rows.first), end = std::min(all.first + all.count, rows.first + rows.count);
  return {first, end - first};
}

int AttentionRuns::fittingRows(const AttentionWork& work) const {
  const std::size_t row =
      static_cast<std::size_t>(work.heads) * static_cast<std::size_t>(work.runs) * static_cast<std::size_t>(work.valueDim + 2);
  return static_cast<int>(std::min<std::size_t>(m_partialFloats / row, static_cast<std::size_t>(work.rows)));
}

// Each pass reads the keys and values again, so there is more than one only if dividing the heads does not give all threads something to
// do.
int AttentionRuns::rowsOfPass(const AttentionWork& all, int threads) const {
  const int undivided = all.blocks * all.kvHeads * divideUp(all.heads / all.kvHeads, leastHeads);
  return undivided < leastJobsPerThread * threads ? fittingRows(all) : all.rows;
}

AttentionShares AttentionRuns::divide(const AttentionWork& pass, int threads) const {
  const int pieces = pass.blocks * pass.kvHeads, group = pass.heads / pass.kvHeads;
  const bool fits = fittingRows(pass) == pass.rows;
  const int parts = fits ? std::clamp(divideUp(jobsPerThread * threads, pieces), 1, pass.runs) : 1;
  const int sets = std::clamp(divideUp(leastJobsPerThread * threads, pieces * parts), 1, divideUp(group, leastHeads));
  return {parts, divideUp(group, sets)};
}

AttentionMemory AttentionRuns::of(int thread) const {
  float* own = reinterpret_cast<float*>(m_memory.data()) + m_threadFloats * static_cast<std::size_t>(thread);
  float* results = own + attentionScratch(m_headDim, m_valueDim);
  float* states = results + attentionQueries * valueStride(m_valueDim);
  return {own, results, states, states + 2 * attentionQueries};
}

}  // namespace minerva::cpu
