#include "gpu/runtime/device_list.h"

#include "gpu/runtime/trial.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace minerva::gpu {

namespace {

std::string deviceId(std::size_t index) { return "vulkan:" + std::to_string(index); }

vulkan::InstanceOptions instanceOptions(const VulkanOptions& options) {
  return {.loader = options.loader,
          .validation = options.validation,
          .gpuAssisted = options.gpuAssistedValidation,
          .memoryLimit = options.memoryLimit,
          .asIfUnused = options.asIfUnused};
}

std::uint64_t ownBytes(const vulkan::DeviceInfo& device) {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < device.memory.memoryHeapCount; ++i) {
    if (vulkan::isOwnHeap(device, i)) bytes += device.memory.memoryHeaps[i].size;
  }
  return bytes;
}

// Of drivers of the same GPU: Mesa's of AMD's cards compiles these kernels best, NVIDIA's own of its; the one by way of Direct3D is for
// want of any other.
int driverRank(VkDriverId driver) {
  switch (driver) {
    case VK_DRIVER_ID_MESA_RADV:
    case VK_DRIVER_ID_NVIDIA_PROPRIETARY: return 0;
    case VK_DRIVER_ID_AMD_OPEN_SOURCE: return 2;
    case VK_DRIVER_ID_AMD_PROPRIETARY: return 3;
    case VK_DRIVER_ID_MESA_NVK: return 4;
    case VK_DRIVER_ID_MESA_DOZEN: return 5;
    default: return 1;
  }
}

}  // namespace

backend::DeviceInfo describe(const vulkan::Instance& instance, const vulkan::DeviceInfo& device, std::size_t index) {
  const vulkan::MemoryBudget budget = vulkan::memoryBudget(instance, device);
  const bool freeIsKnown = device.memoryBudget || device.software || instance.memoryLimit() > 0 || instance.asIfUnused();
  return {.id = deviceId(index),
          .kind = "Vulkan",
          .name = device.name,
          .detail = device.driverName + (device.driverInfo.empty() ? "" : " " + device.driverInfo),
          .uuid = device.uuid,
          .location = device.location,
          .integrated = device.integrated,
          .software = device.software,
          .alike = backend::Alike::apart,
          .shares = true,
          .memoryTotal = budget.total,
          .memoryFree = freeIsKnown ? budget.free : 0,
          .threads = 0,
          .split = ""};
}

std::vector<std::size_t> bestFirst(std::span<const vulkan::DeviceInfo> devices) {
  std::vector<std::size_t> order(devices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto isSame = [&](const vulkan::DeviceInfo& a, const vulkan::DeviceInfo& b) {
    return (!a.uuid.empty() && a.uuid == b.uuid) || (!a.location.empty() && a.location == b.location);
  };
  // Of a GPU with several drivers, the first one's figures count.
  const auto rank = [&](std::size_t i) {
    const auto first = std::ranges::find_if(devices, [&](const vulkan::DeviceInfo& other) { return isSame(other, devices[i]); });
    const vulkan::DeviceInfo& gpu = first == devices.end() ? devices[i] : *first;
    const int kind = gpu.software ? 2 : gpu.integrated ? 1 : 0;
    return std::tuple(kind, ~ownBytes(gpu), ~gpu.cores, first - devices.begin(), driverRank(devices[i].driver));
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

VulkanDevices listVulkanDevices(const VulkanOptions& options) {
  VulkanDevices found;
  const auto note = [&](const std::string& text) { found.notes.push_back("Vulkan: " + text); };
  const auto instance = vulkan::Instance::create(instanceOptions(options));
  if (!instance) {
    note(instance.error().message());
    return found;
  }
  const auto devices = vulkan::listDevices(**instance);
  if (!devices) {
    note(devices.error().message());
    return found;
  }
  if (devices->empty()) note("no driver offers a device");
  for (const std::size_t i : bestFirst(*devices)) {
    const vulkan::DeviceInfo& device = (*devices)[i];
    if (!device.unusable.empty()) {
      note(device.name + " cannot be used: " + device.unusable);
    } else if (isAvoided(options.cacheFolder, device, TrialStage::kernels)) {
      note(device.name + " is left out, because the program ended while its driver compiled kernels. To try it again, remove " +
           trialFile(options.cacheFolder, device, TrialStage::kernels).string());
    } else {
      found.devices.push_back(describe(**instance, device, i));
    }
  }
  return found;
}

Result<FoundDevice> findDevice(const std::string& id, const VulkanOptions& options) {
  MINERVA_ASSIGN(std::shared_ptr<vulkan::Instance> instance, vulkan::Instance::create(instanceOptions(options)));
  MINERVA_ASSIGN(const std::vector<vulkan::DeviceInfo> devices, vulkan::listDevices(*instance));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (deviceId(i) != id) continue;
    FoundDevice found{std::move(instance), devices[i], i};
    if (found.device.offersUnits && !isAvoided(options.cacheFolder, found.device, TrialStage::unitQuery)) {
      const Trial trial(options.cacheFolder, found.device, TrialStage::unitQuery);
      found.device.matrixUnit = vulkan::findMatrixUnit(found.instance->api(), found.instance->handle(), found.device.physical);
    }
    if (options.graphicsQueue) found.device = vulkan::onGraphicsQueue(std::move(found.device));
    found.device.mapsDeviceMemory = !options.staged;
    found.device.compilerFigures = found.device.compilerFigures && options.compilerFigures;
    return found;
  }
  return fail({.kind = ErrorKind::notFound,
               .what = "There is no such Vulkan device",
               .where = id,
               .expected = devices.empty() ? "a Vulkan driver" : "vulkan:0 to " + deviceId(devices.size() - 1),
               .actual = std::to_string(devices.size()) + " devices"});
}

}  // namespace minerva::gpu
