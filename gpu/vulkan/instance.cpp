#include "gpu/vulkan/instance.h"

#include "gpu/vulkan/result.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>

namespace minerva::vulkan {

namespace {

constexpr const char* validationLayer = "VK_LAYER_KHRONOS_validation";
constexpr std::size_t keptMessages = 200;

bool hasLayer(const Api& api, const char* wanted) {
  std::uint32_t count = 0;
  api.EnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  api.EnumerateInstanceLayerProperties(&count, layers.data());
  return std::ranges::any_of(layers, [&](const auto& layer) { return std::strcmp(layer.layerName, wanted) == 0; });
}

std::string versionText(std::uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version));
}

}  // namespace

Result<std::shared_ptr<Instance>> Instance::create(const InstanceOptions& options) {
  std::shared_ptr<Instance> instance(new Instance);
  MINERVA_TRY(instance->open(options));
  MINERVA_TRY(instance->createInstance(options));
  instance->m_memoryLimit = options.memoryLimit;
  instance->m_asIfUnused = options.asIfUnused;
  return instance;
}

Instance::~Instance() {
  if (m_messenger != VK_NULL_HANDLE) m_api.DestroyDebugUtilsMessengerEXT(m_instance, m_messenger, nullptr);
  if (m_instance != VK_NULL_HANDLE && m_api.DestroyInstance != nullptr) m_api.DestroyInstance(m_instance, nullptr);
  if (m_library != nullptr) dlclose(m_library);
}

Result<void> Instance::open(const InstanceOptions& options) {
  m_library = dlopen(options.loader.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (m_library == nullptr) {
    return fail({.kind = ErrorKind::notFound,
                 .what = "No Vulkan loader was found",
                 .where = options.loader,
                 .hint = "Install the Vulkan loader (libvulkan1) and a driver for the GPU; until then the CPU is used."});
  }
  m_api.GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(m_library, "vkGetInstanceProcAddr"));
  if (m_api.GetInstanceProcAddr == nullptr) {
    return fail({.kind = ErrorKind::unsupported, .what = "The Vulkan loader lacks vkGetInstanceProcAddr", .where = options.loader});
  }
#define MINERVA_VK_LOAD(function)                                                                          \
  m_api.function = reinterpret_cast<PFN_vk##function>(m_api.GetInstanceProcAddr(nullptr, "vk" #function)); \
  if (m_api.function == nullptr)                                                                           \
    return fail({.kind = ErrorKind::unsupported, .what = "The Vulkan loader is too old: it lacks vk" #function, .where = options.loader});
  MINERVA_VK_GLOBAL(MINERVA_VK_LOAD)
#undef MINERVA_VK_LOAD
  return {};
}

Result<void> Instance::createInstance(const InstanceOptions& options) {
  std::uint32_t version = 0;
  m_api.EnumerateInstanceVersion(&version);
  if (version < VK_API_VERSION_1_3) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The Vulkan loader is too old",
                 .where = options.loader,
                 .expected = "1.3",
                 .actual = versionText(version),
                 .hint = "Update the Vulkan loader; until then the CPU is used."});
  }
  if (options.validation && !hasLayer(m_api, validationLayer)) {
    return fail({.kind = ErrorKind::notFound,
                 .what = "The Vulkan validation layer is not installed",
                 .where = validationLayer,
                 .hint = "Install vulkan-validationlayers."});
  }
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                      .pNext = nullptr,
                                      .pApplicationName = "Minerva",
                                      .applicationVersion = 1,
                                      .pEngineName = "Minerva",
                                      .engineVersion = 1,
                                      .apiVersion = VK_API_VERSION_1_3};
  const std::array<VkValidationFeatureEnableEXT, 3> checks{VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
                                                           VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT,
                                                           VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT};
  VkDebugUtilsMessengerCreateInfoEXT messenger{};
  messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = &Instance::onMessage;
  messenger.pUserData = this;
  VkValidationFeaturesEXT features{};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.pNext = &messenger;
  features.enabledValidationFeatureCount = options.gpuAssisted ? 3 : 1;
  features.pEnabledValidationFeatures = checks.data();
  const std::array<const char*, 2> extensions{VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (options.validation) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &validationLayer;
    info.enabledExtensionCount = extensions.size();
    info.ppEnabledExtensionNames = extensions.data();
  }
  if (const VkResult result = m_api.CreateInstance(&info, nullptr, &m_instance); result != VK_SUCCESS) {
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {  // what the loader reports if no driver is installed
      return fail({.kind = ErrorKind::notFound,
                   .what = "No Vulkan driver was found",
                   .where = options.loader,
                   .hint = "Install the GPU's driver (mesa-vulkan-drivers has AMD's and Intel's); until then the CPU is used."});
    }
    return failure(result, "Vulkan could not be initialized", options.loader);
  }
#define MINERVA_VK_LOAD(function) \
  m_api.function = reinterpret_cast<PFN_vk##function>(m_api.GetInstanceProcAddr(m_instance, "vk" #function));
  MINERVA_VK_INSTANCE(MINERVA_VK_LOAD)
  MINERVA_VK_INSTANCE_OPTIONAL(MINERVA_VK_LOAD)
#undef MINERVA_VK_LOAD
#define MINERVA_VK_CHECK(function)                               \
  if (m_api.function == nullptr)                                 \
    return fail({.kind = ErrorKind::unsupported,                 \
                 .what = "The Vulkan loader lacks vk" #function, \
                 .where = options.loader,                        \
                 .hint = "Update the Vulkan loader; until then the CPU is used."});
  MINERVA_VK_INSTANCE(MINERVA_VK_CHECK)
#undef MINERVA_VK_CHECK
  if (options.validation && m_api.CreateDebugUtilsMessengerEXT != nullptr) {
    m_api.CreateDebugUtilsMessengerEXT(m_instance, &messenger, nullptr, &m_messenger);
  }
  return {};
}

VkBool32 Instance::onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                             const VkDebugUtilsMessengerCallbackDataEXT* data, void* self) {
  // Newer layers report the rule's name separately, older ones inside the message.
  const std::string rule = data->pMessageIdName == nullptr ? "" : data->pMessageIdName;
  static_cast<Instance*>(self)->keep(rule + ": " + data->pMessage);
  return VK_FALSE;
}

void Instance::keep(std::string message) {
  const std::scoped_lock lock(m_mutex);
  if (m_messages.size() < keptMessages) m_messages.push_back(std::move(message));
}

std::vector<std::string> Instance::messages() const {
  const std::scoped_lock lock(m_mutex);
  return m_messages;
}

}  // namespace minerva::vulkan
