// What backends do with recurrent states beside the ops themselves: their memory, and on Vulkan the ways in which a state is divided.
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/placement.h"
#include "tests/conformance/mixer_plans.h"
#include "tests/support/backend_test.h"

#include <gtest/gtest.h>

namespace minerva::tests::mixers {
namespace {

class RecurrentStates : public BackendTest {};

TEST_P(RecurrentStates, TakeTheMemoryThatWasSaidBefore) {
  const OpPlan p = deltaPlan({.convolved = true});
  const auto bytesWith = [&](int slots, int checkpoints) {
    const backend::PlaceOptions options{.contextLength = 8, .slots = slots, .checkpoints = checkpoints, .maxRows = 4, .maxOutputRows = 4};
    const auto placed = m_backend->place(p.plan, options, {}, {});
    const auto needs = m_backend->memoryNeeds(p.plan, options);
    EXPECT_TRUE(placed.has_value() && needs.has_value());
    if (!placed || !needs) return std::uint64_t{0};
    EXPECT_EQ((*placed)->memory().kv, needs->front().use.kv);
    return (*placed)->memory().kv;
  };
  const std::uint64_t of5 = bytesWith(3, 2), of8 = bytesWith(3, 5);
  EXPECT_GE(of5, 5 * p.plan.recurrentBytes());
  EXPECT_EQ(of8 * 5, of5 * 8) << "a checkpoint takes as much as a slot";
}

INSTANTIATE_TEST_SUITE_P(Devices, RecurrentStates, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecurrentStates);

// The Vulkan device with parameters of our choice.
class TunedVulkan final : public backend::Backend {
 public:
  TunedVulkan(std::shared_ptr<vulkan::Device> device, const gpu::Tuning& tuning)
      : m_device(std::move(device)), m_kernels(std::make_shared<gpu::Kernels>(m_device)), m_tuning(tuning) {}

  backend::DeviceInfo info() const override { return {}; }
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    return gpu::VulkanPlacement::create(m_device, m_kernels, m_tuning, plan, options, progress, std::move(stop));
  }
  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan&, const backend::PlaceOptions&) const override {
    return std::vector<backend::DeviceNeed>{};
  }
  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked&) override { return backend::BandwidthCurve{}; }

 private:
  std::shared_ptr<vulkan::Device> m_device;
  std::shared_ptr<gpu::Kernels> m_kernels;
  gpu::Tuning m_tuning;
};

// A GPU divides a column of a state among several invocations; a driver on the CPU does not, unless told to.
TEST(RecurrentForms, StatesMayBeDividedOnVulkan) {
  auto found = gpu::findDevice("vulkan:0", {.validation = true});
  if (!found) found = gpu::findDevice("vulkan:0", {});
  if (!found) GTEST_SKIP() << "skipped: no Vulkan device";
  auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  for (const std::uint32_t splits : {4U, 8U}) {
    gpu::Tuning form = gpu::defaultTuning(found->device);
    form.recurrentSplits = splits;
    TunedVulkan tuned(*device, form);
    int plan = 0;
    for (const OpPlan& p : {deltaPlan({.keyDim = 24, .valueDim = 40}), deltaPlan({.keyDim = 15, .channelDecay = true}), scanPlan({}),
                            scanPlan({.stateSize = 15, .channelDecay = true})}) {
      Random random(97);
      const Script script = sequencesScript(random, p.plan.vocabularySize);
      const auto options = optionsFor(script, sequencesContext, sequencesSlots, backend::Precision::exact);
      const auto difference = compareWithReference(tuned, p.plan, options, script);
      ASSERT_TRUE(difference.has_value()) << difference.error().message();
      EXPECT_EQ(judge(*difference, toleranceOf(backend::Precision::exact, ElementType::F32)), "")
          << splits << " invocations, plan " << plan++;
    }
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

}  // namespace
}  // namespace minerva::tests::mixers
