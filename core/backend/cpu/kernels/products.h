// Products of codes and rounded activations (Rounding in kernels.h), and the layout of a quantized row for them: 8 bytes per 4 elements.
// 8-bit activations are the first four of these bytes in every instruction set, 16-bit ones in parts [4 high][4 low], q = 256 * high + low.
#pragma once

#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// Rounded elements as they are stored, four of them in the first half of each 128-bit part.
inline U arrangeBytes(I q) {
  constexpr std::uint8_t none = 0x80, order[16] = {0, 4, 8, 12, none, none, none, none, none, none, none, none, none, none, none, none};
  return shuffleBytes((U)q, order);
}
inline U arrangeParts(I q) {
  constexpr std::uint8_t order[16] = {1, 5, 9, 13, 0, 4, 8, 12};
  return shuffleBytes(((U)q & 0xffu) | (((U)q + 128u) & 0xff00u), order);  // the low byte counts as signed
}

// Vectors of weight rows that are multiplied at once. With narrow vectors loads are the limit: so each load of activations serves two.
constexpr int Wide = Lanes == 16 ? 1 : 2;

// Four codes of each of Wide * Lanes rows, ready to be multiplied: a word for each vector, or two with two codes each.
template <int Splits>
using Codes = U[Splits][Wide];

// The functions below multiply the codes of Groups words by N rows of activations, whose blocks are side by side from x on: totals[t][w] =
// the sums of products. Codes are at most Largest.

inline const std::byte* activationsAt(const std::byte* x, int t, int g, int part) {
  return x + static_cast<std::size_t>(t) * sizeof(QuantizedBlock) + g * 8 + part * 4;
}

template <int N>
inline void clear(I (*totals)[Wide]) {
#pragma GCC unroll 16
  for (int t = 0; t < N; ++t) {
    for (int w = 0; w < Wide; ++w) totals[t][w] = I{};
  }
}

#if MINERVA_LANES < 16

#if MINERVA_LANES == 8
inline I multiplyPairs(U a, I b) { return (I)_mm256_madd_epi16((__m256i)a, (__m256i)b); }
#else
inline I multiplyPairs(U a, I b) { return (I)_mm_madd_epi16((__m128i)a, (__m128i)b); }
#endif

// sums + multiplyPairs(a, b). Inline assembly, because the compiler computes many products before it adds the first, for which there are
// not enough registers.
inline I addPairs(I sums, U a, I b) {
#if MINERVA_LANES == 8
  I products;
  __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(sums), "=&x"(products) : "x"(a), "x"(b));
  return sums;
#else
  return sums + multiplyPairs(a, b);
#endif
}

#endif

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

template <Rounding How>
constexpr int codeSplits = 1;

// Words: two byte products cover all 16 bits of an activation, which is kept in parts. The rows are interleaved because each product waits
// for the one before it in its sum; with registers for many rows, one sum takes first the high bytes, then the low ones.
template <int Groups, int N>
[[gnu::always_inline]] inline void multiplyCodes(const Codes<1>* words, const std::byte* x, I (*totals)[Wide]) {
#if MINERVA_LANES == 16
  clear<N>(totals);
#pragma GCC unroll 2
  for (int part = 0; part < 2; ++part) {
#pragma GCC unroll 8
    for (int g = 0; g < Groups; ++g) {
#pragma GCC unroll 16
      for (int t = 0; t < N; ++t) totals[t][0] = addByteProducts(totals[t][0], words[g][0][0], activationsAt(x, t, g, part));
    }
#pragma GCC unroll 16
    for (int t = 0; part == 0 && t < N; ++t) totals[t][0] <<= 8;
  }
#else
  I high[N][Wide] = {}, low[N][Wide] = {};
#pragma GCC unroll 8
  for (int g = 0; g < Groups; ++g) {
#pragma GCC unroll 8
    for (int t = 0; t < N; ++t) {
#pragma GCC unroll 2
      for (int w = 0; w < Wide; ++w) {
        high[t][w] = addByteProducts(high[t][w], words[g][0][w], activationsAt(x, t, g, 0));
        low[t][w] = addByteProducts(low[t][w], words[g][0][w], activationsAt(x, t, g, 1));
      }
    }
  }
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t) {
    for (int w = 0; w < Wide; ++w) totals[t][w] = (high[t][w] << 8) + low[t][w];
  }
#endif
}

// Bytes. Sums of codes up to Largest cannot overflow here.
template <int Largest, int Groups, int N>
[[gnu::always_inline]] inline void multiplyBytes(const Codes<1>* words, const std::byte* x, I (*totals)[Wide]) {
  clear<N>(totals);
#pragma GCC unroll 8
  for (int g = 0; g < Groups; ++g) {
#pragma GCC unroll 16
    for (int t = 0; t < N; ++t) {
      for (int w = 0; w < Wide; ++w) totals[t][w] = addByteProducts(totals[t][w], words[g][0][w], activationsAt(x, t, g, 0));
    }
  }
}
template <int Largest>
constexpr bool multipliesBytes = true;
template <int Largest>
constexpr bool multipliesParts = false;  // `words` are in parts here
template <int Largest, int Groups, int N>
void multiplyParts(const Codes<1>* words, const std::byte* x, I (*totals)[Wide]);

inline U arrangeWords(I q) { return arrangeParts(q); }

#else

#if MINERVA_LANES == 8
// In each 16-bit element, the sum of two products of unsigned and signed bytes.
inline I byteProducts(U a, I b) { return (I)_mm256_maddubs_epi16((__m256i)a, (__m256i)b); }
#else
inline I byteProducts(U a, I b) { return (I)_mm_maddubs_epi16((__m128i)a, (__m128i)b); }
#endif

// sums + byteProducts(a, b) in 16-bit elements. Inline assembly for the reason that addPairs() has.
inline I addByteProducts(I sums, U a, I b) {
#if MINERVA_LANES == 8
  I products;
  __asm__("vpmaddubsw %3, %2, %1\n\tvpaddw %1, %0, %0" : "+x"(sums), "=&x"(products) : "x"(a), "x"(b));
  return sums;
#else
  return (I)_mm_add_epi16((__m128i)sums, (__m128i)byteProducts(a, b));
#endif
}

inline I activations(const std::byte* x, int t, int g, int part) { return broadcast(loadAs<std::int32_t>(activationsAt(x, t, g, part))); }

// Words, for codes of any size: these are split into pairs (element 0, 2) and (1, 3), and activations are stored in the same order,
// [q0 q2][q1 q3].
template <Rounding How>
constexpr int codeSplits = How == Rounding::words ? 2 : 1;

template <int Groups, int N>
[[gnu::always_inline]] inline void multiplyCodes(const Codes<2>* pairs, const std::byte* x, I (*totals)[Wide]) {
  clear<N>(totals);
#pragma GCC unroll 8
  for (int g = 0; g < Groups; ++g) {
#pragma GCC unroll 8
    for (int t = 0; t < N; ++t) {
#pragma GCC unroll 2
      for (int part = 0; part < 2; ++part) {
        const I q = activations(x, t, g, part);
#pragma GCC unroll 2
        for (int w = 0; w < Wide; ++w) totals[t][w] = addPairs(totals[t][w], pairs[g][part][w], q);
      }
    }
  }
}

// How many products of codes up to Largest and of bytes up to `magnitude` can be added in 16 bits, two of each at a time.
template <int Largest>
constexpr int productsInWord(int magnitude) {
  return 32767 / (2 * magnitude * Largest);
}
template <int Largest>
constexpr bool multipliesBytes = productsInWord<Largest>(127) > 0;
template <int Largest>
constexpr bool multipliesParts = productsInWord<Largest>(128) > 1;

constexpr int least(int a, int b) { return a < b ? a : b; }

// The products of one byte of each activation, of `Parts` that it has; those of the first count 256 times if there are two.
template <int Run, int Parts, int Groups, int N>
[[gnu::always_inline]] inline void multiplyInWords(const Codes<1>* words, const std::byte* x, I (*totals)[Wide]) {
  clear<N>(totals);
#pragma GCC unroll 8
  for (int first = 0; first < Groups; first += Run) {
    const int end = least(first + Run, Groups);
    I sums[N][Parts][Wide];
#pragma GCC unroll 8
    for (int g = first; g < end; ++g) {
#pragma GCC unroll 8
      for (int t = 0; t < N; ++t) {
#pragma GCC unroll 2
        for (int part = 0; part < Parts; ++part) {
          const I q = activations(x, t, g, part);
#pragma GCC unroll 2
          for (int w = 0; w < Wide; ++w) {
            sums[t][part][w] = g == first ? byteProducts(words[g][0][w], q) : addByteProducts(sums[t][part][w], words[g][0][w], q);
          }
        }
      }
    }
#pragma GCC unroll 8
    for (int t = 0; t < N; ++t) {
#pragma GCC unroll 2
      for (int w = 0; w < Wide; ++w) {
        totals[t][w] += multiplyPairs((U)sums[t][Parts - 1][w], broadcast(0x00010001));
        if constexpr (Parts == 2) totals[t][w] += multiplyPairs((U)sums[t][0][w], broadcast(0x01000100));
      }
    }
  }
}

template <int Largest, int Groups, int N>
[[gnu::always_inline]] inline void multiplyBytes(const Codes<1>* words, const std::byte* x, I (*totals)[Wide]) {
  multiplyInWords<least(productsInWord<Largest>(127), Groups), 1, Groups, N>(words, x, totals);
}

// Parts: the products of both bytes are added in 16 bits, which saves splitting the codes.
template <int Largest, int Groups, int N>
[[gnu::always_inline]] inline void multiplyParts(const Codes<1>* words, const std::byte* x, I (*totals)[Wide]) {
  multiplyInWords<least(productsInWord<Largest>(128), Groups), 2, Groups, N>(words, x, totals);
}

inline U arrangeWords(I q) {
  constexpr std::uint8_t order[16] = {0, 1, 8, 9, 4, 5, 12, 13};
  return shuffleBytes((U)q, order);
}

#endif

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
