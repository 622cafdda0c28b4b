// The logical device with a single queue. Objects made on it hold a shared_ptr to it, so it is destroyed last.
//
// submit() is thread-safe (a mutex guards the queue); for everything else Vulkan's synchronization rules apply.
#pragma once

#include "gpu/vulkan/device_info.h"
#include "gpu/vulkan/instance.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace minerva::vulkan {

class Device {
 public:
  // Errors: unsupported (info.unusable, or the driver refuses).
  [[nodiscard]] static Result<std::shared_ptr<Device>> create(std::shared_ptr<Instance> instance, const DeviceInfo& info);
  // A device that is only known by its properties: info() answers, nothing can be made on it or submitted to it. For recordings that only
  // count.
  [[nodiscard]] static std::shared_ptr<Device> describe(const DeviceInfo& info);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const Api& api() const { return m_api; }
  [[nodiscard]] VkDevice handle() const { return m_device; }
  [[nodiscard]] const DeviceInfo& info() const { return m_info; }
  [[nodiscard]] const Instance& instance() const { return *m_instance; }

  // Submits a command buffer; the timeline `semaphore` reaches `value` on completion. Errors: deviceLost, outOfMemory.
  [[nodiscard]] Result<void> submit(VkCommandBuffer commands, VkSemaphore semaphore, std::uint64_t value);

  // What was asked of the device so far. Thread-safe.
  struct Traffic {
    std::atomic<std::uint64_t> submissions = 0;
    std::atomic<std::uint64_t> bytesRead = 0;  // results that the host has taken
  };
  [[nodiscard]] Traffic& traffic() { return m_traffic; }

 private:
  Device(std::shared_ptr<Instance> instance, const DeviceInfo& info) : m_instance(std::move(instance)), m_info(info) {}
  Result<void> open();

  std::shared_ptr<Instance> m_instance;
  DeviceInfo m_info;
  Api m_api;
  VkDevice m_device = VK_NULL_HANDLE;
  Traffic m_traffic;
  std::mutex m_queueMutex;
  VkQueue m_queue = VK_NULL_HANDLE;  // guarded by m_queueMutex
};

}  // namespace minerva::vulkan
