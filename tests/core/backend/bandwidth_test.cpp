// Read bandwidth as a function of the amount of data that is read repeatedly: an upper bound at every size.
#include "core/backend/bandwidth.h"
#include "core/backend/cpu/cpu_backend.h"
#include "core/backend/reference/reference_backend.h"
#include "core/base/clock.h"
#include "tests/support/resident.h"
#include "tests/support/simulated_clock.h"

#include <gtest/gtest.h>

namespace minerva::tests {
namespace {

using backend::BandwidthCurve;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

TEST(Bandwidth, ASmallAmountHasTheSpeedOfTheCacheAndALargeOneThatOfTheMemory) {
  BandwidthCurve curve;
  EXPECT_FALSE(curve.isKnown());
  EXPECT_EQ(curve.at(1e6), 0);
  EXPECT_EQ(curve.timesPerSecond(1e6), 0);
  curve.add({64 * mebibyte, 10e9});  // points may be added in any order
  curve.add({mebibyte, 100e9});
  curve.add({8 * mebibyte, 80e9});
  EXPECT_EQ(curve.at(1), 100e9);
  EXPECT_EQ(curve.at(8.0 * mebibyte), 80e9);
  EXPECT_EQ(curve.at(9.0 * mebibyte), 80e9);  // not slower than at the next measured size: it may still fit into the cache
  EXPECT_EQ(curve.at(1e12), 10e9);
  EXPECT_EQ(curve.fromMemory(), 10e9);
  EXPECT_DOUBLE_EQ(curve.timesPerSecond(8.0 * mebibyte), 80e9 / (8.0 * mebibyte));
}

// A measurement that was disturbed is corrected by one of a larger size, and by a later measurement.
TEST(Bandwidth, WhatALargerAmountReachesASmallerOneReachesToo) {
  BandwidthCurve curve;
  curve.add({mebibyte, 5e9});
  curve.add({2 * mebibyte, 70e9});
  EXPECT_EQ(curve.at(mebibyte), 70e9);
  BandwidthCurve later;
  later.add({mebibyte, 60e9});
  later.add({2 * mebibyte, 90e9});
  curve.raiseTo(later);
  EXPECT_EQ(curve.at(2.0 * mebibyte), 90e9);
  curve.raiseTo(BandwidthCurve{});
  EXPECT_EQ(curve.at(2.0 * mebibyte), 90e9);
}

TEST(Bandwidth, RunsAreLongEnoughForTheirStartNotToCount) {
  const SimulatedClock clock;
  const auto speed = backend::fastestRead(1'000'000, [](std::uint32_t times) -> Result<void> {  // 1 MB in 10 us, 1 ms to start
    SimulatedClock::advance(1 + times * 0.01);
    return {};
  });
  ASSERT_TRUE(speed.has_value());
  EXPECT_GT(*speed, 50e9);
  EXPECT_LT(*speed, 100e9);
}

// 4 TB/s, by the device's own clock and by the host's, on which a submission takes 50 us.
TEST(Bandwidth, RunsOfTheFastestMemoryLastMillisecondsToo) {
  const SimulatedClock clock;
  for (const std::uint64_t bytes : {mebibyte, 1024 * mebibyte}) {
    double longest = 0;
    const auto msOf = [&](std::uint32_t times) { return static_cast<double>(bytes) * times / 4e12 * 1e3; };
    const auto byDevice = backend::fastestTimedRead(bytes, [&](std::uint32_t times) -> Result<double> {
      longest = std::max(longest, msOf(times));
      return msOf(times);
    });
    ASSERT_TRUE(byDevice.has_value());
    EXPECT_NEAR(*byDevice, 4e12, 1e6);
    EXPECT_GE(longest, 4) << bytes;
    EXPECT_LT(longest, 10) << bytes;
    const auto byHost = backend::fastestRead(bytes, [&](std::uint32_t times) -> Result<void> {
      SimulatedClock::advance(0.05 + msOf(times));
      return {};
    });
    ASSERT_TRUE(byHost.has_value());
    EXPECT_GT(*byHost, 3.9e12) << bytes;
    EXPECT_LE(*byHost, 4e12) << bytes;
  }
}

TEST(Bandwidth, AMeasurementStopsBetweenItsRuns) {
  int reads = 0;
  const auto read = [&](std::uint32_t) -> Result<void> {
    ++reads;
    return {};
  };
  const auto stopped = backend::fastestRead(mebibyte, read, [&] { return reads == 2; });
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(reads, 2);
}

TEST(Bandwidth, TheProcessorIsMeasuredOverSizesAndStopsWhenAsked) {
  const auto cpu = backend::createCpuBackend({});
  ASSERT_TRUE(cpu.has_value());
  const auto curve = (*cpu)->measureReadBandwidth({});
  ASSERT_TRUE(curve.has_value()) << curve.error().message();
  ASSERT_GE(curve->points().size(), 7U);
  EXPECT_LE(curve->points().front().bytes, mebibyte + 4096 * 64);
  EXPECT_GE(curve->points().back().bytes, 60 * mebibyte);
  EXPECT_GT(curve->fromMemory(), 1e8);
  int asked = 0;
  const auto stopped = (*cpu)->measureReadBandwidth([&] { return ++asked == 3; });
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

TEST(Bandwidth, AMeasurementThatMustNotStartTakesNoMemory) {
  const auto cpu = backend::createCpuBackend({});
  ASSERT_TRUE(cpu.has_value());
  const std::int64_t before = residentBytes().own;
  std::int64_t taken = -1;
  const auto stopped = (*cpu)->measureReadBandwidth([&] {
    taken = residentBytes().own - before;
    return true;
  });
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  EXPECT_LT(taken, static_cast<std::int64_t>(32 * mebibyte));
  const auto reference = backend::reference::createReferenceBackend()->measureReadBandwidth([] { return true; });
  ASSERT_FALSE(reference.has_value());
  EXPECT_EQ(reference.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace minerva::tests
