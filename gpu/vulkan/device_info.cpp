#include "gpu/vulkan/device_info.h"

#include "core/base/system_memory.h"
#include "gpu/vulkan/result.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace minerva::vulkan {

namespace {

constexpr std::uint32_t vendorIntel = 0x8086;

std::string hex(const std::uint8_t* bytes, std::size_t count) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

bool hasExtension(const Api& api, VkPhysicalDevice device, const char* wanted) {
  std::uint32_t count = 0;
  api.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  api.EnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  return std::ranges::any_of(extensions, [&](const auto& e) { return std::strcmp(e.extensionName, wanted) == 0; });
}

void readProperties(const Api& api, DeviceInfo& info) {
  VkPhysicalDeviceVulkan13Properties v13{};
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
  VkPhysicalDeviceVulkan12Properties v12{};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  VkPhysicalDeviceVulkan11Properties v11{};
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  // Structures of 1.1 to 1.3 must not be passed to an older device.
  api.GetPhysicalDeviceProperties2(info.physical, &properties);
  if (properties.properties.apiVersion >= VK_API_VERSION_1_3) {
    properties.pNext = &v11;
    v11.pNext = &v12;
    v12.pNext = &v13;
    api.GetPhysicalDeviceProperties2(info.physical, &properties);
  }
  const VkPhysicalDeviceProperties& p = properties.properties;
  info.name = p.deviceName;
  info.apiVersion = p.apiVersion;
  info.driverVersion = p.driverVersion;
  info.vendorId = p.vendorID;
  info.deviceId = p.deviceID;
  info.software = p.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  info.integrated = p.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  info.fastByteDots = v13.integerDotProduct4x8BitPackedSignedAccelerated == VK_TRUE;
  info.driver = v12.driverID;
  info.roundsHalves = v12.shaderRoundingModeRTEFloat16 == VK_TRUE;
  info.driverName = v12.driverName;
  info.driverInfo = v12.driverInfo;
  info.broadcastLoads = info.software && loadsOnce(info.driverName, info.driverInfo);
  info.uuid = hex(v11.deviceUUID, VK_UUID_SIZE);
  info.subgroupSize = v11.subgroupSize;
  info.minSubgroupSize = v13.minSubgroupSize;
  info.maxSubgroupSize = v13.maxSubgroupSize;
  constexpr VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
  info.subgroupOperations =
      (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 && (v11.subgroupSupportedOperations & needed) == needed;
  info.subgroupSizeChoice = (v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  info.maxWorkgroupSubgroups = v13.maxComputeWorkgroupSubgroups;
  info.maxWorkgroupInvocations = p.limits.maxComputeWorkGroupInvocations;
  info.maxSharedMemory = p.limits.maxComputeSharedMemorySize;
  info.maxAllocation = v11.maxMemoryAllocationSize;
  info.maxBuffer = v13.maxBufferSize;
  info.timestampPeriod = p.limits.timestampPeriod;
  info.maxTexelElements = p.limits.maxTexelBufferElements;
  info.texelAlignment = std::max<std::uint64_t>(16, p.limits.minTexelBufferOffsetAlignment);
}

std::string locationOf(const Api& api, VkPhysicalDevice device) {
  if (!hasExtension(api, device, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) return {};
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci{};
  pci.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &pci;
  api.GetPhysicalDeviceProperties2(device, &properties);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction);
  return text.data();
}

// 0 if the driver does not say.
std::uint32_t reportedCores(const Api& api, VkPhysicalDevice device) {
  const auto ask = [&](auto& answer, VkStructureType type) {
    answer.sType = type;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &answer;
    api.GetPhysicalDeviceProperties2(device, &properties);
  };
  if (hasExtension(api, device, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{};
    ask(nvidia, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
    return nvidia.shaderSMCount;
  }
  if (hasExtension(api, device, VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME)) {
    VkPhysicalDeviceShaderCoreProperties2AMD amd{};
    ask(amd, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD);
    if (amd.activeComputeUnitCount > 0) return amd.activeComputeUnitCount;
  }
  if (hasExtension(api, device, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) {
    VkPhysicalDeviceShaderCorePropertiesAMD amd{};
    ask(amd, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
    return amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
  }
  if (hasExtension(api, device, VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME)) {
    VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM arm{};
    ask(arm, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM);
    return arm.shaderCoreCount;
  }
  return 0;
}

// Returns whether shaders may use the Vulkan memory model.
bool readFeatures(const Api& api, DeviceInfo& info) {
  VkPhysicalDeviceVulkan13Features v13{};
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  VkPhysicalDeviceVulkan12Features v12{};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v12.pNext = &v13;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &v12;
  api.GetPhysicalDeviceFeatures2(info.physical, &features);
  info.float16 = v12.shaderFloat16 == VK_TRUE;
  const bool memoryModel = v12.vulkanMemoryModel == VK_TRUE && v12.vulkanMemoryModelDeviceScope == VK_TRUE;
  info.byteDots = v13.shaderIntegerDotProduct == VK_TRUE;
  info.fullSubgroups = v13.computeFullSubgroups == VK_TRUE && v13.subgroupSizeControl == VK_TRUE;
  if (v12.bufferDeviceAddress != VK_TRUE) info.unusable = "it lacks buffer device addresses";
  else if (v12.timelineSemaphore != VK_TRUE) info.unusable = "it lacks timeline semaphores";
  else if (!info.subgroupOperations) info.unusable = "it lacks subgroup arithmetic in compute shaders";
  else if (!info.fullSubgroups) info.unusable = "it lacks subgroup size control";
  else if (v12.subgroupBroadcastDynamicId != VK_TRUE) info.unusable = "it lacks subgroup broadcasts from any lane";
  else if (v13.synchronization2 != VK_TRUE) info.unusable = "it lacks synchronization2";
  return memoryModel;
}

void findQueue(const Api& api, DeviceInfo& info) {
  std::uint32_t count = 0;
  api.GetPhysicalDeviceQueueFamilyProperties(info.physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  api.GetPhysicalDeviceQueueFamilyProperties(info.physical, &count, families.data());
  // One without graphics, if there is any: then the work has a ring of its own, so that it leaves the compositor's free, and where it
  // hangs, that ring alone is reset.
  const auto withFlags = [&](VkQueueFlags asked, VkQueueFlags wanted) {
    return std::ranges::find_if(families, [=](const auto& f) { return (f.queueFlags & asked) == wanted; });
  };
  auto found = withFlags(VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_COMPUTE_BIT);
  if (found == families.end()) found = withFlags(VK_QUEUE_COMPUTE_BIT, VK_QUEUE_COMPUTE_BIT);
  if (found == families.end()) info.unusable = "it has no compute queue";
  else info.computeFamily = static_cast<std::uint32_t>(found - families.begin()), info.timestampBits = found->timestampValidBits;
  const auto graphics = withFlags(VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT);
  if (graphics != families.end() && graphics != found) {
    info.graphicsFamily = static_cast<std::uint32_t>(graphics - families.begin());
    info.graphicsTimestampBits = graphics->timestampValidBits;
  }
  // The queues of copy engines. Those of video units copy too, but are not made for it.
  constexpr VkQueueFlags copies = VK_QUEUE_TRANSFER_BIT, harmless = VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
  const auto copier = withFlags(~harmless, copies);
  if (copier != families.end()) info.transferFamily = static_cast<std::uint32_t>(copier - families.begin());
}

}  // namespace

Result<std::vector<DeviceInfo>> listDevices(const Instance& instance) {
  const Api& api = instance.api();
  std::uint32_t count = 0;
  std::vector<VkPhysicalDevice> handles;
  VkResult result = api.EnumeratePhysicalDevices(instance.handle(), &count, nullptr);
  if (result == VK_SUCCESS) {
    handles.resize(count);
    result = api.EnumeratePhysicalDevices(instance.handle(), &count, handles.data());
  }
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return failure(result, "The Vulkan devices could not be listed");
  handles.resize(count);
  std::vector<DeviceInfo> devices;
  for (const VkPhysicalDevice handle : handles) {
    DeviceInfo info;
    info.physical = handle;
    readProperties(api, info);
    if (info.apiVersion < VK_API_VERSION_1_3) {
      info.unusable = "its driver does not support Vulkan 1.3";
    } else {
      const bool memoryModel = readFeatures(api, info);
      info.offersUnits = memoryModel && info.float16 && hasExtension(api, handle, matrixUnitExtension);
      findQueue(api, info);
      const std::uint32_t cores = reportedCores(api, handle);
      const std::uint32_t published = info.vendorId == vendorIntel ? intelCores(info.deviceId) : 0;
      info.cores = cores > 0 ? cores : published > 0 ? published : unknownCores(info.integrated);
      info.location = locationOf(api, handle);
      info.memoryPriority = hasExtension(api, handle, VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME);
      info.compilerFigures = hasExtension(api, handle, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
      info.memoryBudget = hasExtension(api, handle, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
      VkPhysicalDeviceMemoryProperties2 memory{};
      memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
      api.GetPhysicalDeviceMemoryProperties2(handle, &memory);
      info.memory = memory.memoryProperties;
    }
    devices.push_back(std::move(info));
  }
  return devices;
}

namespace {

MemoryBudget budgetOf(const Instance& instance, const DeviceInfo& device) {
  if (device.software) {  // it uses the system's memory, whatever its heap size says
    const SystemMemory memory = systemMemory();
    return {memory.total, memory.available, 0};
  }
  VkPhysicalDeviceMemoryBudgetPropertiesEXT asked{};
  asked.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 memory{};
  memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  if (device.memoryBudget) memory.pNext = &asked;
  instance.api().GetPhysicalDeviceMemoryProperties2(device.physical, &memory);
  MemoryBudget budget;
  const VkPhysicalDeviceMemoryProperties& heaps = memory.memoryProperties;
  for (std::uint32_t i = 0; i < heaps.memoryHeapCount; ++i) {
    const std::uint64_t size = heaps.memoryHeaps[i].size;
    const std::uint64_t taken = std::min(asked.heapUsage[i], asked.heapBudget[i]);
    const std::uint64_t free = device.memoryBudget ? asked.heapBudget[i] - taken : size;
    if (device.integrated || isOwnHeap(device, i)) budget.total += size, budget.free += free;
  }
  return device.integrated ? withinSystem(budget, ownMemory(device), systemMemory()) : budget;
}

}  // namespace

DeviceInfo onGraphicsQueue(DeviceInfo device) {
  if (!device.graphicsFamily) return device;
  device.computeFamily = *device.graphicsFamily;
  device.timestampBits = device.graphicsTimestampBits;
  device.transferFamily.reset();
  return device;
}

bool isOwnHeap(const DeviceInfo& device, std::uint32_t heap) {
  const VkPhysicalDeviceMemoryProperties& memory = device.memory;
  const auto bytesOf = [&](std::uint32_t i) {
    return (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 ? memory.memoryHeaps[i].size : 0;
  };
  VkDeviceSize largest = 0;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) largest = std::max(largest, bytesOf(i));
  return bytesOf(heap) > 0 && bytesOf(heap) >= largest / 4;
}

bool hasSeveralHeaps(const DeviceInfo& device) {
  std::uint32_t own = 0;
  for (std::uint32_t i = 0; i < device.memory.memoryHeapCount; ++i) own += isOwnHeap(device, i) ? 1 : 0;
  return own > 1;
}

std::uint32_t intelCores(std::uint32_t deviceId) {
  struct Known {
    std::uint32_t deviceId, cores;
  };
  constexpr std::array all{Known{0x56a0, 32}, Known{0x56a1, 28}, Known{0x56a2, 24}, Known{0x56a5, 8}, Known{0x56a6, 6},  // Arc A770 to A310
                           Known{0x5690, 32}, Known{0x5691, 24}, Known{0x5692, 16}, Known{0x5693, 8}, Known{0x5694, 6},  // A770M to A350M
                           Known{0xe20b, 20}, Known{0xe20c, 18},                                                         // Arc B580, B570
                           Known{0x64a0, 8},  Known{0x7d55, 8},  Known{0x7d51, 8},  Known{0x7d45, 4},  // Lunar, Meteor and Arrow Lake
                           Known{0x9a49, 6},  Known{0x46a6, 6},  Known{0x4680, 2},                     // Iris Xe, UHD 770
                           Known{0x5917, 3},  Known{0x3e92, 3}};                                       // UHD 620, UHD 630
  const auto* found = std::ranges::find(all, deviceId, &Known::deviceId);
  return found == all.end() ? 0 : found->cores;
}

MemoryBudget withinSystem(MemoryBudget budget, std::uint64_t own, const SystemMemory& system) {
  budget.total = std::min(budget.total, own + system.total);
  budget.free = std::min(budget.free, own + system.available);
  return budget;
}

std::uint64_t ownMemory(const DeviceInfo& device, const std::filesystem::path& cards) {
  std::error_code unreadable;
  auto card = std::filesystem::directory_iterator(cards, unreadable);
  for (; !unreadable && card != std::filesystem::directory_iterator(); card.increment(unreadable)) {
    const auto number = [&card](const char* file) {
      std::ifstream in(card->path() / "device" / file);
      std::string text;
      in >> text;
      return std::strtoull(text.c_str(), nullptr, 0);
    };
    if (number("vendor") == device.vendorId && number("device") == device.deviceId) return number("mem_info_vram_total");
  }
  return 0;
}

// The version is read from words such as "Mesa 25.2.8 (LLVM 20.1.2)": driverVersion is 1 in older ones.
bool loadsOnce(const std::string& driverName, const std::string& driverInfo) {
  unsigned major = 0, minor = 0;
  if (driverName != "llvmpipe" || std::sscanf(driverInfo.c_str(), "Mesa %u.%u", &major, &minor) != 2) return false;
  return major > 25 || (major == 25 && minor >= 1);
}

std::uint64_t headroom(const DeviceInfo& device, std::uint64_t total) {
  if (device.software) return 0;
  return std::clamp<std::uint64_t>(total / 16, std::uint64_t{256} << 20, std::uint64_t{1} << 30);
}

MemoryBudget memoryBudget(const Instance& instance, const DeviceInfo& device) {
  MemoryBudget budget = budgetOf(instance, device);
  if (instance.asIfUnused()) budget.free = budget.total;
  const std::uint64_t kept = std::min(headroom(device, budget.total), budget.free);
  budget.usable = budget.free - kept;
  if (instance.memoryLimit() == 0) return budget;
  budget.free = std::min(budget.free, instance.memoryLimit());
  budget.usable = std::min(budget.usable, instance.memoryLimit());
  return budget;
}

int otherHeapType(const DeviceInfo& device, std::uint32_t allowed, int type) {
  if (device.software || type < 0) return -1;
  const std::uint32_t heap = device.memory.memoryTypes[type].heapIndex;
  std::uint32_t elsewhere = 0;
  for (std::uint32_t i = 0; i < device.memory.memoryTypeCount; ++i) {
    const std::uint32_t other = device.memory.memoryTypes[i].heapIndex;
    if (other != heap && (device.integrated || isOwnHeap(device, other))) elsewhere |= 1U << i;
  }
  if (!device.integrated) return findMemoryType(device, allowed & elsewhere, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
  return findMemoryType(device, allowed & elsewhere, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0);
}

int findMemoryType(const DeviceInfo& device, std::uint32_t allowed, VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags preferred,
                   VkMemoryPropertyFlags avoided) {
  // Memory that must not be allocated without a feature that is never asked for, and memory that need not exist.
  constexpr VkMemoryPropertyFlags special = VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD |
                                            VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT;
  int best = -1;
  int bestScore = 0;
  for (std::uint32_t i = 0; i < device.memory.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = device.memory.memoryTypes[i].propertyFlags;
    if ((allowed >> i & 1u) == 0 || (flags & wanted) != wanted || (flags & special) != 0) continue;
    const int score = 32 * std::popcount(flags & preferred) - std::popcount(flags & avoided);
    if (best >= 0 && score <= bestScore) continue;
    best = static_cast<int>(i);
    bestScore = score;
  }
  return best;
}

}  // namespace minerva::vulkan
