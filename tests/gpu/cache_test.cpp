// Data cached between runs: measured tuning and compiled kernels.
#include "gpu/runtime/cache_files.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/kernels.h"
#include "gpu/runtime/tuner.h"
#include "gpu/vulkan/device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

namespace minerva::gpu {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    m_folder =
        fs::path(testing::TempDir()) / ("minerva-gpu-cache-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(m_folder);
  }
  void TearDown() override { fs::remove_all(m_folder); }

  static void spoil(const fs::path& file, std::streamoff at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(at);
    stream.put('\x7f');
  }

  fs::path m_folder;
};

vulkan::DeviceInfo someDevice() {
  vulkan::DeviceInfo device;
  device.uuid = "0123456789abcdef0123456789abcdef";
  device.driverVersion = 7;
  device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = 32;
  device.maxWorkgroupInvocations = 1024;
  return device;
}

TEST_F(Cache, BytesComeBackUnlessTheyWereSpoilt) {
  const fs::path file = m_folder / "deep" / "bytes";
  EXPECT_TRUE(keptBytes(file).empty());
  std::vector<std::byte> bytes(100);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  keepBytes(file, bytes);
  EXPECT_EQ(keptBytes(file), bytes);
  bytes.resize(40);
  keepBytes(file, bytes);
  EXPECT_EQ(keptBytes(file), bytes) << "replaced";
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator{}), 1) << "nothing else is left there";
  spoil(file, 20);
  EXPECT_TRUE(keptBytes(file).empty());
  fs::resize_file(file, 5);
  EXPECT_TRUE(keptBytes(file).empty());
}

TEST_F(Cache, TuningComesBackForItsDeviceAlone) {
  const vulkan::DeviceInfo device = someDevice();
  EXPECT_FALSE(loadTuning(m_folder, device).has_value());
  Tuning tuning = defaultTuning(device);
  tuning.one = {.texel = true, .rows = 8, .teams = 2, .columns = 1, .share = 1};
  tuning.many = {.texel = false, .rows = 1, .teams = 4, .columns = 4, .share = 4};
  tuning.tiles.from = 64;
  tuning.units.from = UnitsChoice::never;
  saveTuning(m_folder, device, tuning);
  const auto kept = loadTuning(m_folder, device);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->one.texel, true);
  EXPECT_EQ(kept->one.rows, 8U);
  EXPECT_EQ(kept->one.teams, 2U);
  EXPECT_EQ(kept->many.rows, 1U);
  EXPECT_EQ(kept->many.columns, 4U);
  EXPECT_EQ(kept->tiles.from, 64U);
  EXPECT_EQ(kept->units.from, UnitsChoice::never);
  vulkan::DeviceInfo updated = device;
  updated.driverVersion = 8;
  EXPECT_FALSE(loadTuning(m_folder, updated).has_value());
  // The subgroup size is kept, where the device still has it.
  vulkan::DeviceInfo wide = device;
  wide.subgroupSizeChoice = true;
  wide.minSubgroupSize = 8;
  saveTuning(m_folder, wide, defaultTuning(wide, 16));
  ASSERT_TRUE(loadTuning(m_folder, wide).has_value());
  EXPECT_EQ(loadTuning(m_folder, wide)->lanes, 16U);
  EXPECT_FALSE(loadTuning(m_folder, device).has_value());
  // A tuning that the device could not run is rejected: it has no matrix units, and no kernel processes three rows.
  Tuning units = tuning;
  units.units.from = 9;
  saveTuning(m_folder, device, units);
  EXPECT_FALSE(loadTuning(m_folder, device).has_value());
  units = tuning;
  units.units.attention = true;
  saveTuning(m_folder, device, units);
  EXPECT_FALSE(loadTuning(m_folder, device).has_value());
  // Attention that failed its check stays without units.
  vulkan::DeviceInfo withUnits = device;
  withUnits.matrixUnit = {16, 16, 16};
  withUnits.maxSharedMemory = 48 << 10;
  for (const bool attention : {true, false}) {
    Tuning checked = defaultTuning(withUnits);
    ASSERT_TRUE(checked.units.attention);
    checked.units.attention = attention;
    saveTuning(m_folder, withUnits, checked);
    ASSERT_TRUE(loadTuning(m_folder, withUnits).has_value());
    EXPECT_EQ(loadTuning(m_folder, withUnits)->units.attention, attention);
  }
  Tuning absurd = tuning;
  absurd.one.rows = 3;
  saveTuning(m_folder, device, absurd);
  EXPECT_FALSE(loadTuning(m_folder, device).has_value());
}

TEST_F(Cache, CompiledKernelsAreKeptAndASpoiltFileDoesNoHarm) {
  if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
  auto found = findDevice("vulkan:0", {});
  ASSERT_TRUE(found.has_value());
  const auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const fs::path file = cacheFile(m_folder, (*device)->info(), "pipelines");
  for (int round = 0; round < 3; ++round) {
    if (round == 2) spoil(file, static_cast<std::streamoff>(fs::file_size(file) / 2));
    Kernels kernels(*device, m_folder);
    const auto kernel = kernels.get<push::Gather>("gather", {64}, 0);
    ASSERT_TRUE(kernel.has_value()) << kernel.error().message();
    kernels.keep();
    EXPECT_FALSE(keptBytes(file).empty()) << "round " << round;
  }
}

}  // namespace
}  // namespace minerva::gpu
