// Table of Vulkan function pointers. Nothing is linked against Vulkan, so that the program starts without it.
//
// An Api is filled in three steps: global and instance functions by Instance, device functions by Device. A plain value;
// Instance and Device keep the library and the Vulkan objects alive that its functions need.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

// Functions needed before an instance exists, of an instance, and of a device. A missing global or device function is
// reported as unsupported.
// clang-format off
#define MINERVA_VK_GLOBAL(X) X(EnumerateInstanceVersion) X(EnumerateInstanceLayerProperties) X(EnumerateInstanceExtensionProperties) X(CreateInstance)

#define MINERVA_VK_INSTANCE(X)                                                                                      \
  X(DestroyInstance) X(EnumeratePhysicalDevices) X(GetPhysicalDeviceProperties2) X(GetPhysicalDeviceFeatures2)        \
  X(GetPhysicalDeviceMemoryProperties2) X(GetPhysicalDeviceQueueFamilyProperties) X(EnumerateDeviceExtensionProperties) \
  X(CreateDevice) X(GetDeviceProcAddr)

#define MINERVA_VK_INSTANCE_OPTIONAL(X) X(CreateDebugUtilsMessengerEXT) X(DestroyDebugUtilsMessengerEXT)

#define MINERVA_VK_DEVICE(X)                                                                                        \
  X(DestroyDevice) X(GetDeviceQueue) X(DeviceWaitIdle) X(QueueSubmit2) X(CreateBuffer) X(DestroyBuffer)              \
  X(GetBufferMemoryRequirements) X(AllocateMemory) X(FreeMemory) X(BindBufferMemory) X(MapMemory)                    \
  X(GetBufferDeviceAddress) X(CreateBufferView) X(DestroyBufferView) X(CreateShaderModule) X(DestroyShaderModule)    \
  X(CreatePipelineLayout) X(DestroyPipelineLayout) X(CreateComputePipelines) X(DestroyPipeline) X(CreatePipelineCache) X(DestroyPipelineCache) X(GetPipelineCacheData)                      \
  X(CreateDescriptorSetLayout) X(DestroyDescriptorSetLayout) X(CreateDescriptorPool) X(DestroyDescriptorPool)        \
  X(AllocateDescriptorSets) X(UpdateDescriptorSets) X(CreateCommandPool) X(DestroyCommandPool)                       \
  X(AllocateCommandBuffers) X(FreeCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) X(CmdBindPipeline)       \
  X(CmdBindDescriptorSets) X(CmdPushConstants) X(CmdDispatch) X(CmdDispatchBase) X(CmdPipelineBarrier2) X(CmdCopyBuffer) X(CmdFillBuffer) \
  X(CreateSemaphore) X(DestroySemaphore) X(WaitSemaphores) \
  X(GetSemaphoreCounterValue) X(CreateQueryPool) X(DestroyQueryPool) X(CmdResetQueryPool) X(CmdWriteTimestamp2) X(GetQueryPoolResults)

// Of VK_KHR_pipeline_executable_properties, which few programs need.
#define MINERVA_VK_DEVICE_OPTIONAL(X) X(GetPipelineExecutablePropertiesKHR) X(GetPipelineExecutableStatisticsKHR)
// clang-format on

namespace minerva::vulkan {

struct Api {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define MINERVA_VK_MEMBER(name) PFN_vk##name name = nullptr;
  MINERVA_VK_GLOBAL(MINERVA_VK_MEMBER)
  MINERVA_VK_INSTANCE(MINERVA_VK_MEMBER)
  MINERVA_VK_INSTANCE_OPTIONAL(MINERVA_VK_MEMBER)
  MINERVA_VK_DEVICE(MINERVA_VK_MEMBER)
  MINERVA_VK_DEVICE_OPTIONAL(MINERVA_VK_MEMBER)
#undef MINERVA_VK_MEMBER
};

}  // namespace minerva::vulkan
