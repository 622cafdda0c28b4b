// Thin abstraction of the instruction sets: one vector of Lanes 32-bit lanes.
//
// Included only by isa/<set>.cpp, which defines MINERVA_ISA (a namespace) and MINERVA_LANES (4, 8 or 16). Arithmetic, shifts
// and comparisons use the compiler's vector extensions; this file has the operations those lack.
// Everything has internal linkage and no std templates are used, so that the linker can never pick code compiled for a newer
// processor for an older one.
#pragma once

#include "core/backend/cpu/kernels.h"

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int Lanes = MINERVA_LANES;
using F = float __attribute__((vector_size(4 * Lanes)));
using I = std::int32_t __attribute__((vector_size(4 * Lanes)));
using U = std::uint32_t __attribute__((vector_size(4 * Lanes)));
using Pairs = std::int64_t __attribute__((vector_size(4 * Lanes)));

template <class T>
inline T loadAs(const void* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
inline F loadF(const void* from) { return loadAs<F>(from); }
inline U loadU(const void* from) { return loadAs<U>(from); }
inline void store(void* to, F value) { __builtin_memcpy(to, &value, sizeof value); }
// The first `count` elements, at most all; the others are 0, or stay as they are.
inline F loadFirst(const void* from, int count) {
  if (count >= Lanes) return loadF(from);
  F value{};
  __builtin_memcpy(&value, from, static_cast<std::size_t>(count) * 4);
  return value;
}
inline void storeFirst(void* to, F value, int count) {
  if (count >= Lanes) return store(to, value);
  __builtin_memcpy(to, &value, static_cast<std::size_t>(count) * 4);
}
// Not F{} + value: that is an addition, which turns -0 into 0, so the compiler must keep it.
inline F broadcast(float value) {
#if MINERVA_LANES == 16
  return (F)_mm512_set1_ps(value);
#elif MINERVA_LANES == 8
  return (F)_mm256_set1_ps(value);
#else
  return (F)_mm_set1_ps(value);
#endif
}
// broadcast(value * by). Inline assembly with wide vectors, because the compiler multiplies one lane and then spreads it, which is one
// instruction more.
inline F broadcastProduct(const float& value, float by) {
#if MINERVA_LANES == 16
  F product;
  __asm__("vmulps %1%{1to16%}, %2, %0" : "=v"(product) : "m"(value), "v"(broadcast(by)));
  return product;
#else
  return broadcast(value) * by;
#endif
}
inline I broadcast(std::int32_t value) { return I{} + value; }
inline F toFloat(I value) { return __builtin_convertvector(value, F); }
inline F toFloat(U value) { return __builtin_convertvector((I)value, F); }  // values below 2^31
inline F bitsF(U value) { return (F)value; }
// Repeats (pair[0], pair[1]) in all lanes.
inline F broadcastPair(const float* pair) { return (F)(Pairs{} + loadAs<std::int64_t>(pair)); }

// The high 16 bits of the products of unsigned 16-bit elements and `by`, below 2^16.
#if MINERVA_LANES == 16
inline U highProducts(U value, unsigned by) { return (U)_mm512_mulhi_epu16((__m512i)value, _mm512_set1_epi16(static_cast<short>(by))); }
#elif MINERVA_LANES == 8
inline U highProducts(U value, unsigned by) { return (U)_mm256_mulhi_epu16((__m256i)value, _mm256_set1_epi16(static_cast<short>(by))); }
#else
inline U highProducts(U value, unsigned by) { return (U)_mm_mulhi_epu16((__m128i)value, _mm_set1_epi16(static_cast<short>(by))); }
#endif

// float16 in the low half of each lane. A multiplication adjusts the exponent, which also handles subnormals; infinity and NaN are patched
// explicitly.
inline F fromHalves(U half) {
  const U magnitude = (half & 0x7fffu) << 13;
  U bits = (U)((F)magnitude * 0x1p112F);
  bits |= (U)(magnitude >= 0x0f800000u) & 0x7f800000u;
  return (F)(bits | (half & 0x8000u) << 16);
}

#if MINERVA_LANES == 16

inline F loadHalves(const void* from) { return (F)_mm512_cvtph_ps(loadAs<__m256i>(from)); }
inline void storeHalves(void* to, F value) {
  const __m256i halves = _mm512_cvtps_ph((__m512)value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __builtin_memcpy(to, &halves, sizeof halves);
}
// Converts float16 elements [v * Lanes, (v + 1) * Lanes) of the 2 * Lanes in a vector.
constexpr bool widensHalves = true;
inline F widenHalves(U halves, int v) {
  return (F)_mm512_cvtph_ps(v == 0 ? _mm512_castsi512_si256((__m512i)halves) : _mm512_extracti64x4_epi64((__m512i)halves, 1));
}
inline U loadWords16(const void* from) { return (U)_mm512_cvtepu16_epi32(loadAs<__m256i>(from)); }
inline I loadSignedBytes(const void* from) { return (I)_mm512_cvtepi8_epi32(loadAs<__m128i>(from)); }
// 2 * Lanes signed bytes as 16-bit elements; and the low halves of the lanes as such.
inline U widenBytes(const void* from) { return (U)_mm512_cvtepi8_epi16(loadAs<__m256i>(from)); }
inline void storeWords(void* to, I value) {
  const __m256i words = _mm512_cvtepi32_epi16((__m512i)value);
  __builtin_memcpy(to, &words, sizeof words);
}
inline F multiplyAdd(F a, F b, F c) { return (F)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
inline float sum(F value) { return _mm512_reduce_add_ps((__m512)value); }
inline float largest(F value) { return _mm512_reduce_max_ps((__m512)value); }
// Both: b where either is NaN; so a value that may be NaN comes second.
inline F maximum(F a, F b) { return (F)_mm512_max_ps((__m512)a, (__m512)b); }
inline F minimum(F a, F b) { return (F)_mm512_min_ps((__m512)a, (__m512)b); }
inline F squareRoot(F value) { return (F)_mm512_sqrt_ps((__m512)value); }
inline I nearest(F value) { return (I)_mm512_cvtps_epi32((__m512)value); }
inline U loadBytes(const void* from) { return (U)_mm512_cvtepu8_epi32(loadAs<__m128i>(from)); }
// table[byte] for each byte; bytes must be below 16.
inline U lookUp(U bytes, const std::uint8_t* table) {
  return (U)_mm512_shuffle_epi8(_mm512_broadcast_i32x4(loadAs<__m128i>(table)), (__m512i)bytes);
}
// table[lane] for each lane, of which the lowest four bits count.
inline F lookUpFloats(U lanes, F table) { return (F)_mm512_permutexvar_ps((__m512i)lanes, (__m512)table); }
// In each 128-bit part, its bytes in this order; a number above 127 gives 0.
inline U shuffleBytes(U value, const std::uint8_t* order) {
  return (U)_mm512_shuffle_epi8((__m512i)value, _mm512_broadcast_i32x4(loadAs<__m128i>(order)));
}
// Every second lane of two vectors, from the first or from the second on; each lane of one half of a vector, twice.
inline F evenLanes(F a, F b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30); }
inline F oddLanes(F a, F b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31); }
inline F lowerTwice(F a) { return __builtin_shufflevector(a, a, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7); }
inline F upperTwice(F a) { return __builtin_shufflevector(a, a, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15); }
// The first halves of all 128-bit parts, one after the other.
inline void storeFirstHalves(void* to, U value) {
  const __m512i halves = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6), (__m512i)value);
  const __m256i first = _mm512_castsi512_si256(halves);
  __builtin_memcpy(to, &first, sizeof first);
}

// Transposes 16 rows of 16 words, first within 128-bit lanes (unpack), then across them (shuffle).
inline void transpose(__m512i* rows) {
  __m512i t[16];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    t[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
  }
  __m512i q[16];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    q[4 * i] = _mm512_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
    q[4 * i + 1] = _mm512_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
    q[4 * i + 2] = _mm512_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
    q[4 * i + 3] = _mm512_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
  }
  // q[4 * i + j] has, in its 128-bit lane l, column 4 * l + j of rows 4 * i ... 4 * i + 3.
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const __m512i a = _mm512_shuffle_i32x4(q[j], q[4 + j], 0x88), b = _mm512_shuffle_i32x4(q[j], q[4 + j], 0xdd);
    const __m512i c = _mm512_shuffle_i32x4(q[8 + j], q[12 + j], 0x88), d = _mm512_shuffle_i32x4(q[8 + j], q[12 + j], 0xdd);
    rows[j] = _mm512_shuffle_i32x4(a, c, 0x88);
    rows[4 + j] = _mm512_shuffle_i32x4(b, d, 0x88);
    rows[8 + j] = _mm512_shuffle_i32x4(a, c, 0xdd);
    rows[12 + j] = _mm512_shuffle_i32x4(b, d, 0xdd);
  }
}
inline void transpose(F* rows) {
  __m512i words[16];
#pragma GCC unroll 16
  for (int r = 0; r < 16; ++r) words[r] = (__m512i)rows[r];
  transpose(words);
#pragma GCC unroll 16
  for (int r = 0; r < 16; ++r) rows[r] = (F)words[r];
}

#else
#if MINERVA_LANES == 8

inline F loadHalves(const void* from) { return (F)_mm256_cvtph_ps(loadAs<__m128i>(from)); }
inline void storeHalves(void* to, F value) {
  const __m128i halves = _mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT);
  __builtin_memcpy(to, &halves, sizeof halves);
}
constexpr bool widensHalves = true;
inline F widenHalves(U halves, int v) {
  return (F)_mm256_cvtph_ps(v == 0 ? _mm256_castsi256_si128((__m256i)halves) : _mm256_extracti128_si256((__m256i)halves, 1));
}
inline U loadWords16(const void* from) { return (U)_mm256_cvtepu16_epi32(loadAs<__m128i>(from)); }
inline I loadSignedBytes(const void* from) { return (I)_mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(from))); }
inline U widenBytes(const void* from) { return (U)_mm256_cvtepi8_epi16(loadAs<__m128i>(from)); }
inline void storeWords(void* to, I value) {
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32((__m256i)value, (__m256i)value), 0x08);
  const __m128i first = _mm256_castsi256_si128(words);
  __builtin_memcpy(to, &first, sizeof first);
}
inline F multiplyAdd(F a, F b, F c) { return (F)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
inline F maximum(F a, F b) { return (F)_mm256_max_ps((__m256)a, (__m256)b); }
inline F minimum(F a, F b) { return (F)_mm256_min_ps((__m256)a, (__m256)b); }
inline F squareRoot(F value) { return (F)_mm256_sqrt_ps((__m256)value); }
inline I nearest(F value) { return (I)_mm256_cvtps_epi32((__m256)value); }
inline U loadBytes(const void* from) { return (U)_mm256_cvtepu8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(from))); }
inline U lookUp(U bytes, const std::uint8_t* table) {
  return (U)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(loadAs<__m128i>(table)), (__m256i)bytes);
}
inline U shuffleBytes(U value, const std::uint8_t* order) {
  return (U)_mm256_shuffle_epi8((__m256i)value, _mm256_broadcastsi128_si256(loadAs<__m128i>(order)));
}
inline F evenLanes(F a, F b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14); }
inline F oddLanes(F a, F b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15); }
inline F lowerTwice(F a) { return __builtin_shufflevector(a, a, 0, 0, 1, 1, 2, 2, 3, 3); }
inline F upperTwice(F a) { return __builtin_shufflevector(a, a, 4, 4, 5, 5, 6, 6, 7, 7); }
inline void storeFirstHalves(void* to, U value) {
  const __m128i first = _mm256_castsi256_si128(_mm256_permute4x64_epi64((__m256i)value, 0x08));
  __builtin_memcpy(to, &first, sizeof first);
}
inline __m128 largerHalf(F value) { return _mm_max_ps(_mm256_castps256_ps128((__m256)value), _mm256_extractf128_ps((__m256)value, 1)); }
inline __m128i greaterHalf(I value) {
  return _mm_max_epi32(_mm256_castsi256_si128((__m256i)value), _mm256_extracti128_si256((__m256i)value, 1));
}

// Transposes 8 rows of 8 words: pairs, then fours within 128-bit lanes, then across them.
inline void transpose(F* rows) {
  __m256 t[8], q[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps((__m256)rows[i], (__m256)rows[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps((__m256)rows[i], (__m256)rows[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    q[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    q[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    q[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    q[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    rows[j] = (F)_mm256_permute2f128_ps(q[j], q[4 + j], 0x20);
    rows[4 + j] = (F)_mm256_permute2f128_ps(q[j], q[4 + j], 0x31);
  }
}

#else

constexpr bool widensHalves = false;
inline U loadWords16(const void* from) { return (U)_mm_cvtepu16_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(from))); }
inline F loadHalves(const void* from) { return fromHalves(loadWords16(from)); }
inline void storeHalves(void* to, F value) {
  const U bits = (U)value;
  const U magnitude = bits & 0x7fffffffu;
  const U normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - 0x38000000u) >> 13;
  const U subnormal = (U)((F)magnitude + 0.5F) - 0x3f000000u;  // the addition rounds to multiples of 2^-24
  const U isSmall = (U)((I)magnitude < 0x38800000);
  const U isLarge = (U)((I)magnitude >= 0x477ff000);
  const U isNan = (U)((I)magnitude > 0x7f800000);
  U half = (isSmall & subnormal) | (~isSmall & normal);
  half = (isLarge & 0x7c00u) | (~isLarge & half);
  half = (isNan & 0x7e00u) | (~isNan & half);
  half |= bits >> 16 & 0x8000u;
  for (int i = 0; i < Lanes; ++i) {
    const auto word = static_cast<std::uint16_t>(half[i]);
    __builtin_memcpy(static_cast<char*>(to) + 2 * i, &word, sizeof word);
  }
}
inline I loadSignedBytes(const void* from) { return (I)_mm_cvtepi8_epi32(_mm_cvtsi32_si128(loadAs<std::int32_t>(from))); }
inline U widenBytes(const void* from) { return (U)_mm_cvtepi8_epi16(_mm_loadl_epi64(static_cast<const __m128i*>(from))); }
inline void storeWords(void* to, I value) {
  const __m128i words = _mm_packs_epi32((__m128i)value, (__m128i)value);
  __builtin_memcpy(to, &words, 8);
}
inline F multiplyAdd(F a, F b, F c) { return a * b + c; }
inline F maximum(F a, F b) { return (F)_mm_max_ps((__m128)a, (__m128)b); }
inline F minimum(F a, F b) { return (F)_mm_min_ps((__m128)a, (__m128)b); }
inline F squareRoot(F value) { return (F)_mm_sqrt_ps((__m128)value); }
inline I nearest(F value) { return (I)_mm_cvtps_epi32((__m128)value); }
inline U loadBytes(const void* from) { return (U)_mm_cvtepu8_epi32(_mm_cvtsi32_si128(loadAs<std::int32_t>(from))); }
inline U lookUp(U bytes, const std::uint8_t* table) { return (U)_mm_shuffle_epi8(loadAs<__m128i>(table), (__m128i)bytes); }
inline U shuffleBytes(U value, const std::uint8_t* order) { return (U)_mm_shuffle_epi8((__m128i)value, loadAs<__m128i>(order)); }
inline F evenLanes(F a, F b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }
inline F oddLanes(F a, F b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); }
inline F lowerTwice(F a) { return __builtin_shufflevector(a, a, 0, 0, 1, 1); }
inline F upperTwice(F a) { return __builtin_shufflevector(a, a, 2, 2, 3, 3); }
inline void storeFirstHalves(void* to, U value) { __builtin_memcpy(to, &value, 8); }
inline __m128 largerHalf(F value) { return (__m128)value; }
inline __m128i greaterHalf(I value) { return (__m128i)value; }
inline void transpose(F* rows) {
  __m128 r[4] = {(__m128)rows[0], (__m128)rows[1], (__m128)rows[2], (__m128)rows[3]};
  _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
  for (int i = 0; i < 4; ++i) rows[i] = (F)r[i];
}

#endif

inline float sum(F value) {
  float total = 0;
  for (int i = 0; i < Lanes; ++i) total += value[i];
  return total;
}
inline float largest(F value) {
  __m128 best = largerHalf(value);
  best = _mm_max_ps(best, _mm_movehl_ps(best, best));
  return _mm_cvtss_f32(_mm_max_ss(best, _mm_shuffle_ps(best, best, 1)));
}

#endif

// Magnitudes as whole numbers, which have the same order and NaN above all others.
inline I magnitudeBits(F value) { return (I)((U)value & 0x7fffffffu); }
inline I greater(I a, I b) { return a > b ? a : b; }
inline float largestOfBits(I bits) {
#if MINERVA_LANES == 16
  const int most = _mm512_reduce_max_epi32((__m512i)bits);
#else
  __m128i best = greaterHalf(bits);
  best = _mm_max_epi32(best, _mm_shuffle_epi32(best, 0x4e));
  const int most = _mm_cvtsi128_si32(_mm_max_epi32(best, _mm_shuffle_epi32(best, 0xb1)));
#endif
  return __builtin_bit_cast(float, most);
}

inline std::uint32_t sumOfLanes(U value) {
#if MINERVA_LANES == 16
  const __m256i half = _mm256_add_epi32(_mm512_castsi512_si256((__m512i)value), _mm512_extracti64x4_epi64((__m512i)value, 1));
  __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
#elif MINERVA_LANES == 8
  __m128i sums = _mm_add_epi32(_mm256_castsi256_si128((__m256i)value), _mm256_extracti128_si256((__m256i)value, 1));
#else
  __m128i sums = (__m128i)value;
#endif
  sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4e));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xb1))));
}

// The largest magnitude of a run of 32 elements; NaN if there is one.
inline float largestMagnitude(const float* run) {
  I most{};
#pragma GCC unroll 8
  for (int i = 0; i < 32; i += Lanes) most = greater(most, magnitudeBits(loadF(run + i)));
  return largestOfBits(most);
}

// Within [low, high]; NaN stays.
inline F clamped(F x, float low, float high) { return minimum(broadcast(high), maximum(broadcast(low), x)); }

// What float16 can hold, for numbers: infinity and NaN stay. Attention multiplies what a query does not see by 0, which gives 0 of numbers
// only.
inline F withinHalves(F value) {
  const U notFinite = (U)(magnitudeBits(value) >= 0x7f800000);
  return bitsF((notFinite & (U)value) | (~notFinite & (U)clamped(value, -65504.0F, 65504.0F)));
}

// The low halves of 16 numbers, as 16-bit elements in pairs of number i and number i + 8.
inline void storeWordPairs(void* to, const I (&values)[16 / Lanes]) {
#if MINERVA_LANES == 16
  using Half = std::int32_t __attribute__((vector_size(32)));
  const Half first = __builtin_shufflevector(values[0], values[0], 0, 1, 2, 3, 4, 5, 6, 7);
  const Half second = __builtin_shufflevector(values[0], values[0], 8, 9, 10, 11, 12, 13, 14, 15);
  const Half pairs = (first & 0xffff) | second << 16;
  __builtin_memcpy(to, &pairs, sizeof pairs);
#else
  for (int i = 0; i < 8 / Lanes; ++i) {
    const U pairs = ((U)values[i] & 0xffffu) | (U)values[i + 8 / Lanes] << 16;
    __builtin_memcpy(static_cast<char*>(to) + i * 4 * Lanes, &pairs, sizeof pairs);
  }
#endif
}

// Element formats of the KV cache; kernels/cached_codes.h has the one for CacheType::blocks.
struct HalfCache {
  static constexpr CacheType type = CacheType::half;
  static constexpr std::size_t bytes = 2;
  static F load(const std::byte* from) { return loadHalves(from); }
  static void save(std::byte* to, F value) { storeHalves(to, withinHalves(value)); }
};
struct SingleCache {
  static constexpr CacheType type = CacheType::single;
  static constexpr std::size_t bytes = 4;
  static F load(const std::byte* from) { return loadF(from); }
  static void save(std::byte* to, F value) { store(to, value); }
};

// e^x with a relative error below 2e-7; x is clamped to [-87.3, 88.3]. x = n ln 2 + r, |r| <= ln 2 / 2; a polynomial in r
// (Cephes' expf), times 2^n.
inline F exponential(F x) {
  x = clamped(x, -87.3F, 88.3F);
  const I n = nearest(x * 1.44269504088896341F);
  const F whole = toFloat(n);
  F r = multiplyAdd(whole, broadcast(-0.693359375F), x);
  r = multiplyAdd(whole, broadcast(2.12194440e-4F), r);
  F p = broadcast(1.9875691500e-4F);
  p = multiplyAdd(p, r, broadcast(1.3981999507e-3F));
  p = multiplyAdd(p, r, broadcast(8.3334519073e-3F));
  p = multiplyAdd(p, r, broadcast(4.1665795894e-2F));
  p = multiplyAdd(p, r, broadcast(1.6666665459e-1F));
  p = multiplyAdd(p, r, broadcast(5.0000001201e-1F));
  p = multiplyAdd(p, r * r, r + 1.0F);
  return p * (F)((n + 127) << 23);
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
