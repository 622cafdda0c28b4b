#include "gpu/runtime/vulkan_backend.h"

#include "gpu/runtime/device_list.h"

namespace minerva::gpu {

Result<std::unique_ptr<VulkanBackend>> createVulkanBackend(const std::string& id, const VulkanOptions& options) {
  MINERVA_ASSIGN(const FoundDevice found, findDevice(id, options));
  return fail({.kind = ErrorKind::unsupported, .what = "The Vulkan backend is not finished", .where = found.device.name});
}

}  // namespace minerva::gpu
