// What the ops of recurrent mixers, gates and mixtures say about themselves.
#include "core/model/plan.h"

#include <gtest/gtest.h>

namespace minerva::model {
namespace {

using Ids = std::vector<int>;

TEST(OpParts, ARecurrentStateIsReplaced) {
  const Op conv =
      ConvOp{.in = 1, .column = 0, .channels = 8, .width = 4, .weight = 10, .bias = 11, .activated = true, .state = 5, .out = 2};
  EXPECT_EQ(recurrentStateOf(conv), 5);
  EXPECT_EQ(kvStateRead(conv), none);
  EXPECT_EQ(kvStateWritten(conv), none);
  EXPECT_EQ(reads(conv), Ids{1});
  EXPECT_EQ(writes(conv), Ids{2});
  EXPECT_EQ(weightsOf(conv), (Ids{10, 11}));
  EXPECT_EQ(vectorsOf(conv), (Ids{10, 11}));
  EXPECT_TRUE(matricesOf(conv).empty());

  DeltaOp delta{};
  delta.in = 1, delta.gates = 2, delta.decay = 10, delta.bias = 11, delta.state = 6, delta.out = 3;
  EXPECT_EQ(recurrentStateOf(delta), 6);
  EXPECT_EQ(reads(delta), (Ids{1, 2}));
  EXPECT_EQ(writes(delta), Ids{3});
  EXPECT_EQ(vectorsOf(delta), (Ids{10, 11}));

  ScanOp scan{};
  scan.in = 1, scan.keys = 4, scan.steps = 2, scan.decay = 10, scan.bias = 11, scan.skip = 12, scan.state = 7, scan.out = 3;
  EXPECT_EQ(recurrentStateOf(scan), 7);
  EXPECT_EQ(reads(scan), (Ids{1, 4, 2}));
  EXPECT_EQ(writes(scan), Ids{3});
  EXPECT_EQ(vectorsOf(scan), (Ids{10, 11, 12}));
}

TEST(OpParts, AKvStateIsStoredByOneOpAndReadByAnother) {
  RopeKvOp rope{};
  rope.kv = 3, rope.qkv = 1;
  rope.vNorm = {{.weight = 20}, 16};
  EXPECT_EQ(kvStateWritten(rope), 3);
  EXPECT_EQ(kvStateRead(rope), none);
  EXPECT_EQ(recurrentStateOf(rope), none);
  EXPECT_EQ(weightsOf(rope), Ids{20});
  rope.kv = none;  // the keys and values are another layer's
  EXPECT_EQ(kvStateWritten(rope), none);
  AttentionOp attention{};
  attention.kv = 3, attention.qkv = 1, attention.out = 2;
  EXPECT_EQ(kvStateRead(attention), 3);
  EXPECT_EQ(kvStateWritten(attention), none);
}

TEST(OpParts, WhatIsChangedInPlaceIsReadAndWritten) {
  const Op gate = GateOp{.gate = 1, .gateColumn = 0, .activation = Activation::sigmoid, .out = 2, .column = 0, .columns = 4};
  EXPECT_EQ(reads(gate), (Ids{1, 2}));
  EXPECT_EQ(writes(gate), Ids{2});
  const Op gatedNorm = GatedNormOp{.gate = 1, .gateColumn = 0, .norm = {.weight = 9}, .group = 4, .gateFirst = true, .x = 2};
  EXPECT_EQ(reads(gatedNorm), (Ids{1, 2}));
  EXPECT_EQ(writes(gatedNorm), Ids{2});
  EXPECT_EQ(vectorsOf(gatedNorm), Ids{9});
  const Op scale = ScaleOp{.scale = 9, .out = 2};
  EXPECT_EQ(reads(scale), Ids{2});
  EXPECT_EQ(writes(scale), Ids{2});
  EXPECT_EQ(vectorsOf(scale), Ids{9});
}

TEST(OpParts, StreamsAreChangedInPlace) {
  MixOp mix{.streams = {4, 5, 6}, .coefficients = 2};
  EXPECT_EQ(reads(mix), (Ids{2, 4, 5, 6}));
  EXPECT_EQ(writes(mix), (Ids{4, 5, 6}));
  mix.target = 3;
  EXPECT_EQ(reads(mix), (Ids{2, 3, 4, 5, 6}));
  const Op level = LevelOp{.like = 1, .floor = 1e-5F, .x = 2};
  EXPECT_EQ(reads(level), (Ids{1, 2}));
  EXPECT_EQ(writes(level), Ids{2});
  for (const Op& op : {Op(ThresholdOp{.deviations = 1, .x = 2}), Op(XieluOp{.form = {}, .x = 2})}) {
    EXPECT_EQ(reads(op), Ids{2});
    EXPECT_EQ(writes(op), Ids{2});
    EXPECT_TRUE(weightsOf(op).empty());
  }
}

TEST(OpParts, WhatIsOverwrittenIsNotRead) {
  CombineOp combine{};
  combine.in = 1, combine.route = 2, combine.shared = none, combine.out = 3;
  EXPECT_EQ(reads(combine), (Ids{1, 2, 3}));
  combine.add = false;
  EXPECT_EQ(reads(combine), (Ids{1, 2}));
  EXPECT_EQ(writes(combine), Ids{3});
  combine.route = none;
  EXPECT_EQ(reads(combine), Ids{1});
  const Op spread = SpreadOp{.in = 1, .route = 2, .used = 2, .out = 3};
  EXPECT_EQ(reads(spread), (Ids{1, 2}));
  EXPECT_EQ(writes(spread), Ids{3});
}

TEST(OpParts, ARouteNamesItsVectors) {
  RouteOp route{};
  route.logits = 1, route.out = 2;
  EXPECT_TRUE(weightsOf(route).empty());
  route.selectionBias = 8, route.expertScale = 9;
  EXPECT_EQ(vectorsOf(route), (Ids{8, 9}));
}

}  // namespace
}  // namespace minerva::model
