// A graphics device as its driver would describe it, read from a file of tests/gpu/devices.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace minerva::tests {

struct Description {
  struct Heap {
    std::uint64_t bytes = 0;
    bool device = false;
  };
  struct Type {
    std::uint32_t heap = 0;
    VkMemoryPropertyFlags flags = 0;
  };
  struct Family {
    VkQueueFlags flags = 0;
    std::uint32_t timestampBits = 0;
  };

  std::string name, driver, driverInfo, source;
  std::optional<VkDriverId> driverId;
  std::array<std::uint32_t, 4> pci{};  // domain, bus, device, function
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  std::uint32_t vendor = 0, device = 0, api = 0;
  std::uint32_t subgroup = 0, minSubgroup = 0, maxSubgroup = 0, maxWorkgroupSubgroups = 0;
  bool subgroupChoice = false;  // a compute shader may require one of these sizes
  VkSubgroupFeatureFlags operations = 0;
  std::uint32_t sharedMemory = 0, invocations = 0, pushConstants = 0, allocationCount = 0, texelElements = 0;
  std::array<std::uint32_t, 3> workgroups{};
  std::uint64_t allocation = 0, buffer = 0, storageRange = 0, storageAlignment = 0, texelAlignment = 0, coherentAtom = 0;
  std::set<std::string> features, extensions;
  bool byteDots = false;                               // integer dot products of four signed bytes are accelerated
  std::optional<std::array<std::uint32_t, 3>> matrix;  // tile of its matrix units, float16 with float32 sums
  std::vector<std::uint32_t> cores;                    // of NVIDIA one number; of AMD engines, arrays each, units each; none: not told
  double timestampPeriod = 1;                          // nanoseconds
  std::vector<Family> families;
  std::vector<Heap> heaps;
  std::vector<Type> types;
  std::string refused;  // expected: why it cannot be used; empty: it can
  std::uint32_t expectedCores = 0;
  bool staged = false;  // expected: device memory is not what the host reads and writes

  [[nodiscard]] bool has(const std::string& feature) const { return features.contains(feature); }
};

// Throws std::runtime_error, which names the file and the field.
[[nodiscard]] Description readDescription(const std::string& path);

}  // namespace minerva::tests
