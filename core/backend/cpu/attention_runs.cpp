#include "core/backend/cpu/attention_runs.h"

#include <algorithm>

namespace minerva::cpu {
namespace {

constexpr int blockRows = 16;
constexpr int mostRuns = 32, shortestRun = 2 * attentionBlock;
constexpr std::size_t mostPartialFloats = 1U << 20, mostPartialRows = 32;

struct Sizes {
  int headDim = 1, valueDim = 1;  // the largest
  std::size_t group = 1;          // the most heads that share a KV head
  std::size_t partial = 0;        // floats of a row in mostRuns runs
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
    sizes.partial = std::max(sizes.partial, row * mostRuns);
  }
  return sizes;
}

std::size_t resultFloats(int valueDim) { return attentionQueries * (valueStride(valueDim) + 2); }

std::size_t floatsPerThread(const Sizes& sizes) {
  const std::size_t all = attentionScratch(sizes.headDim, sizes.valueDim) + resultFloats(sizes.valueDim) + 2 * blockRows * sizes.group;
  return (all + 15) / 16 * 16;
}

// For few replies: with more, the threads have enough to do without splitting the runs of a row, and merge what they compute themselves.
std::size_t partialFloats(const Sizes& sizes, const backend::PlaceOptions& options) {
  const auto rows = std::min(static_cast<std::size_t>(options.maxRows), mostPartialRows);
  return std::min(rows * sizes.partial, std::max(sizes.partial, mostPartialFloats));
}

}  // namespace

std::uint64_t AttentionRuns::bytesNeeded(const model::Plan& plan, const backend::PlaceOptions& options, int threads) {
  const Sizes sizes = sizesOf(plan);
  return (floatsPerThread(sizes) * static_cast<std::size_t>(threads) + partialFloats(sizes, options)) * sizeof(float);
}

Result<AttentionRuns> AttentionRuns::create(const model::Plan& plan, const backend::PlaceOptions& options, int threads) {
  const Sizes sizes = sizesOf(plan);
  AttentionRuns runs;
  const int even = (options.contextLength + mostRuns - 1) / mostRuns;
  runs.run = std::max(shortestRun, (even + attentionBlock - 1) / attentionBlock * attentionBlock);
  runs.m_threadFloats = floatsPerThread(sizes);
  runs.m_partialFloats = partialFloats(sizes, options);
  runs.m_headDim = sizes.headDim;
  runs.m_valueDim = sizes.valueDim;
  MINERVA_ASSIGN(runs.m_memory, HostMemory::create(bytesNeeded(plan, options, threads), true));
  runs.m_partial = reinterpret_cast<float*>(runs.m_memory.data()) + runs.m_threadFloats * static_cast<std::size_t>(threads);
  runs.blocks.reserve(static_cast<std::size_t>(options.maxRows));
  return runs;
}

void AttentionRuns::setRows(std::span<const backend::StepRow> rows) {
  blocks.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool goesOn = i > 0 && rows[i].slot == rows[i - 1].slot && blocks.back().count < blockRows;
    if (goesOn) ++blocks.back().count;
    else blocks.push_back({static_cast<int>(i), 1});
  }
}

AttentionMemory AttentionRuns::of(int thread) const {
  float* own = reinterpret_cast<float*>(m_memory.data()) + m_threadFloats * static_cast<std::size_t>(thread);
  float* results = own + attentionScratch(m_headDim, m_valueDim);
  float* states = results + attentionQueries * valueStride(m_valueDim);
  return {own, results, states, states + 2 * attentionQueries};
}

}  // namespace minerva::cpu
