// A plan on the CPU: runs its ops one after the other, each parallelised over all threads. Every runOp returns after all
// jobs of its op are done, whichever threads did them.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/cpu/attention_runs.h"
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kv_cache.h"
#include "core/backend/cpu/op_jobs.h"
#include "core/backend/cpu/projection.h"
#include "core/backend/cpu/recurrent_states.h"
#include "core/backend/cpu/weights.h"
#include "core/backend/slots.h"
#include "core/base/clock.h"
#include "core/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <vector>

namespace minerva::cpu {

inline constexpr int headProjRows = 32;  // rows of a per-head projection processed at once

// Floats each thread needs for the ops of recurrent mixers.
[[nodiscard]] std::size_t recurrentScratch(const model::Plan& plan);

class CpuPlacement final : public backend::Placement {
 public:
  [[nodiscard]] static Result<std::unique_ptr<backend::Placement>> create(std::shared_ptr<ThreadPool> pool, const Kernels& kernels,
                                                                          const model::Plan& plan, const backend::PlaceOptions& options,
                                                                          const backend::Progress& progress, std::stop_token stop);

  [[nodiscard]] Result<void> step(std::span<const backend::StepRow> rows) override;
  [[nodiscard]] Result<std::vector<double>> timeStep(std::span<const backend::StepRow> rows) override;
  [[nodiscard]] Result<std::span<const float>> logits(int i) override;
  [[nodiscard]] Result<void> copySlot(int from, int to, int length) override;
  [[nodiscard]] Result<void> saveCheckpoint(int slot, int position, int checkpoint) override;
  [[nodiscard]] Result<void> restoreCheckpoint(int checkpoint, int slot) override;
  [[nodiscard]] int pagesLeft(std::span<const backend::StepRow> rows, std::span<const int> released) const override {
    return m_slots.pagesLeft(rows, released);
  }
  void release(int slot, int from) override { m_slots.release(slot, from); }
  void dropCheckpoint(int checkpoint) override { m_slots.dropCheckpoint(checkpoint); }
  [[nodiscard]] backend::MemoryUse memory() const override;
  [[nodiscard]] Result<void> begin(std::span<const backend::StepRow> rows) override;
  [[nodiscard]] Result<void> runPart(std::size_t part) override;
  [[nodiscard]] Result<backend::BufferRows> rows(model::BufferId buffer) override;

  // The memory create() would use: a pure function of its arguments.
  [[nodiscard]] static backend::MemoryUse memoryNeeds(const Kernels& kernels, int threads, const model::Plan& plan,
                                                      const backend::PlaceOptions& options);

 private:
  CpuPlacement(std::shared_ptr<ThreadPool> pool, const Kernels& kernels, const model::Plan& plan, const backend::PlaceOptions& options);
  [[nodiscard]] Result<void> allocate();
  [[nodiscard]] Rows rowsOf(model::BufferId id) const;
  // mixed: model::mixerInputs of the plan.
  void describeProjections(const std::vector<bool>& mixed);
  [[nodiscard]] Projection describe(const model::ProjOp& op, const std::vector<bool>& mixed);
  [[nodiscard]] Projection describe(const model::HeadOp& op);
  [[nodiscard]] GroupedPart groupedPart(const model::ExpertPart& part, int experts, int first, int rows) const;
  void describeGroups(const std::vector<bool>& mixed);

  void runOps(int thread, std::size_t part);
  void prepareRotation();
  void runOp(const model::EmbedOp& op, std::size_t index, int thread);
  void runOp(const model::ProjOp& op, std::size_t index, int thread);
  void runOp(const model::RopeKvOp& op, std::size_t index, int thread);
  void runOp(const model::AttentionOp& op, std::size_t index, int thread);
  void runOp(const model::NormOp& op, std::size_t index, int thread);
  void runOp(const model::HeadProjOp& op, std::size_t index, int thread);
  void runOp(const model::RouteOp& op, std::size_t index, int thread);
  void runOp(const model::ExpertOp& op, std::size_t index, int thread);
  void runOp(const model::CombineOp& op, std::size_t index, int thread);
  void runOp(const model::GatherOp& op, std::size_t index, int thread);
  void runOp(const model::HeadOp& op, std::size_t index, int thread);
  void runOp(const model::GateOp& op, std::size_t index, int thread);
  void runOp(const model::GatedNormOp& op, std::size_t index, int thread);
  void runOp(const model::ScaleOp& op, std::size_t index, int thread);
  void runOp(const model::SpreadOp& op, std::size_t index, int thread);
  void runOp(const model::ConvOp& op, std::size_t index, int thread);
  void runOp(const model::DeltaOp& op, std::size_t index, int thread);
  void runOp(const model::ScanOp& op, std::size_t index, int thread);
  void runOp(const model::PoolOp& op, std::size_t index, int thread);
  void runOp(const model::ThresholdOp& op, std::size_t index, int thread);
  void runOp(const model::XieluOp& op, std::size_t index, int thread);
  void runOp(const model::LevelOp& op, std::size_t index, int thread);
  void runOp(const model::MixOp& op, std::size_t index, int thread);
  void runProjection(std::size_t index, int thread);
  [[nodiscard]] int repliesOf(model::BufferId buffer) const;
  [[nodiscard]] backend::RowUse othersUse() const;  // of the rows of experts and heads that are not of replies
  // Norms, rotation and temperature of a row.
  void prepareHeads(const model::RopeKvOp& op, int row, float* q) const;
  struct AttentionJob {
    const model::AttentionOp& op;
    RowBlock rows;
    int firstHead, heads;  // of the op's query heads; they share a KV head
    int passRow, runs;     // the first row of the pass; the most runs that one of its rows sees
    bool apart;  // results stay in the pass's partial results until all threads are done; else a run is merged with those before it
  };
  [[nodiscard]] AttentionRange seenBy(const model::AttentionOp& op, int row) const;
  void attendRun(const AttentionJob& job, int run, int thread);
  void attendRows(const model::AttentionOp& op, RowBlock rows, int runs, OpJobs& jobs, int thread);
  void joinRuns(const model::AttentionOp& op, RowBlock rows, int runs, JobCounter& jobs);
  void normaliseHeads(const model::HeadNormStep& step, int headCount, int headDim, float* heads) const;
  void normaliseRuns(const model::Norm& norm, int group, int columns, const float* from, float* to) const;
  // Runs work(job) for jobs taken from the shared counter, then waits until all jobs are done.
  template <class Work>
  void shareJobs(JobCounter& jobs, int total, Work work) {
    for (int job = jobs.take(); job < total; job = jobs.take()) {
      work(job);
      jobs.finish(total);
    }
    jobs.wait(total);
  }
  // Few rows are shared one by one.
  template <class Work>
  void shareRows(JobCounter& jobs, int rows, Work work) {
    const int step = std::clamp(rows / (2 * m_pool->size()), 1, 8);
    shareJobs(jobs, (rows + step - 1) / step, [&](int job) {
      for (int row = job * step; row < std::min(rows, (job + 1) * step); ++row) work(row);
    });
  }

  std::shared_ptr<ThreadPool> m_pool;
  const Kernels& m_kernels;
  const model::Plan& m_plan;
  backend::PlaceOptions m_options;
  backend::Slots m_slots;
  Weights m_weights;
  KvCache m_cache;
  RecurrentStates m_states;
  Projector m_projector;
  HostMemory m_buffers;
  AttentionRuns m_attention;
  std::vector<std::size_t> m_bufferOffsets, m_bufferStrides;  // by BufferId, in floats
  std::vector<Projection> m_projections;                      // by op; empty for other ops
  std::vector<std::vector<ProjectionPart>> m_parts;           // targets of the projections' `parts` spans
  struct Grouped {
    GroupedProjection projection{};
    std::vector<GroupedPart> parts;
  };
  std::vector<Grouped> m_grouped;                  // by op; empty for other ops
  std::vector<GroupedRows> m_threadRows;           // by thread
  std::vector<std::vector<float>> m_threadFloats;  // by thread: a row of the widest buffer, or a recurrent mixer's scratch
  std::deque<OpJobs> m_jobs;                       // by op
  JobCounter m_rotations;
  std::vector<std::vector<float>> m_cosSin;  // by rope: [maxRows][dimension / 2][2]

  // The step in progress.
  std::vector<backend::StepRow> m_rows;
  std::vector<int> m_outputRows;  // indices of the rows that want logits
  int m_replies = 0;              // leading rows of replies
  Sequences m_sequences;          // for recurrent mixers
  std::vector<TimePoint> m_ends;  // by op, when timeStep() runs it; else empty
};

}  // namespace minerva::cpu
