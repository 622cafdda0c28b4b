// Software prefetch. A panel is streamed from memory, and hardware prefetchers stop at every 4 KB page, if they work at all.
// Prefetching explicitly gains 15 % (Sapphire Rapids) to 170 % (Zen 5). A distance of 8 KB covers the memory latency there
// and occupies little of the L1 cache (bench/results/cpu-zen5-2026-11-22.md has other distances). With 512 bits, eight replies at once gain
// a quarter and prompts a tenth (Emerald Rapids); with fewer, prompts pass over a panel so often that it costs them a twentieth.
#pragma once

#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int fetchDistance = 8192, fetchLine = 64;  // bytes

inline void fetch(const std::byte* from) { _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T0); }

template <int Lines>
inline void fetchAhead(const std::byte* from) {
#pragma GCC unroll 8
  for (int i = 0; i < Lines; ++i) fetch(from + fetchDistance + i * fetchLine);
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
