// A plan on the CPU: runs its ops one after the other, each shared out among the threads, with a barrier between.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kv_cache.h"
#include "core/backend/cpu/projection.h"
#include "core/backend/cpu/weights.h"
#include "core/backend/slots.h"
#include "core/base/thread_pool.h"

#include <atomic>
#include <memory>
#include <vector>

namespace minerva::cpu {

// The largest head of a plan, which attention's scratch is made for.
[[nodiscard]] int attentionDim(const model::Plan& plan);

class CpuPlacement final : public backend::Placement {
 public:
  [[nodiscard]] static Result<std::unique_ptr<backend::Placement>> create(std::shared_ptr<ThreadPool> pool, const Kernels& kernels,
                                                                          const model::Plan& plan,
                                                                          const backend::PlaceOptions& options,
                                                                          const backend::Progress& progress, std::stop_token stop);

  [[nodiscard]] Result<void> step(std::span<const backend::StepRow> rows) override;
  [[nodiscard]] Result<std::span<const float>> logits(int i) override;
  [[nodiscard]] Result<void> copySlot(int from, int to, int length) override;
  [[nodiscard]] backend::MemoryUse memory() const override;

 private:
  struct Counters {  // work left of an op; on a line of its own
    alignas(64) std::atomic<int> jobs{0};
    std::atomic<int> preparation{0};
  };

  CpuPlacement(std::shared_ptr<ThreadPool> pool, const Kernels& kernels, const model::Plan& plan,
               const backend::PlaceOptions& options);
  [[nodiscard]] Result<void> allocate();
  [[nodiscard]] Rows rowsOf(model::BufferId id) const;
  [[nodiscard]] int projectionColumns() const;
  void describeProjections();
  [[nodiscard]] Projection describe(const model::ProjOp& op);
  [[nodiscard]] Projection describe(const model::HeadOp& op);

  void runOps(int thread);
  void prepareRotation(int thread);
  void runOp(const model::EmbedOp& op, std::size_t index, int thread);
  void runOp(const model::ProjOp& op, std::size_t index, int thread);
  void runOp(const model::RopeKvOp& op, std::size_t index, int thread);
  void runOp(const model::AttentionOp& op, std::size_t index, int thread);
  void runOp(const model::GatherOp& op, std::size_t index, int thread);
  void runOp(const model::HeadOp& op, std::size_t index, int thread);
  template <class Other>
  void runOp(const Other&, std::size_t, int) {}
  void runProjection(std::size_t index, int thread);
  void attendRows(const model::AttentionOp& op, int firstRow, int rows, int kvHead, float* scratch);
  // Calls work(row) for this thread's share of the step's rows.
  template <class Work>
  void shareRows(std::size_t index, int rows, Work work);

  std::shared_ptr<ThreadPool> m_pool;
  const Kernels& m_kernels;
  const model::Plan& m_plan;
  backend::PlaceOptions m_options;
  backend::Slots m_slots;
  Weights m_weights;
  KvCache m_cache;
  Projector m_projector;
  HostMemory m_buffers;
  HostMemory m_attentionScratch;
  std::vector<std::size_t> m_bufferOffsets, m_bufferStrides;  // by BufferId, in floats
  std::vector<Projection> m_projections;                      // by op; empty for other ops
  std::vector<std::vector<ProjectionPart>> m_parts;           // what their spans point to
  std::vector<Counters> m_counters;                           // by op
  std::vector<std::vector<float>> m_cosSin;                   // by rope: [maxRows][dimension / 2][2]
  std::uint64_t m_scratchBytes = 0;

  // The step in progress.
  std::vector<backend::StepRow> m_rows;
  std::vector<int> m_outputRows;  // indices of the rows that want logits
};

}  // namespace minerva::cpu
