// Matrix units: hardware that multiplies small matrices of halves, summing in floats, for a whole subgroup at once.
//
// Khronos' extension and the older one of NVIDIA say the same with other names; which one counts is decided by what
// glslc knew when the shaders were built (shaders/variants.cmake).
#pragma once

#include "gpu/vulkan/api.h"

#include <cstdint>

namespace minerva::vulkan {

// Sizes of one multiplication: m x k times k x n. All zero: there is none that our kernels can use.
struct MatrixUnit {
  std::uint32_t m = 0, n = 0, k = 0;
  [[nodiscard]] bool present() const { return m != 0; }
};

// The extension's name; null when this build's shaders use none.
[[nodiscard]] const char* matrixUnitExtension();
// What a device that has the extension offers. REQUIRES an apiVersion of 1.3 at least.
[[nodiscard]] MatrixUnit findMatrixUnit(const Api& api, VkInstance instance, VkPhysicalDevice device);

// The feature to chain into VkDeviceCreateInfo. Laid out alike in both extensions.
struct MatrixUnitFeature {
  VkStructureType sType;
  void* pNext;
  VkBool32 cooperativeMatrix, robustBufferAccess;
};
[[nodiscard]] MatrixUnitFeature matrixUnitFeature(bool on);

}  // namespace minerva::vulkan
