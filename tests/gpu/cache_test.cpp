// Compiled kernels that are kept between runs. (tuner_test.cpp has measured tuning.)
#include "core/base/kept_file.h"
#include "gpu/runtime/cache_file.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/kernels.h"
#include "gpu/vulkan/device.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace minerva::gpu {
namespace {

TEST(Cache, CompiledKernelsAreKeptAndASpoiltFileDoesNoHarm) {
  if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
  auto found = findDevice("vulkan:0", {});
  ASSERT_TRUE(found.has_value());
  const auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const TemporaryFolder folder;
  const std::filesystem::path file = cacheFile(folder.path(), (*device)->info(), "pipelines");
  for (int round = 0; round < 3; ++round) {
    if (round == 2) {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file) / 2));
      stream.put('\x7f');
    }
    Kernels kernels(*device, folder.path());
    const auto kernel = kernels.get<push::Gather>("gather", {64}, 0);
    ASSERT_TRUE(kernel.has_value()) << kernel.error().message();
    kernels.keep();
    EXPECT_FALSE(keptBytes(file).empty()) << "round " << round;
  }
}

}  // namespace
}  // namespace minerva::gpu
