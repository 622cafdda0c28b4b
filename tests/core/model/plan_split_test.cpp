// Where a model with shared keys and values can be split.
#include "core/model/plan_split.h"

#include "tests/core/model/mixed_layers.h"

#include <gtest/gtest.h>

#include <set>

namespace minerva::tests {
namespace {

// Layers 4 and 5 use the keys and values of layers 1 and 2.
RandomModel sharing() {
  RandomModel made = randomModel({.layers = 6});
  shareKeysAndValues(made.config.layers[4], 1);
  shareKeysAndValues(made.config.layers[5], 2);
  return made;
}

TEST(PlanSplit, DoesNotCutALayerOffFromItsKeysAndValues) {
  const RandomModel made = sharing();
  const model::Plan plan = planOf(made);
  const int wanted[] = {0, 1, 2, 3, 4, 5, 6}, possible[] = {0, 1, 1, 1, 1, 1, 6};
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    EXPECT_EQ(model::splitPoint(plan, wanted[i]), possible[i]) << wanted[i];
    const auto split = model::splitPlan(plan, {.layers = {wanted[i]}});
    ASSERT_TRUE(split.has_value());
    EXPECT_EQ(split->layers.front(), possible[i]) << wanted[i];
    for (const model::Plan& part : split->plans) {
      std::set<int> stored;
      for (const model::Op& op : part.ops) {
        if (const int id = model::kvStateWritten(op); id != model::none) stored.insert(id);
        const int read = model::kvStateRead(op);
        EXPECT_TRUE(read == model::none || stored.contains(read)) << wanted[i];
      }
    }
  }
}

TEST(PlanSplit, IsWhereItWasAskedForIfNothingIsShared) {
  const RandomModel made = randomModel({.layers = 3});
  const model::Plan plan = planOf(made);
  for (int layers = 0; layers <= 3; ++layers) EXPECT_EQ(model::splitPoint(plan, layers), layers);
}

TEST(PlanSplit, LayersThatMoveToTheHostTakeTheirExpertsWithThem) {
  RandomModel made = sharing();
  for (model::LayerConfig& layer : made.config.layers) addMixture(made, layer, false);
  const model::Plan plan = planOf(made);
  const auto some = model::splitPlan(plan, {.layers = {4}, .hostExperts = 2});
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(some->layers.front(), 1);
  EXPECT_EQ(some->hostExperts, 0) << "those of layers 2 and 3, which are on the host now";
  const auto all = model::splitPlan(plan, {.layers = {4}, .hostExperts = 4});
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->hostExperts, 1);
}

}  // namespace
}  // namespace minerva::tests
