// The formula of a step's cost, by cases worked out by hand.
#include "core/speed/cost.h"

#include <gtest/gtest.h>

namespace minerva::speed {
namespace {

// 100 GB/s, 50 GB/s of experts, 1 TFLOP/s, half of that of experts, 2 us a dispatch, 3 us a barrier, 10 us a step.
constexpr DeviceRates rates{.bytesPerSecond = 100e9,
                            .expertBytesPerSecond = 50e9,
                            .flopsPerSecond = 1e12,
                            .expertFlopsPerSecond = 0.5e12,
                            .unitFlopsPerSecond = 4e12,
                            .unitExpertFlopsPerSecond = 2e12,
                            .dispatchSeconds = 2e-6,
                            .barrierSeconds = 3e-6,
                            .stepSeconds = 10e-6,
                            .overlaps = true};

TEST(Cost, ATokenIsReadingAndDispatchesBesideEachOther) {
  // 1 GB at 100 GB/s and 0.5 GB of experts at 50 GB/s are 20 ms; 2 GFLOP would be 2 ms, beside the reading; 100 * 2 + 80 * 3 + 10 us.
  const StepWork work{.bytes = 1e9, .expertBytes = 0.5e9, .flops = 2e9, .dispatches = 100, .barriers = 80};
  const StepCost cost = costOf(work, rates);
  EXPECT_DOUBLE_EQ(cost.reading, 0.020);
  EXPECT_DOUBLE_EQ(cost.multiplying, 0.002);
  EXPECT_DOUBLE_EQ(cost.dispatching, 450e-6);
  EXPECT_DOUBLE_EQ(cost.total(), 0.02045);
  EXPECT_EQ(cost.limit(), Limit::bandwidth);
}

TEST(Cost, APromptIsMultiplying) {
  // 30 GFLOP are 30 ms and 10 of experts 20 ms; the 10 ms of reading pass meanwhile.
  const StepCost cost = costOf({.bytes = 1e9, .flops = 30e9, .expertFlops = 10e9}, rates);
  EXPECT_DOUBLE_EQ(cost.multiplying, 0.050);
  EXPECT_DOUBLE_EQ(cost.total(), 0.050 + 10e-6);
  EXPECT_EQ(cost.limit(), Limit::multiplying);
}

TEST(Cost, MatrixUnitsHaveRatesOfTheirOwn) {
  // 40 GFLOP by units are 10 ms, 10 of experts 5 ms, and 5 by plain arithmetic 5 ms.
  const StepCost cost = costOf({.flops = 5e9, .unitFlops = 40e9, .unitExpertFlops = 10e9}, rates);
  EXPECT_DOUBLE_EQ(cost.multiplying, 0.020);
  EXPECT_NEAR(worthOf({.unitFlops = 20e9}, {.flops = 5e9, .unitFlops = 40e9, .unitExpertFlops = 10e9}, rates), 5.0 / 20.01, 1e-12);
}

TEST(Cost, ADeviceThatDoesNotOverlapAddsThem) {
  DeviceRates slow = rates;
  slow.overlaps = false;
  EXPECT_DOUBLE_EQ(costOf({.bytes = 1e9, .flops = 30e9}, slow).total(), 0.040 + 10e-6);
}

TEST(Cost, ASmallModelIsItsDispatches) {
  const StepCost cost = costOf({.bytes = 10e6, .dispatches = 200, .barriers = 150}, rates);  // 100 us; 400 + 450 + 10 us
  EXPECT_DOUBLE_EQ(cost.total(), 960e-6);
  EXPECT_EQ(cost.limit(), Limit::dispatches);
}

TEST(Cost, WorkThatIsNotThereNeedsNoRate) {
  DeviceRates none = rates;
  none.expertBytesPerSecond = none.expertFlopsPerSecond = none.flopsPerSecond = 0;
  EXPECT_DOUBLE_EQ(costOf({.bytes = 1e9}, none).total(), 0.010 + 10e-6);
}

TEST(Cost, WhatAChangeIsWorthIsTheTimeItSaves) {
  const StepWork work{.bytes = 99e6, .dispatches = 100, .barriers = 70};  // 990 + 200 + 210 + 10 us = 1410 us
  // A dispatch and a barrier less in each of 22 layers: 22 * 5 us of 1410.
  EXPECT_NEAR(worthOf({.dispatches = 22, .barriers = 22}, work, rates), 110.0 / 1410.0, 1e-12);
  EXPECT_NEAR(worthOf({.bytes = 9.9e6}, work, rates), 99.0 / 1410.0, 1e-12);
  EXPECT_EQ(worthOf({}, work, rates), 0);
  // Multiplying that passes beside the reading is worth nothing.
  StepWork both = work;
  both.flops = 0.5e9;
  EXPECT_NEAR(worthOf({.flops = 0.5e9}, both, rates), 0, 1e-12);
}

}  // namespace
}  // namespace minerva::speed
