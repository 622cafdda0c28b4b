// One timeline semaphore: the only way the host waits for the device. Not thread-safe.
#pragma once

#include "gpu/vulkan/device.h"

#include <memory>

namespace minerva::vulkan {

class Timeline {
 public:
  [[nodiscard]] static Result<Timeline> create(std::shared_ptr<Device> device);
  Timeline(Timeline&& other) noexcept;
  Timeline& operator=(Timeline&&) = delete;
  ~Timeline();

  // Submits; returns the value to pass to wait().
  [[nodiscard]] Result<std::uint64_t> submit(VkCommandBuffer commands);
  // Errors: deviceLost.
  [[nodiscard]] Result<void> wait(std::uint64_t value);
  // Waits for all work submitted so far.
  [[nodiscard]] Result<void> waitAll() { return wait(m_value); }
  [[nodiscard]] Result<void> run(VkCommandBuffer commands);

 private:
  explicit Timeline(std::shared_ptr<Device> device) : m_device(std::move(device)) {}
  bool reachedSoon(std::uint64_t value) const;

  std::shared_ptr<Device> m_device;
  VkSemaphore m_semaphore = VK_NULL_HANDLE;
  std::uint64_t m_value = 0;  // of the last submission
};

}  // namespace minerva::vulkan
