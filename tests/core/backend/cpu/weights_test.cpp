// Packing a plan's weights on all threads of a pool.
#include "core/backend/cpu/weights.h"

#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

namespace minerva::cpu {
namespace {

TEST(Weights, TooLittleMemoryToRearrangeRowsIsAnErrorOfTheLoad) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "skipped: a sanitizer ends the program when an allocation fails";
#endif
  const tests::RandomModel random = tests::randomModel({.layers = 2});
  auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const auto proj = std::ranges::find_if(plan->ops, [](const model::Op& op) { return std::holds_alternative<model::ProjOp>(op); });
  ASSERT_NE(proj, plan->ops.end());
  TensorView& view = plan->weights[static_cast<std::size_t>(model::matricesOf(*proj).front())].view;
  const TensorView stored = view;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    view = tests::tooLargeToArrange(stored.shape);
    const auto placed = Weights::place(*plan, pool, {}, {});
    ASSERT_FALSE(placed.has_value());
    EXPECT_EQ(placed.error().kind, ErrorKind::outOfMemory);
    view = stored;
    EXPECT_TRUE(Weights::place(*plan, pool, {}, {}).has_value()) << "the pool is still usable";
  }
}

}  // namespace
}  // namespace minerva::cpu
