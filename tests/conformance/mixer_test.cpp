// The ops of recurrent mixers, on every backend: every step of a sequence must leave the state that the reference has, whatever the
// steps, and no sequence may touch another's.
#include "tests/conformance/mixer_plans.h"
#include "tests/conformance/op_conformance.h"

#include <gtest/gtest.h>

namespace minerva::tests::mixers {
namespace {

class MixerConformance : public OpConformance {
 protected:
  struct Heads {
    int keyHeads, valueHeads, keyDim, valueDim;
  };
  void expectDeltaRules(std::initializer_list<Heads> sizes) {
    for (const Heads& h : sizes) {
      for (const bool channelDecay : {false, true}) {
        expectMixes(deltaPlan({h.keyHeads, h.valueHeads, h.keyDim, h.valueDim, false, channelDecay}),
                    "delta " + std::to_string(h.keyHeads) + "/" + std::to_string(h.valueHeads) + " x " + std::to_string(h.keyDim) + " x " +
                        std::to_string(h.valueDim) + (channelDecay ? " by channel" : ""));
      }
    }
  }
};

// More sizes: a GPU's kernels are compiled for each.
class MixerSweep : public MixerConformance {};

TEST_P(MixerConformance, ConvolutionsOfEveryWidth) {
  for (const int width : {2, 3, 4, 7}) {
    for (const int channels : {24, 70, 300}) {
      for (const bool plain : {false, true}) {
        const ConvShape shape{.channels = channels, .width = width, .column = plain ? 0 : 5, .activated = !plain, .biased = !plain};
        expectMixes(convPlan(shape), "width " + std::to_string(width) + ", " + std::to_string(channels) + (plain ? " plain" : ""));
      }
    }
  }
}

TEST_P(MixerConformance, DeltaRuleOfSomeHeadSizes) { expectDeltaRules({{1, 2, 128, 128}, {2, 6, 64, 5}}); }
TEST_P(MixerSweep, DeltaRuleOfEveryHeadSize) { expectDeltaRules({{1, 1, 8, 8}, {2, 4, 24, 24}, {3, 3, 16, 20}, {2, 2, 40, 72}}); }

TEST_P(MixerConformance, DeltaRuleWithTiledKeyHeads) {
  expectMixes(deltaPlan({.keyHeads = 2, .valueHeads = 6, .tiled = true}), "tiled");
  expectMixes(deltaPlan({.keyHeads = 2, .valueHeads = 6, .tiled = true, .channelDecay = true}), "tiled by channel");
}

TEST_P(MixerConformance, TwoStatesOfALayer) {
  expectMixes(deltaPlan({.keyHeads = 2, .valueHeads = 4, .keyDim = 24, .valueDim = 32, .convolved = true}), "convolution and delta rule");
}

TEST_P(MixerConformance, ScanOfEveryHeadSize) {
  struct Heads {
    int heads, headDim, groups, stateSize;
  };
  for (const Heads h : {Heads{1, 8, 1, 8}, {2, 24, 1, 20}, {4, 64, 2, 128}, {3, 80, 1, 16}, {8, 8, 4, 33}, {6, 5, 3, 64}}) {
    expectMixes(scanPlan({h.heads, h.headDim, h.groups, h.stateSize}), "scan " + std::to_string(h.heads) + " x " +
                                                                           std::to_string(h.headDim) + ", " + std::to_string(h.groups) +
                                                                           " groups of " + std::to_string(h.stateSize));
  }
}

TEST_P(MixerConformance, ScanByChannelOfEverySize) {
  struct Heads {
    int heads, headDim, groups, stateSize;
  };
  for (const Heads h : {Heads{1, 8, 1, 16}, {1, 200, 1, 16}, {1, 129, 1, 8}, {1, 64, 1, 33}, {4, 24, 2, 20}, {6, 5, 3, 64}}) {
    expectMixes(scanPlan({h.heads, h.headDim, h.groups, h.stateSize, true}),
                "scan by channel " + std::to_string(h.heads) + " x " + std::to_string(h.headDim) + ", " + std::to_string(h.groups) +
                    " groups of " + std::to_string(h.stateSize));
  }
}

TEST_P(MixerConformance, ScanLimitsItsSteps) {
  expectMixes(scanPlan({.dtMin = 0.4F, .dtMax = 1.1F}), "limited steps");
  expectMixes(scanPlan({.channelDecay = true, .dtMin = 0.4F, .dtMax = 1.1F}), "limited steps by channel");
}

// Steps and decays from almost nothing to all, where e^x leaves the range of a float.
TEST_P(MixerConformance, DecaysOfEverySize) {
  expectMixes(deltaPlan({.valueHeads = 32, .biasDeviation = 60}), "delta");
  expectMixes(deltaPlan({.channelDecay = true, .biasDeviation = 60}), "delta by channel");
  expectMixes(scanPlan({.heads = 32, .biasDeviation = 60}), "scan");
  expectMixes(scanPlan({.heads = 1, .headDim = 150, .groups = 1, .channelDecay = true, .biasDeviation = 60}), "scan by channel");
}

TEST_P(MixerConformance, StatesTakeTheMemoryThatWasSaid) {
  const OpPlan p = deltaPlan({.convolved = true});
  const backend::PlaceOptions options{.contextLength = 8, .slots = 3, .checkpoints = 4, .maxRows = 2, .maxOutputRows = 2, .precision = {}};
  const auto needs = m_backend->memoryNeeds(p.plan, options);
  const auto placement = m_backend->place(p.plan, options, {}, {});
  if (!placement && placement.error().kind == ErrorKind::unsupported && GetParam().device != "cpu") {
    GTEST_SKIP() << "skipped: not supported: " << placement.error().message();
  }
  ASSERT_TRUE(needs.has_value()) << needs.error().message();
  ASSERT_TRUE(placement.has_value()) << placement.error().message();
  const backend::MemoryUse said = needs->front().use, taken = (*placement)->memory();
  EXPECT_EQ(said.kv, taken.kv);
  EXPECT_EQ(said.scratch, taken.scratch);
  EXPECT_EQ(said.weights, taken.weights);
  EXPECT_GE(taken.kv, 7 * p.plan.recurrentBytes());
}

INSTANTIATE_TEST_SUITE_P(Devices, MixerConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MixerConformance);
INSTANTIATE_TEST_SUITE_P(Devices, MixerSweep, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MixerSweep);

}  // namespace
}  // namespace minerva::tests::mixers
