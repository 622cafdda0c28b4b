#include "tests/gpu/describing_loader/describing_loader.h"

#include "tests/gpu/describing_loader/description.h"
#include "tests/gpu/describing_loader/spirv_needs.h"
#include "tests/gpu/describing_loader/watched_queues.h"
#include "tests/gpu/loader_plumbing.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

using minerva::tests::Description;
using minerva::tests::WatchedQueues;

// What a VkPhysicalDevice of the program points to.
struct Device {
  Description described;
  VkPhysicalDevice real = VK_NULL_HANDLE;
};

struct Allocation {
  std::uint32_t heap = 0;
  std::uint64_t bytes = 0;
  VkMemoryPropertyFlags flags = 0;
};

struct State {
  std::mutex mutex;
  bool whole = false;
  std::vector<std::unique_ptr<Device>> devices;
  Device* opened = nullptr;  // of the last vkCreateDevice
  std::uint64_t heapLimit = 0, stagedBytes = 0, mappedBytes = 0;
  std::map<VkDeviceMemory, Allocation> allocations;
  std::map<VkBuffer, VkMemoryPropertyFlags> buffers;  // of the memory that they are in
  std::map<VkShaderModule, std::vector<std::uint32_t>> modules;
  WatchedQueues queues;
  std::optional<std::array<std::uint64_t, 2>> timestamps;  // what queries answer
  std::mutex queueMutex;                                   // held during submissions: the program locks each of its queues by itself
  std::vector<std::string> violations;
  std::string said, problem;  // what violations() and describe() return
};
State& state() {
  static State all;
  return all;
}

Device& deviceOf(VkPhysicalDevice device) { return *reinterpret_cast<Device*>(device); }

// With the mutex held.
void violate(const std::string& text) {
  std::vector<std::string>& all = state().violations;
  if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
}
void violateIf(const WatchedQueues::Violation& text) {
  if (text) violate(std::string(*text));
}

const Description& opened() {
  static const Description none;
  return state().opened == nullptr ? none : state().opened->described;
}

std::uint64_t heapBytes(const Description& d, std::uint32_t heap) {
  const std::uint64_t limit = state().heapLimit;
  const bool isLimited = limit > 0 && (d.heaps[heap].device || d.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
  return isLimited ? std::min(limit, d.heaps[heap].bytes) : d.heaps[heap].bytes;
}

std::uint64_t heapUsed(std::uint32_t heap) {
  std::uint64_t used = 0;
  for (const auto& [memory, allocation] : state().allocations)
    if (allocation.heap == heap) used += allocation.bytes;
  return used;
}

template <class Structure, class Chain>
Structure* inChain(Chain* first, VkStructureType type) {
  for (auto* each = reinterpret_cast<VkBaseOutStructure*>(first); each != nullptr; each = each->pNext)
    if (each->sType == type) return reinterpret_cast<Structure*>(each);
  return nullptr;
}

// The real function, and what stands in its place.
#define DESCRIBED(function) PFN_vk##function real##function = nullptr
DESCRIBED(EnumeratePhysicalDevices);
DESCRIBED(GetPhysicalDeviceProperties2);
DESCRIBED(GetPhysicalDeviceFeatures2);
DESCRIBED(GetPhysicalDeviceQueueFamilyProperties);
DESCRIBED(CreateDevice);
DESCRIBED(GetBufferMemoryRequirements);
DESCRIBED(AllocateMemory);
DESCRIBED(FreeMemory);
DESCRIBED(MapMemory);
DESCRIBED(CreateBuffer);
DESCRIBED(CreateBufferView);
DESCRIBED(CreatePipelineLayout);
DESCRIBED(CreateShaderModule);
DESCRIBED(DestroyShaderModule);
DESCRIBED(CreateComputePipelines);
DESCRIBED(CmdDispatch);
DESCRIBED(CmdPipelineBarrier2);
DESCRIBED(CmdCopyBuffer);
DESCRIBED(CmdFillBuffer);
DESCRIBED(GetDeviceQueue);
DESCRIBED(QueueSubmit2);
DESCRIBED(CreateCommandPool);
DESCRIBED(AllocateCommandBuffers);
DESCRIBED(BindBufferMemory);
DESCRIBED(CreateQueryPool);
DESCRIBED(GetQueryPoolResults);
DESCRIBED(CmdDispatchBase);
DESCRIBED(EnumerateDeviceExtensionProperties);
DESCRIBED(GetPhysicalDeviceMemoryProperties2);
#undef DESCRIBED

// ---- questions ----

VKAPI_ATTR VkResult VKAPI_CALL describedEnumeratePhysicalDevices(VkInstance instance, std::uint32_t* count, VkPhysicalDevice* devices) {
  State& s = state();
  std::uint32_t one = 1;
  VkPhysicalDevice real = VK_NULL_HANDLE;
  const VkResult result = realEnumeratePhysicalDevices(instance, &one, &real);
  if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || one == 0) return *count = 0, result;
  const std::scoped_lock lock(s.mutex);
  const auto all = static_cast<std::uint32_t>(s.devices.size());
  if (devices == nullptr) return *count = all, VK_SUCCESS;
  *count = std::min(*count, all);
  for (std::uint32_t i = 0; i < *count; ++i) {
    s.devices[i]->real = real;
    devices[i] = reinterpret_cast<VkPhysicalDevice>(s.devices[i].get());
  }
  return *count < all ? VK_INCOMPLETE : VK_SUCCESS;
}

void describeLimits(const Description& d, VkPhysicalDeviceLimits& limits) {
  limits.maxComputeSharedMemorySize = d.sharedMemory;
  limits.maxComputeWorkGroupInvocations = d.invocations;
  std::copy(d.workgroups.begin(), d.workgroups.end(), limits.maxComputeWorkGroupCount);
  limits.maxPushConstantsSize = d.pushConstants;
  limits.maxMemoryAllocationCount = d.allocationCount;
  limits.maxTexelBufferElements = d.texelElements;
  limits.maxStorageBufferRange = static_cast<std::uint32_t>(std::min<std::uint64_t>(d.storageRange, 0xffffffffU));
  limits.minStorageBufferOffsetAlignment = d.storageAlignment;
  limits.minTexelBufferOffsetAlignment = d.texelAlignment;
  limits.nonCoherentAtomSize = d.coherentAtom;
  limits.timestampPeriod = static_cast<float>(d.timestampPeriod);
}

void copyText(const std::string& text, char* to, std::size_t size) {
  std::memset(to, 0, size);
  std::memcpy(to, text.data(), std::min(text.size(), size - 1));
}

void describeCores(const Description& d, VkPhysicalDeviceProperties2* properties) {
  if (auto* nvidia = inChain<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV>(
          properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV))
    nvidia->shaderSMCount = d.cores.at(0);
  if (auto* amd =
          inChain<VkPhysicalDeviceShaderCorePropertiesAMD>(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD)) {
    amd->shaderEngineCount = d.cores.at(0);
    amd->shaderArraysPerEngineCount = d.cores.at(1);
    amd->computeUnitsPerShaderArray = d.cores.at(2);
  }
  if (auto* amd =
          inChain<VkPhysicalDeviceShaderCoreProperties2AMD>(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD))
    amd->activeComputeUnitCount = d.cores.at(0) * d.cores.at(1) * d.cores.at(2);
}

VKAPI_ATTR void VKAPI_CALL describedGetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  const Device& which = deviceOf(device);
  const Description& d = which.described;
  realGetPhysicalDeviceProperties2(which.real, properties);
  VkPhysicalDeviceProperties& p = properties->properties;
  copyText(d.name, p.deviceName, sizeof p.deviceName);
  p.deviceType = d.type;
  p.vendorID = d.vendor;
  p.deviceID = d.device;
  p.apiVersion = d.api;
  describeLimits(d, p.limits);
  describeCores(d, properties);
  const bool whole = state().whole;
  if (auto* v11 = inChain<VkPhysicalDeviceVulkan11Properties>(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)) {
    v11->maxMemoryAllocationSize = d.allocation;
    v11->subgroupSupportedOperations = whole ? d.operations : v11->subgroupSupportedOperations & d.operations;
    if (whole) v11->subgroupSize = d.subgroup;
    std::memset(v11->deviceUUID, static_cast<int>(d.device & 0xffU), VK_UUID_SIZE);
  }
  if (auto* v12 = inChain<VkPhysicalDeviceVulkan12Properties>(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES)) {
    copyText(d.driver, v12->driverName, sizeof v12->driverName);
    copyText(d.driverInfo, v12->driverInfo, sizeof v12->driverInfo);
  }
  if (auto* v13 = inChain<VkPhysicalDeviceVulkan13Properties>(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES)) {
    v13->maxBufferSize = d.buffer;
    if (!whole) return;
    v13->minSubgroupSize = d.minSubgroup;
    v13->maxSubgroupSize = d.maxSubgroup;
    v13->maxComputeWorkgroupSubgroups = d.maxWorkgroupSubgroups;
    v13->requiredSubgroupSizeStages = d.subgroupChoice ? VK_SHADER_STAGE_COMPUTE_BIT : 0;
  }
}

// A feature stays on if the description has it and, for a device that runs, this machine's driver does.
void describeFeature(const Description& d, const char* name, VkBool32& value) {
  value = d.has(name) && (state().whole || value == VK_TRUE) ? VK_TRUE : VK_FALSE;
}

VKAPI_ATTR void VKAPI_CALL describedGetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  const Device& which = deviceOf(device);
  const Description& d = which.described;
  realGetPhysicalDeviceFeatures2(which.real, features);
  describeFeature(d, "shaderInt64", features->features.shaderInt64);
  describeFeature(d, "shaderInt16", features->features.shaderInt16);
  if (auto* v11 = inChain<VkPhysicalDeviceVulkan11Features>(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES))
    describeFeature(d, "storageBuffer16BitAccess", v11->storageBuffer16BitAccess);
  if (auto* v12 = inChain<VkPhysicalDeviceVulkan12Features>(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)) {
    describeFeature(d, "shaderFloat16", v12->shaderFloat16);
    describeFeature(d, "shaderInt8", v12->shaderInt8);
    describeFeature(d, "bufferDeviceAddress", v12->bufferDeviceAddress);
    describeFeature(d, "timelineSemaphore", v12->timelineSemaphore);
    describeFeature(d, "vulkanMemoryModel", v12->vulkanMemoryModel);
    describeFeature(d, "vulkanMemoryModelDeviceScope", v12->vulkanMemoryModelDeviceScope);
  }
  if (auto* v13 = inChain<VkPhysicalDeviceVulkan13Features>(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES)) {
    describeFeature(d, "subgroupSizeControl", v13->subgroupSizeControl);
    describeFeature(d, "computeFullSubgroups", v13->computeFullSubgroups);
    describeFeature(d, "synchronization2", v13->synchronization2);
    describeFeature(d, "maintenance4", v13->maintenance4);
    describeFeature(d, "shaderIntegerDotProduct", v13->shaderIntegerDotProduct);
  }
  // Of VK_KHR_cooperative_matrix, which older headers lack.
  struct MatrixFeature {
    VkStructureType sType;
    void* pNext;
    VkBool32 cooperativeMatrix;
  };
  constexpr auto matrixType = static_cast<VkStructureType>(1000506000);
  if (auto* matrix = inChain<MatrixFeature>(features, matrixType))
    matrix->cooperativeMatrix = state().whole && d.matrix ? VK_TRUE : VK_FALSE;
}

VKAPI_ATTR void VKAPI_CALL describedGetPhysicalDeviceMemoryProperties2(VkPhysicalDevice device,
                                                                       VkPhysicalDeviceMemoryProperties2* properties) {
  const Description& d = deviceOf(device).described;
  const std::scoped_lock lock(state().mutex);
  VkPhysicalDeviceMemoryProperties& memory = properties->memoryProperties;
  memory = {};
  memory.memoryHeapCount = static_cast<std::uint32_t>(d.heaps.size());
  memory.memoryTypeCount = static_cast<std::uint32_t>(d.types.size());
  auto* budget =
      inChain<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    memory.memoryHeaps[i] = {heapBytes(d, i), d.heaps[i].device ? VkMemoryHeapFlags{VK_MEMORY_HEAP_DEVICE_LOCAL_BIT} : 0};
    if (budget == nullptr) continue;
    budget->heapBudget[i] = heapBytes(d, i);
    budget->heapUsage[i] = heapUsed(i);
  }
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) memory.memoryTypes[i] = {d.types[i].flags, d.types[i].heap};
}

VKAPI_ATTR void VKAPI_CALL describedGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, std::uint32_t* count,
                                                                           VkQueueFamilyProperties* families) {
  const std::vector<Description::Family>& all = deviceOf(device).described.families;
  if (families == nullptr) {
    *count = static_cast<std::uint32_t>(all.size());
    return;
  }
  *count = std::min(*count, static_cast<std::uint32_t>(all.size()));
  for (std::uint32_t i = 0; i < *count; ++i) families[i] = {all[i].flags, 1, all[i].timestampBits, {1, 1, 1}};
}

std::vector<std::string> extensionsOf(const Description& d) {
  std::vector<std::string> all(d.extensions.begin(), d.extensions.end());
  if (state().whole && d.matrix) all.emplace_back("VK_KHR_cooperative_matrix");
  return all;
}

VKAPI_ATTR VkResult VKAPI_CALL describedEnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char*, std::uint32_t* count,
                                                                           VkExtensionProperties* extensions) {
  const std::vector<std::string> all = extensionsOf(deviceOf(device).described);
  if (extensions == nullptr) return *count = static_cast<std::uint32_t>(all.size()), VK_SUCCESS;
  *count = std::min(*count, static_cast<std::uint32_t>(all.size()));
  for (std::uint32_t i = 0; i < *count; ++i) {
    copyText(all[i], extensions[i].extensionName, sizeof extensions[i].extensionName);
    extensions[i].specVersion = 1;
  }
  return *count < all.size() ? VK_INCOMPLETE : VK_SUCCESS;
}

// VkCooperativeMatrixPropertiesKHR.
struct Matrix {
  VkStructureType sType;
  void* pNext;
  std::uint32_t m, n, k, a, b, c, result;
  VkBool32 saturating;
  std::uint32_t scope;
};
VKAPI_ATTR VkResult VKAPI_CALL describedMatrices(VkPhysicalDevice device, std::uint32_t* count, Matrix* all) {
  const Description& d = deviceOf(device).described;
  if (!d.matrix || !state().whole) return *count = 0, VK_SUCCESS;
  if (all == nullptr) return *count = 1, VK_SUCCESS;
  all->m = (*d.matrix)[0], all->n = (*d.matrix)[1], all->k = (*d.matrix)[2];
  all->a = all->b = 0, all->c = all->result = 1, all->scope = 3;  // float16, float32, a subgroup
  return *count = 1, VK_SUCCESS;
}

// ---- work, watched ----

VKAPI_ATTR VkResult VKAPI_CALL describedCreateDevice(VkPhysicalDevice device, const VkDeviceCreateInfo* info,
                                                     const VkAllocationCallbacks* allocation, VkDevice* made) {
  Device& which = deviceOf(device);
  const std::vector<std::string> known = extensionsOf(which.described);
  for (std::uint32_t i = 0; i < info->enabledExtensionCount; ++i)
    if (std::find(known.begin(), known.end(), info->ppEnabledExtensionNames[i]) == known.end()) return VK_ERROR_EXTENSION_NOT_PRESENT;
  {
    const std::scoped_lock lock(state().mutex);
    const auto asks = [&](const char* name, VkBool32 value) {
      if (value == VK_TRUE && !which.described.has(name)) violate(std::string("asks for the feature ") + name);
    };
    if (const auto* v12 = inChain<VkPhysicalDeviceVulkan12Features>(const_cast<VkDeviceCreateInfo*>(info),
                                                                    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)) {
      asks("shaderFloat16", v12->shaderFloat16);
      asks("bufferDeviceAddress", v12->bufferDeviceAddress);
      asks("timelineSemaphore", v12->timelineSemaphore);
      asks("vulkanMemoryModel", v12->vulkanMemoryModel);
      asks("vulkanMemoryModelDeviceScope", v12->vulkanMemoryModelDeviceScope);
    }
    if (const auto* v13 = inChain<VkPhysicalDeviceVulkan13Features>(const_cast<VkDeviceCreateInfo*>(info),
                                                                    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES)) {
      asks("subgroupSizeControl", v13->subgroupSizeControl);
      asks("computeFullSubgroups", v13->computeFullSubgroups);
      asks("synchronization2", v13->synchronization2);
      asks("maintenance4", v13->maintenance4);
    }
    for (std::uint32_t i = 0; i < info->queueCreateInfoCount; ++i)
      if (info->pQueueCreateInfos[i].queueFamilyIndex >= which.described.families.size()) violate("asks for a queue that is not there");
    state().opened = &which;
  }
  VkDeviceQueueCreateInfo queue = info->pQueueCreateInfos[0];
  queue.queueFamilyIndex = 0;
  VkDeviceCreateInfo here = *info;
  here.queueCreateInfoCount = 1;
  here.pQueueCreateInfos = &queue;
  return realCreateDevice(which.real, &here, allocation, made);
}

VKAPI_ATTR void VKAPI_CALL describedGetDeviceQueue(VkDevice device, std::uint32_t family, std::uint32_t, VkQueue* queue) {
  realGetDeviceQueue(device, 0, 0, queue);
  const std::scoped_lock lock(state().mutex);
  *queue = state().queues.add(*queue, family);
}

VKAPI_ATTR VkResult VKAPI_CALL describedQueueSubmit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
  State& s = state();
  auto& which = *reinterpret_cast<WatchedQueues::Queue*>(queue);
  {
    const std::scoped_lock lock(s.mutex);
    for (std::uint32_t i = 0; i < count; ++i) violateIf(s.queues.submitted(which, infos[i]));
  }
  const std::scoped_lock one(s.queueMutex);
  return realQueueSubmit2(which.real, count, infos, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL describedCreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo* info,
                                                          const VkAllocationCallbacks* allocation, VkCommandPool* pool) {
  VkCommandPoolCreateInfo here = *info;
  here.queueFamilyIndex = 0;
  const VkResult result = realCreateCommandPool(device, &here, allocation, pool);
  const std::scoped_lock lock(state().mutex);
  if (result == VK_SUCCESS) state().queues.addPool(*pool, info->queueFamilyIndex);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL describedAllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                                               VkCommandBuffer* commands) {
  const VkResult result = realAllocateCommandBuffers(device, info, commands);
  const std::scoped_lock lock(state().mutex);
  for (std::uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; ++i)
    state().queues.addCommands(info->commandPool, commands[i]);
  return result;
}

// Of the first family that computes.
std::uint32_t timestampBits(const Description& d) {
  for (const Description::Family& family : d.families)
    if ((family.flags & VK_QUEUE_COMPUTE_BIT) != 0) return family.timestampBits;
  return 0;
}

VKAPI_ATTR VkResult VKAPI_CALL describedCreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo* info,
                                                        const VkAllocationCallbacks* allocation, VkQueryPool* pool) {
  {
    const std::scoped_lock lock(state().mutex);
    if (info->queryType == VK_QUERY_TYPE_TIMESTAMP && timestampBits(opened()) == 0)
      violate("asks for timestamps of a queue without a clock");
  }
  return realCreateQueryPool(device, info, allocation, pool);
}

// This machine's device counts nanoseconds, with 64 bits.
VKAPI_ATTR VkResult VKAPI_CALL describedGetQueryPoolResults(VkDevice device, VkQueryPool pool, std::uint32_t first, std::uint32_t count,
                                                            std::size_t size, void* data, VkDeviceSize stride, VkQueryResultFlags flags) {
  const VkResult result = realGetQueryPoolResults(device, pool, first, count, size, data, stride, flags);
  const std::scoped_lock lock(state().mutex);
  const Description& d = opened();
  const std::uint32_t bits = timestampBits(d);
  auto* counts = static_cast<std::uint64_t*>(data);
  for (std::uint32_t i = 0; result == VK_SUCCESS && i < count; ++i) {
    counts[i] =
        state().timestamps ? state().timestamps->at(i) : static_cast<std::uint64_t>(static_cast<double>(counts[i]) / d.timestampPeriod);
    if (bits < 64) counts[i] &= (std::uint64_t{1} << bits) - 1;
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL describedCmdCopyBuffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, std::uint32_t count,
                                                  const VkBufferCopy* regions) {
  {
    const std::scoped_lock lock(state().mutex);
    violateIf(state().queues.written(opened(), commands, to));
    const bool isStaged = ((state().buffers[to] & ~state().buffers[from]) & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
    for (std::uint32_t i = 0; i < count && isStaged; ++i) state().stagedBytes += regions[i].size;
  }
  realCmdCopyBuffer(commands, from, to, count, regions);
}

VKAPI_ATTR void VKAPI_CALL describedCmdFillBuffer(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                                                  std::uint32_t word) {
  {
    const std::scoped_lock lock(state().mutex);
    violateIf(state().queues.written(opened(), commands, buffer));
  }
  realCmdFillBuffer(commands, buffer, offset, size, word);
}

VKAPI_ATTR void VKAPI_CALL describedCmdPipelineBarrier2(VkCommandBuffer commands, const VkDependencyInfo* info) {
  {
    const std::scoped_lock lock(state().mutex);
    violateIf(state().queues.separated(opened(), commands, *info));
  }
  realCmdPipelineBarrier2(commands, info);
}

// Every described memory type can hold every buffer: the program's choice is what is tested.
VKAPI_ATTR void VKAPI_CALL describedGetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* needs) {
  realGetBufferMemoryRequirements(device, buffer, needs);
  needs->memoryTypeBits = (1U << opened().types.size()) - 1;
  needs->alignment = std::max<VkDeviceSize>(needs->alignment, opened().storageAlignment);
  needs->size = (needs->size + needs->alignment - 1) / needs->alignment * needs->alignment;
}

VKAPI_ATTR VkResult VKAPI_CALL describedAllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                                       const VkAllocationCallbacks* allocation, VkDeviceMemory* memory) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  const Description& d = opened();
  if (info->memoryTypeIndex >= d.types.size()) return violate("allocates memory of a type that is not there"), VK_ERROR_UNKNOWN;
  const Description::Type& type = d.types[info->memoryTypeIndex];
  constexpr VkMemoryPropertyFlags special = VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_PROTECTED_BIT;
  if ((type.flags & special) != 0) violate("allocates memory that needs a feature which was not asked for");
  if (info->allocationSize > d.allocation) {
    violate("allocates " + std::to_string(info->allocationSize) + " bytes at once");
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  if (s.allocations.size() >= d.allocationCount) return VK_ERROR_TOO_MANY_OBJECTS;
  if (heapUsed(type.heap) + info->allocationSize > heapBytes(d, type.heap)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  VkMemoryAllocateInfo here = *info;
  here.memoryTypeIndex = 0;
  const VkResult result = realAllocateMemory(device, &here, allocation, memory);
  if (result == VK_SUCCESS) s.allocations[*memory] = {type.heap, info->allocationSize, type.flags};
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL describedBindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  {
    const std::scoped_lock lock(state().mutex);
    state().buffers[buffer] = state().allocations[memory].flags;
  }
  return realBindBufferMemory(device, buffer, memory, offset);
}

VKAPI_ATTR void VKAPI_CALL describedFreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocation) {
  {
    const std::scoped_lock lock(state().mutex);
    state().allocations.erase(memory);
  }
  realFreeMemory(device, memory, allocation);
}

VKAPI_ATTR VkResult VKAPI_CALL describedMapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                                                  VkMemoryMapFlags flags, void** data) {
  {
    const std::scoped_lock lock(state().mutex);
    const auto found = state().allocations.find(memory);
    if (found == state().allocations.end() || (found->second.flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) {
      violate("maps memory that the host cannot see");
      return VK_ERROR_MEMORY_MAP_FAILED;
    }
    if ((found->second.flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0) state().mappedBytes += found->second.bytes;
    if ((found->second.flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0) violate("maps memory that is not coherent and never flushes it");
  }
  return realMapMemory(device, memory, offset, size, flags, data);
}

VKAPI_ATTR VkResult VKAPI_CALL describedCreateBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                                     const VkAllocationCallbacks* allocation, VkBuffer* buffer) {
  {
    const std::scoped_lock lock(state().mutex);
    if (info->size > opened().buffer) violate("creates a buffer of " + std::to_string(info->size) + " bytes");
  }
  VkBufferCreateInfo here = *info;
  here.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  here.queueFamilyIndexCount = 0;
  const VkResult result = realCreateBuffer(device, &here, allocation, buffer);
  const std::scoped_lock lock(state().mutex);
  if (result == VK_SUCCESS) state().queues.addBuffer(*buffer, info->sharingMode == VK_SHARING_MODE_CONCURRENT);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL describedCreateBufferView(VkDevice device, const VkBufferViewCreateInfo* info,
                                                         const VkAllocationCallbacks* allocation, VkBufferView* view) {
  {
    const std::scoped_lock lock(state().mutex);
    const std::uint64_t bytes = info->format == VK_FORMAT_R32_UINT ? 4 : 16;
    if (info->range / bytes > opened().texelElements) violate("creates a view of too many texels");
    if (info->offset % opened().texelAlignment != 0) violate("creates a view at an offset that is not aligned");
  }
  return realCreateBufferView(device, info, allocation, view);
}

VKAPI_ATTR VkResult VKAPI_CALL describedCreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                                             const VkAllocationCallbacks* allocation, VkPipelineLayout* layout) {
  {
    const std::scoped_lock lock(state().mutex);
    for (std::uint32_t i = 0; i < info->pushConstantRangeCount; ++i) {
      const VkPushConstantRange& range = info->pPushConstantRanges[i];
      if (range.offset + range.size > opened().pushConstants) violate("has " + std::to_string(range.size) + " bytes of push constants");
    }
  }
  return realCreatePipelineLayout(device, info, allocation, layout);
}

VKAPI_ATTR VkResult VKAPI_CALL describedCreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                           const VkAllocationCallbacks* allocation, VkShaderModule* module) {
  const VkResult result = realCreateShaderModule(device, info, allocation, module);
  const std::scoped_lock lock(state().mutex);
  if (result == VK_SUCCESS) state().modules[*module].assign(info->pCode, info->pCode + info->codeSize / 4);
  return result;
}

VKAPI_ATTR void VKAPI_CALL describedDestroyShaderModule(VkDevice device, VkShaderModule module, const VkAllocationCallbacks* allocation) {
  {
    const std::scoped_lock lock(state().mutex);
    state().modules.erase(module);
  }
  realDestroyShaderModule(device, module, allocation);
}

// With the mutex held.
void watchPipeline(const VkComputePipelineCreateInfo& info) {
  std::map<std::uint32_t, std::uint32_t> constants;
  if (const VkSpecializationInfo* given = info.stage.pSpecializationInfo) {
    for (std::uint32_t i = 0; i < given->mapEntryCount; ++i) {
      const VkSpecializationMapEntry& entry = given->pMapEntries[i];
      std::memcpy(&constants[entry.constantID], static_cast<const char*>(given->pData) + entry.offset, 4);
    }
  }
  const minerva::tests::SpirvNeeds needs = minerva::tests::needsOf(state().modules[info.stage.module], constants);
  const Description& d = opened();
  if (!needs.problem.empty()) violate("has a kernel of which this was not worked out: " + needs.problem);
  if (needs.workgroup[0] * needs.workgroup[1] * needs.workgroup[2] > d.invocations)
    violate("has a kernel of " + std::to_string(needs.workgroup[0]) + " invocations");
  if (needs.sharedBytes > d.sharedMemory) violate("has a kernel with " + std::to_string(needs.sharedBytes) + " bytes of shared memory");
}

VKAPI_ATTR VkResult VKAPI_CALL describedCreateComputePipelines(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                                                               const VkComputePipelineCreateInfo* infos,
                                                               const VkAllocationCallbacks* allocation, VkPipeline* pipelines) {
  {
    const std::scoped_lock lock(state().mutex);
    for (std::uint32_t i = 0; i < count; ++i) watchPipeline(infos[i]);
  }
  return realCreateComputePipelines(device, cache, count, infos, allocation, pipelines);
}

VKAPI_ATTR void VKAPI_CALL describedCmdDispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  {
    const std::scoped_lock lock(state().mutex);
    const auto& most = opened().workgroups;
    if (x > most[0] || y > most[1] || z > most[2]) violate("dispatches too many workgroups");
    violateIf(state().queues.dispatched(opened(), commands));
  }
  realCmdDispatch(commands, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL describedCmdDispatchBase(VkCommandBuffer commands, std::uint32_t x0, std::uint32_t y0, std::uint32_t z0,
                                                    std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  {
    const std::scoped_lock lock(state().mutex);
    const auto& most = opened().workgroups;
    if (x0 + x > most[0] || y0 + y > most[1] || z0 + z > most[2]) violate("dispatches too many workgroups");
  }
  realCmdDispatchBase(commands, x0, y0, z0, x, y, z);
}

}  // namespace

PFN_vkVoidFunction minerva::tests::replaced(const char* name, PFN_vkVoidFunction real) {
  if (std::strcmp(name, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(&describedMatrices);
  if (real == nullptr) return nullptr;
#define DESCRIBED(function)                                            \
  if (std::strcmp(name, "vk" #function) == 0) {                        \
    real##function = reinterpret_cast<PFN_vk##function>(real);         \
    return reinterpret_cast<PFN_vkVoidFunction>(&described##function); \
  }
  DESCRIBED(EnumeratePhysicalDevices)
  DESCRIBED(GetPhysicalDeviceProperties2)
  DESCRIBED(GetPhysicalDeviceFeatures2)
  DESCRIBED(GetPhysicalDeviceMemoryProperties2)
  DESCRIBED(GetPhysicalDeviceQueueFamilyProperties)
  DESCRIBED(EnumerateDeviceExtensionProperties)
  DESCRIBED(CreateDevice)
  DESCRIBED(GetBufferMemoryRequirements)
  DESCRIBED(AllocateMemory)
  DESCRIBED(FreeMemory)
  DESCRIBED(MapMemory)
  DESCRIBED(CreateBuffer)
  DESCRIBED(CreateBufferView)
  DESCRIBED(CreatePipelineLayout)
  DESCRIBED(CreateShaderModule)
  DESCRIBED(DestroyShaderModule)
  DESCRIBED(CreateComputePipelines)
  DESCRIBED(CmdDispatch)
  DESCRIBED(CmdPipelineBarrier2)
  DESCRIBED(CmdCopyBuffer)
  DESCRIBED(CmdFillBuffer)
  DESCRIBED(GetDeviceQueue)
  DESCRIBED(QueueSubmit2)
  DESCRIBED(CreateCommandPool)
  DESCRIBED(AllocateCommandBuffers)
  DESCRIBED(BindBufferMemory)
  DESCRIBED(CreateQueryPool)
  DESCRIBED(GetQueryPoolResults)
  DESCRIBED(CmdDispatchBase)
#undef DESCRIBED
  return real;
}

MINERVA_EXPORT_LOADER

extern "C" {

const char* describingDescribe(const char* paths, bool whole) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.whole = whole;
  s.devices.clear();
  s.opened = nullptr;
  s.queues.clear();
  s.timestamps.reset();
  s.heapLimit = s.stagedBytes = s.mappedBytes = 0;
  s.violations.clear();
  s.problem.clear();
  std::istringstream all(paths);
  for (std::string path; std::getline(all, path);) {
    try {
      s.devices.push_back(std::make_unique<Device>(Device{minerva::tests::readDescription(path)}));
    } catch (const std::exception& problem) {
      s.problem = problem.what();
    }
  }
  return s.problem.c_str();
}

void describingLimitHeaps(unsigned long long bytes) {
  const std::scoped_lock lock(state().mutex);
  state().heapLimit = bytes;
}

const char* describingViolations() {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.said.clear();
  for (const std::string& violation : s.violations) s.said += violation + "\n";
  return s.said.c_str();
}

unsigned long long describingStagedBytes() {
  const std::scoped_lock lock(state().mutex);
  return state().stagedBytes;
}

unsigned long long describingHeapBytes(unsigned heap) {
  const std::scoped_lock lock(state().mutex);
  return heapUsed(heap);
}

unsigned long long describingMappedBytes() {
  const std::scoped_lock lock(state().mutex);
  return state().mappedBytes;
}

void describingTimestamps(unsigned long long first, unsigned long long second) {
  const std::scoped_lock lock(state().mutex);
  state().timestamps = {first, second};
}

unsigned long describingSubmissions(unsigned family) {
  const std::scoped_lock lock(state().mutex);
  return state().queues.submissions(family);
}

long describingAllocations() {
  const std::scoped_lock lock(state().mutex);
  return static_cast<long>(state().allocations.size());
}

}  // extern "C"
