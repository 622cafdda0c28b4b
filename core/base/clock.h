// The monotonic clock for all measurements, so that timestamps of engine, backends and window can be compared.
#pragma once

#include <chrono>

namespace minerva {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

inline double millisecondsBetween(TimePoint from, TimePoint to) { return std::chrono::duration<double, std::milli>(to - from).count(); }

}  // namespace minerva
