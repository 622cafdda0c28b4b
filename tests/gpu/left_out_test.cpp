// Two GPUs, of which one cannot be opened: the other one is used, unless the user has named both.
#include "gpu/available.h"
#include "gpu/runtime/device_list.h"
#include "tests/gpu/describing_controls.h"
#include "tests/gpu/fault_controls.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace minerva::gpu {
namespace {

using tests::Fault;

class VulkanLeftOut : public testing::Test {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    ASSERT_NE(m_controls.arm, nullptr) << dlerror();
    ASSERT_NE(m_describing.describe, nullptr) << dlerror();
    ASSERT_STREQ(m_describing.describe((deviceFile("rtx-4090") + "\n" + deviceFile("rx-580")).c_str(), false), "");
    m_controls.standBefore(MINERVA_DESCRIBING_LOADER);
    m_options.vulkanLoader = MINERVA_FAULT_LOADER;
  }
  void TearDown() override {
    if (m_controls.arm == nullptr) return;
    m_controls.arm(static_cast<int>(Fault::none), 0);
    m_controls.standBefore("libvulkan.so.1");
  }

  // The calls that open a device, among all that may run out of memory.
  std::vector<long> openings(const std::string& device) {
    std::vector<long> calls;
    constexpr long most = 100;
    for (long call = 1; call < most && calls.size() < 2; ++call) {
      m_controls.arm(static_cast<int>(Fault::memory), call);
      static_cast<void>(createBackend(device, m_options));
      if (std::string(m_controls.hit()) == "CreateDevice") calls.push_back(call);
      if (std::string(m_controls.hit()).empty()) break;
    }
    return calls;
  }

  const tests::FaultControls m_controls = faultControls();
  const tests::DescribingControls m_describing = describingControls();
  BackendOptions m_options;
};

TEST_F(VulkanLeftOut, OfAllThatAreThereThoseThatCanBeOpenedAreUsed) {
  for (const std::string device : {"", "gpus", "gpus+cpu"}) {
    const std::vector<long> calls = openings(device);
    ASSERT_EQ(calls.size(), 2U) << device;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      m_controls.arm(static_cast<int>(Fault::memory), calls[i]);
      const auto made = createBackend(device, m_options);
      ASSERT_TRUE(made.has_value()) << device << ": " << made.error().message();
      const backend::DeviceInfo info = (*made)->info();
      const std::string gone = "vulkan:" + std::to_string(i), left = "vulkan:" + std::to_string(1 - i);
      EXPECT_EQ(info.id, left + (device == "gpus+cpu" ? "+cpu" : ""));
      EXPECT_NE(info.detail.find(gone + " is left out: "), std::string::npos) << info.detail;
    }
    m_controls.arm(static_cast<int>(Fault::memoryForGood), calls.front());
    const auto none = createBackend(device, m_options);
    ASSERT_FALSE(none.has_value()) << device;
    EXPECT_EQ(none.error().kind, ErrorKind::outOfMemory);
  }
}

TEST_F(VulkanLeftOut, WhatTheUserNamesIsAnError) {
  const std::string both = "vulkan:0+vulkan:1";
  const std::vector<long> calls = openings(both);
  ASSERT_EQ(calls.size(), 2U);
  for (const long call : calls) {
    m_controls.arm(static_cast<int>(Fault::memory), call);
    const auto made = createBackend(both, m_options);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().kind, ErrorKind::outOfMemory);
  }
}

}  // namespace
}  // namespace minerva::gpu
