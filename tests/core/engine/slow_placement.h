// A watched placement whose steps take as long as a test says, so that what pays does not depend on the machine.
#pragma once

#include "core/base/clock.h"
#include "tests/core/engine/watched_placement.h"

#include <chrono>
#include <thread>

namespace minerva::engine {

// Takes a time for each step and each row of it, beside what the model takes.
class SlowPlacement : public WatchedPlacement {
 public:
  SlowPlacement(std::unique_ptr<backend::Placement> inner, Notes& notes, double stepMs, double rowMs)
      : WatchedPlacement(std::move(inner), notes), m_stepMs(stepMs), m_rowMs(rowMs) {}
  Result<void> step(std::span<const backend::StepRow> rows) override {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(m_stepMs + m_rowMs * static_cast<double>(rows.size())));
    return WatchedPlacement::step(rows);
  }

 private:
  double m_stepMs, m_rowMs;
};

}  // namespace minerva::engine
