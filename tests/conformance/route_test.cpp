// Routings that random logits do not reach: logits near each other, and logits that are not numbers.
#include "tests/conformance/mixer_plans.h"
#include "tests/conformance/op_conformance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace minerva::tests::mixers {
namespace {

class RouteConformance : public OpConformance {
 protected:
  // Replaces the logits of every token.
  template <class Value>
  static void setLogits(OpPlan& p, const Value& value) {
    const auto embed = std::ranges::find_if(p.plan.ops, [](const model::Op& op) { return std::holds_alternative<model::EmbedOp>(op); });
    TensorView& table = p.plan.weights[static_cast<std::size_t>(std::get<model::EmbedOp>(*embed).table)].view;
    std::vector<float> values(static_cast<std::size_t>(table.shape.elements()));
    std::ranges::generate(values, value);
    table = p.store.values(values, table.shape.rows(), table.shape.columns());
  }
};

// Several logits are within the sparse mixer's distance of the best.
TEST_P(RouteConformance, SparseMixerOfLogitsNearEachOther) {
  OpPlan p = routePlan({.experts = 16, .scoring = model::Scoring::sparseMixer});
  Random random(5);
  setLogits(p, [&] { return static_cast<float>(1 + 0.02 * random.normal()); });
  expectConforms(p, ElementType::F32, {1, 30}, 31, "near ties");
}

// The results mean nothing, but the experts that are read must exist.
TEST_P(RouteConformance, LogitsThatAreNotNumbersChooseAnExpert) {
  for (const auto scoring : {model::Scoring::softmax, model::Scoring::sigmoid, model::Scoring::sparseMixer}) {
    OpPlan p = routePlan({.experts = 16, .scoring = scoring});
    int next = 0;
    setLogits(p, [&] { return next++ % 3 == 0 ? 1.0F : std::numeric_limits<float>::quiet_NaN(); });
    auto placed = m_backend->place(p.plan, {.contextLength = 8, .maxRows = 4, .maxOutputRows = 4}, {}, {});
    ASSERT_TRUE(placed.has_value()) << placed.error().message();
    const std::vector<backend::StepRow> rows{{1, 0, 0, true}, {2, 1, 0, true}, {3, 2, 0, true}};
    const auto stepped = (*placed)->step(rows);
    ASSERT_TRUE(stepped.has_value()) << stepped.error().message();
    EXPECT_TRUE((*placed)->logits(2).has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, RouteConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RouteConformance);

}  // namespace
}  // namespace minerva::tests::mixers
