// Products of codes and 16-bit activations, and the layout of a quantized row (kernels.h) for them: 8 bytes per 4 elements. 8-bit
// activations are the first four of these bytes in every instruction set.
#pragma once

#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

#if MINERVA_LANES == 16 || defined(__AVXVNNI__)

// sums + dot product of the four unsigned bytes of each lane with the four signed bytes at x.
inline I addByteProducts(I sums, U codes, const std::byte* x) {
#if MINERVA_LANES == 16
  using Word __attribute__((may_alias)) = std::int32_t;
  // Inline assembly, because the compiler loads the broadcast into a register first, which takes 50 % more instructions.
  __asm__("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sums) : "v"(codes), "m"(*reinterpret_cast<const Word*>(x)));
  return sums;
#else
  return (I)_mm256_dpbusd_avx_epi32((__m256i)sums, (__m256i)codes, _mm256_set1_epi32(loadAs<std::int32_t>(x)));
#endif
}

// totals[t] = sum of code * activation over Groups words of four codes, for N rows, whose blocks are side by side, from x on.
// An activation q is split as 256 * high + low, so that two byte products cover all 16 bits: [4 high][4 low]. The rows are interleaved
// because each product waits for the one before it in its sum; with registers for many rows, one sum takes first the high bytes, then the
// low ones.
template <int Groups, int N>
inline void multiplyCodes(const U* words, const std::byte* x, I* totals) {
#if MINERVA_LANES == 16
#pragma GCC unroll 16
  for (int t = 0; t < N; ++t) totals[t] = I{};
#pragma GCC unroll 2
  for (int part = 0; part < 2; ++part) {
#pragma GCC unroll 8
    for (int g = 0; g < Groups; ++g) {
#pragma GCC unroll 16
      for (int t = 0; t < N; ++t)
        totals[t] = addByteProducts(totals[t], words[g], x + static_cast<std::size_t>(t) * sizeof(QuantizedBlock) + g * 8 + part * 4);
    }
#pragma GCC unroll 16
    for (int t = 0; part == 0 && t < N; ++t) totals[t] <<= 8;
  }
#else
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t) {
    const std::byte* row = x + static_cast<std::size_t>(t) * sizeof(QuantizedBlock);
    I high{}, low{};
#pragma GCC unroll 8
    for (int g = 0; g < Groups; ++g) {
      high = addByteProducts(high, words[g], row + g * 8);
      low = addByteProducts(low, words[g], row + g * 8 + 4);
    }
    totals[t] = (high << 8) + low;
  }
#endif
}
// The same with 8-bit activations. Sums of codes up to Largest cannot overflow here.
template <int Largest, int Groups, int N>
inline void multiplyBytes(const U* words, const std::byte* x, I* totals) {
#pragma GCC unroll 16
  for (int t = 0; t < N; ++t) totals[t] = I{};
#pragma GCC unroll 8
  for (int g = 0; g < Groups; ++g) {
#pragma GCC unroll 16
    for (int t = 0; t < N; ++t)
      totals[t] = addByteProducts(totals[t], words[g], x + static_cast<std::size_t>(t) * sizeof(QuantizedBlock) + g * 8);
  }
}
template <int Largest>
constexpr bool multipliesBytes = true;

inline void storeQuantized(const std::int32_t* q, std::byte* to) {  // 4 elements
  std::int8_t bytes[8];
  for (int i = 0; i < 4; ++i) {
    const std::int32_t high = (q[i] + 128) >> 8;
    bytes[i] = static_cast<std::int8_t>(high);
    bytes[4 + i] = static_cast<std::int8_t>(q[i] - high * 256);
  }
  __builtin_memcpy(to, bytes, sizeof bytes);
}

#else

#if MINERVA_LANES == 8
inline I multiplyPairs(U a, I b) { return (I)_mm256_madd_epi16((__m256i)a, (__m256i)b); }
// In each 16-bit element, the sum of two products of unsigned and signed bytes.
inline I byteProducts(U a, I b) { return (I)_mm256_maddubs_epi16((__m256i)a, (__m256i)b); }
inline I addWords(I a, I b) { return (I)_mm256_add_epi16((__m256i)a, (__m256i)b); }
#else
inline I multiplyPairs(U a, I b) { return (I)_mm_madd_epi16((__m128i)a, (__m128i)b); }
inline I byteProducts(U a, I b) { return (I)_mm_maddubs_epi16((__m128i)a, (__m128i)b); }
inline I addWords(I a, I b) { return (I)_mm_add_epi16((__m128i)a, (__m128i)b); }
#endif

// The same with 16-bit products: the codes of a word are split into pairs (element 0, 2) and (1, 3), and activations are stored in the
// same order, [q0 q2][q1 q3].
template <int Groups, int N>
inline void multiplyCodes(const U* words, const std::byte* x, I* totals) {
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t) {
    const std::byte* row = x + static_cast<std::size_t>(t) * sizeof(QuantizedBlock);
    I sums{};
#pragma GCC unroll 8
    for (int g = 0; g < Groups; ++g) {
      sums += multiplyPairs(words[g] & 0x00ff00ffu, broadcast(loadAs<std::int32_t>(row + g * 8)));
      sums += multiplyPairs(words[g] >> 8 & 0x00ff00ffu, broadcast(loadAs<std::int32_t>(row + g * 8 + 4)));
    }
    totals[t] = sums;
  }
}

// The same with 8-bit activations: as many products are added in 16 bits as fit, for codes up to Largest.
template <int Largest>
constexpr int productsInWord = 32767 / (2 * 127 * Largest);
template <int Largest>
constexpr bool multipliesBytes = productsInWord<Largest> > 0;

template <int Largest, int Groups, int N>
inline void multiplyBytes(const U* words, const std::byte* x, I* totals) {
  constexpr int run = productsInWord<Largest> < Groups ? productsInWord<Largest> : Groups;
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t) {
    const std::byte* row = x + static_cast<std::size_t>(t) * sizeof(QuantizedBlock);
    I total{}, sums{};
#pragma GCC unroll 8
    for (int g = 0; g < Groups; ++g) {
      const I products = byteProducts(words[g], broadcast(loadAs<std::int32_t>(row + g * 8)));
      sums = g % run == 0 ? products : addWords(sums, products);
      if (g % run == run - 1 || g == Groups - 1) total += multiplyPairs((U)sums, broadcast(0x00010001));
    }
    totals[t] = total;
  }
}

inline void storeQuantized(const std::int32_t* q, std::byte* to) {
  const std::int16_t words[4] = {static_cast<std::int16_t>(q[0]), static_cast<std::int16_t>(q[2]), static_cast<std::int16_t>(q[1]),
                                 static_cast<std::int16_t>(q[3])};
  __builtin_memcpy(to, words, sizeof words);
}

#endif

inline void storeBytes(const std::int32_t* q, std::byte* to) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::byte>(q[i]);
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
