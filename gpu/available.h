// The devices this build can use on this machine, best first. The only door to backends for app, bench and tests.
#pragma once

#include "core/backend/backend.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minerva {

struct BackendOptions {
  int threads = 0;                              // CPU worker threads; 0: one a physical core
  std::string instructionSet = {};              // CPU: "", "baseline", "avx2", "avx512", "amx": force one (tests, bench); "" the best
  bool vulkanValidation = false;                // Khronos validation with synchronization validation, if the layer is installed
  std::string vulkanLoader = "libvulkan.so.1";  // name or path; tests point it at a missing one
  bool split = false;                           // a GPU runs the first layers of a model, the processor the rest
  int gpuLayers = -1;                           // split: so many; -1: as many as fit, and as many of their experts
  bool cpuExperts = false;                      // split: all experts of a mixture stay with the processor
  std::uint64_t gpuMemory = 0;                  // bytes a model may take on a GPU; 0: what is free
  std::string cacheFolder = {};                 // where a GPU's measured tuning is kept; empty: nothing is measured, defaults are used

  friend bool operator==(const BackendOptions&, const BackendOptions&) = default;
};

struct AvailableDevices {
  std::vector<backend::DeviceInfo> devices;  // always holds "cpu"; hardware GPUs before it, software GPUs after it
  std::vector<std::string> notes;            // why something is missing: "Vulkan: no loader found (libvulkan.so.1)"
};

[[nodiscard]] AvailableDevices availableDevices(const BackendOptions& options = {});

// device: "", "cpu", "vulkan", "vulkan:N", "reference", or a GPU's UUID. "" is the best that works. A GPU followed by
// "+cpu" is one with BackendOptions::split. Errors: notFound naming what is there; invalidArgument (a split without a
// GPU).
[[nodiscard]] Result<std::unique_ptr<backend::Backend>> createBackend(std::string_view device, const BackendOptions& options = {});

}  // namespace minerva
