// Lists and finds Vulkan devices under the ids the rest of the program uses ("vulkan:0").
#pragma once

#include "gpu/runtime/vulkan_backend.h"
#include "gpu/vulkan/device_info.h"

#include <span>
#include <vector>

namespace minerva::gpu {

// Name, driver and memory in terms of the Backend contract. Queries the memory budget on every call.
[[nodiscard]] backend::DeviceInfo describe(const vulkan::Instance& instance, const vulkan::DeviceInfo& device, std::size_t index);

// Indices of the devices, best first: discrete GPUs, then those that share the system's memory, then software; those with more memory
// first, then with more cores. Of several drivers of one GPU the one that runs kernels best.
[[nodiscard]] std::vector<std::size_t> bestFirst(std::span<const vulkan::DeviceInfo> devices);

struct FoundDevice {
  std::shared_ptr<vulkan::Instance> instance;
  vulkan::DeviceInfo device;
  std::size_t index = 0;
};
// Errors: notFound, unsupported.
[[nodiscard]] Result<FoundDevice> findDevice(const std::string& id, const VulkanOptions& options);

}  // namespace minerva::gpu
