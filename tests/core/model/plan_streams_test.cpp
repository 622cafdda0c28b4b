// Plans with several residual streams: what they are made of, and that every size their ops can have wrong is found and named.
#include "core/model/plan_split.h"
#include "tests/core/model/mixed_layers.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace minerva::tests {
namespace {

using model::none;
using model::Plan;

RandomModel withStreams() {
  RandomModel made = randomModel({.layers = 3});
  addStreams(made);
  return made;
}

std::vector<std::string> namesOfOps(const Plan& plan, std::size_t first, std::size_t last) {
  std::vector<std::string> names;
  for (std::size_t i = first; i < last; ++i) names.emplace_back(model::name(plan.ops[i]));
  return names;
}

template <class T>
T& firstOf(Plan& plan) {
  return std::get<T>(*std::ranges::find_if(plan.ops, [](const model::Op& op) { return std::holds_alternative<T>(op); }));
}
template <class T>
T& lastOf(Plan& plan) {
  return std::get<T>(*std::find_if(plan.ops.rbegin(), plan.ops.rend(), [](const model::Op& op) { return std::holds_alternative<T>(op); }));
}
model::BufferId addedBuffer(Plan& plan, int columns, bool outputRows) {
  plan.buffers.push_back({"added", columns, outputRows});
  return static_cast<model::BufferId>(plan.buffers.size()) - 1;
}

TEST(PlanOfStreams, BeginsLevelsMixesAndJoinsThem) {
  using Names = std::vector<std::string>;
  const RandomModel made = withStreams();
  const Plan plan = planOf(made);
  EXPECT_EQ(namesOfOps(plan, 0, plan.layerBegins[0]), (Names{"embed", "embed", "proj", "norm", "proj", "level", "proj", "level"}));
  EXPECT_EQ(namesOfOps(plan, plan.layerBegins[0], plan.layerBegins[1]),
            (Names{"proj",    "proj",    "mix",                                        // prediction
                   "proj",    "rope_kv", "attention",                                  //
                   "combine", "norm",    "proj",      "proj", "norm", "proj", "norm",  // the residual, its part of low rank, the attention
                   "proj",    "proj",    "threshold", "gate", "proj", "norm",          // a sparse feed-forward
                   "proj",    "proj",    "mix",                                        // correction
                   "combine", "scale",   "proj",      "gate", "proj", "norm", "norm"}));  // the per-layer input
  EXPECT_EQ(namesOfOps(plan, plan.layerBegins[3], plan.ops.size()), (Names{"proj", "proj", "level", "combine", "head"}));
  // To the norm, the mean of three streams differs from their sum only by its epsilon.
  EXPECT_FLOAT_EQ(std::get<model::HeadOp>(plan.ops.back()).norm.epsilon, 9 * made.config.normEpsilon);
  EXPECT_TRUE(std::get<model::EmbedOp>(plan.ops[1]).elseFirst);
  const std::string text = model::toString(plan);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), plan.ops.size());
  EXPECT_FALSE(model::hasExperts(plan)) << "a plain sum is no mixture";
}

TEST(PlanOfStreams, OnlyTheFirstStreamIsReadByTheBlocks) {
  const RandomModel made = withStreams();
  Plan plan = planOf(made);
  const auto& mix = firstOf<model::MixOp>(plan);
  ASSERT_EQ(mix.streams.size(), 3U);
  EXPECT_EQ(mix.target, none);
  for (std::size_t i = plan.layerBegins[0]; i < plan.layerBegins[1]; ++i) {
    const auto* proj = std::get_if<model::ProjOp>(&plan.ops[i]);
    EXPECT_FALSE(proj && (proj->in == mix.streams[1] || proj->in == mix.streams[2])) << i;
  }
}

TEST(PlanOfStreams, EveryLayerMustHaveItsParts) {
  void (*const missing[])(model::ModelConfig&) = {[](model::ModelConfig& c) { c.layers[1].streamMixing.router = {}; },
                                                  [](model::ModelConfig& c) { c.layers[1].lowRankResidual = {}; },
                                                  [](model::ModelConfig& c) { c.layers[1].postAttentionNorm = {}; },
                                                  [](model::ModelConfig& c) { c.layers[1].perLayerInput = {}; },
                                                  [](model::ModelConfig& c) { c.streams.end.pop_back(); },
                                                  [](model::ModelConfig& c) { c.parallelBlocks = true; }};
  for (const auto& take : missing) {
    RandomModel made = withStreams();
    take(made.config);
    const auto plan = model::buildPlan(made.config);
    ASSERT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().kind, ErrorKind::unsupported) << plan.error().message();
  }
}

struct WrongStream {
  const char* named;  // words that the error must contain
  void (*make)(Plan&);
};

TEST(PlanOfStreams, WhatIsWrongIsNamed) {
  const WrongStream all[] = {
      {"threshold is not finite", [](Plan& p) { firstOf<model::ThresholdOp>(p).deviations = std::numeric_limits<float>::infinity(); }},
      {"runs of a level", [](Plan& p) { firstOf<model::LevelOp>(p).x = firstOf<model::LevelOp>(p).like; }},
      {"runs of a level", [](Plan& p) { firstOf<model::LevelOp>(p).like = std::get<model::EmbedOp>(p.ops[1]).out; }},
      {"floor of a level", [](Plan& p) { firstOf<model::LevelOp>(p).floor = 0; }},
      {"streams are not valid", [](Plan& p) { firstOf<model::MixOp>(p).streams.clear(); }},
      {"streams are not valid", [](Plan& p) { firstOf<model::MixOp>(p).streams[1] = firstOf<model::MixOp>(p).streams[0]; }},
      {"streams are not valid", [](Plan& p) { lastOf<model::MixOp>(p).target = lastOf<model::MixOp>(p).streams[0]; }},
      {"stream has the wrong width", [](Plan& p) { firstOf<model::MixOp>(p).streams[1] = std::get<model::EmbedOp>(p.ops[1]).out; }},
      {"coefficients has the wrong width", [](Plan& p) { firstOf<model::MixOp>(p).streams.pop_back(); }},
      {"coefficients has the wrong width", [](Plan& p) { lastOf<model::MixOp>(p).streams.pop_back(); }},
      {"buffer that does not exist", [](Plan& p) { firstOf<model::MixOp>(p).streams[2] = 999; }},
      {"no op has written", [](Plan& p) { firstOf<model::MixOp>(p).streams[2] = addedBuffer(p, 64, false); }},
      {"plain sum", [](Plan& p) { firstOf<model::CombineOp>(p).weighted = true; }},
      {"plain sum", [](Plan& p) { firstOf<model::CombineOp>(p).sharedGate = true; }},
      {"experts' result has the wrong width", [](Plan& p) { firstOf<model::CombineOp>(p).used = 2; }},
      {"wrong shape", [](Plan& p) { std::get<model::EmbedOp>(p.ops[1]).elseFirst = false; }}};
  for (const WrongStream& wrong : all) {
    const RandomModel made = withStreams();
    Plan plan = planOf(made);
    wrong.make(plan);
    const auto checked = model::checkPlan(plan);
    ASSERT_FALSE(checked.has_value()) << wrong.named;
    EXPECT_NE(checked.error().message().find(wrong.named), std::string::npos) << checked.error().message();
  }
}

TEST(PlanOfXielu, ItsFactorsAreFinite) {
  RandomModel made = randomModel({.layers = 2, .gated = false});
  for (model::LayerConfig& layer : made.config.layers) layer.xielu = {.positive = 1, .negative = 1, .beta = 0.5F, .epsilon = -1e-6F};
  Plan plan = planOf(made);
  EXPECT_EQ(namesOfOps(plan, plan.layerBegins[0], plan.layerBegins[1]),
            (std::vector<std::string>{"proj", "rope_kv", "attention", "proj", "proj", "xielu", "proj"}));
  firstOf<model::XieluOp>(plan).form.beta = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(model::checkPlan(plan).has_value());
}

}  // namespace
}  // namespace minerva::tests
