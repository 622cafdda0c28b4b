// The order of devices and the memory that is left to others, for devices that are not available here.
#include "gpu/runtime/device_list.h"

#include <gtest/gtest.h>

namespace minerva::gpu {
namespace {

vulkan::DeviceInfo described(bool integrated, bool software) {
  vulkan::DeviceInfo device;
  device.integrated = integrated;
  device.software = software;
  return device;
}

TEST(Devices, DiscreteComesBeforeIntegratedAndSoftwareLast) {
  const std::vector devices{described(false, true), described(true, false), described(false, false), described(true, false),
                            described(false, false)};
  EXPECT_EQ(bestFirst(devices), (std::vector<std::size_t>{2, 4, 1, 3, 0}));
  EXPECT_TRUE(bestFirst({}).empty());
}

vulkan::DeviceInfo memoryCard(std::uint64_t gib, std::uint32_t cores, const std::string& uuid, VkDriverId driver = {}) {
  vulkan::DeviceInfo device;
  device.uuid = uuid;
  device.cores = cores;
  device.driver = driver;
  device.memory.memoryHeapCount = 2;
  device.memory.memoryHeaps[0] = {gib << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  device.memory.memoryHeaps[1] = {std::uint64_t{64} << 30, 0};
  return device;
}

TEST(Devices, TheCardWithMoreMemoryComesFirst) {
  EXPECT_EQ(bestFirst(std::vector{memoryCard(8, 80, "a"), memoryCard(24, 60, "b"), memoryCard(8, 90, "c")}),
            (std::vector<std::size_t>{1, 2, 0}));
}

// In whatever order they are listed, and whatever each says of the memory.
TEST(Devices, OfTwoDriversOfACardTheBetterOneComesFirst) {
  const std::vector<std::pair<VkDriverId, VkDriverId>> pairs{{VK_DRIVER_ID_MESA_RADV, VK_DRIVER_ID_AMD_OPEN_SOURCE},
                                                             {VK_DRIVER_ID_AMD_OPEN_SOURCE, VK_DRIVER_ID_AMD_PROPRIETARY},
                                                             {VK_DRIVER_ID_NVIDIA_PROPRIETARY, VK_DRIVER_ID_MESA_NVK},
                                                             {VK_DRIVER_ID_MESA_RADV, VK_DRIVER_ID_MESA_DOZEN}};
  for (const auto& [better, worse] : pairs) {
    vulkan::DeviceInfo first = memoryCard(16, 60, "a", better), second = memoryCard(17, 64, "b", worse);
    first.location = second.location = "0000:03:00.0";
    EXPECT_EQ(bestFirst(std::vector{first, second, memoryCard(4, 20, "c")}), (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(bestFirst(std::vector{memoryCard(4, 20, "c"), second, first}), (std::vector<std::size_t>{2, 1, 0}));
    second.location = "0000:04:00.0";
    EXPECT_EQ(bestFirst(std::vector{first, second}), (std::vector<std::size_t>{1, 0})) << "two cards";
    second.uuid = "a";
    EXPECT_EQ(bestFirst(std::vector{second, first}), (std::vector<std::size_t>{1, 0}));
  }
}

// A card whose driver divides its memory has both parts; a window of 256 MB is not worth it, and may be counted twice.
TEST(Devices, LargeHeapsOfACardAreItsMemory) {
  vulkan::DeviceInfo card = memoryCard(16, 60, "a");
  EXPECT_TRUE(vulkan::isOwnHeap(card, 0));
  EXPECT_FALSE(vulkan::isOwnHeap(card, 1)) << "the host's";
  EXPECT_FALSE(vulkan::hasSeveralHeaps(card));
  card.memory.memoryHeapCount = 3;
  card.memory.memoryHeaps[2] = {std::uint64_t{256} << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  EXPECT_FALSE(vulkan::isOwnHeap(card, 2));
  card.memory.memoryHeaps[2].size = std::uint64_t{16} << 30;
  EXPECT_TRUE(vulkan::isOwnHeap(card, 2));
  EXPECT_TRUE(vulkan::hasSeveralHeaps(card));
}

// Not before Mesa 25.1, and of no other driver.
TEST(Devices, ADriverThatLoadsOnceIsKnownByItsVersion) {
  EXPECT_TRUE(vulkan::loadsOnce("llvmpipe", "Mesa 26.2.6-1 (LLVM 22.1.8)"));
  EXPECT_TRUE(vulkan::loadsOnce("llvmpipe", "Mesa 25.1.0 (LLVM 20.1.2)"));
  EXPECT_FALSE(vulkan::loadsOnce("llvmpipe", "Mesa 25.0.7-2 (LLVM 19.1.7)"));
  EXPECT_FALSE(vulkan::loadsOnce("llvmpipe", "Mesa 22.3.6 (LLVM 15.0.6)"));
  EXPECT_FALSE(vulkan::loadsOnce("llvmpipe", "26.2.6"));
  EXPECT_FALSE(vulkan::loadsOnce("llvmpipe", ""));
  EXPECT_FALSE(vulkan::loadsOnce("SwiftShader driver", "Mesa 26.2.6"));
}

TEST(Devices, AModelLeavesMemoryToOthers) {
  const vulkan::DeviceInfo gpu = described(false, false), software = described(false, true);
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  EXPECT_EQ(vulkan::headroom(gpu, 2048 * mib), 256 * mib);
  EXPECT_EQ(vulkan::headroom(gpu, 8192 * mib), 512 * mib);
  EXPECT_EQ(vulkan::headroom(gpu, 24576 * mib), 1024 * mib);
  EXPECT_EQ(vulkan::headroom(software, 8192 * mib), 0U);
}

}  // namespace
}  // namespace minerva::gpu
