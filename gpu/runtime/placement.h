// A plan on a Vulkan device. Contract: core/backend/backend.h.
//
// One submission per step (or per part of a split plan), whose command buffer is recorded once per StepShape and kept in an LRU cache.
// Several where one would take the device long (SubmissionPace): they are submitted while the step is recorded, each time anew, which
// takes a thousandth of their time.
#pragma once

#include "core/backend/slots.h"
#include "gpu/runtime/recorder.h"
#include "gpu/vulkan/timeline.h"

#include <stop_token>

namespace minerva::gpu {

class VulkanPlacement : public backend::Placement {
 public:
  // kernels is shared by all placements of a backend. Errors: as Backend::place.
  [[nodiscard]] static Result<std::unique_ptr<backend::Placement>> create(std::shared_ptr<vulkan::Device> device,
                                                                          std::shared_ptr<Kernels> kernels, const Tuning& tuning,
                                                                          const model::Plan& plan, const backend::PlaceOptions& options,
                                                                          const backend::Progress& progress, std::stop_token stop);
  ~VulkanPlacement() override;

  Result<void> step(std::span<const backend::StepRow> rows) override;
  Result<std::vector<double>> timeStep(std::span<const backend::StepRow> rows) override;
  Result<std::span<const float>> logits(int i) override;
  std::optional<backend::TopLogits> topLogits(int i) override;
  Result<void> copySlot(int from, int to, int length) override;
  Result<void> saveCheckpoint(int slot, int position, int checkpoint) override;
  Result<void> restoreCheckpoint(int checkpoint, int slot) override;
  int pagesLeft(std::span<const backend::StepRow> rows, std::span<const int> released) const override {
    return m_slots.pagesLeft(rows, released);
  }
  void release(int slot, int from) override { m_slots.release(slot, from); }
  void dropCheckpoint(int checkpoint) override { m_slots.dropCheckpoint(checkpoint); }
  backend::MemoryUse memory() const override;
  Result<void> begin(std::span<const backend::StepRow> rows) override;
  Result<void> runPart(std::size_t part) override;
  Result<backend::BufferRows> rows(model::BufferId buffer) override;

 private:
  VulkanPlacement(std::shared_ptr<vulkan::Device> device, std::shared_ptr<Kernels> kernels, const Tuning& tuning, const model::Plan& plan,
                  const backend::PlaceOptions& options);
  Result<void> prepare(const backend::Progress& progress, std::stop_token stop);
  Result<void> makeHostSides();
  Result<void> clearScratch();
  struct Ahead {
    std::vector<KernelKey> kernels;
    std::vector<StepShape> shapes;  // which together have these kernels
  };
  Result<Ahead> kernelsAhead();
  Result<void> compile(const Ahead& ahead, const std::function<void(std::size_t)>& progress, const std::stop_token& stop);
  Result<void> compileAndRun(const Ahead& ahead, const std::function<void(std::size_t)>& progress, const std::stop_token& stop);
  void setAlike(std::span<const backend::StepRow> rows);
  [[nodiscard]] Recorder recorder();
  [[nodiscard]] vulkan::BufferView stepSource() const;
  Result<void> run(const StepShape& shape);
  Result<void> copyStates(int from, int to);
  Result<void> copyPages(const std::vector<backend::PageCopy>& copies);

  struct Recorded {
    std::unique_ptr<vulkan::Commands> commands;
    double work;  // in the unit of SubmissionPace::limit()
    std::uint64_t lastUse;
  };

  std::shared_ptr<vulkan::Device> m_device;
  std::shared_ptr<Kernels> m_kernels;
  Tuning m_tuning;
  const model::Plan& m_plan;
  backend::PlaceOptions m_options;
  MatrixPlan m_matrices;
  Resident m_resident;
  backend::Slots m_slots;
  std::optional<vulkan::Timeline> m_timeline;
  std::unique_ptr<StepSubmitter> m_submitter;
  std::unique_ptr<vulkan::TexelSets> m_sets;
  std::map<std::pair<int, VkDeviceAddress>, VkDescriptorSet> m_matrixSets;
  std::map<StepShape, Recorded> m_recorded;
  std::uint64_t m_steps = 0;
  std::optional<vulkan::Buffer> m_stepSource;  // host-side copy of Resident::step if that is not host-visible
  std::optional<vulkan::Buffer> m_logitsCopy;  // host-side copy of the logits, likewise or where the host reads them slowly
  std::vector<bool> m_logitsHere;              // [outputs of the last step] already copied to the host
  std::vector<std::vector<backend::TopLogits::Entry>> m_listed;  // [outputs of the last step] best first, once asked for
  std::map<model::BufferId, vulkan::Buffer> m_hostRows;          // host-side copies of the buffers that parts receive and send, likewise
  StepShape m_shape;                                             // of the step in progress
};

}  // namespace minerva::gpu
