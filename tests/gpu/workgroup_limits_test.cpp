// Vulkan devices take 65535 workgroups along an axis, of which long steps have one for each token, head or expert. Nothing runs.
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/support.h"
#include "tests/gpu/describing_controls.h"
#include "tests/gpu/describing_loader/description.h"
#include "tests/gpu/large_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace minerva::gpu {
namespace {

constexpr std::uint32_t longest = 65535;  // tokens of a step

backend::PlaceOptions placedFor(backend::Alike alike) {
  return {.contextLength = 65536, .slots = 4, .maxRows = longest, .maxOutputRows = longest, .alike = alike};
}

// The most workgroups of a dispatch along each axis, in short steps and in the longest.
std::array<std::uint32_t, 3> mostOf(const vulkan::DeviceInfo& device, const model::Plan& plan, const Tuning& tuning) {
  CollectedSteps steps(device, plan, tuning, placedFor(backend::Alike::never));
  for (const std::uint32_t rows : {1U, 9U, 512U, 4096U, 8192U, longest}) {
    steps.add({.rows = rows, .outputs = 1, .positions = 65536});
    steps.add({.rows = rows, .outputs = rows, .positions = 65536, .oneSlot = false});
  }
  CollectedSteps alike(device, plan, tuning, placedFor(backend::Alike::always));
  for (const bool prompts : {false, true}) {
    const std::uint32_t rows = prompts ? longest : 16384;
    alike.add({.rows = rows, .outputs = rows, .positions = 65536, .alike = {{rows, 65536}}, .prompts = prompts});
  }
  std::array<std::uint32_t, 3> most = steps.recorder().mostWorkgroups();
  for (std::size_t axis = 0; axis < most.size(); ++axis) most[axis] = std::max(most[axis], alike.recorder().mostWorkgroups()[axis]);
  return most;
}

class WorkgroupLimits : public testing::TestWithParam<std::string> {};

TEST_P(WorkgroupLimits, NoStepHasMoreWorkgroupsThanADeviceTakes) {
  if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
  const tests::DescribingControls controls = describingControls();
  ASSERT_NE(controls.describe, nullptr) << dlerror();
  const auto made = largeModel(GetParam(), "q8_0");
  ASSERT_TRUE(made.has_value()) << made.error().message();
  for (const std::string& file : deviceFiles()) {
    const tests::Description described = tests::readDescription(file);
    if (!described.refused.empty()) continue;
    ASSERT_STREQ(controls.describe(file.c_str(), true), "");
    const auto found = findDevice("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER});
    ASSERT_TRUE(found.has_value()) << found.error().message();
    const std::array<std::uint32_t, 3> most = mostOf(found->device, made->plan, defaultTuning(found->device));
    for (std::size_t axis = 0; axis < most.size(); ++axis) EXPECT_LE(most[axis], described.workgroups[axis]) << described.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, WorkgroupLimits, testing::Values("llama-3-8b", "gpt-oss-20b", "glm-4.7-flash", "qwen3-next-80b-a3b"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

TEST(WorkgroupLimitsOfHeads, AMatrixForEachHeadIsMultipliedInRunsOfTokens) {
  const auto made = largeModel("glm-4.7-flash", "q8_0");
  ASSERT_TRUE(made.has_value()) << made.error().message();
  Tuning tuning = defaultTuning(slowGpu());
  tuning.workgroups = 1 << 24;
  EXPECT_GT(mostOf(slowGpu(), made->plan, tuning)[1], 65535U) << "there is nothing to divide";
  tuning.workgroups = 65535;
  EXPECT_LE(mostOf(slowGpu(), made->plan, tuning)[1], 65535U);
}

TEST(WorkgroupLimitsOfTokens, AStepOfMoreTokensIsRefusedInWords) {
  const auto made = largeModel("llama-68m", "q8_0");
  ASSERT_TRUE(made.has_value()) << made.error().message();
  backend::PlaceOptions options{.contextLength = 2048, .maxRows = longest, .maxOutputRows = 1};
  EXPECT_TRUE(checkSupported(made->plan, options).has_value());
  options.maxRows = longest + 1;
  const auto refused = checkSupported(made->plan, options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::limit);
  EXPECT_EQ(refused.error().expected, "at most 65535");
  EXPECT_FALSE(refused.error().hint.empty());
}

}  // namespace
}  // namespace minerva::gpu
