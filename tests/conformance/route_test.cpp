// Routings that random logits do not reach: logits near each other, and logits that are not numbers.
#include "core/backend/reference/reference_backend.h"
#include "tests/conformance/mixer_plans.h"
#include "tests/conformance/op_conformance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
  setLogits(p, [] { return 0.0F; });  // as of a router whose weights are zeros: all experts are equally near
  expectConforms(p, ElementType::F32, {1, 3}, 4, "zeros");
}

constexpr int experts = 16;

// Rows of a step whose logits are as a damaged router makes them, beside rows that have usable ones.
struct Damage {
  const char* what;
  float value;
  model::Scoring scoring;
  bool normalised = true, selectionBias = false;
  int groups = 1;
};
constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
constexpr Damage damages[] = {{"NaN, softmax", nan, model::Scoring::softmax},
                              {"NaN, softmax of all", nan, model::Scoring::softmax, false},
                              {"NaN, sigmoid", nan, model::Scoring::sigmoid},
                              {"NaN, sigmoid and bias", nan, model::Scoring::sigmoid, true, true},
                              {"NaN, groups", nan, model::Scoring::sigmoid, true, true, 4},
                              {"NaN, sparse mixer", nan, model::Scoring::sparseMixer},
                              {"infinity, softmax", infinite, model::Scoring::softmax},
                              {"infinity, sparse mixer", infinite, model::Scoring::sparseMixer}};

// One such logit, wherever it is, and all of them: the experts that are read exist, and the result is no number either, so that the
// engine reports it. Rows beside these are computed as ever.
TEST_P(RouteConformance, LogitsThatAreNotNumbersAreSeenInTheResult) {
  for (const Damage& damage : damages) {
    OpPlan p = routePlan({.experts = experts,
                          .normalised = damage.normalised,
                          .groups = damage.groups,
                          .groupsUsed = damage.groups > 1 ? 2 : 1,
                          .scoring = damage.scoring,
                          .groupRank = model::GroupRank::twoLargest,
                          .selectionBias = damage.selectionBias});
    Random random(6);
    int next = 0;
    setLogits(p, [&] {
      const int token = next / experts, e = next % experts;
      ++next;
      const bool hit = (token == 1 && e == 0) || (token == 3 && e == 7) || (token == 5 && e == experts - 1) || token == 7;
      return hit ? damage.value : static_cast<float>(random.normal());
    });
    const backend::PlaceOptions options{.contextLength = 16, .maxRows = 9, .maxOutputRows = 9, .precision = backend::Precision::exact};
    std::vector<backend::StepRow> rows;
    for (int token = 0; token < 9; ++token) rows.push_back({token, token, 0, true});
    const auto reference = backend::reference::createReferenceBackend();
    const auto truth = reference->place(p.plan, options, {}, {}), placed = m_backend->place(p.plan, options, {}, {});
    ASSERT_TRUE(truth.has_value() && placed.has_value()) << damage.what;
    const auto stepped = (*placed)->step(rows);
    ASSERT_TRUE(stepped.has_value()) << damage.what << ": " << stepped.error().message();
    ASSERT_TRUE((*truth)->step(rows).has_value());
    for (int token = 0; token < 9; ++token) {
      const auto expected = (*truth)->logits(token), found = (*placed)->logits(token);
      const auto isUsable = [](std::span<const float> all) { return std::ranges::all_of(all, [](float x) { return std::isfinite(x); }); };
      const bool damaged = token % 2 == 1 && token < 8;
      EXPECT_EQ(isUsable(*expected), !damaged) << damage.what << ", the reference, token " << token;
      EXPECT_EQ(isUsable(*found), !damaged) << damage.what << ", token " << token;
      for (std::size_t i = 0; !damaged && i < expected->size(); ++i) EXPECT_NEAR((*found)[i], (*expected)[i], 1e-3) << damage.what;
    }
  }
}

// The bias of one expert that is no number, which the logits do not show.
TEST_P(RouteConformance, ABiasThatIsNoNumberIsSeenInTheResult) {
  for (const int groups : {1, 4}) {
    OpPlan p = routePlan({.experts = experts,
                          .groups = groups,
                          .groupsUsed = groups > 1 ? 2 : 1,
                          .scoring = model::Scoring::sigmoid,
                          .selectionBias = true});
    const auto route = std::ranges::find_if(p.plan.ops, [](const model::Op& op) { return std::holds_alternative<model::RouteOp>(op); });
    TensorView& bias = p.plan.weights[static_cast<std::size_t>(std::get<model::RouteOp>(*route).selectionBias)].view;
    std::vector<float> values(experts, 0.1F);
    values[5] = nan;
    bias = p.store.values(values, 1, experts);
    const backend::PlaceOptions options{.contextLength = 16, .maxRows = 2, .maxOutputRows = 2, .precision = backend::Precision::exact};
    const std::vector<backend::StepRow> rows{{0, 0, 0, true}, {1, 1, 0, true}};
    for (const auto& placed :
         {backend::reference::createReferenceBackend()->place(p.plan, options, {}, {}), m_backend->place(p.plan, options, {}, {})}) {
      ASSERT_TRUE(placed.has_value());
      ASSERT_TRUE((*placed)->step(rows).has_value());
      for (int token = 0; token < 2; ++token) {
        const auto found = (*placed)->logits(token);
        EXPECT_FALSE(std::ranges::all_of(*found, [](float x) { return std::isfinite(x); })) << groups << " groups, token " << token;
      }
    }
  }
}

// Only the kernel of the route writes the experts' numbers, and it writes those that exist; kernels that read them trust nobody. Where
// the driver's memory is the program's, reading far beyond the matrices would end the program.
TEST_P(RouteConformance, ADeviceReadsNoExpertThatDoesNotExist) {
  if (!GetParam().device.starts_with("vulkan")) GTEST_SKIP() << "skipped: on the CPU, the route comes from the same checked function";
  OpPlan p = routePlan({.experts = experts});
  const auto route = std::ranges::find_if(p.plan.ops, [](const model::Op& op) { return std::holds_alternative<model::RouteOp>(op); });
  const model::BufferId written = std::get<model::RouteOp>(*route).out;
  const model::BufferId numbers = embed(p, ElementType::F32, 4, 1.0);
  for (model::Op& op : p.plan.ops) {
    auto* each = std::get_if<model::ExpertOp>(&op);
    if (each == nullptr || each->route != written) continue;
    each->route = numbers;
    each->parts.front().bias = addWeight(p.plan, "biases", p.store.matrix(ElementType::F32, experts, 48, 1.0));
  }
  std::ranges::rotate(p.plan.ops, std::prev(p.plan.ops.end()));  // before the experts
  TensorView& table = p.plan.weights[static_cast<std::size_t>(std::get<model::EmbedOp>(p.plan.ops.front()).table)].view;
  std::vector<float> values(static_cast<std::size_t>(table.shape.elements()));
  constexpr float strange[] = {nan, infinite, -infinite, -1, 16, 1e6F, 2147483648.0F, 3e38F, -3e38F};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = strange[i % std::size(strange)];
  table = p.store.values(values, table.shape.rows(), table.shape.columns());
  const auto placed = m_backend->place(p.plan, {.contextLength = 32, .maxRows = 18, .maxOutputRows = 18}, {}, {});
  ASSERT_TRUE(placed.has_value()) << placed.error().message();
  std::vector<backend::StepRow> rows;
  for (int token = 0; token < 18; ++token) rows.push_back({token, token, 0, true});
  const auto stepped = (*placed)->step(rows);
  ASSERT_TRUE(stepped.has_value()) << stepped.error().message();
  EXPECT_TRUE((*placed)->logits(17).has_value());
}

INSTANTIATE_TEST_SUITE_P(Devices, RouteConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RouteConformance);

}  // namespace
}  // namespace minerva::tests::mixers
