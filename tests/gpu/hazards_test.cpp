#include "gpu/runtime/hazards.h"

#include <gtest/gtest.h>

#include <array>

namespace minerva::gpu {
namespace {

using Set = std::vector<Hazards::Resource>;

TEST(Hazards, IndependentWorkNeedsNoBarrier) {
  Hazards hazards;
  EXPECT_FALSE(hazards.add(Set{0}, Set{1}));
  EXPECT_FALSE(hazards.add(Set{0}, Set{2}));  // two readers of one input
  EXPECT_FALSE(hazards.add(Set{}, Set{3}));
}

TEST(Hazards, ReadAfterWriteWaits) {
  Hazards hazards;
  EXPECT_FALSE(hazards.add(Set{0}, Set{1}));
  EXPECT_TRUE(hazards.add(Set{1}, Set{2}));
}

TEST(Hazards, WriteAfterReadWaits) {
  Hazards hazards;
  EXPECT_FALSE(hazards.add(Set{0}, Set{1}));
  EXPECT_TRUE(hazards.add(Set{}, Set{0}));
}

TEST(Hazards, WriteAfterWriteWaits) {
  Hazards hazards;
  EXPECT_FALSE(hazards.add(Set{}, Set{1}));
  EXPECT_TRUE(hazards.add(Set{}, Set{1}));
}

TEST(Hazards, ColumnsBesideEachOtherNeedNoBarrier) {
  Hazards hazards;
  EXPECT_FALSE(hazards.add(Set{0}, Set{{1, 0, 64}}));
  EXPECT_FALSE(hazards.add(Set{0}, Set{{1, 64, 96}}));
  EXPECT_FALSE(hazards.add(Set{{1, 96, 128}}, Set{{2, 0, 64}}));
  EXPECT_TRUE(hazards.add(Set{0}, Set{{1, 63, 64}}));
  EXPECT_FALSE(hazards.add(Set{}, Set{{1, 64, 96}}));
  EXPECT_TRUE(hazards.add(Set{1}, Set{3})) << "the whole of it";
}

TEST(Hazards, ABarrierCoversEverythingBeforeIt) {
  Hazards hazards;
  EXPECT_FALSE(hazards.add(Set{}, Set{1}));
  EXPECT_FALSE(hazards.add(Set{}, Set{2}));
  EXPECT_TRUE(hazards.add(Set{1}, Set{3}));  // the barrier also covers 2
  EXPECT_FALSE(hazards.add(Set{2}, Set{4}));
  EXPECT_TRUE(hazards.add(Set{3}, Set{5}));  // 3 was written after that barrier
}

}  // namespace
}  // namespace minerva::gpu
