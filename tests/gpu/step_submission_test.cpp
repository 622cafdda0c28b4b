// Long steps are several submissions, so that none takes a slow device seconds; a token is one. Their results are the same, to the bit, and
// work that a driver drops is an error.
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/placement.h"
#include "tests/gpu/fault_controls.h"
#include "tests/gpu/large_model.h"
#include "tests/gpu/validated_device.h"
#include "tests/support/random_families.h"
#include "tests/support/simulated_clock.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace minerva::gpu {
namespace {

TEST(SubmissionPace, ASubmissionGetsWhatItsDeviceDoesInTheTime) {
  SubmissionPace pace;
  EXPECT_EQ(pace.limit(), 1);
  pace.learn(1, 0.15);
  EXPECT_DOUBLE_EQ(pace.limit(), 2);
  pace.learn(2, 0.3 / 50);
  EXPECT_DOUBLE_EQ(pace.limit(), 2) << "the slowest of the last ones";
  for (int i = 0; i < 3; ++i) pace.learn(2, 0.3 / 50);
  EXPECT_DOUBLE_EQ(pace.limit(), 8) << "four times as much at once at most";
  pace.learn(3, 0.001);
  EXPECT_DOUBLE_EQ(pace.limit(), 8) << "little work says nothing";
  pace.learn(8, 0);
  EXPECT_DOUBLE_EQ(pace.limit(), 8) << "nor does a clock that stands still";
  pace.learn(1, 0.6);
  EXPECT_DOUBLE_EQ(pace.limit(), 0.5) << "little work that takes long does";
  pace.learn(0.5, 3600);
  EXPECT_DOUBLE_EQ(pace.limit(), 1.0 / 16);
  for (int i = 0; i < 8; ++i) pace.learn(pace.limit(), 0.001);
  EXPECT_GT(pace.limit(), 8) << "a device that was asleep";
}

// What a slow device would get, of which nothing is known.
struct Submitted {
  std::uint32_t submissions = 0;
  double flops = 0, longest = 0;  // of all, and of the longest dispatch
};

Submitted submittedOf(const model::Plan& plan, const vulkan::DeviceInfo& device, const StepShape& shape) {
  CollectedSteps steps(device, plan, defaultTuning(device),
                       {.contextLength = 8192, .maxRows = static_cast<int>(shape.rows), .maxOutputRows = static_cast<int>(shape.outputs)});
  steps.add(shape);
  return {steps.recorder().submissions(), steps.recorder().counts().flops, steps.recorder().longestFlops()};
}

TEST(StepSubmission, ALongStepIsSeveralOnASlowDeviceAndATokenOne) {
  constexpr double perSecond = 20e9;  // as in dispatch_cut_test.cpp
  const std::vector<std::pair<std::string, std::string>> models{
      {"llama-3-8b", "q4_k_m"}, {"llama-3-8b", "q8_0"}, {"gpt-oss-20b", "mxfp4"}, {"granite-4-tiny", "q4_k_m"}};
  for (const auto& [shape, type] : models) {
    const auto made = largeModel(shape, type);
    ASSERT_TRUE(made.has_value()) << made.error().message();
    for (const std::uint32_t rows : {512U, 8192U}) {
      const Submitted found = submittedOf(made->plan, slowGpu(), {.rows = rows, .outputs = 1, .positions = 8192});
      // A third of a second, or a single dispatch that takes longer.
      EXPECT_LE(found.flops / found.submissions / perSecond, 0.5) << shape << ", " << rows << " rows";
      EXPECT_LE(found.longest / perSecond, 0.5) << shape << ", " << rows << " rows";
      EXPECT_GT(found.submissions, 50U) << shape << ", " << rows << " rows";
    }
    EXPECT_EQ(submittedOf(made->plan, slowGpu(), {.positions = 8192}).submissions, 1U) << shape << ", " << type << ", a token";
    vulkan::DeviceInfo software = slowGpu();
    software.software = true;
    EXPECT_EQ(submittedOf(made->plan, software, {.rows = 512, .outputs = 1, .positions = 8192}).submissions, 1U) << "nothing watches it";
  }
}

struct Steps {
  std::vector<float> logits;
  std::vector<std::uint64_t> submissions;  // of each step
};

// A prompt, one twice as long, and a token behind them.
Result<Steps> submittedSteps(vulkan::Device& device, backend::Placement& placement) {
  Steps all;
  for (const Rows& rows : {prompt(0, 8), prompt(8, 16), prompt(24, 1)}) {
    const std::uint64_t before = device.traffic().submissions;
    MINERVA_TRY(placement.step(rows));
    all.submissions.push_back(device.traffic().submissions - before);
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
      MINERVA_ASSIGN(const std::span<const float> logits, placement.logits(i));
      all.logits.insert(all.logits.end(), logits.begin(), logits.end());
    }
  }
  return all;
}

// Time stands still, so that nothing is learned and the submissions are always the same.
TEST_F(Vulkan, AStepInSeveralSubmissionsIsTheSame) {
  const tests::SimulatedClock clock;
  const auto device = openValidated();
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  for (const std::string variant : {"dense", "mixture", "states"}) {
    tests::RandomModel random = tests::randomModel({.type = ElementType::Q8_0, .hidden = 64, .layers = 3});
    if (variant == "mixture") tests::addExperts(random, tests::expertShapes().front());
    if (variant == "states") tests::addMixers(random, {tests::Mixer::deltaNet, tests::Mixer::mamba, tests::Mixer::attention});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    std::vector<Steps> results;
    for (const double most : {1e30, 2e5, 1.0}) {
      Tuning tuning = defaultTuning((*device)->info());
      tuning.submissionFlops = most;
      tuning.submissionBytes = 1e30;
      const auto placement = VulkanPlacement::create(*device, kernels, tuning, *plan, small, {}, {});
      ASSERT_TRUE(placement.has_value()) << placement.error().message();
      auto steps = submittedSteps(**device, **placement);
      ASSERT_TRUE(steps.has_value()) << steps.error().message();
      EXPECT_EQ(steps->submissions.back(), 1U) << variant << ": a token";
      results.push_back(std::move(*steps));
      if ((*device)->info().timestampBits == 0) continue;
      const auto times = (*placement)->timeStep(prompt(25, 7));
      ASSERT_TRUE(times.has_value()) << times.error().message();
      EXPECT_EQ(times->size(), plan->ops.size());
    }
    EXPECT_EQ(results[0].submissions, (std::vector<std::uint64_t>{1, 1, 1})) << variant;
    EXPECT_GT(results[1].submissions[0], 2U) << variant;
    EXPECT_GT(results[1].submissions[1], results[1].submissions[0]) << variant;
    EXPECT_GT(results[2].submissions[0], results[1].submissions[0]) << variant;
    for (const Steps& divided : {results[1], results[2]}) EXPECT_EQ(divided.logits, results[0].logits) << variant;
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

// As i915 does with what has waited too long: every call says that all is well, but nothing was computed.
TEST_F(Vulkan, WorkThatTheDriverDropsIsAnError) {
  const tests::FaultControls controls = faultControls();
  ASSERT_NE(controls.arm, nullptr) << dlerror();
  controls.arm(static_cast<int>(tests::Fault::none), 0);
  const auto backend = createVulkanBackend("vulkan:0", {.loader = MINERVA_FAULT_LOADER});
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  const tests::RandomModel random = tests::randomModel({.type = ElementType::Q8_0, .hidden = 64, .layers = 1});
  const auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const auto placement = (*backend)->place(*plan, faultOptions, {}, {});
  ASSERT_TRUE(placement.has_value()) << placement.error().message();
  const Rows first = prompt(0, 3), next{{5, 3, 0, false}};
  EXPECT_TRUE((*placement)->step({first.data(), 1}).has_value());
  controls.arm(static_cast<int>(tests::Fault::dropped), 1);
  const auto dropped = (*placement)->step({first.data() + 1, 1});
  controls.arm(static_cast<int>(tests::Fault::none), 0);
  ASSERT_FALSE(dropped.has_value());
  EXPECT_EQ(dropped.error().kind, ErrorKind::deviceLost);
  EXPECT_FALSE(dropped.error().hint.empty());
  EXPECT_FALSE((*placement)->step({first.data() + 2, 1}).has_value()) << "what it would build on is not there";
  EXPECT_FALSE((*placement)->step(next).has_value());
  const auto again = (*backend)->place(*plan, faultOptions, {}, {});
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_TRUE((*again)->step({first.data(), 1}).has_value());
}

}  // namespace
}  // namespace minerva::gpu
