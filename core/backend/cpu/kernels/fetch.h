// Software prefetch. A panel is streamed from memory, and hardware prefetchers stop at every 4 KB page, if they work at all.
// Prefetching explicitly gains 15 % (Sapphire Rapids) to 170 % (Zen 5); rows of F16, Zen 4 reads fastest when left alone. How far ahead is
// best differs and is measured (read_ahead.h). With
// 512 bits, eight replies at once gain a quarter and prompts a tenth (Emerald Rapids); with fewer, prompts pass over a panel so often that
// it costs them a twentieth.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int fetchLine = 64;  // bytes

int readAhead[fetchedKinds] = {usualReadAhead[0], usualReadAhead[1], usualReadAhead[2]};
void setReadAhead(Fetched what, int bytes) { __atomic_store_n(&readAhead[static_cast<int>(what)], bytes, __ATOMIC_RELAXED); }
// Bytes from what is multiplied to what is fetched; read once for a panel.
inline std::size_t fetchDistance(Fetched what) {
  return static_cast<std::size_t>(__atomic_load_n(&readAhead[static_cast<int>(what)], __ATOMIC_RELAXED));
}

int firstCache = usualFirstCache;
void setFirstCache(int bytes) { __atomic_store_n(&firstCache, bytes, __ATOMIC_RELAXED); }
// Bytes that one thread's first cache holds.
inline std::size_t nearBytes() { return static_cast<std::size_t>(__atomic_load_n(&firstCache, __ATOMIC_RELAXED)); }

inline void fetch(const std::byte* from) { _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T0); }

template <int Lines>
inline void fetchLines(const std::byte* from) {
#pragma GCC unroll 8
  for (int i = 0; i < Lines; ++i) fetch(from + i * fetchLine);
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
