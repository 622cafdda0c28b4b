// How much is run to find out whether rows are alike, and that it can be stopped. What is found: replies_apart_test.cpp and others.
#include "core/engine/alike_check.h"
#include "core/model/plan.h"
#include "gpu/available.h"
#include "tests/core/engine/watched_placement.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

namespace minerva::engine {
namespace {

// Asks to stop when it has run so many steps.
class StoppingPlacement : public WatchedPlacement {
 public:
  StoppingPlacement(std::unique_ptr<backend::Placement> inner, Notes& notes, std::stop_source& stop, int after)
      : WatchedPlacement(std::move(inner), notes), m_own(notes), m_stop(stop), m_after(after) {}
  Result<void> step(std::span<const backend::StepRow> rows) override {
    if (m_own.steps + 1 == m_after) m_stop.request_stop();
    return WatchedPlacement::step(rows);
  }

 private:
  Notes& m_own;
  std::stop_source& m_stop;
  int m_after;
};

TEST(AlikeCheck, TakesFewStepsWhereOneTakesLongAndEndsWithinOne) {
  const auto cpu = std::move(*createBackend("cpu", {.threads = 1}));
  const tests::RandomModel made = tests::randomModel({.type = ElementType::Q8_0, .layers = 1});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan) << plan.error().message();
  const auto stepsTaken = [&](double stepMs, int stopAfter) {
    backend::PlaceOptions placed{.contextLength = 64, .maxRows = 32, .maxOutputRows = 32};
    placed.alike = backend::Alike::always;
    std::stop_source stop;
    WatchedPlacement::Notes notes;
    StoppingPlacement placement(std::move(*cpu->place(*plan, placed, {}, {})), notes, stop, stopAfter);
    const auto alike = rowsAreAlike(placement, *plan, placed, stepMs, stop.get_token());
    EXPECT_EQ(alike.has_value(), stopAfter == 0);
    if (alike) EXPECT_TRUE(*alike);
    else EXPECT_EQ(alike.error().kind, ErrorKind::cancelled);
    return notes.steps;
  };
  EXPECT_EQ(stepsTaken(1, 0), backend::mostAlike + 2 + 3);
  EXPECT_EQ(stepsTaken(1000, 0), 3 + 2 + 3);
  EXPECT_EQ(stepsTaken(1000, 1), 1);
  EXPECT_EQ(stepsTaken(1000, 4), 4);
}

}  // namespace
}  // namespace minerva::engine
