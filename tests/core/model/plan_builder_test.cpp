// What layers become that are not one attention and one feed-forward.
#include "tests/core/model/mixed_layers.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace minerva::tests {
namespace {

using Names = std::vector<std::string>;

template <class T>
std::vector<T> all(const model::Plan& plan) {
  std::vector<T> found;
  for (const model::Op& op : plan.ops) {
    if (const T* one = std::get_if<T>(&op)) found.push_back(*one);
  }
  return found;
}

const model::Weight& weightOf(const model::Plan& plan, model::WeightId id) { return plan.weights.at(static_cast<std::size_t>(id)); }

TEST(PlanBuilder, TwoMixersReadTheSameInputAndBothResultsAreAdded) {
  RandomModel made = randomModel({.layers = 2});
  addMamba(made, made.config.layers[0]);
  const model::Plan plan = planOf(made);
  EXPECT_EQ(opsOfLayer(plan, 0),
            (Names{"proj", "rope_kv", "attention", "proj", "conv", "scan", "gated_norm", "proj", "proj", "proj", "proj"}));
  const std::size_t first = plan.layerBegins[0];
  const auto proj = [&](std::size_t i) { return std::get<model::ProjOp>(plan.ops[first + i]); };
  EXPECT_EQ(proj(0).in, proj(3).in);
  EXPECT_TRUE(proj(0).normalised && proj(3).normalised);
  EXPECT_EQ(proj(0).norm.weight, proj(3).norm.weight);
  for (const std::size_t i : {7U, 8U}) {
    EXPECT_EQ(proj(i).epilogue, model::Epilogue::add);
    EXPECT_EQ(proj(i).out, proj(0).in) << "the residual stream";
  }
  EXPECT_EQ(plan.recurrent.size(), 2U);
  EXPECT_EQ(plan.kv.size(), 2U);
}

TEST(PlanBuilder, ALayerMayHaveNoMixerOrNoFeedForward) {
  RandomModel made = randomModel({.layers = 3});
  dropAttention(made.config.layers[0]);
  dropFeedForward(made.config.layers[1]);
  dropAttention(made.config.layers[2]);
  const model::Plan plan = planOf(made);
  EXPECT_EQ(opsOfLayer(plan, 0), (Names{"proj", "proj"}));
  EXPECT_EQ(opsOfLayer(plan, 1), (Names{"proj", "rope_kv", "attention", "proj"}));
  EXPECT_EQ(opsOfLayer(plan, 2), (Names{"gather", "proj", "proj"}));
  EXPECT_EQ(plan.kv.size(), 1U);
}

TEST(PlanBuilder, ALayerMayBeAMixerThatKeepsARecurrentState) {
  RandomModel made = randomModel({.layers = 2});
  for (model::LayerConfig& layer : made.config.layers) dropAttention(layer);
  addDeltaNet(made, made.config.layers[0]);
  addShortConvolution(made, made.config.layers[1]);
  const model::Plan plan = planOf(made);
  EXPECT_EQ(opsOfLayer(plan, 0), (Names{"proj", "conv", "delta", "gated_norm", "proj", "proj", "proj"}));
  EXPECT_EQ(opsOfLayer(plan, 1), (Names{"proj", "gate", "conv", "gate", "gather", "gather", "proj", "proj", "proj"}));
  EXPECT_TRUE(plan.kv.empty());
  ASSERT_EQ(plan.recurrent.size(), 3U);
  EXPECT_EQ(plan.recurrentBytes(), sizeof(float) * (3 * 96 + 4 * 8 * 16 + 2 * 64));
}

TEST(PlanBuilder, ExpertsBesideADenseFeedForwardAreAddedThroughOneNorm) {
  RandomModel made = randomModel({.layers = 1});
  addMixture(made, made.config.layers[0], true);
  const model::Plan plan = planOf(made);
  EXPECT_EQ(opsOfLayer(plan, 0), (Names{"proj", "rope_kv", "attention", "gather", "gather", "proj",                // attention
                                        "proj", "proj", "norm",                                                    // dense
                                        "norm", "norm", "proj", "route", "expert_proj", "expert_proj", "combine",  // experts
                                        "norm", "norm"}));
  const auto norms = all<model::NormOp>(plan);
  ASSERT_EQ(norms.size(), 5U);
  const model::BufferId x = std::get<model::HeadOp>(plan.ops.back()).in, sum = norms[0].out;
  EXPECT_EQ(norms[1].in, x) << "the experts read the residual stream, as the dense feed-forward does";
  EXPECT_EQ(norms[2].in, x) << "so does their router";
  EXPECT_EQ(norms[3].out, sum);
  EXPECT_FALSE(norms[0].add);
  EXPECT_TRUE(norms[3].add);
  EXPECT_EQ(norms[4].in, sum);
  EXPECT_EQ(norms[4].out, x);
  EXPECT_EQ(weightOf(plan, norms[2].norm.weight).form, (model::VectorForm{.times = 0.125F}));
  EXPECT_FALSE(all<model::CombineOp>(plan).front().add);
}

TEST(PlanBuilder, ExpertsBesideADenseFeedForwardNeedANormOfTheirSum) {
  RandomModel made = randomModel({.layers = 2});
  addMixture(made, made.config.layers[1], true);
  made.config.layers[1].postFeedForwardNorm = {};
  const auto plan = model::buildPlan(made.config);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(plan.error().where, "layer 1");
}

TEST(PlanBuilder, ALayerThatSharesKeysAndValuesHasQueriesOnly) {
  RandomModel made = randomModel({.layers = 3});
  shareKeysAndValues(made.config.layers[2], 0);
  const model::Plan plan = planOf(made);
  EXPECT_EQ(plan.kv.size(), 2U);
  const auto ropes = all<model::RopeKvOp>(plan);
  const auto attentions = all<model::AttentionOp>(plan);
  ASSERT_EQ(ropes.size(), 3U);
  EXPECT_EQ(ropes[2].kv, model::none);
  EXPECT_EQ(ropes[2].kvHeadCount, 0);
  EXPECT_EQ(plan.buffers[static_cast<std::size_t>(ropes[2].qkv)].columns, 64);
  EXPECT_EQ(attentions[2].kv, attentions[0].kv);
  EXPECT_NE(attentions[1].kv, attentions[0].kv);
  EXPECT_EQ(attentions[2].kvHeadCount, 2);
}

TEST(PlanBuilder, KeysAndValuesCanBeSharedOnlyWithAnEarlierLayerOfTheSameKind) {
  const auto refused = [](int layer, int from, auto change) {
    RandomModel made = randomModel({.layers = 3});
    shareKeysAndValues(made.config.layers[static_cast<std::size_t>(layer)], from);
    change(made.config);
    const auto plan = model::buildPlan(made.config);
    EXPECT_FALSE(plan.has_value());
    return plan ? Error{} : plan.error();
  };
  const auto nothing = [](model::ModelConfig&) {};
  EXPECT_EQ(refused(1, 2, nothing).where, "layer 1");
  EXPECT_EQ(refused(1, 1, nothing).where, "layer 1");
  EXPECT_EQ(refused(2, 1, [](model::ModelConfig& c) { shareKeysAndValues(c.layers[1], 0); }).where, "layer 2");
  EXPECT_EQ(refused(2, 1, [](model::ModelConfig& c) { dropAttention(c.layers[1]); }).where, "layer 2");
  EXPECT_NE(refused(2, 1, [](model::ModelConfig& c) { c.layers[1].headDim = 32; }).what.find("another kind"), std::string::npos);
  EXPECT_NE(refused(2, 1, [](model::ModelConfig& c) { c.layers[1].kvHeadCount = 3; }).what.find("another kind"), std::string::npos);
  EXPECT_NE(refused(2, 1, [](model::ModelConfig& c) { c.layers[1].visible.window = 8; }).what.find("another kind"), std::string::npos);
}

TEST(PlanBuilder, ValuesMayHaveTheMatrixOfTheKeys) {
  RandomModel made = randomModel({.layers = 1});
  const std::uint64_t apart = planOf(made).weightBytesPerToken();
  made.config.layers[0].v = made.config.layers[0].k;
  const model::Plan plan = planOf(made);
  const auto& parts = std::get<model::ProjOp>(plan.ops[1]).parts;
  EXPECT_EQ(parts[1].weight, parts[2].weight);
  EXPECT_EQ(apart - plan.weightBytesPerToken(), 32U * 64 * sizeof(float));
}

TEST(PlanBuilder, InputsOfEveryLayerAreMadeOnceAndGatheredForTheLastLayer) {
  RandomModel made = randomModel({.layers = 2});
  addPerLayerInputs(made);
  const model::Plan plan = planOf(made);
  Names before;
  for (std::size_t i = 0; i < plan.layerBegins[0]; ++i) before.emplace_back(model::name(plan.ops[i]));
  EXPECT_EQ(before, (Names{"embed", "embed", "proj", "norm"}));
  const auto& made8 = std::get<model::EmbedOp>(plan.ops[1]);
  EXPECT_FLOAT_EQ(made8.scale, std::sqrt(8.0F / 2));
  const auto& norm = std::get<model::NormOp>(plan.ops[3]);
  EXPECT_EQ(norm.group, 8);
  EXPECT_FLOAT_EQ(norm.scale, std::sqrt(0.5F));
  EXPECT_FLOAT_EQ(norm.norm.epsilon, made.config.normEpsilon * 64) << "dividing the input by sqrt(64) is dividing its epsilon";
  EXPECT_EQ(opsOfLayer(plan, 0), (Names{"proj", "rope_kv", "attention", "proj", "proj", "proj", "proj", "gate", "proj", "norm", "scale"}));
  const auto gates = all<model::GateOp>(plan);
  ASSERT_EQ(gates.size(), 2U);
  EXPECT_EQ(gates[0].gateColumn, 0);
  EXPECT_EQ(gates[1].gateColumn, 8);
  EXPECT_EQ(gates[0].gate, made8.out);
  EXPECT_TRUE(plan.buffers[static_cast<std::size_t>(gates[1].gate)].outputRows);
}

TEST(PlanBuilder, TheOutputGateIsBehindQueriesKeysAndValues) {
  RandomModel made = randomModel({.layers = 2});
  addOutputGate(made, made.config.layers[0]);
  const model::Plan plan = planOf(made);
  const auto gates = all<model::GateOp>(plan);
  ASSERT_EQ(gates.size(), 1U);
  EXPECT_EQ(gates[0].gateColumn, 64 + 2 * 32);
  EXPECT_EQ(gates[0].columns, 64);
  EXPECT_EQ(gates[0].activation, model::Activation::sigmoid);
}

TEST(PlanBuilder, TheOutputGateMayBeOfWholeHeads) {
  RandomModel made = randomModel({.layers = 2});
  model::LayerConfig& layer = made.config.layers[0];
  addOutputGate(made, layer);
  layer.outputGate.weight = sliceRows(layer.outputGate.weight, 0, layer.headCount);
  layer.outputGateActivation = model::Activation::softplus;
  const model::Plan plan = planOf(made);
  const auto gates = all<model::GateOp>(plan);
  ASSERT_EQ(gates.size(), 1U);
  EXPECT_EQ(gates[0].gateColumn, 64 + 2 * 32);
  EXPECT_EQ(gates[0].columns, 64);
  EXPECT_EQ(gates[0].group, layer.headDim);
  EXPECT_EQ(gates[0].activation, model::Activation::softplus);
  EXPECT_EQ(plan.buffers[static_cast<std::size_t>(gates[0].gate)].columns, 64 + 2 * 32 + layer.headCount);
}

// A norm with an epsilon of its own, one to which the model's 1 is not added, and a factor of queries whose norm has no weights.
TEST(PlanBuilder, NormsMayDifferFromThoseOfTheModel) {
  RandomModel made = randomModel({.layers = 2});
  made.config.normPlus = 1;
  made.config.outputNorm.whole = true;
  made.config.layers[1].feedForwardNorm.epsilon = 0.25F;
  made.config.layers[0].qNorm.weights = {.weight = {}, .bias = {}, .withoutWeight = true, .times = 3};
  const model::Plan plan = planOf(made);
  const auto plusOf = [&](const model::Norm& norm) { return plan.weights.at(static_cast<std::size_t>(norm.weight)).form.plus; };
  const auto heads = all<model::HeadOp>(plan);
  EXPECT_EQ(plusOf(heads.at(0).norm), 0);
  std::vector<float> epsilons;
  for (const auto& op : all<model::ProjOp>(plan)) {
    if (!op.normalised) continue;
    epsilons.push_back(op.norm.epsilon);
    EXPECT_EQ(plusOf(op.norm), 1);
  }
  const float usual = made.config.normEpsilon;
  EXPECT_EQ(epsilons, (std::vector<float>{usual, usual, usual, 0.25F}));
  const auto attentions = all<model::AttentionOp>(plan);
  EXPECT_FLOAT_EQ(attentions.at(0).scale, 3 * attentions.at(1).scale);
}

TEST(PlanBuilder, EveryKindOfLayerCanBeInOneModel) {
  const RandomModel made = modelOfEveryKind();
  const model::Plan plan = planOf(made);
  EXPECT_TRUE(model::checkPlan(plan).has_value());
  const std::string text = model::toString(plan);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), plan.ops.size());
}

}  // namespace
}  // namespace minerva::tests
