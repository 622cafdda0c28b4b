#include "gpu/vulkan/device.h"

#include "gpu/vulkan/result.h"

#include <vector>

namespace minerva::vulkan {

namespace {

constexpr int usualPatience = 60;  // seconds; drivers that look after their devices do something after 2 to 20

template <class Function>
struct Abandoned;
template <class... Arguments>
struct Abandoned<void(VKAPI_PTR*)(Arguments...)> {
  static VKAPI_ATTR void VKAPI_CALL call(Arguments...) {}
};
template <class... Arguments>
struct Abandoned<VkResult(VKAPI_PTR*)(Arguments...)> {
  static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments...) { return VK_ERROR_DEVICE_LOST; }
};

// What would wait for a device that hangs says that it is lost, and what would destroy something of it leaves that.
// clang-format off
#define MINERVA_VK_ABANDONED(X)                                                                                     \
  X(DeviceWaitIdle) X(QueueSubmit2) X(WaitSemaphores) X(GetSemaphoreCounterValue) X(GetQueryPoolResults)             \
  X(DestroyDevice) X(DestroyBuffer) X(FreeMemory) X(DestroyBufferView) X(DestroyShaderModule) X(DestroyPipelineLayout) \
  X(DestroyPipeline) X(DestroyPipelineCache) X(DestroyDescriptorSetLayout) X(DestroyDescriptorPool)                  \
  X(DestroyCommandPool) X(FreeCommandBuffers) X(DestroySemaphore) X(DestroyQueryPool)
// clang-format on

Api abandonedApi(const Api& api) {
  Api made = api;
#define MINERVA_VK_ABANDON(function) made.function = &Abandoned<PFN_vk##function>::call;
  MINERVA_VK_ABANDONED(MINERVA_VK_ABANDON)
#undef MINERVA_VK_ABANDON
  return made;
}

// Instances whose devices are never destroyed. They stay open until the program ends.
void keepForGood(const std::shared_ptr<Instance>& instance) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::shared_ptr<Instance>>;
  const std::scoped_lock lock(mutex);
  kept->push_back(instance);
}

}  // namespace

Device::Device(std::shared_ptr<Instance> instance, const DeviceInfo& info, const DeviceOptions& options)
    : m_instance(std::move(instance)), m_info(info), m_patience(options.patience), m_sleep(info, options.sleep) {
  if (!m_patience && !info.software) m_patience = usualPatience;
}

Result<std::shared_ptr<Device>> Device::create(std::shared_ptr<Instance> instance, const DeviceInfo& info, const DeviceOptions& options) {
  if (!info.unusable.empty()) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The GPU cannot be used: " + info.unusable,
                 .where = info.name,
                 .hint = "Update its driver, or use the CPU."});
  }
  std::shared_ptr<Device> device(new Device(std::move(instance), info, options));
  MINERVA_TRY(device->open());
  return device;
}

std::shared_ptr<Device> Device::describe(const DeviceInfo& info) { return std::shared_ptr<Device>(new Device(nullptr, info, {})); }

Result<void> Device::open() {
  m_api = m_instance->api();
  const float priority = 1.0f;
  std::array<VkDeviceQueueCreateInfo, 2> queues{};
  for (VkDeviceQueueCreateInfo& queue : queues) {
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
  }
  queues[0].queueFamilyIndex = familyOf(QueueKind::compute);
  queues[1].queueFamilyIndex = familyOf(QueueKind::transfer);
  VkPhysicalDeviceVulkan13Features v13{};
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  v13.synchronization2 = VK_TRUE;
  v13.maintenance4 = VK_TRUE;  // required for workgroup sizes from specialization constants; every 1.3 device has it
  v13.shaderIntegerDotProduct = m_info.byteDots ? VK_TRUE : VK_FALSE;
  v13.computeFullSubgroups = m_info.fullSubgroups ? VK_TRUE : VK_FALSE;
  v13.subgroupSizeControl = m_info.fullSubgroups ? VK_TRUE : VK_FALSE;
  VkPhysicalDeviceVulkan12Features v12{};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v12.pNext = &v13;
  v12.bufferDeviceAddress = VK_TRUE;
  v12.timelineSemaphore = VK_TRUE;
  v12.subgroupBroadcastDynamicId = VK_TRUE;  // attention takes the lanes one after the other in a loop
  // The cooperative matrix extension requires the Vulkan memory model. Under it, atomics and barriers of the kernels without units, whose
  // scope is the device unless they say otherwise, need a feature of their own.
  MatrixUnitFeature units = matrixUnitFeature(true);
  if (m_info.matrixUnit.present()) {
    v12.vulkanMemoryModel = VK_TRUE;
    v12.vulkanMemoryModelDeviceScope = VK_TRUE;
    v12.shaderFloat16 = VK_TRUE;
    v13.pNext = &units;
  }
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR figures{};
  figures.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
  figures.pNext = &v12;
  figures.pipelineExecutableInfo = VK_TRUE;
  VkPhysicalDeviceMemoryPriorityFeaturesEXT priorities{};
  priorities.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT;
  priorities.pNext = m_info.compilerFigures ? static_cast<void*>(&figures) : &v12;
  priorities.memoryPriority = VK_TRUE;
  std::vector<const char*> extensions;
  if (m_info.memoryPriority) extensions.push_back(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME);
  if (m_info.matrixUnit.present()) extensions.push_back(matrixUnitExtension);
  if (m_info.compilerFigures) extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = m_info.memoryPriority ? &priorities : priorities.pNext;
  info.queueCreateInfoCount = hasTransferQueue() ? 2 : 1;
  info.pQueueCreateInfos = queues.data();
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (const VkResult result = m_api.CreateDevice(m_info.physical, &info, nullptr, &m_device); result != VK_SUCCESS) {
    return failure(result, "The GPU could not be opened", m_info.name);
  }
#define MINERVA_VK_LOAD(function)                                                                         \
  m_api.function = reinterpret_cast<PFN_vk##function>(m_api.GetDeviceProcAddr(m_device, "vk" #function)); \
  if (m_api.function == nullptr)                                                                          \
    return fail({.kind = ErrorKind::unsupported, .what = "The GPU driver lacks vk" #function, .where = m_info.name});
  MINERVA_VK_DEVICE(MINERVA_VK_LOAD)
#undef MINERVA_VK_LOAD
#define MINERVA_VK_LOAD(function) m_api.function = reinterpret_cast<PFN_vk##function>(m_api.GetDeviceProcAddr(m_device, "vk" #function));
  if (m_info.compilerFigures) {
    MINERVA_VK_DEVICE_OPTIONAL(MINERVA_VK_LOAD)
  }
#undef MINERVA_VK_LOAD
  for (const QueueKind kind : {QueueKind::compute, QueueKind::transfer}) {
    m_api.GetDeviceQueue(m_device, familyOf(kind), 0, &queueOf(kind).handle);
  }
  m_abandoned = abandonedApi(m_api);
  return {};
}

Device::~Device() {
  if (m_device == VK_NULL_HANDLE) return;
  if (m_api.DestroyDevice == nullptr) return;  // the driver lacks required functions, so nothing was created on it
  api().DestroyDevice(m_device, nullptr);
}

std::uint32_t Device::familyOf(QueueKind queue) const {
  return queue == QueueKind::transfer ? m_info.transferFamily.value_or(m_info.computeFamily) : m_info.computeFamily;
}

Result<void> Device::submit(QueueKind queue, VkCommandBuffer commands, const TimelineValue& reaches, const TimelineValue& after) {
  VkCommandBufferSubmitInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  buffer.commandBuffer = commands;
  const auto infoOf = [](const TimelineValue& timeline) {
    VkSemaphoreSubmitInfo semaphore{};
    semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
    semaphore.semaphore = timeline.semaphore;
    semaphore.value = timeline.value;
    semaphore.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    return semaphore;
  };
  const VkSemaphoreSubmitInfo signal = infoOf(reaches), wait = infoOf(after);
  VkSubmitInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.waitSemaphoreInfoCount = after.semaphore == VK_NULL_HANDLE ? 0 : 1;
  info.pWaitSemaphoreInfos = &wait;
  info.commandBufferInfoCount = commands == VK_NULL_HANDLE ? 0 : 1;
  info.pCommandBufferInfos = &buffer;
  info.signalSemaphoreInfoCount = 1;
  info.pSignalSemaphoreInfos = &signal;
  ++m_traffic.submissions;
  Queue& to = queueOf(queue);
  const std::scoped_lock lock(to.mutex);
  const VkResult result = api().QueueSubmit2(to.handle, 1, &info, VK_NULL_HANDLE);
  if (result != VK_SUCCESS) return failure(result, "The GPU rejected the submitted work", m_info.name);
  return {};
}

void Device::abandon() {
  keepForGood(m_instance);
  m_inUse.store(&m_abandoned, std::memory_order_release);
}

void Device::waitUntilIdle() {
  const std::scoped_lock lock(m_queues[0].mutex, m_queues[1].mutex);
  constexpr int attempts = 100;  // a wait for which there is no memory is asked for again
  VkResult r = VK_ERROR_OUT_OF_HOST_MEMORY;
  for (int i = 0; i < attempts && (r == VK_ERROR_OUT_OF_HOST_MEMORY || r == VK_ERROR_OUT_OF_DEVICE_MEMORY); ++i) {
    r = api().DeviceWaitIdle(m_device);
  }
}

}  // namespace minerva::vulkan
