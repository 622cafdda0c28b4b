// How the attention of a step is divided.
//
// A row takes the positions that it sees in runs: run n is [n * length, (n + 1) * length), and the length depends on the context alone.
// Each run is a softmax of its own, and a row's runs are merged in ascending order (as in FlashDecoding, Dao et al. 2023). So a row's
// result is the same, bit for bit, whether one thread takes its runs or several, and whatever other rows the step holds.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/memory.h"

#include <vector>

namespace minerva::cpu {

// The positions [begin, end) that a row sees, in runs.
struct AttentionRange {
  int begin, end, length;
  [[nodiscard]] int firstRun() const { return begin / length; }
  [[nodiscard]] int endRun() const { return (end - 1) / length + 1; }
  [[nodiscard]] int runs() const { return endRun() - firstRun(); }
};

// Adjacent rows of one slot, which share what is read of the cache.
struct RowBlock {
  int first, count;
};

// A thread's own memory.
struct AttentionMemory {
  float* scratch;       // of the kernel
  float* results;       // [attentionQueries][valueStride], of a run that is to be merged
  float* resultStates;  // [attentionQueries][2]
  float* states;        // [rows of a block][heads that share a KV head][2], of the runs merged so far
};

class AttentionRuns {
 public:
  [[nodiscard]] static std::uint64_t bytesNeeded(const model::Plan& plan, const backend::PlaceOptions& options, int threads);
  [[nodiscard]] static Result<AttentionRuns> create(const model::Plan& plan, const backend::PlaceOptions& options, int threads);

  void setRows(std::span<const backend::StepRow> rows);  // of the step that begins
  [[nodiscard]] AttentionMemory of(int thread) const;
  // The unmerged result of a run, [valueDim], then its largest score and sum; `query` counts the rows and heads of the step.
  [[nodiscard]] float* partial(int query, int run, int runs, int valueDim) const {
    const auto at = static_cast<std::size_t>(query) * static_cast<std::size_t>(runs) + static_cast<std::size_t>(run);
    return m_partial + at * static_cast<std::size_t>(valueDim + 2);
  }
  // Whether there is memory for the runs of so many queries.
  [[nodiscard]] bool fits(int queries, int runs, int valueDim) const {
    return static_cast<std::size_t>(queries) * static_cast<std::size_t>(runs) * static_cast<std::size_t>(valueDim + 2) <= m_partialFloats;
  }
  [[nodiscard]] std::uint64_t bytes() const { return m_memory.size(); }

  int run = 1;                   // positions of a run
  std::vector<RowBlock> blocks;  // of the step's rows

 private:
  HostMemory m_memory;  // of the threads, then the partial results
  std::size_t m_threadFloats = 0, m_partialFloats = 0;
  int m_headDim = 1, m_valueDim = 1;
  float* m_partial = nullptr;
};

}  // namespace minerva::cpu
