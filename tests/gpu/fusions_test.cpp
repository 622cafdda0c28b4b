// Which ops need no dispatch of their own: decided from the plan, and not where that would change a result.
#include "gpu/runtime/fusions.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::gpu {
namespace {

model::Plan mixturePlan() {
  tests::RandomModel made = tests::randomModel({.hidden = 64, .layers = 2});
  tests::addExperts(made, tests::expertShapes().front());
  auto plan = model::buildPlan(made.config);
  EXPECT_TRUE(plan.has_value()) << plan.error().message();
  return std::move(*plan);
}

template <class Op>
std::size_t firstOf(const model::Plan& plan, std::size_t from = 0) {
  for (std::size_t i = from; i < plan.ops.size(); ++i) {
    if (std::holds_alternative<Op>(plan.ops[i])) return i;
  }
  ADD_FAILURE() << "there is none";
  return 0;
}

std::size_t normOf(const model::Plan& plan) { return firstOf<model::NormOp>(plan); }

TEST(Fusions, TheNormOfAMixtureIsLeftToItsReaders) {
  const model::Plan plan = mixturePlan();
  EXPECT_TRUE(readersNormalise(plan, normOf(plan)));
}

TEST(Fusions, ANormStaysWhereSomethingElseNeedsItsResult) {
  const model::Plan plan = mixturePlan();
  const std::size_t norm = normOf(plan);
  const auto& how = std::get<model::NormOp>(plan.ops[norm]);
  const auto refused = [&](const char* what, const auto& change) {
    model::Plan changed = plan;
    change(changed);
    EXPECT_FALSE(readersNormalise(changed, norm)) << what;
  };
  refused("it adds to its output", [&](model::Plan& p) { std::get<model::NormOp>(p.ops[norm]).add = true; });
  refused("it is scaled", [&](model::Plan& p) { std::get<model::NormOp>(p.ops[norm]).scale = 2; });
  refused("it normalises heads", [&](model::Plan& p) { std::get<model::NormOp>(p.ops[norm]).group = 16; });
  refused("its input has other rows", [&](model::Plan& p) {
    p.buffers[static_cast<std::size_t>(how.in)].outputRows = !p.buffers[static_cast<std::size_t>(how.out)].outputRows;
  });
  refused("its input is changed before it is read", [&](model::Plan& p) {
    p.ops.insert(p.ops.begin() + static_cast<std::ptrdiff_t>(norm) + 1, model::GatherOp{.in = how.in, .out = how.in});
  });
  refused("something else reads the result", [&](model::Plan& p) {
    p.ops.insert(p.ops.begin() + static_cast<std::ptrdiff_t>(norm) + 1, model::GatherOp{.in = how.out, .out = plan.result()});
  });
  refused("a projection that reads it changes its input",
          [&](model::Plan& p) { std::get<model::ProjOp>(p.ops[firstOf<model::ProjOp>(p, norm)]).out = how.in; });
  refused("its result goes to another device", [&](model::Plan& p) {
    const std::size_t experts = firstOf<model::ExpertOp>(p, norm);
    p.parts = {{.firstOp = 0, .received = {}, .sent = {how.out}}, {.firstOp = experts, .received = {}, .sent = {}}};
  });
  refused("nothing reads it", [&](model::Plan& p) { p.ops.resize(norm + 1); });
}

TEST(Fusions, TheSumOfExpertsIsTheirLastProjections) {
  const model::Plan plan = mixturePlan();
  const std::size_t gate = firstOf<model::ExpertOp>(plan), down = firstOf<model::ExpertOp>(plan, gate + 1);
  const std::size_t sum = firstOf<model::CombineOp>(plan);
  EXPECT_EQ(sumOfExperts(plan, down), sum);
  EXPECT_EQ(expertsOfSum(plan, sum), down);
  EXPECT_EQ(sumOfExperts(plan, gate), std::nullopt) << "its results are read by the next projection";
}

TEST(Fusions, ASumStaysWhereTheResultsAreNeededOrAreNotYetKnown) {
  const model::Plan plan = mixturePlan();
  const std::size_t down = firstOf<model::ExpertOp>(plan, firstOf<model::ExpertOp>(plan) + 1), sum = firstOf<model::CombineOp>(plan);
  const auto& expert = std::get<model::ExpertOp>(plan.ops[down]);
  const auto refused = [&](const char* what, const auto& change) {
    model::Plan changed = plan;
    change(changed);
    EXPECT_EQ(sumOfExperts(changed, down), std::nullopt) << what;
    const auto moved = std::ranges::find_if(changed.ops, [](const model::Op& op) { return std::holds_alternative<model::CombineOp>(op); });
    EXPECT_NE(expertsOfSum(changed, static_cast<std::size_t>(moved - changed.ops.begin())), down) << what;
  };
  const auto before = plan.ops.begin() - plan.ops.begin() + static_cast<std::ptrdiff_t>(sum);
  refused("the sum is not weighted", [&](model::Plan& p) { std::get<model::CombineOp>(p.ops[sum]).weighted = false; });
  refused("the projection is activated",
          [&](model::Plan& p) { std::get<model::ExpertOp>(p.ops[down]).activation = model::Activation::silu; });
  refused("the results are read again",
          [&](model::Plan& p) { p.ops.insert(p.ops.begin() + before + 1, model::GatherOp{.in = expert.out, .out = plan.result()}); });
  refused("the input is replaced before the sum",
          [&](model::Plan& p) { p.ops.insert(p.ops.begin() + before, model::GatherOp{.in = plan.result(), .out = expert.in}); });
  refused("the route is replaced before the sum",
          [&](model::Plan& p) { p.ops.insert(p.ops.begin() + before, model::GatherOp{.in = plan.result(), .out = expert.route}); });
  refused("the sum is in another part", [&](model::Plan& p) {
    p.parts = {{.firstOp = 0, .received = {}, .sent = {expert.out}}, {.firstOp = sum, .received = {expert.out}, .sent = {}}};
  });
}

}  // namespace
}  // namespace minerva::gpu
