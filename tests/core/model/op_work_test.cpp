// What each op reads and multiplies, against sums made otherwise and cases worked out by hand.
#include "core/model/op_work.h"

#include "core/model/state_reads.h"
#include "tests/core/model/mixed_layers.h"

#include <gtest/gtest.h>

namespace minerva {
namespace {

using model::KvType;
using model::OpWork;
using tests::planOf;

constexpr tests::ModelShape small{.vocabulary = 67, .hidden = 64, .layers = 2, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 96};

TEST(OpWork, ATokenReadsWhatThePlanSays) {
  const tests::RandomModel made = tests::randomModel(small);
  const model::Plan plan = planOf(made);
  const OpWork sum = model::sumOf(model::workOf(plan, {.rows = 1, .outputs = 1, .depth = 31}, KvType::f16));
  EXPECT_DOUBLE_EQ(sum.weightBytes, static_cast<double>(plan.weightBytesPerToken()));
  EXPECT_EQ(sum.expertBytes, 0);
  // 32 positions read, one stored.
  EXPECT_DOUBLE_EQ(sum.stateBytes,
                   model::stateReads(plan, KvType::f16).bytesAt(32) + static_cast<double>(plan.kvBytesPerPosition(KvType::f16)));
  // Per layer q k v, o, gate up down; the head; attention of 4 heads of 16 over 32 positions, keys and values.
  const double products = 2 * (64.0 * (64 + 32 + 32) + 64 * 64 + 3 * 64 * 96 + 32 * 4 * (16 + 16)) + 67 * 64;
  EXPECT_DOUBLE_EQ(sum.flops, 2 * products);
}

TEST(OpWork, APromptReadsWeightsOnceAndMultipliesThemForEveryRowButTheHeadForTheLast) {
  const tests::RandomModel made = tests::randomModel(small);
  const model::Plan plan = planOf(made);
  const std::vector<OpWork> one = model::workOf(plan, {.rows = 1, .outputs = 1, .depth = 0}, KvType::f16);
  const std::vector<OpWork> many = model::workOf(plan, {.rows = 8, .outputs = 1, .depth = 0}, KvType::f16);
  EXPECT_DOUBLE_EQ(many[0].weightBytes, 8 * one[0].weightBytes);  // rows of the embedding table
  EXPECT_DOUBLE_EQ(many[1].weightBytes, one[1].weightBytes);
  EXPECT_DOUBLE_EQ(many[1].flops, 8 * one[1].flops);
  EXPECT_DOUBLE_EQ(many[3].flops, 36 * one[3].flops);           // 1 + 2 + ... + 8 positions
  EXPECT_DOUBLE_EQ(many[3].stateBytes, 8 * one[3].stateBytes);  // 8 positions, read once
  EXPECT_DOUBLE_EQ(many.back().flops, one.back().flops);
  const OpWork none = model::workOf(plan, {.rows = 8, .outputs = 0, .depth = 0}, KvType::f16).back();
  EXPECT_EQ(none.weightBytes + none.flops, 0);
}

TEST(OpWork, AWindowLimitsWhatIsRead) {
  tests::ModelShape shape = small;
  shape.window = 4;
  shape.layers = 1;
  const tests::RandomModel made = tests::randomModel(shape);
  const model::Plan plan = planOf(made);
  const auto attention = [&](int rows, int depth) {
    return model::workOf(plan, {.rows = rows, .outputs = 1, .depth = depth}, KvType::f16)[3];
  };
  EXPECT_DOUBLE_EQ(attention(1, 30).stateBytes, 4 * attention(1, 0).stateBytes);
  EXPECT_DOUBLE_EQ(attention(1, 30).flops, 4 * attention(1, 0).flops);
  EXPECT_DOUBLE_EQ(attention(3, 30).stateBytes, 6 * attention(1, 0).stateBytes);  // the first row sees 3 positions before it
  EXPECT_DOUBLE_EQ(attention(3, 30).flops, 12 * attention(1, 0).flops);
}

TEST(OpWork, ExpertsAreReadAsOftenAsSomeRowChoosesThem) {
  tests::RandomModel made = tests::randomModel({.layers = 1});
  tests::addMixture(made, made.config.layers.front(), false);  // 6 experts, 2 used
  const model::Plan plan = planOf(made);
  const auto sum = [&](int rows) { return model::sumOf(model::workOf(plan, {.rows = rows, .outputs = rows, .depth = 0}, KvType::f16)); };
  const double all = 3.0 * 6 * 32 * 64 * 4;  // gate, up, down of float32
  EXPECT_NEAR(sum(1).expertBytes, all / 3, 1e-6);
  EXPECT_NEAR(sum(2).expertBytes, all * 5 / 9, 1e-6);  // 1 - (2/3)^2
  for (const int rows : {1, 2, 64}) EXPECT_NEAR(model::expertReads(plan).bytesOfStep(rows), sum(rows).expertBytes, 1e-6);
  EXPECT_NEAR(sum(1).weightBytes + sum(1).expertBytes, static_cast<double>(plan.weightBytesPerToken()), 1e-6);
  EXPECT_NEAR(sum(2).expertFlops, 2 * sum(1).expertFlops, 1e-6);
  EXPECT_NEAR(sum(1).expertFlops, 2 * 3.0 * 2 * 32 * 64, 1e-6);
}

// Every kind of op: nothing is negative, and a token of a plan without experts reads what the plan says.
TEST(OpWork, EveryKindOfOpIsWeighed) {
  const tests::RandomModel made = tests::modelOfEveryKind();
  const model::Plan plan = planOf(made);
  const std::vector<OpWork> ops = model::workOf(plan, {.rows = 2, .outputs = 1, .depth = 5}, KvType::q8_0);
  ASSERT_EQ(ops.size(), plan.ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const OpWork& op = ops[i];
    EXPECT_TRUE(op.weightBytes >= 0 && op.expertBytes >= 0 && op.stateBytes >= 0 && op.flops >= 0) << i;
    EXPECT_EQ(model::recurrentStateOf(plan.ops[i]) != model::none || model::kvStateRead(plan.ops[i]) != model::none ||
                  model::kvStateWritten(plan.ops[i]) != model::none,
              op.stateBytes > 0)
        << i << " " << model::name(plan.ops[i]);
  }
}

}  // namespace
}  // namespace minerva
