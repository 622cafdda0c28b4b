// Steps whose ops are timed: the logits of a step that is not, and each duration with its own op.
#include "core/base/clock.h"
#include "tests/support/backend_test.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <algorithm>
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

  // Of each op, the shortest of five steps: whatever else the machine does in one of them.
  std::vector<double> shortest(int rows) {
    std::vector<double> least;
    for (int i = 0; i < 5; ++i) {
      const auto times = m_timed->timeStep(rowsFrom(0, rows));
      EXPECT_TRUE(times.has_value()) << times.error().message();
      if (!times) return {};
      if (least.empty()) least = *times;
      for (std::size_t op = 0; op < least.size(); ++op) least[op] = std::min(least[op], (*times)[op]);
    }
    return least;
  }

  [[nodiscard]] std::size_t longest(int rows) {
    const std::vector<double> times = shortest(rows);
    return static_cast<std::size_t>(std::ranges::max_element(times) - times.begin());
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
  place({.vocabulary = 60000, .layers = 1});
  EXPECT_EQ(longest(1), m_plan.ops.size() - 1) << "a head of 60000 rows among matrices of 96 at most";
  place({.layers = 1, .feedForward = 60000});
  const std::size_t wide = longest(16);
  EXPECT_TRUE(wide == m_plan.layerBegins[1] - 2 || wide == m_plan.layerBegins[1] - 1) << wide << " is not gate and up, nor down";
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
