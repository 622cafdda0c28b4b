// Recurrent mixers on every backend against the double-precision reference: several sequences in one step, sequences that begin anew,
// copies and checkpoints. Each plan is one mixer with the projections and gates that models have around it.
#include "core/backend/reference/reference_backend.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/placement.h"
#include "tests/conformance/small_plan.h"
#include "tests/support/backend_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace minerva::tests {
namespace {

using model::none;

struct DeltaShape {
  int keyHeads = 2, valueHeads = 4, keyDim = 16, valueDim = 24;
  bool tiled = false, channelDecay = false;
};

// x -> convolution -> delta rule -> gated norm, as in Qwen3-Next and, with a decay per channel, Kimi Linear.
OpPlan deltaPlan(const DeltaShape& s) {
  SmallPlan p(3);
  const int inputs = 2 * s.keyHeads * s.keyDim + s.valueHeads * s.valueDim;
  const int results = s.valueHeads * s.valueDim;
  const int decays = s.valueHeads * (s.channelDecay ? s.keyDim : 1);
  const auto x = p.embed(48);
  const auto projected = p.project(x, inputs + 5);
  const auto gates = p.project(x, results + s.valueHeads + decays);
  const auto in = p.buffer("convolved", inputs);
  p.add(model::ConvOp{.in = projected,
                      .column = 5,
                      .channels = inputs,
                      .width = 4,
                      .weight = p.vector(inputs * 4, 0, 0.5),
                      .activated = true,
                      .state = p.state(3, inputs),
                      .out = in});
  const auto y = p.buffer("y", results);
  p.add(model::DeltaOp{.in = in,
                       .gates = gates,
                       .betaColumn = results,
                       .decayColumn = results + s.valueHeads,
                       .keyHeads = s.keyHeads,
                       .valueHeads = s.valueHeads,
                       .keyDim = s.keyDim,
                       .valueDim = s.valueDim,
                       .tiled = s.tiled,
                       .channelDecay = s.channelDecay,
                       .decay = p.vector(s.valueHeads, -0.3, 0.1),
                       .bias = p.vector(decays, 0, 0.5),
                       .state = p.state(s.valueHeads * s.keyDim, s.valueDim),
                       .out = y});
  p.add(model::GatedNormOp{.gate = gates,
                           .gateColumn = 0,
                           .norm = {model::NormKind::rms, 1e-5F, p.vector(s.valueDim, 1, 0.2), none},
                           .group = s.valueDim,
                           .gateFirst = false,
                           .x = y});
  return p.finish(y);
}

struct ScanShape {
  int heads = 4, headDim = 24, groups = 2, stateSize = 16;
};

// x -> convolution -> scan -> gated norm, as in Mamba 2.
OpPlan scanPlan(const ScanShape& s) {
  SmallPlan p(4);
  const int results = s.heads * s.headDim;
  const int inputs = results + 2 * s.groups * s.stateSize;
  const auto x = p.embed(48);
  const auto projected = p.project(x, results + inputs + s.heads);
  const auto in = p.buffer("convolved", inputs);
  p.add(model::ConvOp{.in = projected,
                      .column = results,
                      .channels = inputs,
                      .width = 4,
                      .weight = p.vector(inputs * 4, 0, 0.5),
                      .bias = p.vector(inputs, 0, 0.3),
                      .activated = true,
                      .state = p.state(3, inputs),
                      .out = in});
  const auto y = p.buffer("y", results);
  p.add(model::ScanOp{.in = in,
                      .steps = projected,
                      .dtColumn = results + inputs,
                      .heads = s.heads,
                      .headDim = s.headDim,
                      .groups = s.groups,
                      .stateSize = s.stateSize,
                      .decay = p.vector(s.heads, 0, 0.5, {.negatedExp = true}),
                      .bias = p.vector(s.heads, 0, 0.5),
                      .skip = p.vector(s.heads, 1, 0.3),
                      .dtMin = 0.01F,
                      .dtMax = std::numeric_limits<float>::infinity(),
                      .state = p.state(results, s.stateSize),
                      .out = y});
  p.add(model::GatedNormOp{.gate = projected,
                           .gateColumn = 0,
                           .norm = {model::NormKind::rms, 1e-5F, p.vector(results, 1, 0.2), none},
                           .group = results / s.groups,
                           .gateFirst = true,
                           .x = y});
  return p.finish(y);
}

// [b | c | x] -> b * x -> convolution -> times c, as in LFM2.
OpPlan shortConvolutionPlan(int channels, int width) {
  SmallPlan p(5);
  const auto in = p.project(p.embed(48), 3 * channels);
  p.add(model::GateOp{
      .gate = in, .gateColumn = 0, .activation = model::Activation::identity, .out = in, .column = 2 * channels, .columns = channels});
  const auto y = p.buffer("y", channels);
  p.add(model::ConvOp{.in = in,
                      .column = 2 * channels,
                      .channels = channels,
                      .width = width,
                      .weight = p.vector(channels * width, 0, 0.5),
                      .activated = false,
                      .state = p.state(width - 1, channels),
                      .out = y});
  p.add(model::GateOp{
      .gate = in, .gateColumn = channels, .activation = model::Activation::identity, .out = y, .column = 0, .columns = channels});
  return p.finish(y);
}

constexpr int slotCount = 3;
constexpr backend::PlaceOptions placing{
    .contextLength = 96, .slots = slotCount, .checkpoints = 2, .maxRows = 64, .maxOutputRows = 64, .precision = backend::Precision::exact};

// The same steps, copies and checkpoints on a placement and on the reference.
class Sequences {
 public:
  Sequences(const model::Plan& plan, std::unique_ptr<backend::Placement> placed)
      : m_truth(std::move(*backend::reference::createReferenceBackend()->place(plan, placing, {}, {}))), m_placed(std::move(placed)) {}

  void run() {
    step(std::vector<int>(19, 0));
    step({0});
    step({1, 0, 2, 1, 1, 0, 2, 2, 0, 1, 1});  // sequences interleave
    step({2, 1});
    succeeds([](backend::Placement& on) { return on.saveCheckpoint(1, 1); });
    const int kept = m_positions[1];
    step({1, 0, 1, 1});
    m_positions[0] = 0;  // begins anew, beside sequences that go on
    step({2, 0, 0, 1});
    succeeds([](backend::Placement& on) { return on.restoreCheckpoint(1, 1); });
    m_positions[1] = kept;
    step({1, 1, 0});
    const int length = m_positions[1];
    succeeds([&](backend::Placement& on) { return on.copySlot(1, 2, length); });
    m_positions[2] = length;
    step({2, 0, 2, 1});
    m_positions[2] = 0;
    step({2});  // shorter than a convolution
    step(std::vector<int>(33, 2));
  }

 private:
  // Runs the next token of each of these slots, in this order, and compares the logits of every row.
  void step(const std::vector<int>& ofSlots) {
    std::vector<backend::StepRow> rows;
    for (const int slot : ofSlots) {
      rows.push_back({m_random.below(opVocabulary), m_positions[static_cast<std::size_t>(slot)]++, slot, true});
    }
    succeeds([&](backend::Placement& on) { return on.step(rows); });
    double largest = 0, squares = 0, count = 0;
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
      const auto expected = m_truth->logits(i), found = m_placed->logits(i);
      ASSERT_TRUE(expected.has_value() && found.has_value());
      for (std::size_t k = 0; k < expected->size(); ++k) {
        const double difference = std::abs(static_cast<double>((*expected)[k]) - static_cast<double>((*found)[k]));
        largest = std::isfinite(difference) ? std::max(largest, difference) : std::numeric_limits<double>::infinity();
        squares += static_cast<double>((*expected)[k]) * static_cast<double>((*expected)[k]);
        ++count;
      }
    }
    EXPECT_LT(largest, 3e-4 * std::sqrt(squares / count)) << "step of " << rows.size() << " rows";
  }

  template <class Call>
  void succeeds(const Call& call) {
    for (backend::Placement* on : {m_truth.get(), m_placed.get()}) {
      const Result<void> done = call(*on);
      ASSERT_TRUE(done.has_value()) << done.error().message();
    }
  }

  std::unique_ptr<backend::Placement> m_truth, m_placed;
  std::vector<int> m_positions = std::vector<int>(slotCount, 0);
  Random m_random{5};
};

class RecurrentConformance : public BackendTest {
 protected:
  void conforms(const OpPlan& p, const std::string& what) {
    SCOPED_TRACE(what);
    const Result<void> checked = model::checkPlan(p.plan);
    ASSERT_TRUE(checked.has_value()) << checked.error().message();
    auto placed = m_backend->place(p.plan, placing, {}, {});
    ASSERT_TRUE(placed.has_value()) << placed.error().message();
    const auto needs = m_backend->memoryNeeds(p.plan, placing);
    ASSERT_TRUE(needs.has_value()) << needs.error().message();
    EXPECT_EQ(needs->front().use.kv, (*placed)->memory().kv);
    EXPECT_GE((*placed)->memory().kv, static_cast<std::uint64_t>(placing.slots + placing.checkpoints) * p.plan.recurrentBytes());
    Sequences(p.plan, std::move(*placed)).run();
  }
};

TEST_P(RecurrentConformance, DeltaRuleOfEveryShape) {
  conforms(deltaPlan({}), "two values per key");
  conforms(deltaPlan({.tiled = true}), "tiled");
  conforms(deltaPlan({.keyHeads = 3, .valueHeads = 3, .keyDim = 8, .valueDim = 40, .channelDecay = true}), "decay per channel");
  conforms(deltaPlan({.keyHeads = 1, .valueHeads = 1, .keyDim = 5, .valueDim = 3}), "odd");
  conforms(deltaPlan({.keyHeads = 1, .valueHeads = 2, .keyDim = 128, .valueDim = 128}), "as large as usual");
}

TEST_P(RecurrentConformance, ScanOfEveryShape) {
  conforms(scanPlan({}), "two groups");
  conforms(scanPlan({.heads = 3, .headDim = 5, .groups = 1, .stateSize = 7}), "odd");
  conforms(scanPlan({.heads = 2, .headDim = 64, .groups = 1, .stateSize = 128}), "as large as usual");
}

TEST_P(RecurrentConformance, ConvolutionOfEveryWidth) {
  for (const int width : {2, 3, 4, 7}) conforms(shortConvolutionPlan(40, width), "width " + std::to_string(width));
}

INSTANTIATE_TEST_SUITE_P(Devices, RecurrentConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecurrentConformance);

// A GPU divides a column of a state among several invocations, a driver on the CPU does not.
TEST(RecurrentForms, StatesMayBeDividedOnVulkan) {
  auto found = gpu::findDevice("vulkan:0", {.validation = true});
  if (!found) found = gpu::findDevice("vulkan:0", {});
  if (!found) GTEST_SKIP() << "skipped: no Vulkan device";
  auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<gpu::Kernels>(*device);
  for (const std::uint32_t splits : {1U, 2U, 4U, 8U}) {
    SCOPED_TRACE(std::to_string(splits) + " invocations");
    gpu::Tuning form = gpu::defaultTuning(found->device);
    form.recurrentSplits = splits;
    for (const OpPlan& p : {deltaPlan({}), deltaPlan({.keyDim = 15, .channelDecay = true}), scanPlan({})}) {
      auto placed = gpu::VulkanPlacement::create(*device, kernels, form, p.plan, placing, {}, {});
      ASSERT_TRUE(placed.has_value()) << placed.error().message();
      Sequences(p.plan, std::move(*placed)).run();
    }
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

}  // namespace
}  // namespace minerva::tests
