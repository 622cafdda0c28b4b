// One timeline semaphore: the only way the host waits for the device. Used by one thread at a time.
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

  // Submits; returns the value that wait() takes for this work.
  [[nodiscard]] Result<std::uint64_t> submit(VkCommandBuffer commands);
  // Errors: deviceLost.
  [[nodiscard]] Result<void> wait(std::uint64_t value);
  // Waits for everything submitted so far.
  [[nodiscard]] Result<void> waitAll() { return wait(m_value); }
  [[nodiscard]] Result<void> run(VkCommandBuffer commands);

 private:
  explicit Timeline(std::shared_ptr<Device> device) : m_device(std::move(device)) {}
  bool reachedSoon(std::uint64_t value) const;

  std::shared_ptr<Device> m_device;
  VkSemaphore m_semaphore = VK_NULL_HANDLE;
  std::uint64_t m_value = 0;  // of the latest submission
};

}  // namespace minerva::vulkan
