// One timeline semaphore, for work of one queue: the only way the host waits for the device. Not thread-safe, except that several threads
// may wait.
#pragma once

#include "gpu/vulkan/device.h"

#include <memory>

namespace minerva::vulkan {

class Timeline {
 public:
  [[nodiscard]] static Result<Timeline> create(std::shared_ptr<Device> device, QueueKind queue = QueueKind::compute);
  Timeline(Timeline&& other) noexcept;
  Timeline& operator=(Timeline&&) = delete;
  ~Timeline();

  // Submits; returns the value to pass to wait().
  [[nodiscard]] Result<std::uint64_t> submit(VkCommandBuffer commands);
  // Submits nothing but a wait: what is submitted after it, by whatever timeline of this queue, sees what `other` has written so far.
  [[nodiscard]] Result<std::uint64_t> follow(const Timeline& other);
  // Errors: deviceLost, also where the device has done nothing for as long as it has patience, which is abandoned then.
  [[nodiscard]] Result<void> wait(std::uint64_t value) const;
  // Waits for all work submitted so far.
  [[nodiscard]] Result<void> waitAll() const { return wait(m_value); }
  [[nodiscard]] Result<void> run(VkCommandBuffer commands);

  [[nodiscard]] VkSemaphore handle() const { return m_semaphore; }

 private:
  Timeline(std::shared_ptr<Device> device, QueueKind queue) : m_device(std::move(device)), m_queue(queue) {}
  bool reachedSoon(std::uint64_t value) const;
  std::uint64_t counter() const;
  std::unexpected<Error> hung() const;

  std::shared_ptr<Device> m_device;
  QueueKind m_queue;
  VkSemaphore m_semaphore = VK_NULL_HANDLE;
  std::uint64_t m_value = 0;  // of the last submission
};

}  // namespace minerva::vulkan
