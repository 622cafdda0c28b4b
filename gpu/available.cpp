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
#include <cstdlib>

namespace minerva {

namespace {

using BackendResult = Result<std::unique_ptr<backend::Backend>>;

#ifdef MINERVA_VULKAN
gpu::VulkanOptions vulkanOptions(const BackendOptions& options) {
  return {.loader = options.vulkanLoader,
          .validation = options.vulkanValidation,
          .graphicsQueue = std::getenv("MINERVA_GRAPHICS_QUEUE") != nullptr,
          .compilerFigures = options.compilerFigures,
          .matrixUnits = options.matrixUnits,
          .memoryLimit = options.gpuMemory,
          .asIfUnused = options.asIfUnused,
          .cacheFolder = options.cacheFolder,
          .patience = {},
          .sleep = options.sleep};
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
  return backend::createCpuBackend(
      {.threads = options.threads, .instructionSet = options.instructionSet, .cacheFolder = options.cacheFolder});
}

// If a forced instruction set or thread count is rejected, a note says so; the CPU itself is listed unless it is too old.
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
  for (const std::string& note : available.notes) text += (text.empty() ? "" : "; ") + note;
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

bool isSameGpu(const backend::DeviceInfo& a, const backend::DeviceInfo& b) {
  return a.id == b.id || (!a.uuid.empty() && a.uuid == b.uuid) || (!a.location.empty() && a.location == b.location);
}

}  // namespace

std::vector<backend::DeviceInfo> hardwareGpus(const AvailableDevices& available) {
  std::vector<backend::DeviceInfo> gpus;
  for (const backend::DeviceInfo& device : available.devices) {
    if (device.kind == "CPU" || device.software) continue;
    const bool again = std::ranges::any_of(gpus, [&](const backend::DeviceInfo& other) { return isSameGpu(other, device); });
    if (!again) gpus.push_back(device);
  }
  // Beside a card, the processor's own GPU reads no faster than its cores do.
  const bool cards = std::ranges::any_of(gpus, [](const backend::DeviceInfo& gpu) { return !gpu.integrated; });
  if (cards) std::erase_if(gpus, [](const backend::DeviceInfo& gpu) { return gpu.integrated; });
  return gpus;
}

namespace {

Result<backend::DeviceInfo> findOne(std::string_view device, const AvailableDevices& available) {
  const auto found = std::ranges::find_if(available.devices, [&](const backend::DeviceInfo& info) {
    if (device == "vulkan") return info.kind == "Vulkan";
    return device == info.id || (!info.uuid.empty() && device == info.uuid);
  });
  if (found != available.devices.end()) return *found;
  return fail({.kind = ErrorKind::notFound,
               .what = "There is no such device",
               .where = std::string(device),
               .expected = "one of: " + listOf(available),
               .actual = std::string(device),
               .hint = "minerva-bench devices lists them."});
}

Result<std::unique_ptr<backend::Backend>> createOne(const backend::DeviceInfo& device, const BackendOptions& options) {
  return device.kind == "Vulkan" ? createVulkan(device.id, options) : createCpu(options);
}

Result<std::vector<backend::DeviceInfo>> findEach(std::string_view devices, const AvailableDevices& available) {
  std::vector<backend::DeviceInfo> found;
  if (devices == "gpus") {
    found = hardwareGpus(available);
    if (!found.empty()) return found;
  }
  for (std::size_t begin = 0; begin <= devices.size();) {
    const std::size_t end = std::min(devices.find('+', begin), devices.size());
    MINERVA_ASSIGN(found.emplace_back(), findOne(devices.substr(begin, end - begin), available));
    begin = end + 1;
  }
  return found;
}

Result<void> checkShared(const std::vector<backend::DeviceInfo>& gpus, const BackendOptions& options) {
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (!gpus[i].shares) {
      return fail({.kind = ErrorKind::invalidArgument,
                   .what = "A model can be shared only between GPUs, and between GPUs and the CPU as the last device",
                   .expected = "a GPU",
                   .actual = gpus[i].id});
    }
    const bool again = std::any_of(gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const backend::DeviceInfo& earlier) { return isSameGpu(earlier, gpus[i]); });
    if (!again || gpus[i].software || options.gpuMemory > 0) continue;
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "A GPU can take part only once, because its memory would be counted twice",
                 .expected = "different GPUs, or a limit of their memory",
                 .actual = gpus[i].id + " again"});
  }
  return {};
}

// named: by the user, who gets an error if one of them cannot be opened. Of those that merely are there, such a one is left out, unless the
// user gave each its layers.
BackendResult share(const std::vector<backend::DeviceInfo>& gpus, bool named, bool withCpu, const BackendOptions& options) {
  MINERVA_TRY(checkShared(gpus, options));
  std::vector<std::unique_ptr<backend::Backend>> accelerators;
  std::string note;
  named = named || !options.gpuLayers.empty();
  for (const backend::DeviceInfo& gpu : gpus) {
    BackendResult made = createVulkan(gpu.id, options);
    if (made) accelerators.push_back(std::move(*made));
    else if (named || (accelerators.empty() && &gpu == &gpus.back())) return made;
    else note += (note.empty() ? "" : "; ") + gpu.id + " is left out: " + made.error().message();
  }
  MINERVA_ASSIGN(std::unique_ptr<backend::Backend> cpu, createCpu(options));
  const backend::HostExperts experts = options.cpuExperts                     ? backend::HostExperts::all
                                       : options.gpuLayers.empty() && withCpu ? backend::HostExperts::asFewAsFit
                                                                              : backend::HostExperts::none;
  return backend::createSplitBackend(std::move(accelerators), std::move(cpu),
                                     {.layers = options.gpuLayers, .experts = experts, .hostLayers = withCpu, .note = note});
}

}  // namespace

Result<std::unique_ptr<backend::Backend>> createBackend(std::string_view device, const BackendOptions& options) {
  constexpr std::string_view withCpu = "+cpu";
  const bool named = device.ends_with(withCpu);
  if (named) device.remove_suffix(withCpu.size());
  const bool split = named || options.split;
  if (device == "reference" && !split) return backend::reference::createReferenceBackend();
  if (device == "cpu" && !split) return createCpu(options);
  const AvailableDevices available = availableDevices(options);
  if (device.empty() || device == "auto") {
    const std::vector<backend::DeviceInfo> gpus = hardwareGpus(available);
    if (gpus.size() > 1) return share(gpus, false, split, options);
    if (available.devices.empty()) {
      return fail({.kind = ErrorKind::unsupported, .what = "No device here can run models", .actual = listOf(available)});
    }
    if (!split) return createOne(available.devices.front(), options);
    return share({available.devices.front()}, true, split, options);
  }
  MINERVA_ASSIGN(const std::vector<backend::DeviceInfo> devices, findEach(device, available));
  if (devices.size() == 1 && !split) return createOne(devices.front(), options);
  return share(devices, device != "gpus", split, options);
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
