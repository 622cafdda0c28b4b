// The Vulkan devices of this machine as Backends. Rules of threads and ownership: core/backend/backend.h.
#pragma once

#include "core/backend/backend.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace minerva::gpu {

struct VulkanOptions {
  std::string loader = "libvulkan.so.1";  // name or path of the Vulkan loader
  bool validation = false;                // Khronos validation with synchronization validation
  bool gpuAssistedValidation = false;     // ... and checks inside shaders (slow)
  bool staged = false;                    // never map device memory, as if the host could not see it (tests)
  std::uint64_t memoryLimit = 0;          // bytes of device memory a model may take; 0: what is free
  std::string cacheFolder = {};           // where measured tuning is kept between runs; empty: nothing is measured
};

struct VulkanDevices {
  std::vector<backend::DeviceInfo> devices;  // ids "vulkan:0" ..., in the driver's order; only those that can be used
  std::vector<std::string> notes;            // why there is none, or why one cannot be used
};

[[nodiscard]] VulkanDevices listVulkanDevices(const VulkanOptions& options);

// A Backend on one Vulkan device, with what tests ask of it.
class VulkanBackend : public backend::Backend {
 public:
  // What the validation layer said so far; empty without VulkanOptions::validation.
  [[nodiscard]] virtual std::vector<std::string> validationMessages() const = 0;
};

// id: "vulkan:N" as listed. Errors: notFound (no loader, no such device), unsupported.
[[nodiscard]] Result<std::unique_ptr<VulkanBackend>> createVulkanBackend(const std::string& id, const VulkanOptions& options);

}  // namespace minerva::gpu
