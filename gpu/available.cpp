// The only file that names all backends. To add one: its header, and its rows in availableDevices() and createOne().
#include "gpu/available.h"

#include "core/backend/cpu/cpu_backend.h"
#include "core/backend/reference/reference_backend.h"
#include "core/backend/split/split_backend.h"
#ifdef MINERVA_VULKAN
#include "gpu/runtime/step_counts.h"
#include "gpu/runtime/vulkan_backend.h"
#endif

#include <algorithm>

namespace minerva {

namespace {

using BackendResult = Result<std::unique_ptr<backend::Backend>>;

#ifdef MINERVA_VULKAN
gpu::VulkanOptions vulkanOptions(const BackendOptions& options) {
  return {.loader = options.vulkanLoader,
          .validation = options.vulkanValidation,
          .compilerFigures = options.compilerFigures,
          .memoryLimit = options.gpuMemory,
          .cacheFolder = options.cacheFolder};
}

void addVulkan(AvailableDevices& all, const BackendOptions& options) {
  gpu::VulkanDevices vulkan = gpu::listVulkanDevices(vulkanOptions(options));
  // Hardware GPUs before the CPU, software drivers after it; each group best first.
  const auto software = std::ranges::stable_partition(vulkan.devices, [](const auto& d) { return !d.software; });
  all.devices.insert(all.devices.end(), software.begin(), software.end());
  all.devices.insert(all.devices.begin(), vulkan.devices.begin(), software.begin());
  all.notes.insert(all.notes.end(), vulkan.notes.begin(), vulkan.notes.end());
}

BackendResult createVulkan(const std::string& id, const BackendOptions& options) {
  MINERVA_ASSIGN(std::unique_ptr<backend::Backend> made, gpu::createVulkanBackend(id, vulkanOptions(options)));
  return made;
}
#else
void addVulkan(AvailableDevices& all, const BackendOptions&) {
  all.notes.emplace_back("Vulkan: this program was built without it (glslc was missing)");
}

BackendResult createVulkan(const std::string& id, const BackendOptions&) {
  return fail({.kind = ErrorKind::unsupported, .what = "This program was built without Vulkan", .where = id});
}
#endif

BackendResult createCpu(const BackendOptions& options) {
  return backend::createCpuBackend({.threads = options.threads, .instructionSet = options.instructionSet});
}

// If a forced instruction set or thread count is rejected, a note says so; the CPU itself is always listed.
void addCpu(AvailableDevices& all, const BackendOptions& options) {
  BackendResult cpu = createCpu(options);
  if (!cpu) {
    all.notes.push_back("CPU: " + cpu.error().message());
    cpu = backend::createCpuBackend({});
  }
  if (cpu) all.devices.push_back((*cpu)->info());
}

std::string listOf(const AvailableDevices& available) {
  std::string text;
  for (const backend::DeviceInfo& device : available.devices) text += (text.empty() ? "" : ", ") + device.id;
  for (const std::string& note : available.notes) text += "; " + note;
  return text;
}

}  // namespace

AvailableDevices availableDevices(const BackendOptions& options) {
  AvailableDevices all;
  addCpu(all, options);
  addVulkan(all, options);
  return all;
}

namespace {

BackendResult splitWithCpu(std::unique_ptr<backend::Backend> gpu, const BackendOptions& options) {
  if (!gpu->info().shares) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "Layers can be split only between a GPU and the CPU",
                 .expected = "a GPU",
                 .actual = gpu->info().id});
  }
  MINERVA_ASSIGN(std::unique_ptr<backend::Backend> cpu, createCpu(options));
  const backend::HostExperts experts = options.cpuExperts        ? backend::HostExperts::all
                                       : options.gpuLayers == -1 ? backend::HostExperts::asFewAsFit
                                                                 : backend::HostExperts::none;
  return backend::createSplitBackend(std::move(gpu), std::move(cpu), {.layers = options.gpuLayers, .experts = experts});
}

BackendResult createOne(std::string_view device, const BackendOptions& options) {
  if (device == "reference") return backend::reference::createReferenceBackend();
  if (device == "cpu") return createCpu(options);
  const AvailableDevices available = availableDevices(options);
  const auto found = std::ranges::find_if(available.devices, [&](const backend::DeviceInfo& info) {
    if (device.empty()) return true;
    if (device == "vulkan") return info.kind == "Vulkan";
    return device == info.id || (!info.uuid.empty() && device == info.uuid);
  });
  if (found == available.devices.end()) {
    return fail({.kind = ErrorKind::notFound,
                 .what = "There is no such device",
                 .where = std::string(device),
                 .expected = "one of: " + listOf(available),
                 .actual = std::string(device),
                 .hint = "minerva-bench devices lists them."});
  }
  if (found->kind == "Vulkan") return createVulkan(found->id, options);
  return createCpu(options);
}

}  // namespace

Result<std::unique_ptr<backend::Backend>> createBackend(std::string_view device, const BackendOptions& options) {
  constexpr std::string_view both = "+cpu";
  const bool named = device.ends_with(both);
  if (named) device.remove_suffix(both.size());
  MINERVA_ASSIGN(std::unique_ptr<backend::Backend> made, createOne(device, options));
  if (!named && !options.split) return made;
  return splitWithCpu(std::move(made), options);
}

Result<std::vector<backend::OpCounts>> countStep(const backend::DescribedGpu& gpu, const model::Plan& plan,
                                                 const backend::PlaceOptions& options, const model::StepSize& step) {
#ifdef MINERVA_VULKAN
  return gpu::countStep(gpu, plan, options, step);
#else
  static_cast<void>(plan), static_cast<void>(options), static_cast<void>(step);
  return fail({.kind = ErrorKind::unsupported, .what = "This program was built without Vulkan", .where = gpu.name});
#endif
}

}  // namespace minerva
