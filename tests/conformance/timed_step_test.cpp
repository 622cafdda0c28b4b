// Steps whose ops are timed: the logits of a step that is not, and each duration with its own op.
#include "core/base/clock.h"
#include "tests/support/backend_test.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace minerva::tests {
namespace {

using backend::Placement;
using backend::StepRow;

constexpr backend::PlaceOptions options{.contextLength = 64, .slots = 1, .maxRows = 16, .maxOutputRows = 1};

std::vector<StepRow> rowsFrom(int position, int count) {
  std::vector<StepRow> rows;
  for (int i = 0; i < count; ++i)
    rows.push_back({.token = (1 + 3 * (position + i)) % 67, .position = position + i, .wantsLogits = i + 1 == count});
  return rows;
}

class TimedStep : public BackendTest {
 protected:
  void place(const ModelShape& shape) {
    m_made.push_back(randomModel(shape));
    auto plan = model::buildPlan(m_made.back().config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    m_plan = std::move(*plan);
    for (auto* placement : {&m_timed, &m_plain}) {
      auto placed = m_backend->place(m_plan, options, {}, {});
      ASSERT_TRUE(placed.has_value()) << placed.error().message();
      *placement = std::move(*placed);
    }
  }

  void TearDown() override {
    m_timed.reset(), m_plain.reset();
    BackendTest::TearDown();
  }

  // Whether the longest op of a step is one of `expected`. An op takes its shortest time of all the steps so far, because a
  // busy machine lets any op of any step wait; a time that is given to another op stays there however many steps are taken.
  [[nodiscard]] testing::AssertionResult longestIs(const std::vector<std::size_t>& expected, int rows) {
    std::vector<double> least(m_plan.ops.size(), std::numeric_limits<double>::infinity());
    std::size_t longest = 0;
    for (int i = 0; i < 200; ++i) {
      const auto times = m_timed->timeStep(rowsFrom(0, rows));
      if (!times) return testing::AssertionFailure() << times.error().message();
      std::ranges::transform(least, *times, least.begin(), [](double a, double b) { return std::min(a, b); });
      longest = static_cast<std::size_t>(std::ranges::max_element(least) - least.begin());
      if (i >= 4 && std::ranges::find(expected, longest) != expected.end()) return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "op " << longest << " of " << least.size() << " is the longest of 200 steps";
  }

  std::vector<RandomModel> m_made;  // the plan's weights are theirs
  model::Plan m_plan;
  std::unique_ptr<Placement> m_timed, m_plain;
};

TEST_P(TimedStep, HasTheLogitsOfAStep) {
  place({.layers = 2});
  for (const auto& [position, count] : {std::pair{0, 16}, {16, 1}, {17, 1}, {18, 5}}) {
    const std::vector<StepRow> rows = rowsFrom(position, count);
    const TimePoint start = Clock::now();
    const auto times = m_timed->timeStep(rows);
    const double wall = millisecondsBetween(start, Clock::now());
    ASSERT_TRUE(times.has_value()) << times.error().message();
    ASSERT_TRUE(m_plain->step(rows).has_value());
    EXPECT_TRUE(std::ranges::equal(m_timed->logits(0).value(), m_plain->logits(0).value())) << position;
    ASSERT_EQ(times->size(), m_plan.ops.size());
    EXPECT_TRUE(std::ranges::all_of(*times, [](double ms) { return ms >= 0; }));
    const double sum = std::accumulate(times->begin(), times->end(), 0.0);
    EXPECT_GT(sum, 0);
    EXPECT_LE(sum, 1.01 * wall) << "the device's clock is another than the host's, but not by this much";
  }
}

TEST_P(TimedStep, GivesEachOpItsOwnTime) {
  BackendOptions alone = GetParam().options;
  alone.threads = 1;  // a thread that is woken late makes the first op of every step wait for it
  auto created = createBackend(GetParam().device, alone);
  ASSERT_TRUE(created.has_value()) << created.error().message();
  m_backend = std::move(*created);
  place({.vocabulary = 60000, .layers = 1});
  EXPECT_TRUE(longestIs({m_plan.ops.size() - 1}, 1)) << "a head of 60000 rows among matrices of 96 at most";
  place({.layers = 1, .feedForward = 60000});
  EXPECT_TRUE(longestIs({m_plan.layerBegins[1] - 2, m_plan.layerBegins[1] - 1}, 16)) << "gate and up, or down, of 60000";
}

TEST_P(TimedStep, RefusesWhatAStepRefuses) {
  place({.layers = 1});
  const auto tooMany = m_timed->timeStep(rowsFrom(0, 17));
  ASSERT_FALSE(tooMany.has_value());
  EXPECT_EQ(tooMany.error().kind, ErrorKind::invalidArgument);
  EXPECT_TRUE(m_timed->step(rowsFrom(0, 16)).has_value());
  EXPECT_TRUE(m_timed->timeStep(rowsFrom(16, 1)).has_value());
}

INSTANTIATE_TEST_SUITE_P(Devices, TimedStep, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TimedStep);

}  // namespace
}  // namespace minerva::tests
