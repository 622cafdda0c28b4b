// VPDPBUSD of AVX-VNNI in AVX2 instructions, for test programs on processors without it: isa/avxvnni.cpp is compiled with this header
// before it (-include). As the instruction set reference says: to each 32-bit sum, the four products of unsigned bytes of `a` and signed
// bytes of `b` are added, which neither saturate nor are rounded. This is the only instruction of AVX-VNNI that the kernels use.
#pragma once

#include <immintrin.h>

namespace minerva::emulated {
namespace {

inline __m256i addByteProducts(__m256i sums, __m256i a, __m256i b) {
  const __m256i evenA = _mm256_and_si256(a, _mm256_set1_epi16(0xff)), oddA = _mm256_srli_epi16(a, 8);
  const __m256i evenB = _mm256_srai_epi16(_mm256_slli_epi16(b, 8), 8), oddB = _mm256_srai_epi16(b, 8);
  return _mm256_add_epi32(sums, _mm256_add_epi32(_mm256_madd_epi16(evenA, evenB), _mm256_madd_epi16(oddA, oddB)));
}

}  // namespace
}  // namespace minerva::emulated

#define __AVXVNNI__ 1  // by which the kernels choose
#undef _mm256_dpbusd_avx_epi32
#define _mm256_dpbusd_avx_epi32(sums, a, b) minerva::emulated::addByteProducts(sums, a, b)
