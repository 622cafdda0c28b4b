// The monotonic clock for all measurements, so that timestamps of engine, backends and window can be compared.
#pragma once

#include <atomic>
#include <chrono>

namespace minerva {

// The machine's steady clock, or what a test puts in its place: decisions by durations are tested exactly, on a machine however busy.
class Clock : public std::chrono::steady_clock {
 public:
  using Source = time_point (*)();

  [[nodiscard]] static time_point now() { return s_source.load(std::memory_order_relaxed)(); }
  // Any thread; for all threads.
  static void replace(Source source) { s_source.store(source, std::memory_order_relaxed); }
  static void restore() { replace(&std::chrono::steady_clock::now); }

 private:
  static inline std::atomic<Source> s_source{&std::chrono::steady_clock::now};
};
using TimePoint = Clock::time_point;

inline double millisecondsBetween(TimePoint from, TimePoint to) { return std::chrono::duration<double, std::milli>(to - from).count(); }

}  // namespace minerva
