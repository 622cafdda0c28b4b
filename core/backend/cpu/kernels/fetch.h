// Software prefetch. A panel is streamed from memory, and hardware prefetchers stop at every 4 KB page, if they work at all.
// Prefetching explicitly gains 15 % (Sapphire Rapids) to 170 % (Zen 5). How far ahead is best, and into which cache, differs and is
// measured (read_ahead.h). With 512 bits, eight replies at once gain a quarter and prompts a tenth (Emerald Rapids); with fewer, prompts
// pass over a panel so often that it costs them a twentieth.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int fetchLine = 64;  // bytes

// Bytes from what is multiplied to what is fetched; read once for a panel.
struct FetchDistance {
  std::size_t bytes;
  bool second;
};
inline FetchDistance fetchDistance(Fetched what) {
  const int ahead = __atomic_load_n(&fetchSettings.ahead[static_cast<int>(what)], __ATOMIC_RELAXED);
  return {static_cast<std::size_t>(ahead < 0 ? -ahead : ahead), ahead < 0};
}

// Bytes that one thread's first cache holds.
inline std::size_t nearBytes() { return static_cast<std::size_t>(__atomic_load_n(&fetchSettings.firstCache, __ATOMIC_RELAXED)); }

inline void fetchToFirst(const std::byte* from) { _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T0); }
inline void fetchToSecond(const std::byte* from) { _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T1); }

template <int Lines>
inline void fetchLines(const std::byte* now, FetchDistance ahead) {
  const std::byte* from = now + ahead.bytes;
  if (ahead.second) {
#pragma GCC unroll 8
    for (int i = 0; i < Lines; ++i) fetchToSecond(from + i * fetchLine);
  } else {
#pragma GCC unroll 8
    for (int i = 0; i < Lines; ++i) fetchToFirst(from + i * fetchLine);
  }
}

// Weights that pass through the first cache must not push the activations out of it before they are needed again (Zen 4, F16, 5632 columns:
// 32 GB/s instead of 50). Where it has no room for the bytes of both, weights are fetched into the second, 8 KB ahead.
inline FetchDistance besideActivations(FetchDistance ahead, std::size_t activations, std::size_t passing) {
  if (ahead.second || activations + passing <= nearBytes()) return ahead;
  return {8192, true};
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
