// The ops of recurrent mixers, on every backend: every step of a sequence must leave the state that the reference has, whatever the
// steps, and no sequence may touch another's.
#include "tests/conformance/mixer_plans.h"
#include "tests/conformance/op_conformance.h"

#include <gtest/gtest.h>

namespace minerva::tests::mixers {
namespace {

class MixerConformance : public OpConformance {};

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

TEST_P(MixerConformance, DeltaRuleOfEveryHeadSize) {
  struct Heads {
    int keyHeads, valueHeads, keyDim, valueDim;
  };
  for (const Heads h : {Heads{1, 1, 8, 8}, {2, 4, 24, 24}, {3, 3, 16, 20}, {1, 2, 128, 128}, {2, 2, 40, 72}, {2, 6, 64, 5}}) {
    for (const bool channelDecay : {false, true}) {
      const DeltaShape shape{h.keyHeads, h.valueHeads, h.keyDim, h.valueDim, false, channelDecay};
      expectMixes(deltaPlan(shape), "delta " + std::to_string(h.keyHeads) + "/" + std::to_string(h.valueHeads) + " x " +
                                        std::to_string(h.keyDim) + " x " + std::to_string(h.valueDim) +
                                        (channelDecay ? " by channel" : ""));
    }
  }
}

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

TEST_P(MixerConformance, ScanLimitsItsSteps) { expectMixes(scanPlan({.dtMin = 0.4F, .dtMax = 1.1F}), "limited steps"); }

INSTANTIATE_TEST_SUITE_P(Devices, MixerConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MixerConformance);

}  // namespace
}  // namespace minerva::tests::mixers
