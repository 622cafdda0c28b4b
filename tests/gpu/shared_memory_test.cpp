// The memory of GPUs that share the system's: not more than there is, and not what programs on the CPU use.
#include "gpu/vulkan/device_info.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

namespace minerva::vulkan {
namespace {

constexpr std::uint64_t gib = 1ULL << 30;

TEST(SharedMemory, IsWhatTheSystemHasAndWhatIsSetAside) {
  const auto within = [](std::uint64_t heaps, std::uint64_t own, const SystemMemory& system) {
    const MemoryBudget budget = withinSystem({.total = heaps, .free = heaps, .usable = 0}, own, system);
    return std::pair(budget.total / gib, budget.free / gib);
  };
  using Figures = std::pair<std::uint64_t, std::uint64_t>;
  // An APU that may take 105 of 128 GiB, of which other programs use 60.
  EXPECT_EQ(within(105 * gib, 0, {128 * gib, 68 * gib}), Figures(105, 68));
  // 96 GiB are set aside for it, and a system of 32 GiB is beside them.
  EXPECT_EQ(within(112 * gib, 96 * gib, {32 * gib, 4 * gib}), Figures(112, 100));
  // A driver that lists the same memory twice.
  EXPECT_EQ(within(2 * 119 * gib, 0, {119 * gib, 100 * gib}), Figures(119, 100));
}

TEST(SharedMemory, WhatIsSetAsideIsReadFromTheKernel) {
  const TemporaryFolder cards;
  const auto write = [&](const std::string& card, const std::string& device, const std::string& bytes) {
    std::filesystem::create_directories(cards.path() / card / "device");
    cards.write(card + "/device/vendor", "0x1002\n");
    cards.write(card + "/device/device", device + "\n");
    if (!bytes.empty()) cards.write(card + "/device/mem_info_vram_total", bytes + "\n");
  };
  write("card0", "0x744c", "25753026560");
  write("card1", "0x1586", "536870912");
  write("card2", "0x15bf", "");
  DeviceInfo device;
  device.vendorId = 0x1002;
  device.deviceId = 0x1586;
  EXPECT_EQ(ownMemory(device, cards.path()), 536870912U);
  device.deviceId = 0x15bf;
  EXPECT_EQ(ownMemory(device, cards.path()), 0U);
  device.deviceId = 0x1;
  EXPECT_EQ(ownMemory(device, cards.path()), 0U);
  EXPECT_EQ(ownMemory(device, "/nowhere"), 0U);
}

}  // namespace
}  // namespace minerva::vulkan
