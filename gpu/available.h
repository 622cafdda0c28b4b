// The devices this build can use on this machine, best first. The only entry point to backends for app, bench and tests.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/described_gpu.h"
#include "core/backend/matrix_units.h"
#include "gpu/vulkan/sleep.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minerva {

struct BackendOptions {
  int threads = 0;                              // CPU worker threads; 0: one per physical core
  std::string instructionSet = {};              // CPU: "baseline", "avx2", ... (cpu_backend.h) forces one (tests, bench); "" picks the best
  bool vulkanValidation = false;                // Khronos validation with synchronization validation, if the layer is installed
  bool compilerFigures = false;                 // Vulkan: Backend::compileKernels() tells what the driver's compiler says of each kernel
  std::string vulkanLoader = "libvulkan.so.1";  // name or path; tests point it at a missing one
  backend::MatrixUnits matrixUnits = backend::MatrixUnits::whereFaster;  // Vulkan
  bool split = false;                                                    // GPUs run the first layers of a model, the CPU the rest
  std::vector<int> gpuLayers = {};  // split: number of layers on each GPU; empty: as many layers and experts as fit
  bool cpuExperts = false;          // split: all experts of a mixture-of-experts model stay on the CPU
  std::uint64_t gpuMemory = 0;      // limit of a GPU's memory for a model, in bytes; 0: whatever is free
  bool asIfUnused = false;          // forecasts: all memory of GPUs counts as free, whoever uses some
  std::string cacheFolder = {};     // where what is measured of devices is kept; empty: nowhere, and GPUs are not measured
  vulkan::SleepSource sleep = {};   // Vulkan: how the system's sleep is noticed; tests give their own

  friend bool operator==(const BackendOptions&, const BackendOptions&) = default;
};

struct AvailableDevices {
  std::vector<backend::DeviceInfo> devices;  // always contains "cpu"; hardware GPUs come before it, software GPUs after it
  std::vector<std::string> notes;            // why a device is missing: "Vulkan: no loader found (libvulkan.so.1)"
};

[[nodiscard]] AvailableDevices availableDevices(const BackendOptions& options = {});

// Best first, each once: two drivers may list the same GPU. Without those that share the system's memory where there is one that does not.
[[nodiscard]] std::vector<backend::DeviceInfo> hardwareGpus(const AvailableDevices& available);

// device: "", "auto", "cpu", "vulkan", "vulkan:N", "reference", or a GPU's UUID. "" and "auto" are the best available device; where that is
// one of several hardware GPUs, the others take layers of a model that does not fit on it. "vulkan:0+vulkan:1" shares models between two
// GPUs or more, "gpus" between all hardware GPUs. Of those that are not named, one that cannot be opened is left out, and
// DeviceInfo::detail says so, unless none can. The suffix "+cpu" has the effect of BackendOptions::split. Errors: notFound, listing
// the available devices; invalidArgument (a split without a GPU; a hardware GPU that is named twice).
[[nodiscard]] Result<std::unique_ptr<backend::Backend>> createBackend(std::string_view device, const BackendOptions& options = {});

// What a step of one sequence asks of a GPU that need not be there, op by op: recorded with the tuning that such a GPU starts with, without
// opening a device. depth: positions before the step. Errors: unsupported (an op without a kernel; a program without Vulkan).
[[nodiscard]] Result<std::vector<backend::OpCounts>> countStep(const backend::DescribedGpu& gpu, const model::Plan& plan,
                                                               const backend::PlaceOptions& options, const model::StepSize& step);

}  // namespace minerva
