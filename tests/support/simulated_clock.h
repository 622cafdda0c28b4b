// Time that passes only when a test says so.
#pragma once

#include "core/base/clock.h"

#include <atomic>

namespace minerva::tests {

// While it lives, it is every thread's clock. One at a time.
class SimulatedClock {
 public:
  SimulatedClock() { Clock::replace(&now); }
  ~SimulatedClock() { Clock::restore(); }
  SimulatedClock(const SimulatedClock&) = delete;
  SimulatedClock& operator=(const SimulatedClock&) = delete;

  [[nodiscard]] static TimePoint now() { return TimePoint(Clock::duration(s_now.load())); }
  static void advance(double ms) {
    s_now += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(ms)).count();
  }

 private:
  static inline std::atomic<Clock::rep> s_now{Clock::duration(std::chrono::hours(1)).count()};
};

}  // namespace minerva::tests
