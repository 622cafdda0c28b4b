// The least time of several runs, from where the device's clock no longer rises.
#pragma once

#include "core/base/error.h"

#include <algorithm>

namespace minerva::gpu {

struct SteadyTime {
  double waking = 150;  // milliseconds at most until the times no longer fall; 0: nothing has to wake up
  double enough = 8;    // milliseconds of runs that count
};

// run: Result<double>, milliseconds. A GPU that was idle, or did something else, has a slow clock at first: runs count from where one takes
// no less than 97 % of the one before it. The first never counts, and 20 do at most.
template <class Run>
[[nodiscard]] Result<double> leastSteadyTime(const SteadyTime& how, const Run& run) {
  constexpr double alike = 0.97;
  constexpr int most = 20;
  MINERVA_ASSIGN(double before, run());
  MINERVA_ASSIGN(double least, run());
  for (double woke = before + least; least < alike * before && woke < how.waking; woke += least) {
    before = least;
    MINERVA_ASSIGN(least, run());
  }
  double spent = least;
  for (int i = 1; i < most && spent < how.enough; ++i) {
    MINERVA_ASSIGN(const double time, run());
    least = std::min(least, time);
    spent += time;
  }
  return least;
}

}  // namespace minerva::gpu
