// Compiled kernels that are kept between runs. (tuner_test.cpp has measured tuning.)
#include "core/base/kept_file.h"
#include "gpu/runtime/cache_file.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/kernels.h"
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
