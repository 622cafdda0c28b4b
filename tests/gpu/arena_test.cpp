#include "gpu/vulkan/arena.h"

#include <gtest/gtest.h>

namespace minerva::vulkan {
namespace {

TEST(ArenaLayout, RangesAreAlignedAndDoNotMeet) {
  const std::vector<std::uint64_t> sizes{1, 256, 257, 0, 5000, 3};
  const ArenaLayout layout = layOut(sizes, 256, 1 << 20);
  ASSERT_EQ(layout.places.size(), sizes.size());
  ASSERT_EQ(layout.slabs.size(), 1U);
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(layout.places[i].offset % 256, 0U);
    EXPECT_GE(layout.places[i].offset, end);
    end = layout.places[i].offset + sizes[i];
  }
  EXPECT_LE(end, layout.slabs[0]);
}

TEST(ArenaLayout, ASlabNeverExceedsTheLimitUnlessOneRangeDoes) {
  const std::vector<std::uint64_t> sizes{600, 600, 600, 5000, 100, 100};
  const ArenaLayout layout = layOut(sizes, 256, 2048);
  for (std::size_t slab = 0; slab < layout.slabs.size(); ++slab) {
    int ranges = 0;
    for (const auto& place : layout.places) ranges += place.slab == slab ? 1 : 0;
    EXPECT_TRUE(layout.slabs[slab] <= 2048 || ranges == 1) << "slab " << slab << " of " << layout.slabs[slab] << " bytes";
  }
  EXPECT_GE(layout.slabs.size(), 3U);
  EXPECT_GE(layout.total(), 7000U);
}

}  // namespace
}  // namespace minerva::vulkan
