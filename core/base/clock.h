// Monotonic time for measurements. One clock everywhere, so that timestamps of the engine, the backends and the window
// can be subtracted from each other.
#pragma once

#include <chrono>

namespace minerva {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

inline double millisecondsBetween(TimePoint from, TimePoint to) { return std::chrono::duration<double, std::milli>(to - from).count(); }

}  // namespace minerva
