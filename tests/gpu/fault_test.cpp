// A device that is lost or runs out of memory at any call of a load and ten tokens: an error in the right words, nothing leaked, and the
// next load is right.
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/vulkan_backend.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/gpu/describing_controls.h"
#include "tests/gpu/fault_controls.h"
#include "tests/support/matrix_units.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>

namespace minerva::gpu {
namespace {

using tests::Fault;

struct FaultCase {
  const char* name;
  Fault fault;
  bool staged;
  const char* described;  // the device of that file, if any
  long apart;             // of the calls that fail: which calls there are, the others have shown
  bool tuned = false;     // nothing is known of the device: kernels are measured first, which takes so long that few calls are tried
};

// What a run came to. Everything it made is gone.
struct Outcome {
  Result<std::vector<int>> tokens = std::vector<int>();
  std::string hit;                    // the call that failed first, while the model was loaded or ran
  std::vector<std::string> messages;  // of the validation layer
};

class VulkanFaults : public testing::TestWithParam<FaultCase> {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    ASSERT_NE(m_controls.arm, nullptr) << dlerror();
    ASSERT_NE(m_describing.describe, nullptr) << dlerror();
    const std::string described = GetParam().described;
    m_controls.standBefore(described.empty() ? "libvulkan.so.1" : MINERVA_DESCRIBING_LOADER);
    if (!described.empty()) {
      ASSERT_STREQ(m_describing.describe(deviceFile(described).c_str(), false), "");
    }
    m_made.emplace(tests::randomModel({.type = ElementType::Q8_0, .hidden = 64, .layers = 1, .feedForward = 64}));
    auto plan = model::buildPlan(m_made->config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    m_plan = std::move(*plan);
  }

  void TearDown() override {
    if (m_controls.standBefore != nullptr) m_controls.standBefore("libvulkan.so.1");
  }

  // Loads the model and lets it write ten tokens.
  Outcome run(Fault fault, long call, bool validation) {
    VulkanOptions options{
        .loader = MINERVA_FAULT_LOADER, .validation = validation, .staged = GetParam().staged, .matrixUnits = tests::unitsUnderTest()};
    const TemporaryFolder folder;
    if (GetParam().tuned) options.cacheFolder = folder.path().string();
    m_controls.arm(static_cast<int>(fault), call);
    Outcome outcome;
    const auto backend = createVulkanBackend("vulkan:0", options);
    const Result<std::unique_ptr<backend::Placement>> placement =
        backend ? (*backend)->place(m_plan, faultOptions, {}, {}) : fail(backend.error());
    outcome.tokens = placement ? writeTenTokens(**placement) : fail(placement.error());
    outcome.hit = m_controls.hit();
    if (backend) outcome.messages = (*backend)->validationMessages();
    return outcome;
  }

  const tests::FaultControls m_controls = faultControls();
  const tests::DescribingControls m_describing = describingControls();
  std::optional<tests::RandomModel> m_made;
  model::Plan m_plan;
};

// A single failure of such a call need not end a load: the cache only makes things faster, waits are repeated, and the step values have
// memory of another kind to fall back on.
bool isSpared(const std::string& call) {
  constexpr std::array spared{"CreatePipelineCache",      "GetPipelineCacheData", "WaitSemaphores",
                              "GetSemaphoreCounterValue", "DeviceWaitIdle",       "CreateBuffer",
                              "AllocateMemory",           "BindBufferMemory",     "MapMemory"};
  return std::ranges::find(spared, call) != spared.end();
}

TEST_P(VulkanFaults, EndInWordsWithoutALeak) {
  const Fault fault = GetParam().fault;
  const bool validation = createVulkanBackend("vulkan:0", {.validation = true}).has_value();
  const Outcome usual = run(fault == Fault::memoryForGood ? Fault::memory : fault, 0, validation);
  ASSERT_TRUE(usual.tokens.has_value()) << usual.tokens.error().message();
  const long calls = m_controls.calls();
  EXPECT_GT(calls, 100);
  EXPECT_EQ(m_controls.live(), 0);
  std::map<std::string, std::map<std::string, int>> table;  // by call: how often it ended how
  const long apart = GetParam().tuned ? std::max(1L, calls / 32 * GetParam().apart) : GetParam().apart;
  for (long call = apart; call <= calls; call += apart) {
    const Outcome outcome = run(fault, call, validation && call % 8 == 0);
    const std::string where = "call " + std::to_string(call) + " of " + std::to_string(calls) + ", " + outcome.hit;
    EXPECT_EQ(m_controls.live(), 0) << where;
    for (const std::string& message : outcome.messages) ADD_FAILURE() << where << ": " << message;
    ++table[outcome.hit.empty() ? "(after the last token)" : outcome.hit][outcome.tokens ? "goes on" : outcome.tokens.error().message()];
    if (outcome.tokens) {
      EXPECT_EQ(*outcome.tokens, *usual.tokens) << where;
      // What cannot be measured for lack of memory is left out.
      EXPECT_TRUE(outcome.hit.empty() || (fault == Fault::memory && (isSpared(outcome.hit) || GetParam().tuned))) << where;
      continue;
    }
    const Error& error = outcome.tokens.error();
    EXPECT_FALSE(outcome.hit.empty()) << where << ": " << error.message();
    EXPECT_EQ(error.kind, fault == Fault::lost ? ErrorKind::deviceLost : ErrorKind::outOfMemory) << where << ": " << error.message();
    EXPECT_EQ(error.actual, fault == Fault::lost ? "VK_ERROR_DEVICE_LOST" : "VK_ERROR_OUT_OF_DEVICE_MEMORY") << where;
    EXPECT_FALSE(error.what.empty() || error.hint.empty()) << where << ": " << error.message();
  }
  std::printf("%s: %ld calls\n", GetParam().name, calls);
  for (const auto& [hit, ends] : table) {
    for (const auto& [end, count] : ends) std::printf("  %4d  %-26s %s\n", count, hit.c_str(), end.c_str());
  }
  const Outcome after = run(Fault::none, 0, validation);
  ASSERT_TRUE(after.tokens.has_value()) << after.tokens.error().message();
  EXPECT_EQ(*after.tokens, *usual.tokens);
  if (GetParam().described[0] == '\0') return;
  EXPECT_GT(m_describing.submissions(1), 0U) << "the queue that only copies";
  EXPECT_EQ(std::string(m_describing.violations()), "");
  EXPECT_EQ(m_describing.allocations(), 0);
}

// `apart`: of the calls that fail.
std::vector<FaultCase> casesOf(long apart) {
  return {{"lost", Fault::lost, false, "", apart},
          {"lost_staged", Fault::lost, true, "", apart},
          {"memory", Fault::memory, false, "", apart},
          {"memory_staged", Fault::memory, true, "", apart},
          {"memory_for_good", Fault::memoryForGood, true, "", apart},
          {"lost_tuned", Fault::lost, false, "", apart, true},
          {"memory_tuned", Fault::memory, false, "", apart, true},
          {"lost_two_queues", Fault::lost, true, "gtx-1060", 4 * apart},
          {"memory_two_queues", Fault::memory, true, "gtx-1060", 4 * apart}};
}

INSTANTIATE_TEST_SUITE_P(SweepOfCalls, VulkanFaults, testing::ValuesIn(casesOf(1)),
                         [](const auto& info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(AtSomeCalls, VulkanFaults, testing::ValuesIn(casesOf(7)),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace minerva::gpu
