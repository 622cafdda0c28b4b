// Spin-wait for events expected within microseconds.
#pragma once

#include <chrono>

namespace minerva {

// Long enough to span two ops of a step, short enough to free the core between steps.
inline constexpr std::chrono::microseconds spinBeforeSleep{40};

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

// Waits until done(), for so long; false: it was not done. A time and not a number of pauses, which take 3 ns on processors before Skylake
// and 15 times as long since. The time is the system's, whatever stands for Clock, and is looked at only now and then.
template <class Done, class Pause>
bool spinUntil(const Done& done, std::chrono::steady_clock::duration longest, const Pause& pause) {
  constexpr int pausesBetweenLooks = 32;
  const auto spin = [&] {
    for (int i = 0; i < pausesBetweenLooks; ++i) {
      if (done()) return true;
      pause();
    }
    return false;
  };
  if (spin()) return true;  // most waits are over before the clock was read
  for (const auto begun = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begun < longest;) {
    if (spin()) return true;
  }
  return false;
}
template <class Done>
bool spinUntil(const Done& done, std::chrono::steady_clock::duration longest) {
  return spinUntil(done, longest, [] { relax(); });
}

}  // namespace minerva
