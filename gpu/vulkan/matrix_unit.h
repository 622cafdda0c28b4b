// Matrix units (tensor cores): hardware that multiplies small float16 matrices with float32 accumulation, for a whole
// subgroup at once. Through VK_KHR_cooperative_matrix, which drivers of AMD, Intel and NVIDIA have since 2023.
#pragma once

#include "gpu/vulkan/api.h"

#include <cstdint>

namespace minerva::vulkan {

// Tile sizes of one multiplication: m x k times k x n. All zero if there is none that the kernels can use.
struct MatrixUnit {
  std::uint32_t m = 0, n = 0, k = 0;
  bool halfSums = false;  // can also add in float16, of which some GPUs do twice as many a second
  [[nodiscard]] bool present() const { return m != 0; }
};

inline constexpr const char* matrixUnitExtension = "VK_KHR_cooperative_matrix";
// Queries a device that supports the extension. REQUIRES an apiVersion of at least 1.3.
[[nodiscard]] MatrixUnit findMatrixUnit(const Api& api, VkInstance instance, VkPhysicalDevice device);

// The feature struct to chain into VkDeviceCreateInfo.
struct MatrixUnitFeature {
  VkStructureType sType;
  void* pNext;
  VkBool32 cooperativeMatrix, robustBufferAccess;
};
[[nodiscard]] MatrixUnitFeature matrixUnitFeature(bool on);

}  // namespace minerva::vulkan
