// What a program asks about devices, answered as they are described.
#include "tests/gpu/describing_loader/describing_state.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace minerva::tests::describing {
namespace {

// The real function, and what stands in its place.
#define DESCRIBED(function) PFN_vk##function real##function = nullptr
DESCRIBED(EnumeratePhysicalDevices);
DESCRIBED(GetPhysicalDeviceProperties2);
DESCRIBED(GetPhysicalDeviceFeatures2);
DESCRIBED(GetPhysicalDeviceQueueFamilyProperties);
DESCRIBED(EnumerateDeviceExtensionProperties);
DESCRIBED(GetPhysicalDeviceMemoryProperties2);
#undef DESCRIBED

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
  if (auto* pci =
          inChain<VkPhysicalDevicePCIBusInfoPropertiesEXT>(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT))
    pci->pciDomain = d.pci[0], pci->pciBus = d.pci[1], pci->pciDevice = d.pci[2], pci->pciFunction = d.pci[3];
  const bool whole = state().whole;
  if (auto* v11 = inChain<VkPhysicalDeviceVulkan11Properties>(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)) {
    v11->maxMemoryAllocationSize = d.allocation;
    v11->subgroupSupportedOperations = whole ? d.operations : v11->subgroupSupportedOperations & d.operations;
    if (whole) v11->subgroupSize = d.subgroup;
    std::memset(v11->deviceUUID, static_cast<int>(d.device & 0xffU), VK_UUID_SIZE);
  }
  if (auto* v12 = inChain<VkPhysicalDeviceVulkan12Properties>(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES)) {
    if (d.driverId) v12->driverID = *d.driverId;
    copyText(d.driver, v12->driverName, sizeof v12->driverName);
    copyText(d.driverInfo, v12->driverInfo, sizeof v12->driverInfo);
  }
  if (auto* v13 = inChain<VkPhysicalDeviceVulkan13Properties>(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES)) {
    v13->integerDotProduct4x8BitPackedSignedAccelerated = d.byteDots ? VK_TRUE : VK_FALSE;
    v13->maxBufferSize = d.buffer;
    if (!whole) return;
    v13->minSubgroupSize = d.minSubgroup;
    v13->maxSubgroupSize = d.maxSubgroup;
    v13->maxComputeWorkgroupSubgroups = d.maxWorkgroupSubgroups;
    v13->requiredSubgroupSizeStages = d.subgroupChoice ? VK_SHADER_STAGE_COMPUTE_BIT : 0;
  }
}

// A feature stays on if the description has it and, for a device that runs, this machine's driver does; or it is one of matrix units that
// are not there anyway.
void describeFeature(const Description& d, const char* name, VkBool32& value) {
  value = d.has(name) && (state().whole || state().emptyUnits || value == VK_TRUE) ? VK_TRUE : VK_FALSE;
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
    describeFeature(d, "subgroupBroadcastDynamicId", v12->subgroupBroadcastDynamicId);
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
  if (auto* matrix = inChain<MatrixFeature>(features, matrixType)) matrix->cooperativeMatrix = showsUnits(d) ? VK_TRUE : VK_FALSE;
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
  if (state().endsAtUnits) std::abort();
  if (!showsUnits(d)) return *count = 0, VK_SUCCESS;
  if (all == nullptr) return *count = 1, VK_SUCCESS;
  all->m = (*d.matrix)[0], all->n = (*d.matrix)[1], all->k = (*d.matrix)[2];
  all->a = all->b = 0, all->c = all->result = 1, all->scope = 3;  // float16, float32, a subgroup
  return *count = 1, VK_SUCCESS;
}

}  // namespace

PFN_vkVoidFunction replacedQuestion(const char* name, PFN_vkVoidFunction real) {
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
#undef DESCRIBED
  return nullptr;
}

}  // namespace minerva::tests::describing
