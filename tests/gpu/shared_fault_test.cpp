// The second of two devices that share a model is lost or runs out of memory, at calls all over a load and ten tokens: the error names
// that device, and nothing leaks.
#include "core/backend/cpu/cpu_backend.h"
#include "core/backend/split/split_backend.h"
#include "gpu/runtime/vulkan_backend.h"
#include "tests/gpu/fault_controls.h"
#include "tests/support/lent_backend.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace minerva::gpu {
namespace {

using tests::Fault;

class SharedFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    ASSERT_NE(m_controls.arm, nullptr) << dlerror();
    auto plan = model::buildPlan(m_made.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    m_plan = std::move(*plan);
    m_validation = createVulkanBackend("vulkan:0", {.validation = true}).has_value();
    auto first = createVulkanBackend("vulkan:0", {.validation = m_validation});
    ASSERT_TRUE(first.has_value()) << first.error().message();
    m_first = std::move(*first);
  }

  struct Outcome {
    Result<std::vector<int>> tokens = std::vector<int>();
    std::string hit;
    bool made = true;  // the second device
  };

  // Only the calls of the second device count, and fail.
  Outcome run(Fault fault, long call, const backend::SplitChoice& choice) {
    m_controls.arm(static_cast<int>(fault), call);
    Outcome outcome;
    auto second = createVulkanBackend("vulkan:0", {.loader = MINERVA_FAULT_LOADER, .validation = m_validation && call % 8 == 0});
    if (!second) {
      outcome.tokens = fail(second.error());
      outcome.made = false;
      outcome.hit = m_controls.hit();
      return outcome;
    }
    const VulkanBackend& watched = **second;
    std::vector<std::unique_ptr<backend::Backend>> accelerators;
    accelerators.push_back(std::make_unique<tests::LentBackend>(*m_first, tests::LentAnswers{}));
    accelerators.push_back(std::move(*second));
    auto cpu = backend::createCpuBackend({.threads = 1, .instructionSet = {}});
    const auto combined = backend::createSplitBackend(std::move(accelerators), std::move(*cpu), choice);
    {
      const auto placement = combined->place(m_plan, faultOptions, {}, {});
      outcome.tokens = placement ? writeTenTokens(**placement) : fail(placement.error());
      outcome.hit = m_controls.hit();
    }
    for (const std::string& message : watched.validationMessages()) ADD_FAILURE() << "call " << call << ": " << message;
    return outcome;
  }

  const tests::FaultControls m_controls = faultControls();
  const tests::RandomModel m_made = tests::randomModel({.type = ElementType::Q8_0, .hidden = 64, .layers = 2, .feedForward = 64});
  model::Plan m_plan;
  std::unique_ptr<VulkanBackend> m_first;
  bool m_validation = false;
};

TEST_F(SharedFaults, AreOfTheSecondDeviceByName) {
  const backend::SplitChoice half{.layers = {1, 1}};
  for (const Fault fault : {Fault::lost, Fault::memory}) {
    const Outcome usual = run(fault, 0, half);
    ASSERT_TRUE(usual.tokens.has_value()) << usual.tokens.error().message();
    const long calls = m_controls.calls();
    EXPECT_EQ(m_controls.live(), 0);
    int failed = 0;
    for (long call = 1; call <= calls; call += 5) {
      const Outcome outcome = run(fault, call, half);
      const std::string where = "call " + std::to_string(call) + " of " + std::to_string(calls) + ", " + outcome.hit;
      EXPECT_EQ(m_controls.live(), 0) << where;
      if (outcome.tokens) {
        EXPECT_EQ(*outcome.tokens, *usual.tokens) << where;
        continue;
      }
      const Error& error = outcome.tokens.error();
      EXPECT_EQ(error.kind, fault == Fault::lost ? ErrorKind::deviceLost : ErrorKind::outOfMemory) << where << ": " << error.message();
      if (!outcome.made) continue;
      EXPECT_TRUE(error.where.starts_with("vulkan:0#2")) << where << ": " << error.message();
      ++failed;
    }
    EXPECT_GT(failed, 3) << "calls of the second device that failed, " << static_cast<int>(fault);
    const Outcome after = run(Fault::none, 0, half);
    ASSERT_TRUE(after.tokens.has_value()) << after.tokens.error().message();
    EXPECT_EQ(*after.tokens, *usual.tokens);
  }
}

}  // namespace
}  // namespace minerva::gpu
