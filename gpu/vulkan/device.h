// The logical device with its queue, and one more that only copies where the device has such a one. Objects made on it hold a shared_ptr
// to it, so it is destroyed last.
//
// submit() is thread-safe (a mutex guards each queue); for everything else Vulkan's synchronization rules apply.
#pragma once

#include "gpu/vulkan/device_info.h"
#include "gpu/vulkan/instance.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace minerva::vulkan {

enum class QueueKind {
  compute,   // everything
  transfer,  // copies beside the other's work; the same queue as the other where the device has none of its own for this
};

struct TimelineValue {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

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

  // The queue family that command buffers for a queue must be of.
  [[nodiscard]] std::uint32_t familyOf(QueueKind queue) const;
  [[nodiscard]] bool hasTransferQueue() const { return m_info.transferFamily.has_value(); }

  // Submits a command buffer, or nothing (null), that begins when `after` is reached, if given, and at whose end `reaches` is.
  // Errors: deviceLost, outOfMemory.
  [[nodiscard]] Result<void> submit(QueueKind queue, VkCommandBuffer commands, const TimelineValue& reaches,
                                    const TimelineValue& after = {});

  // Returns when the device has nothing left to do, or is lost. Thread-safe.
  void waitUntilIdle();

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
  struct Queue {
    std::mutex mutex;
    VkQueue handle = VK_NULL_HANDLE;  // guarded by the mutex
  };
  Queue& queueOf(QueueKind queue) { return m_queues[queue == QueueKind::transfer && hasTransferQueue() ? 1 : 0]; }
  std::array<Queue, 2> m_queues;  // compute, transfer
};

}  // namespace minerva::vulkan
