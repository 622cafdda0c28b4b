#include "tests/gpu/describing_loader/describing_loader.h"

#include "tests/gpu/describing_loader/describing_state.h"
#include "tests/gpu/describing_loader/spirv_needs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace minerva::tests::describing;
using minerva::tests::Description;
using minerva::tests::WatchedQueues;

// The real function, and what stands in its place.
#define DESCRIBED(function) PFN_vk##function real##function = nullptr
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
#undef DESCRIBED

constexpr auto matrixFeature = static_cast<VkStructureType>(1000506000);

// What the program asks for as this machine's driver may be asked: without matrix units and what only their kernels need. In place, because
// the structures are the program's own.
void leaveOutUnits(const VkDeviceCreateInfo& info) {
  for (auto* each = static_cast<VkBaseOutStructure*>(const_cast<void*>(info.pNext)); each != nullptr; each = each->pNext) {
    if (each->pNext != nullptr && each->pNext->sType == matrixFeature) each->pNext = each->pNext->pNext;
    if (each->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) continue;
    auto& v12 = *reinterpret_cast<VkPhysicalDeviceVulkan12Features*>(each);
    v12.shaderFloat16 = v12.vulkanMemoryModel = v12.vulkanMemoryModelDeviceScope = VK_FALSE;
  }
}

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
      asks("subgroupBroadcastDynamicId", v12->subgroupBroadcastDynamicId);
      state().broadcasts = v12->subgroupBroadcastDynamicId == VK_TRUE;
      asks("vulkanMemoryModel", v12->vulkanMemoryModel);
      asks("vulkanMemoryModelDeviceScope", v12->vulkanMemoryModelDeviceScope);
    }
    if (const auto* v13 = inChain<VkPhysicalDeviceVulkan13Features>(const_cast<VkDeviceCreateInfo*>(info),
                                                                    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES)) {
      asks("shaderIntegerDotProduct", v13->shaderIntegerDotProduct);
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
  std::vector<const char*> extensions(info->ppEnabledExtensionNames, info->ppEnabledExtensionNames + info->enabledExtensionCount);
  const auto leaveOut = [&](const char* which) {
    return std::erase_if(extensions, [which](const char* name) { return std::strcmp(name, which) == 0; }) > 0;
  };
  if (leaveOut("VK_KHR_cooperative_matrix")) leaveOutUnits(here);
  if (leaveOut("VK_EXT_memory_priority")) here.pNext = static_cast<const VkBaseInStructure*>(here.pNext)->pNext;  // the first one asked for
  here.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  here.ppEnabledExtensionNames = extensions.data();
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

// Of the first family that computes, without graphics if there is any such.
std::uint32_t timestampBits(const Description& d) {
  const Description::Family* first = nullptr;
  for (const Description::Family& family : d.families) {
    if ((family.flags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    if ((family.flags & VK_QUEUE_GRAPHICS_BIT) == 0) return family.timestampBits;
    if (first == nullptr) first = &family;
  }
  return first == nullptr ? 0 : first->timestampBits;
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
  for (auto* each = static_cast<VkBaseOutStructure*>(const_cast<void*>(info->pNext)); each != nullptr; each = each->pNext) {
    if (each->pNext == nullptr || each->pNext->sType != VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT) continue;
    s.priorBytes += info->allocationSize;
    each->pNext = each->pNext->pNext;  // this machine's driver need not know it
  }
  const VkResult result = realAllocateMemory(device, &here, allocation, memory);
  if (result == VK_SUCCESS) s.allocations[*memory] = {type.heap, info->allocationSize, type.flags, nullptr};
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
  const VkResult result = realMapMemory(device, memory, offset, size, flags, data);
  const std::scoped_lock lock(state().mutex);
  if (result == VK_SUCCESS) state().allocations[memory].mapped = static_cast<const std::byte*>(*data);
  return result;
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

// A kernel of 64 invocations that does nothing.
constexpr std::array<std::uint32_t, 33> emptyKernel{0x07230203,    0x00010000, 0,  6,          0,     // SPIR-V 1.0
                                                    2 << 16 | 17,  1,                                 // OpCapability Shader
                                                    3 << 16 | 14,  0,          1,                     // OpMemoryModel Logical GLSL450
                                                    5 << 16 | 15,  5,          4,  0x6e69616d, 0,     // OpEntryPoint GLCompute %4 "main"
                                                    6 << 16 | 16,  4,          17, 64,         1, 1,  // OpExecutionMode %4 LocalSize
                                                    2 << 16 | 19,  2,                                 // %2 = OpTypeVoid
                                                    3 << 16 | 33,  3,          2,                     // %3 = OpTypeFunction %2
                                                    5 << 16 | 54,  2,          4,  0,          3,     // %4 = OpFunction %2 None %3
                                                    2 << 16 | 248, 5};                                // OpLabel; its end is added below

bool multipliesMatrices(const VkShaderModuleCreateInfo& info) {
  constexpr std::uint32_t capability = 2 << 16 | 17, cooperativeMatrix = 6022;
  for (std::size_t at = 5; at + 1 < info.codeSize / 4 && info.pCode[at] == capability; at += 2)
    if (info.pCode[at + 1] == cooperativeMatrix) return true;
  return false;
}

VKAPI_ATTR VkResult VKAPI_CALL describedCreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                           const VkAllocationCallbacks* allocation, VkShaderModule* module) {
  std::vector<std::uint32_t> empty(emptyKernel.begin(), emptyKernel.end());
  empty.insert(empty.end(), {1 << 16 | 253, 1 << 16 | 56});  // OpReturn, OpFunctionEnd
  VkShaderModuleCreateInfo here = *info;
  if (multipliesMatrices(*info)) {
    here.codeSize = empty.size() * 4;
    here.pCode = empty.data();
    const std::scoped_lock lock(state().mutex);
    ++state().unitPipelines;
  }
  const VkResult result = realCreateShaderModule(device, &here, allocation, module);
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
  if (needs.broadcasts && !state().broadcasts) violate("has a kernel that broadcasts from any lane, which was not asked for");
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
    ++state().dispatches;
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
  if (const PFN_vkVoidFunction question = replacedQuestion(name, real)) return question;
  if (real == nullptr) return nullptr;
#define DESCRIBED(function)                                            \
  if (std::strcmp(name, "vk" #function) == 0) {                        \
    real##function = reinterpret_cast<PFN_vk##function>(real);         \
    return reinterpret_cast<PFN_vkVoidFunction>(&described##function); \
  }
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
  s.emptyUnits = s.endsAtUnits = false;
  s.unitPipelines = 0;
  s.devices.clear();
  s.opened = nullptr;
  s.queues.clear();
  s.timestamps.reset();
  s.heapLimit = s.stagedBytes = s.mappedBytes = s.dispatches = s.priorBytes = 0;
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

void describingEmptyUnits() {
  const std::scoped_lock lock(state().mutex);
  state().emptyUnits = true;
}

void describingEndsAtUnits(bool ends) {
  const std::scoped_lock lock(state().mutex);
  state().endsAtUnits = ends;
}

unsigned long long describingUnitPipelines() {
  const std::scoped_lock lock(state().mutex);
  return state().unitPipelines;
}

unsigned long long describingPriorBytes() {
  const std::scoped_lock lock(state().mutex);
  return state().priorBytes;
}

unsigned long long describingDispatches() {
  const std::scoped_lock lock(state().mutex);
  return state().dispatches;
}

bool describingCached(const void* mapped) {
  const std::scoped_lock lock(state().mutex);
  return std::ranges::any_of(state().allocations, [at = static_cast<const std::byte*>(mapped)](const auto& entry) {
    const auto& [heap, bytes, flags, from] = entry.second;
    return from != nullptr && at >= from && at < from + bytes && (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
  });
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
