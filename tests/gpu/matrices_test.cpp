#include "gpu/runtime/matrices.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

namespace minerva::gpu {
namespace {

model::Plan planOf(const tests::RandomModel& model) {
  auto plan = model::buildPlan(model.config);
  EXPECT_TRUE(plan.has_value());
  return std::move(*plan);
}

TEST(Matrices, SharedInputsBecomeOneMatrix) {
  const tests::RandomModel random = tests::randomModel({.layers = 2});
  const MatrixPlan plan = planMatrices(planOf(random));
  // embedding and head; per layer qkv, o, gate and up, down
  EXPECT_EQ(plan.matrices.size(), 2U + 2U * 4U);
  int stacked = 0, alternating = 0;
  for (const Matrix& matrix : plan.matrices) {
    stacked += matrix.sources.size() == 3 ? 1 : 0;
    alternating += matrix.alternating ? 1 : 0;
  }
  EXPECT_EQ(stacked, 2);
  EXPECT_EQ(alternating, 2);
}

TEST(Matrices, ATiedHeadStandsThereOnce) {
  const tests::RandomModel random = tests::randomModel({.layers = 1, .tied = true});
  const model::Plan plan = planOf(random);
  const MatrixPlan matrices = planMatrices(plan);
  EXPECT_EQ(matrices.uses.front().front().matrix, matrices.uses.back().front().matrix);
}

TEST(Matrices, PartsOfDifferentTypesStandApart) {
  tests::RandomModel random = tests::randomModel({.hidden = 256, .layers = 1});
  model::LayerConfig& layer = random.config.layers[0];
  layer.up.weight = random.store.matrix(ElementType::Q8_0, layer.up.weight.shape.rows(), 256, 0.1);
  const model::Plan plan = planOf(random);
  const MatrixPlan matrices = planMatrices(plan);
  std::vector<Role> roles;
  for (const auto& uses : matrices.uses) {
    for (const MatrixUse& use : uses) {
      if (use.role != Role::whole) roles.push_back(use.role);
    }
  }
  EXPECT_EQ(roles, (std::vector<Role>{Role::gate, Role::gated}));
}

}  // namespace
}  // namespace minerva::gpu
