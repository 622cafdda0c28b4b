// Submits the commands of a step: most steps have one command buffer, long ones several, of which at most two wait for the device or run
// there, so that none is ended by the kernel's driver for the sake of those before it. Not thread-safe.
#pragma once

#include "core/base/clock.h"
#include "gpu/runtime/submission_pace.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/timeline.h"

#include <deque>
#include <memory>
#include <optional>

namespace minerva::gpu {

class StepSubmitter {
 public:
  // timeline: must outlive this. Errors: outOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<StepSubmitter>> create(const std::shared_ptr<vulkan::Device>& device,
                                                                     vulkan::Timeline& timeline);
  StepSubmitter(const StepSubmitter&) = delete;
  StepSubmitter& operator=(const StepSubmitter&) = delete;
  ~StepSubmitter() { abandon(); }

  // The work that a submission may have.
  [[nodiscard]] double limit() const { return m_pace.limit(); }
  // Ends what is recorded of a step's command buffer `part`, from 0 on, with a mark that shows that the device has come so far; what it
  // wrote is visible to the host then.
  void sign(vulkan::Commands& commands, std::uint32_t part) const;
  // Waits until there is room, and submits. Errors: deviceLost, also where commands before these were dropped by the driver; outOfMemory.
  [[nodiscard]] Result<void> submit(vulkan::Commands commands, std::uint32_t part, double work);
  // The same of commands that live until finish().
  [[nodiscard]] Result<void> submitKept(const vulkan::Commands& commands, std::uint32_t part, double work);
  // Waits for all that was submitted. Errors: as submit().
  [[nodiscard]] Result<void> finish();
  // The same after an error.
  void abandon();

 private:
  struct Flying {
    std::optional<vulkan::Commands> own;
    std::uint64_t value = 0;  // of the timeline, when it has ended
    std::uint32_t part = 0;
    double work = 0;
    TimePoint from;
  };
  StepSubmitter(std::shared_ptr<vulkan::Device> device, vulkan::Timeline& timeline, vulkan::Buffer marks)
      : m_device(std::move(device)), m_timeline(timeline), m_marks(std::move(marks)) {}
  Result<void> submit(VkCommandBuffer commands, Flying flying);
  Result<void> takeOldest();
  [[nodiscard]] vulkan::BufferView markOf(std::uint32_t part) const;

  std::shared_ptr<vulkan::Device> m_device;
  vulkan::Timeline& m_timeline;
  vulkan::Buffer m_marks;
  std::deque<Flying> m_flying;  // oldest first
  TimePoint m_ended;            // the last one that has ended, as far as is known
  SubmissionPace m_pace;
  bool m_dropped = false;  // what later steps build on was not computed
};

}  // namespace minerva::gpu
