// Which Vulkan devices there are, as the rest of the program names them. Shared by listing and creating.
#pragma once

#include "gpu/runtime/vulkan_backend.h"
#include "gpu/vulkan/device_info.h"

namespace minerva::gpu {

// Name, driver, memory as the Backend contract wants them; memory is asked now.
[[nodiscard]] backend::DeviceInfo describe(const vulkan::Instance& instance, const vulkan::DeviceInfo& device, std::size_t index);

struct FoundDevice {
  std::shared_ptr<vulkan::Instance> instance;
  vulkan::DeviceInfo device;
  std::size_t index = 0;
};
// Errors: notFound, unsupported.
[[nodiscard]] Result<FoundDevice> findDevice(const std::string& id, const VulkanOptions& options);

}  // namespace minerva::gpu
