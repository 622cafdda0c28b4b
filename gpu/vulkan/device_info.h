// What a GPU is and can do, asked once: an immutable value that is passed around. Tests build their own.
#pragma once

#include "core/base/error.h"
#include "gpu/vulkan/instance.h"
#include "gpu/vulkan/matrix_unit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace minerva::vulkan {

struct DeviceInfo {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  std::string name, driverName, driverInfo;
  std::string uuid;  // 32 hex digits
  std::uint32_t apiVersion = 0, driverVersion = 0, vendorId = 0;
  bool software = false;         // a driver that runs on the CPU
  bool integrated = false;       // shares the computer's memory
  bool mapsDeviceMemory = true;  // device memory is mapped where the host can see it; false: always staged

  std::uint32_t subgroupSize = 0, minSubgroupSize = 0, maxSubgroupSize = 0;
  bool subgroupOperations = false;  // arithmetic and ballot in compute shaders
  bool subgroupSizeChoice = false;  // a compute shader may ask for a size between the two
  bool fullSubgroups = false;       // subgroupSizeControl and computeFullSubgroups
  std::uint32_t maxWorkgroupInvocations = 0, maxWorkgroupCountX = 0, maxSharedMemory = 0, maxPushConstants = 0;
  std::uint64_t maxAllocation = 0, maxBuffer = 0;
  std::uint32_t maxTexelElements = 0;
  std::uint64_t texelAlignment = 16;

  bool float16 = false, integerDot = false, storage16 = false, memoryBudget = false;
  MatrixUnit matrixUnit;  // present: with all that its kernels need besides

  // Why this device cannot be used by us; empty: it can.
  std::string unusable;

  std::uint32_t computeFamily = 0;  // queue family
  VkPhysicalDeviceMemoryProperties memory{};
};

// All devices of an instance, in the driver's order.
[[nodiscard]] Result<std::vector<DeviceInfo>> listDevices(const Instance& instance);

struct MemoryBudget {
  std::uint64_t total = 0;  // of the largest device-local heap; for software devices the computer's
  std::uint64_t free = 0;   // what the driver says we may still take; without VK_EXT_memory_budget an estimate: total
};
// Asked now.
[[nodiscard]] MemoryBudget memoryBudget(const Instance& instance, const DeviceInfo& device);

// Index of a memory type within `allowed` (bits) that has all `wanted` and as many of `preferred` as possible; -1: none.
[[nodiscard]] int findMemoryType(const DeviceInfo& device, std::uint32_t allowed, VkMemoryPropertyFlags wanted,
                                 VkMemoryPropertyFlags preferred);

}  // namespace minerva::vulkan
