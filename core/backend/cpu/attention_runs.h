// How the attention of a step is divided.
//
// A row takes the positions that it sees in runs: run n is [n * attentionRun, (n + 1) * attentionRun). Each run is a softmax of its own,
// and a row's runs are merged in ascending order (as in FlashDecoding, Dao et al. 2023). So a row's result is the same, bit for bit,
// whether one thread takes its runs or several, and whatever other rows the step holds.
//
// A job is a block of rows, some of the heads that share a KV head, and a part of the runs. Threads that take parts of the same runs keep
// their results apart until all are done. Where there is no memory for those of all rows, the rows attend in several passes.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/memory.h"

#include <vector>

namespace minerva::cpu {

inline constexpr int attentionRun = 2 * attentionBlock;  // positions

// The positions [begin, end) that a row sees, in runs.
struct AttentionRange {
  int begin, end;
  [[nodiscard]] int firstRun() const { return begin / attentionRun; }
  [[nodiscard]] int endRun() const { return (end - 1) / attentionRun + 1; }
  [[nodiscard]] int runs() const { return endRun() - firstRun(); }
};

// Adjacent rows of one slot, which share what is read of the cache.
struct RowBlock {
  int first, count;
};

// What some rows of a step have to attend to.
struct AttentionWork {
  int rows, blocks;
  int heads, kvHeads, valueDim;
  int runs;  // the most that a row sees
};
// Into how much of it a job is divided.
struct AttentionShares {
  int parts;  // of the runs of a block's rows
  int heads;  // that share a KV head, in one job
};

// A thread's own memory.
struct AttentionMemory {
  float* scratch;       // of the kernel
  float* results;       // [attentionQueries][valueStride], of a run that is to be merged
  float* resultStates;  // [attentionQueries][2]
  float* states;        // [rows of a block][heads of a job][2], of the runs merged so far
};

class AttentionRuns {
 public:
  [[nodiscard]] static std::uint64_t bytesNeeded(const model::Plan& plan, const backend::PlaceOptions& options, int threads);
  [[nodiscard]] static Result<AttentionRuns> create(const model::Plan& plan, const backend::PlaceOptions& options, int threads);

  void setRows(std::span<const backend::StepRow> rows);  // of the step that begins
  // The blocks of some of its rows, which may begin or end within one.
  [[nodiscard]] int blocksOf(RowBlock rows) const { return m_blockOf[last(rows)] - m_blockOf[static_cast<std::size_t>(rows.first)] + 1; }
  [[nodiscard]] RowBlock block(RowBlock rows, int index) const;

  // How many rows, of all of a step, attend in one pass.
  [[nodiscard]] int rowsOfPass(const AttentionWork& all, int threads) const;
  [[nodiscard]] AttentionShares divide(const AttentionWork& pass, int threads) const;

  [[nodiscard]] AttentionMemory of(int thread) const;
  // The unmerged result of a run, [valueDim], then its largest score and sum; `query` counts the rows and heads of a pass.
  [[nodiscard]] float* partial(int query, int run, int runs, int valueDim) const {
    const auto at = static_cast<std::size_t>(query) * static_cast<std::size_t>(runs) + static_cast<std::size_t>(run);
    return m_partial + at * static_cast<std::size_t>(valueDim + 2);
  }
  [[nodiscard]] std::uint64_t bytes() const { return m_memory.size(); }

 private:
  static std::size_t last(RowBlock rows) { return static_cast<std::size_t>(rows.first + rows.count - 1); }
  [[nodiscard]] int fittingRows(const AttentionWork& work) const;  // for whose partial results there is memory; at least one

  std::vector<RowBlock> m_blocks;  // of the step's rows
  std::vector<int> m_blockOf;      // by row
  HostMemory m_memory;             // of the threads, then the partial results
  std::size_t m_threadFloats = 0, m_partialFloats = 0;
  int m_headDim = 1, m_valueDim = 1;
  float* m_partial = nullptr;
};

}  // namespace minerva::cpu
