// Spin-wait for events expected within microseconds.
#pragma once

namespace minerva {

// A pause instruction takes 10 to 60 ns, so this is 15 to 90 us: long enough to span two ops of a step, short enough to
// free the core between steps.
inline constexpr int spinsBeforeSleep = 1500;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace minerva
