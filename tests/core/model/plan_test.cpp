#include "core/model/plan.h"

#include "core/model/state_reads.h"
#include "tests/core/model/mixed_layers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva {
namespace {

using model::Op;
using tests::planOf;

TEST(Plan, AnInnerLayerIsFiveOpsAndTheLastOneGathersBeforeItsOutput) {
  const tests::RandomModel made = tests::randomModel({.layers = 2});
  const model::Plan plan = planOf(made);
  std::vector<std::string> names;
  for (const Op& op : plan.ops) names.emplace_back(model::name(op));
  EXPECT_EQ(names, (std::vector<std::string>{"embed", "proj", "rope_kv", "attention", "proj", "proj", "proj", "proj", "rope_kv",
                                             "attention", "gather", "gather", "proj", "proj", "proj", "head"}));
  for (std::size_t i = 12; i < plan.ops.size(); ++i) {  // everything after the gather runs on rows that want logits only
    for (const int id : model::writes(plan.ops[i])) EXPECT_TRUE(plan.buffers[static_cast<std::size_t>(id)].outputRows) << i;
  }
}

TEST(Plan, EveryOpSaysWhatItReadsAndWrites) {
  const tests::RandomModel made = tests::randomModel({.layers = 1});
  const model::Plan plan = planOf(made);
  const auto& qkv = std::get<model::ProjOp>(plan.ops[1]);
  EXPECT_EQ(model::reads(plan.ops[1]), std::vector<int>{qkv.in});
  EXPECT_EQ(model::writes(plan.ops[1]), std::vector<int>{qkv.out});
  EXPECT_EQ(model::reads(plan.ops[2]), std::vector<int>{qkv.out});
  EXPECT_EQ(model::writes(plan.ops[2]), std::vector<int>{qkv.out});
  EXPECT_EQ(model::kvStateWritten(plan.ops[2]), 0);
  EXPECT_EQ(model::kvStateRead(plan.ops[3]), 0);
  EXPECT_EQ(model::kvStateRead(plan.ops[1]), model::none);
  const auto& o = std::get<model::ProjOp>(plan.ops[6]);
  EXPECT_EQ(o.epilogue, model::Epilogue::add);
  EXPECT_EQ(model::reads(plan.ops[6]), (std::vector<int>{o.in, o.out}));
}

TEST(Plan, ATiedHeadIsTheTableItself) {
  const tests::RandomModel tied = tests::randomModel({.layers = 1, .tied = true});
  const model::Plan plan = planOf(tied);
  EXPECT_EQ(std::get<model::EmbedOp>(plan.ops.front()).table, std::get<model::HeadOp>(plan.ops.back()).weight);
}

TEST(Plan, CountsTheBytesADecodeStepReads) {
  const tests::ModelShape shape{.vocabulary = 67, .hidden = 64, .layers = 2, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 96};
  const std::uint64_t layer = 64U * (64 + 32 + 32) + 64U * 64 + 3U * 64 * 96 + 2U * 64;  // q k v, o, gate up down, norms
  const std::uint64_t head = 67U * 64 + 64;
  const tests::RandomModel made = tests::randomModel(shape);
  EXPECT_EQ(planOf(made).weightBytesPerToken(), 4 * (2 * layer + head + 64));  // one row of the embedding table
  EXPECT_EQ(planOf(made).kvBytesPerPosition(model::KvType::f16), 2U * 2 * 2 * 2 * 16);
  tests::ModelShape tied = shape;
  tied.tied = true;
  const tests::RandomModel tiedModel = tests::randomModel(tied);
  EXPECT_EQ(planOf(tiedModel).weightBytesPerToken(), 4 * (2 * layer + head + 64));
}

TEST(Plan, CountsTheStatesADecodeStepReads) {
  tests::RandomModel made = tests::randomModel({.layers = 3, .kvHeads = 2, .headDim = 16});
  made.config.layers[1].visible.window = 7;
  const model::StateReads reads = model::stateReads(planOf(made), model::KvType::f16);
  constexpr double layer = 2 * 2 * 2 * 16;  // keys and values of two heads
  EXPECT_EQ(reads.bytesAt(0), 0);
  EXPECT_EQ(reads.bytesAt(5), 3 * 5 * layer);
  EXPECT_EQ(reads.bytesAt(100), 2 * 100 * layer + 7 * layer);
  tests::addMixers(made, {tests::Mixer::mamba, tests::Mixer::attention, tests::Mixer::attention});
  const model::Plan mixed = planOf(made);
  EXPECT_GT(mixed.recurrentBytes(), 0U);
  EXPECT_EQ(model::stateReads(mixed, model::KvType::f16).bytesAt(0), static_cast<double>(mixed.recurrentBytes()));
}

TEST(Plan, PrintsOneLineAnOp) {
  const tests::RandomModel made = tests::randomModel({.layers = 1, .window = 7});
  const model::Plan plan = planOf(made);
  const std::string text = model::toString(plan);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), plan.ops.size());
  EXPECT_NE(text.find("layer 0 q F32 [64, 64]"), std::string::npos) << text;
  EXPECT_NE(text.find("last 7 positions"), std::string::npos) << text;
}

TEST(Plan, RefusesARotaryDimensionLargerThanAHead) {
  tests::RandomModel made = tests::randomModel({.layers = 1});
  made.config.ropes[0].dimension = 32;
  made.config.ropes[0].frequencies.assign(16, 1.0F);
  const auto plan = model::buildPlan(made.config);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().where, "layer 0");
}

// A way to damage a plan, and a word that the error must contain.
struct Damage {
  const char* what;
  void (*apply)(model::Plan&);
};

class PlanCheck : public testing::TestWithParam<Damage> {};

TEST_P(PlanCheck, FindsIt) {
  const tests::RandomModel made = tests::randomModel({.layers = 1, .biases = true});
  model::Plan plan = planOf(made);
  ASSERT_TRUE(model::checkPlan(plan).has_value());
  GetParam().apply(plan);
  const auto checked = model::checkPlan(plan);
  ASSERT_FALSE(checked.has_value());
  EXPECT_NE(checked.error().message().find(GetParam().what), std::string::npos) << checked.error().message();
}

template <class T>
T& at(model::Plan& plan, std::size_t i) {
  return std::get<T>(plan.ops[i]);
}

INSTANTIATE_TEST_SUITE_P(
    Damages, PlanCheck,
    testing::Values(
        Damage{"buffer that does not exist", [](model::Plan& p) { at<model::ProjOp>(p, 1).in = 99; }},
        Damage{"no op has written", [](model::Plan& p) { p.ops.erase(p.ops.begin()); }},
        Damage{"wrong shape", [](model::Plan& p) { at<model::ProjOp>(p, 1).parts[0].weight = at<model::ProjOp>(p, 8).parts[0].weight; }},
        Damage{"wrong length", [](model::Plan& p) { at<model::ProjOp>(p, 7).parts[0].bias = at<model::ProjOp>(p, 7).norm.weight; }},
        Damage{"leave a gap", [](model::Plan& p) { at<model::ProjOp>(p, 1).parts[1].column += 1; }},
        Damage{"wrong number of parts", [](model::Plan& p) { at<model::ProjOp>(p, 7).parts.pop_back(); }},
        Damage{"do not fill", [](model::Plan& p) { at<model::ProjOp>(p, 1).parts.pop_back(); }},
        Damage{"head counts", [](model::Plan& p) { at<model::AttentionOp>(p, 3).kvHeadCount = 3; }},
        Damage{"another shape", [](model::Plan& p) { p.kv[0].headDim = 8; }},
        Damage{"window", [](model::Plan& p) { at<model::AttentionOp>(p, 3).visible.window = 4; }},
        Damage{"KV state that does not exist", [](model::Plan& p) { at<model::RopeKvOp>(p, 2).kv = 1; }},
        Damage{"frequencies", [](model::Plan& p) { p.ropes[0].frequencies.pop_back(); }},
        Damage{"not finite", [](model::Plan& p) { p.ropes[0].frequencies[0] = std::numeric_limits<float>::infinity(); }},
        Damage{"wrong size", [](model::Plan& p) { p.weights[0].view.bytes = p.weights[0].view.bytes.first(10); }},
        Damage{"writes no logits", [](model::Plan& p) { p.ops.pop_back(); }},
        Damage{"mixes all rows", [](model::Plan& p) { at<model::ProjOp>(p, 6).out = at<model::EmbedOp>(p, 0).out; }}));

}  // namespace
}  // namespace minerva
