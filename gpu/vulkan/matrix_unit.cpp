#include "gpu/vulkan/matrix_unit.h"

#include <algorithm>
#include <vector>

namespace minerva::vulkan {

namespace {

// Values from the Vulkan specification, because older headers that we support lack the Khronos extension.
constexpr std::uint32_t componentFloat16 = 0, componentFloat32 = 1, scopeSubgroup = 3;
constexpr const char* queryName = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
constexpr auto featureType = static_cast<VkStructureType>(1000506000), propertiesType = static_cast<VkStructureType>(1000506001);

// VkCooperativeMatrixPropertiesKHR.
struct Properties {
  VkStructureType sType;
  void* pNext;
  std::uint32_t m, n, k;
  std::uint32_t a, b, c, result;
  VkBool32 saturating;
  std::uint32_t scope;
};
using Query = VkResult(VKAPI_PTR*)(VkPhysicalDevice, std::uint32_t*, Properties*);

// Sizes that matmul_units.comp can use, with sums of this type: its tiles are blocks of 32 columns and strips of 16 rows.
bool usable(const Properties& p, std::uint32_t sums) {
  const bool types = p.a == componentFloat16 && p.b == componentFloat16 && p.c == sums && p.result == sums;
  const bool sizes = (p.m == 8 || p.m == 16) && (p.n == 8 || p.n == 16) && (p.k == 8 || p.k == 16 || p.k == 32);
  return types && sizes && p.scope == scopeSubgroup;
}

}  // namespace

MatrixUnit findMatrixUnit(const Api& api, VkInstance instance, VkPhysicalDevice device) {
  const auto query = reinterpret_cast<Query>(api.GetInstanceProcAddr(instance, queryName));
  if (query == nullptr) return {};
  MatrixUnitFeature feature = matrixUnitFeature(false);
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &feature;
  api.GetPhysicalDeviceFeatures2(device, &features);
  if (feature.cooperativeMatrix != VK_TRUE) return {};
  std::uint32_t count = 0;
  query(device, &count, nullptr);
  std::vector<Properties> all(count);
  for (Properties& p : all) p.sType = propertiesType;
  query(device, &count, all.data());
  MatrixUnit best;
  for (const Properties& p : all) {  // the largest one: it needs fewer loads per multiplication
    if (usable(p, componentFloat32) && p.m * p.n * p.k > best.m * best.n * best.k) best = {.m = p.m, .n = p.n, .k = p.k, .halfSums = false};
  }
  best.halfSums = std::ranges::any_of(
      all, [&](const Properties& p) { return usable(p, componentFloat16) && p.m == best.m && p.n == best.n && p.k == best.k; });
  return best;
}

MatrixUnitFeature matrixUnitFeature(bool on) { return {featureType, nullptr, on ? VK_TRUE : VK_FALSE, VK_FALSE}; }

}  // namespace minerva::vulkan
