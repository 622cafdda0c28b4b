#include "core/backend/cpu/packing_order.h"

#include <gtest/gtest.h>

#include <array>

namespace minerva::cpu {
namespace {

using Pieces = std::vector<std::size_t>;
constexpr std::array matrices{6, 1, 4};

TEST(PackingOrder, OnOneNodeIsThatOfTheFile) {
  PackingOrder order(matrices, 3, false);
  for (std::size_t piece = 0; piece < 11; ++piece) EXPECT_EQ(order.take(static_cast<int>(piece * 2 % 3)), piece);
  EXPECT_GE(order.take(0), 11U);
  EXPECT_GE(order.take(1), 11U);
}

// Two threads in turn, as on two nodes: each packs the half of a matrix that it will read.
TEST(PackingOrder, OnSeveralNodesEachThreadPacksWhatItWillRead) {
  PackingOrder order(matrices, 2, true);
  Pieces packed[2];
  for (int i = 0; i < 6; ++i) {
    for (const int thread : {0, 1}) {
      if (const std::size_t piece = order.take(thread); piece < 11) packed[thread].push_back(piece);
    }
  }
  EXPECT_EQ(packed[0], (Pieces{0, 1, 2, 6, 7, 8}));
  EXPECT_EQ(packed[1], (Pieces{3, 4, 5, 9, 10}));
}

TEST(PackingOrder, WhoIsDoneHelpsTheOthers) {
  PackingOrder order(matrices, 2, true);
  Pieces packed;
  for (std::size_t piece = order.take(0); piece < 11; piece = order.take(0)) packed.push_back(piece);
  EXPECT_EQ(packed, (Pieces{0, 1, 2, 5, 4, 3, 6, 7, 8, 10, 9}));
  EXPECT_GE(order.take(1), 11U);
}

}  // namespace
}  // namespace minerva::cpu
