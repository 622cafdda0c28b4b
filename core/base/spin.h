// How a thread waits for another that will be there in microseconds.
#pragma once

namespace minerva {

// A pause takes 10 to 60 ns: so many are 15 to 90 us, long enough for the next op of a step, short enough to leave the
// core to others between steps.
inline constexpr int spinsBeforeSleep = 1500;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace minerva
