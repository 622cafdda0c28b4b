// Sequences longer than a page: two slots whose pages alternate in memory, a shared prefix that ends within a page, windows that give pages
// back, checkpoints that hold them. Which page holds what is the same code for every device and tested apart (kv_pages_test).
#include "core/backend/kv_pages.h"
#include "tests/support/backend_test.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

namespace minerva::tests {
namespace {

class PagesConformance : public BackendTest {};

Script pagesScript(Random& random, int vocabulary) {
  Script script;
  int filled[2] = {};
  const auto step = [&](std::initializer_list<std::pair<int, int>> counts) {
    Action action;
    for (const auto& [slot, count] : counts) {
      for (int i = 0; i < count; ++i) action.rows.push_back({random.below(vocabulary), filled[slot]++, slot, i + 1 == count});
    }
    script.push_back(std::move(action));
  };
  for (int i = 0; i < 9; ++i) step({{0, 50}, {1, 10}});
  const int saved = filled[0];
  script.push_back({.rows = {}, .saved = 0, .checkpoint = 0, .position = saved});
  script.push_back({{}, 0, 1, saved});  // ends within a page, which both slots go on with
  script.push_back({.rows = {}, .restored = 1, .checkpoint = 0});
  filled[1] = saved;
  for (int i = 0; i < 5; ++i) step({{1, 20}, {0, 30}});
  step({{0, 1}, {1, 1}});
  script.push_back({.rows = {}, .restored = 0, .checkpoint = 0});  // back into the shared page
  filled[0] = saved;
  step({{0, 60}});
  filled[1] = 0;
  step({{1, 5}, {0, 1}});
  step({{1, 1}, {0, 1}});
  return script;
}

TEST_P(PagesConformance, SlotsReadTheirOwnPages) {
  RandomModel made = randomModel({.layers = 3, .context = 2048});
  made.config.layers[1].visible.window = 40;
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  Random random(5);
  const Script script = pagesScript(random, plan->vocabularySize);
  for (const model::KvType kvType : {model::KvType::f16, model::KvType::q8_0}) {
    const bool exact = kvType == model::KvType::f16;
    backend::PlaceOptions options = optionsFor(script, 2048, 2, exact ? backend::Precision::exact : backend::Precision::standard);
    options.kvType = kvType;
    ASSERT_EQ(backend::smallestWindow(backend::kvGroups(*plan, options)), 40);
    const auto difference = compareWithReference(*m_backend, *plan, options, script);
    ASSERT_TRUE(difference.has_value()) << difference.error().message();
    EXPECT_EQ(judge(*difference, toleranceOf(options.precision, exact ? ElementType::F32 : ElementType::Q8_0)), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, PagesConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PagesConformance);

}  // namespace
}  // namespace minerva::tests
