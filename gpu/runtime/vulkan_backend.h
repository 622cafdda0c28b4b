// The Vulkan devices of this machine as Backends. Threading and ownership: core/backend/backend.h.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/matrix_units.h"
#include "gpu/vulkan/sleep.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minerva::gpu {

struct VulkanOptions {
  std::string loader = "libvulkan.so.1";  // name or path of the Vulkan loader
  bool validation = false;                // Khronos validation with synchronization validation
  bool gpuAssistedValidation = false;     // also checks inside shaders (slow)
  bool staged = false;                    // never map device memory, as if it were not host-visible (tests)
  bool graphicsQueue = false;             // everything on a queue for graphics
  bool compilerFigures = false;           // Backend::compileKernels() tells what the driver's compiler says
  backend::MatrixUnits matrixUnits = backend::MatrixUnits::whereFaster;
  std::uint64_t memoryLimit = 0;     // limit of device memory for a model, in bytes; 0: whatever is free
  bool asIfUnused = false;           // forecasts: all device memory counts as free, whoever uses some
  std::string cacheFolder = {};      // where measured tuning and compiled kernels are stored; empty: nothing is measured or stored
  std::optional<int> patience = {};  // as vulkan::DeviceOptions
  vulkan::SleepSource sleep = {};
};

struct VulkanDevices {
  std::vector<backend::DeviceInfo> devices;  // ids "vulkan:0" ... in the driver's order; usable devices only, best first
  std::vector<std::string> notes;            // why there are none, or why one cannot be used
};

[[nodiscard]] VulkanDevices listVulkanDevices(const VulkanOptions& options);

// A Backend on one Vulkan device, with extensions for tests.
class VulkanBackend : public backend::Backend {
 public:
  // Messages of the validation layer so far; empty without VulkanOptions::validation.
  [[nodiscard]] virtual std::vector<std::string> validationMessages() const = 0;
  // Pipelines made so far. After place() with compileAhead no step makes another one.
  [[nodiscard]] virtual std::size_t pipelinesMade() const = 0;
  // Command buffers submitted so far, and bytes of logits and lists of them that were read back.
  struct Traffic {
    std::uint64_t submissions = 0, bytesRead = 0;
  };
  [[nodiscard]] virtual Traffic traffic() const = 0;
};

// id: "vulkan:N" as listed. Errors: notFound (no loader, no such device), unsupported (matrix units where there are none).
[[nodiscard]] Result<std::unique_ptr<VulkanBackend>> createVulkanBackend(const std::string& id, const VulkanOptions& options);

}  // namespace minerva::gpu
