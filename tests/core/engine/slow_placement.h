// A watched placement whose steps take as long as a test says, so that what pays does not depend on the machine.
#pragma once

#include "tests/core/engine/watched_placement.h"
#include "tests/support/simulated_clock.h"

namespace minerva::engine {

// Takes a time for each step and each row of it on the clock that the placement brings.
class SlowPlacement : public WatchedPlacement {
 public:
  SlowPlacement(std::unique_ptr<backend::Placement> inner, Notes& notes, double stepMs, double rowMs)
      : WatchedPlacement(std::move(inner), notes), m_stepMs(stepMs), m_rowMs(rowMs) {}
  Result<void> step(std::span<const backend::StepRow> rows) override {
    tests::SimulatedClock::advance(m_stepMs + m_rowMs * static_cast<double>(rows.size()));
    return WatchedPlacement::step(rows);
  }

  Result<void> begin(std::span<const backend::StepRow> rows) override {
    tests::SimulatedClock::advance(m_stepMs + m_rowMs * static_cast<double>(rows.size()));
    return WatchedPlacement::begin(rows);
  }

 private:
  double m_stepMs, m_rowMs;
};

}  // namespace minerva::engine
