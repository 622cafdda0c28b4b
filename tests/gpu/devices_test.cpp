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
