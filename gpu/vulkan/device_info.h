// Properties and features of a GPU, queried once into an immutable value. Tests construct their own.
#pragma once

#include "core/base/error.h"
#include "core/base/system_memory.h"
#include "gpu/vulkan/instance.h"
#include "gpu/vulkan/matrix_unit.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace minerva::vulkan {

struct DeviceInfo {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  std::string name, driverName, driverInfo;
  std::string uuid;      // 32 hex digits
  std::string location;  // on the PCI bus, "0000:01:00.0"; empty where the driver does not say
  VkDriverId driver = {};
  std::uint32_t apiVersion = 0, driverVersion = 0, vendorId = 0, deviceId = 0;
  bool software = false;         // the driver runs on the CPU
  bool broadcastLoads = false;   // such a driver loads once what is at the same address for all lanes
  bool integrated = false;       // shares system memory
  bool compilerFigures = false;  // pipelines can say what the driver's compiler made of them; set to false where nobody asks
  bool mapsDeviceMemory = true;  // map device memory where it is host-visible; false: always use staging buffers

  // Compute units, multiprocessors or Xe cores: what workgroups are spread over. From VK_NV_shader_sm_builtins (NVIDIA's driver and
  // Mesa's), VK_AMD_shader_core_properties2 or VK_AMD_shader_core_properties (AMD's and Mesa's), VK_ARM_shader_core_builtins; where a
  // driver says nothing, as Intel's and Apple's, what is known of the device (intelCores) or a supposed number (unknownCores).
  std::uint32_t cores = 0;

  std::uint32_t subgroupSize = 0, minSubgroupSize = 0, maxSubgroupSize = 0;
  bool subgroupOperations = false;  // arithmetic and ballot operations in compute shaders
  bool subgroupSizeChoice = false;  // a compute shader may require a size between minSubgroupSize and maxSubgroupSize
  bool fullSubgroups = false;       // subgroupSizeControl and computeFullSubgroups
  std::uint32_t maxWorkgroupInvocations = 0, maxSharedMemory = 0;
  std::uint32_t maxWorkgroupSubgroups = 0;  // where a subgroup size is required; 0: not limited
  std::uint64_t maxAllocation = 0, maxBuffer = 0;
  [[nodiscard]] std::uint64_t largestBuffer() const { return std::min(maxAllocation, maxBuffer); }
  std::uint32_t maxTexelElements = 0;
  std::uint64_t texelAlignment = 16;

  bool float16 = false, memoryBudget = false;
  bool byteDots = false;        // shaders may multiply and add four signed bytes at a time (integer dot products)
  bool fastByteDots = false;    // an instruction of the device does that
  bool memoryPriority = false;  // VK_EXT_memory_priority: where memory is short, others' goes first
  bool roundsHalves = false;    // shaders may ask for rounding to the nearest float16 (SPV_KHR_float_controls)
  bool offersUnits = false;     // it has everything that kernels for matrix units need besides a size that suits them
  MatrixUnit matrixUnit;        // absent until its driver was asked (findMatrixUnit), which some do not survive

  // Why this device cannot be used; empty if it can.
  std::string unusable;

  std::uint32_t computeFamily = 0;              // queue family, without graphics where there is such a one
  std::optional<std::uint32_t> transferFamily;  // queue family that only copies, beside the other's work; absent: there is none
  std::optional<std::uint32_t> graphicsFamily;  // one that has graphics too, if the first is another
  std::uint32_t graphicsTimestampBits = 0;
  std::uint32_t timestampBits = 0;  // of the counts of the compute queue's clock; 0: it has none
  double timestampPeriod = 0;       // nanoseconds a count
  VkPhysicalDeviceMemoryProperties memory{};
};

// Supposed of devices that do not say how many cores they have: as many as an Arc A770 has, and of those that share the system's memory
// as many as an Apple M1.
[[nodiscard]] inline std::uint32_t unknownCores(bool integrated) { return integrated ? 8 : 32; }
// Of Intel's GPUs, whose drivers do not say, by what Intel publishes: Xe cores, or subslices of older ones; 0 of those not listed.
[[nodiscard]] std::uint32_t intelCores(std::uint32_t deviceId);

// Whether a driver on the CPU keeps one value of what is the same for all lanes: llvmpipe does since Mesa 25.1.
[[nodiscard]] bool loadsOnce(const std::string& driverName, const std::string& driverInfo);

// The device as if it had no queues but the ones for graphics: on some driver the others hang. Without such ones, as it is.
[[nodiscard]] DeviceInfo onGraphicsQueue(DeviceInfo device);

// All devices of an instance, in the driver's order; of none the matrix units are known.
[[nodiscard]] Result<std::vector<DeviceInfo>> listDevices(const Instance& instance);

struct MemoryBudget {
  // Size of a card's own heaps (isOwnHeap()); of all heaps together where the GPU shares the system's memory, which some drivers divide
  // into several; of system memory for software devices.
  std::uint64_t total = 0;
  std::uint64_t free = 0;    // what the driver reports as still available; without VK_EXT_memory_budget `total` as an estimate
  std::uint64_t usable = 0;  // for a model: `free` without the headroom
};
// The budget of a GPU that shares the system's memory and has `own` bytes more, which are set aside for it. It has no more than both
// together, whatever the driver's heaps add up to, and what programs on the CPU use is not free, although AMD's drivers say so.
[[nodiscard]] MemoryBudget withinSystem(MemoryBudget budget, std::uint64_t own, const SystemMemory& system);
// What is set aside for such a GPU, by what AMD's kernel driver says; 0 where none does.
[[nodiscard]] std::uint64_t ownMemory(const DeviceInfo& device, const std::filesystem::path& cards = "/sys/class/drm");
// What is left for the screen and for other programs, which grow while a model is in use: a sixteenth of a GPU's memory, 256 MiB to 1 GiB.
// Of system memory nothing, as it is not a GPU's.
[[nodiscard]] std::uint64_t headroom(const DeviceInfo& device, std::uint64_t total);
// Queried on every call, never cached.
[[nodiscard]] MemoryBudget memoryBudget(const Instance& instance, const DeviceInfo& device);

// Index of a memory type within `allowed` (bit mask) that has all `wanted` properties, as many of `preferred` as possible, and then as few
// of `avoided`; -1 if there is none.
[[nodiscard]] int findMemoryType(const DeviceInfo& device, std::uint32_t allowed, VkMemoryPropertyFlags wanted,
                                 VkMemoryPropertyFlags preferred, VkMemoryPropertyFlags avoided = 0);

// Whether a heap of a card is of memory that a model can use: a driver may divide a card's in two, of which the host sees one. A window of
// 256 MB is none, which NVIDIA's driver counts a second time.
[[nodiscard]] bool isOwnHeap(const DeviceInfo& device, std::uint32_t heap);
// Whether a card has several.
[[nodiscard]] bool hasSeveralHeaps(const DeviceInfo& device);

// A memory type in another heap that serves as well once the heap of `type` is full: any of a GPU that shares the system's memory, of a
// card one of its own; -1 if there is none.
[[nodiscard]] int otherHeapType(const DeviceInfo& device, std::uint32_t allowed, int type);

}  // namespace minerva::vulkan
