// Lists and finds Vulkan devices under the ids the rest of the program uses ("vulkan:0").
#pragma once

#include "gpu/runtime/vulkan_backend.h"
#include "gpu/vulkan/device_info.h"

namespace minerva::gpu {

// Name, driver and memory in terms of the Backend contract. Queries the memory budget on every call.
[[nodiscard]] backend::DeviceInfo describe(const vulkan::Instance& instance, const vulkan::DeviceInfo& device, std::size_t index);

struct FoundDevice {
  std::shared_ptr<vulkan::Instance> instance;
  vulkan::DeviceInfo device;
  std::size_t index = 0;
};
// Errors: notFound, unsupported.
[[nodiscard]] Result<FoundDevice> findDevice(const std::string& id, const VulkanOptions& options);

}  // namespace minerva::gpu
