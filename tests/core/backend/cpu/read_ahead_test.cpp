// How far ahead weights are fetched: the choice from measured rounds, and that it is made of measured ones.
#include "core/backend/cpu/read_ahead.h"

#include "core/backend/cpu/memory.h"
#include "core/backend/cpu/panels.h"
#include "tests/support/random.h"
#include "tests/support/runnable_kernels.h"

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
  EXPECT_EQ(best({10, 20, 30}, {10, 19, 30}, {10, 20, 30}), 8192) << "faster in the middle round alone";
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

// How many rows of a matrix are read at the same time depends on the first cache; what they add up to does not.
TEST(FirstCache, ChangesNoBitOfARow) {
  constexpr int columns = 320;
  tests::Random random(3);
  std::vector<std::uint16_t> rows(static_cast<std::size_t>(panelRows) * columns);
  for (std::uint16_t& value : rows) value = static_cast<std::uint16_t>(0x3000 + random.below(0x0c00));  // halves from 0.125 to 1
  std::vector<float> x(columns);
  for (float& value : x) value = static_cast<float>(random.normal());
  for (const Kernels* kernels : tests::runnableKernels()) {
    std::array<std::array<float, panelRows>, 2> y{};
    for (int i = 0; i < 2; ++i) {
      kernels->setFirstCache(i == 0 ? 1 : 1 << 30);
      kernels->dot[static_cast<int>(Rounding::words)][rowsOf(ElementType::F16)](
          reinterpret_cast<const std::byte*>(rows.data()), columns, reinterpret_cast<const std::byte*>(x.data()), sizeof(float) * columns,
          1, y[static_cast<std::size_t>(i)].data());
    }
    kernels->setFirstCache(usualFirstCache);
    EXPECT_EQ(y[0], y[1]) << kernels->name;
    EXPECT_NE(y[0][0], y[0][15]) << kernels->name;
  }
}

}  // namespace
}  // namespace minerva::cpu
