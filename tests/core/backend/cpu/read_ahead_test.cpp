// How far ahead weights are fetched: the choice from measured rounds, and that it is made of measured ones.
#include "core/backend/cpu/read_ahead.h"

#include "core/backend/cpu/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace minerva::cpu {
namespace {

constexpr std::array distances{8192, 4096, 12288};

int best(const std::vector<double>& usual, const std::vector<double>& nearer, const std::vector<double>& further) {
  return bestReadAhead(distances, {usual, nearer, further}, 8192);
}

TEST(ReadAhead, TheFastestIsTakenIfTheUsualIsClearlySlower) {
  EXPECT_EQ(best({10, 10, 10}, {9, 9, 9}, {9.5, 9.5, 9.5}), 4096);
  EXPECT_EQ(best({10, 10, 10}, {9.5, 9.5, 9.5}, {8, 8, 8}), 12288);
  EXPECT_EQ(best({10, 10, 10}, {9.8, 9.8, 9.8}, {11, 11, 11}), 8192) << "2 % is noise";
}

// The memory of a virtual machine changes its speed between rounds; within one, all distances have the same.
TEST(ReadAhead, RoundsAreComparedEachWithItself) {
  EXPECT_EQ(best({10, 20, 40, 10, 20}, {9, 18, 36, 9, 18}, {10, 20, 40, 10, 20}), 4096);
  EXPECT_EQ(best({10, 10, 50, 10, 10}, {10, 10, 10, 10, 10}, {10, 10, 10, 10, 10}), 8192) << "a single slow round of the usual";
}

std::vector<int> asked;

TEST(ReadAhead, IsChosenAmongMeasuredDistances) {
  if (availableMemory() < (std::uint64_t{2} << 30)) GTEST_SKIP() << "skipped: needs 2 GB of free memory";
  Kernels kernels = baselineKernels();
  kernels.setReadAhead = [](int bytes) { asked.push_back(bytes); };
  asked.clear();
  ThreadPool pool(2);
  chooseReadAhead(kernels, pool);
  ASSERT_GT(asked.size(), 3U);
  const std::set<int> measured(asked.begin(), asked.end() - 1);
  EXPECT_TRUE(measured.contains(usualReadAhead));
  EXPECT_TRUE(measured.contains(asked.back()));
  EXPECT_GE(measured.size(), 3U);
  for (const int distance : measured) {
    EXPECT_EQ(std::count(asked.begin(), asked.end() - 1, distance), std::count(asked.begin(), asked.end() - 1, usualReadAhead)) << distance;
    EXPECT_EQ(distance % 64, 0) << "whole lines";
  }
}

}  // namespace
}  // namespace minerva::cpu
