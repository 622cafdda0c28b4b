// Where the rows of experts and heads lie before they are multiplied: within what was allocated, whatever a router chooses.
#include "core/backend/cpu/projection_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace minerva::cpu {
namespace {

// Groups of these numbers of rows in turn, until the rows are used up; multiplied by a matrix unit from `least` rows on.
std::vector<RowGroup> groupsInTurn(const Projector::Limits& limits, const std::vector<int>& counts, int least) {
  std::vector<RowGroup> groups;
  for (int rest = limits.groupedRows; rest > 0 && static_cast<int>(groups.size()) < limits.groups;) {
    const int count = std::min(rest, counts[groups.size() % counts.size()]);
    groups.push_back({.first = limits.groupedRows - rest,
                      .count = count,
                      .matrix = static_cast<int>(groups.size()),
                      .place = 0,
                      .use = backend::RowUse::any,
                      .tiled = count >= least});
    rest -= count;
  }
  return groups;
}

void expectApart(const Projector::Limits& limits, const std::vector<int>& counts, int least) {
  std::vector<RowGroup> groups = groupsInTurn(limits, counts, least);
  const std::size_t taken = placeGroups(groups), capacity = groupedCapacity(limits, true);
  EXPECT_LE(taken, capacity) << limits.groups << " groups of " << counts[0] << ", " << counts.back() << " of " << limits.groupedRows;
  std::vector<bool> used(capacity, false);
  for (const RowGroup& group : groups) {
    const std::size_t rows = group.tiled ? padRows(group.count) : static_cast<std::size_t>(group.count);
    EXPECT_TRUE(!group.tiled || group.place % matrixRows == 0);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t place = static_cast<std::size_t>(group.place) + i;
      ASSERT_LT(place, capacity);
      ASSERT_FALSE(used[place]) << place;
      used[place] = true;
    }
  }
}

TEST(GroupedPlaces, StayWithinWhatIsAllocatedWhateverIsRouted) {
  struct Mixture {
    int experts, used, rows;
  };
  for (const auto& [experts, used, rows] : {Mixture{128, 1, 512}, {128, 8, 128}, {256, 8, 256}, {128, 4, 128}, {32, 4, 512}, {8, 2, 3}}) {
    Projector::Limits limits;
    limits.groupedRows = rows * used;
    limits.groups = experts;
    for (const std::vector<int>& counts :
         std::vector<std::vector<int>>{{1, matrixThreshold}, {matrixThreshold, 1}, {matrixThreshold}, {1}, {33, 11}, {32, 31, 2}}) {
      limits.promptsAlike = false;
      expectApart(limits, counts, matrixThreshold);
      limits.promptsAlike = true;
      expectApart(limits, counts, 1);
    }
  }
}

TEST(GroupedPlaces, NothingIsPaddedWithoutAMatrixUnit) {
  Projector::Limits limits;
  limits.groupedRows = 100;
  limits.groups = 7;
  EXPECT_EQ(groupedCapacity(limits, false), 100U);
  limits.groupedRows = 0;
  EXPECT_EQ(groupedLayout(limits, true).total, 0U);
}

// What is left of activations after they were rounded to bf16 is of use only to weights that are more precise than that.
TEST(GroupedPlaces, QuantizedWeightsNeedNoLowParts) {
  Projector::Limits limits;
  limits.groupedRows = 128;
  limits.groupedColumns = 256;
  limits.groups = 4;
  const PreparedLayout one = groupedLayout(limits, true);
  limits.groupedProducts = productsOf(ElementType::BF16);
  const PreparedLayout two = groupedLayout(limits, true);
  EXPECT_EQ(one.total, one.low);
  EXPECT_EQ(two.total - two.low, groupedCapacity(limits, true) * 256 * sizeof(std::uint16_t));
}

}  // namespace
}  // namespace minerva::cpu
