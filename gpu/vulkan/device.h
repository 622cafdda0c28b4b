// The logical device with its queue, and one more that only copies where the device has such a one. Objects made on it hold a shared_ptr
// to it, so it is destroyed last.
//
// submit() is thread-safe (a mutex guards each queue); for everything else Vulkan's synchronization rules apply.
#pragma once

#include "gpu/vulkan/device_info.h"
#include "gpu/vulkan/instance.h"
#include "gpu/vulkan/sleep.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace minerva::vulkan {

enum class QueueKind {
  compute,   // everything
  transfer,  // copies beside the other's work; the same queue as the other where the device has none of its own for this
};

struct TimelineValue {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

struct DeviceOptions {
  // Seconds without progress after which a device has hung; nullopt: a minute, and without end for software, which is as slow as its host.
  std::optional<int> patience = {};
  SleepSource sleep = {};
};

class Device {
 public:
  // Errors: unsupported (info.unusable, or the driver refuses).
  [[nodiscard]] static Result<std::shared_ptr<Device>> create(std::shared_ptr<Instance> instance, const DeviceInfo& info,
                                                              const DeviceOptions& options = {});
  // A device that is only known by its properties: info() answers, nothing can be made on it or submitted to it. For recordings that only
  // count.
  [[nodiscard]] static std::shared_ptr<Device> describe(const DeviceInfo& info);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const Api& api() const { return *m_inUse.load(std::memory_order_acquire); }
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

  // Seconds without progress after which it has hung; nullopt: never.
  [[nodiscard]] std::optional<int> patience() const { return m_patience; }
  // From now on it counts as lost. Nothing of it is destroyed, because the work that hangs may still use it: its memory is free again when
  // the program ends. Thread-safe.
  void abandon();
  // Whether what was uploaded is still there. Thread-safe. Errors: memoryLost.
  [[nodiscard]] Result<void> checkMemory() const { return m_sleep.check(); }

  // What was asked of the device so far. Thread-safe.
  struct Traffic {
    std::atomic<std::uint64_t> submissions = 0;
    std::atomic<std::uint64_t> bytesRead = 0;  // results that the host has taken
  };
  [[nodiscard]] Traffic& traffic() { return m_traffic; }

 private:
  Device(std::shared_ptr<Instance> instance, const DeviceInfo& info, const DeviceOptions& options);
  Result<void> open();

  std::shared_ptr<Instance> m_instance;
  DeviceInfo m_info;
  std::optional<int> m_patience;
  SleepWatch m_sleep;
  Api m_api, m_abandoned;
  std::atomic<const Api*> m_inUse = &m_api;
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
