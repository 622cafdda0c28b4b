// A GPU that neither works nor says that it is lost: what waits for it ends in words after a while, and what the work may still use is
// left as it is. Programs that were waited for can end.
#include "gpu/runtime/vulkan_backend.h"
#include "tests/gpu/fault_controls.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <string>

namespace minerva::gpu {
namespace {

using tests::Fault;

class VulkanHang : public testing::Test {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    ASSERT_NE(m_controls.arm, nullptr) << dlerror();
    m_made.emplace(tests::randomModel({.type = ElementType::Q8_0, .hidden = 64, .layers = 1, .feedForward = 64}));
    auto plan = model::buildPlan(m_made->config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    m_plan = std::move(*plan);
    arm(Fault::none, 0);
  }
  void TearDown() override {
    if (m_controls.arm != nullptr) arm(Fault::none, 0);
  }

  void arm(Fault fault, long call) const { m_controls.arm(static_cast<int>(fault), call); }

  static Result<std::unique_ptr<VulkanBackend>> open() {
    return createVulkanBackend("vulkan:0", {.loader = MINERVA_FAULT_LOADER, .patience = 1});
  }

  // Loads the model on a new device.
  Result<std::vector<int>> loadAndWrite() {
    MINERVA_ASSIGN(const auto backend, open());
    MINERVA_ASSIGN(const auto placement, backend->place(m_plan, faultOptions, {}, {}));
    return writeTenTokens(*placement);
  }

  static void expectHang(const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::deviceLost) << error.message();
    EXPECT_EQ(error.what, "The GPU hangs") << error.message();
    EXPECT_EQ(error.expected, "some of its work done within 1 seconds");
    EXPECT_FALSE(error.where.empty() || error.hint.empty()) << error.message();
  }

  const tests::FaultControls m_controls = faultControls();
  std::optional<tests::RandomModel> m_made;
  model::Plan m_plan;
};

TEST_F(VulkanHang, EndsAReplyAndThenALoadAndANewDeviceWorks) {
  const auto usual = loadAndWrite();
  ASSERT_TRUE(usual.has_value()) << usual.error().message();
  EXPECT_EQ(m_controls.live(), 0);
  {
    const auto backend = open();
    ASSERT_TRUE(backend.has_value()) << backend.error().message();
    const auto placement = (*backend)->place(m_plan, faultOptions, {}, {});
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    arm(Fault::hung, 0);
    const auto hung = writeTenTokens(**placement);
    ASSERT_FALSE(hung.has_value());
    expectHang(hung.error());
    const auto again = writeTenTokens(**placement);
    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().kind, ErrorKind::deviceLost) << again.error().message();
  }
  EXPECT_GT(m_controls.live(), 10) << "what the work may still use must not be destroyed";
  const auto loading = loadAndWrite();
  ASSERT_FALSE(loading.has_value());
  expectHang(loading.error());
  arm(Fault::none, 0);
  const auto after = loadAndWrite();
  ASSERT_TRUE(after.has_value()) << after.error().message();
  EXPECT_EQ(*after, *usual);
  EXPECT_EQ(m_controls.live(), 0);
}

}  // namespace
}  // namespace minerva::gpu
