// What loaders that stand in front of the real one share: finding it, and answering requests for functions with others. A source file that
// includes this becomes a shared library for VulkanOptions::loader; it defines replaced(), which gives its own function for a name or
// the real one. The program under test is not changed for it.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#include <cstring>
#include <dlfcn.h>
#include <string>

namespace minerva::tests {

// `real` may be null: the driver lacks the function.
PFN_vkVoidFunction replaced(const char* name, PFN_vkVoidFunction real);

// Internal to each library, because one may stand in front of another.
namespace {

// The loader that this one stands in front of.
std::string loaderBehind = "libvulkan.so.1";
PFN_vkGetDeviceProcAddr realDeviceProc = nullptr;

PFN_vkGetInstanceProcAddr realInstanceProc() {
  return reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(dlopen(loaderBehind.c_str(), RTLD_NOW | RTLD_LOCAL), "vkGetInstanceProcAddr"));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL deviceProc(VkDevice device, const char* name) {
  return replaced(name, realDeviceProc(device, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL loaderInstanceProc(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction real = realInstanceProc()(instance, name);
  if (real != nullptr && std::strcmp(name, "vkGetDeviceProcAddr") == 0) {
    realDeviceProc = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real);
    return reinterpret_cast<PFN_vkVoidFunction>(&deviceProc);
  }
  return replaced(name, real);
}

}  // namespace

}  // namespace minerva::tests

// The one function that a loader must export.
#define MINERVA_EXPORT_LOADER                                                                                        \
  extern "C" VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name) { \
    return minerva::tests::loaderInstanceProc(instance, name);                                                       \
  }
