// Conversion of weights and activations to the bf16 pairs that MatrixUnit takes (kernels.h). Needs AVX-512 BF16.
//
// A tile of weights has two adjacent columns of a row in adjacent places, [16 pairs][16 rows][2]: the order that panels of 16-bit
// floats already have. A tile of activations is [16 rows][32 columns].
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/fetch.h"
#include "core/backend/cpu/kernels/layouts.h"
#include "core/backend/cpu/kernels/unpack.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int tileElements = 512;

// Rounds first and second to 32 bf16 in order, to nearest.
inline __m512i round(F first, F second) { return (__m512i)_mm512_cvtne2ps_pbh((__m512)second, (__m512)first); }
// The rounding error of `value`; the bf16 it was rounded to is in the upper half of `high`.
inline F remainder(F value, U high) { return value - (F)(high & 0xffff0000u); }

inline void storeTile(std::uint16_t* to, __m512i words) { __builtin_memcpy(to, &words, sizeof words); }

// Rounds both to bf16 and interleaves their lanes.
inline __m512i interleave(F even, F odd) {
  alignas(64) static constexpr std::uint16_t order[32] = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                                          8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  return _mm512_permutexvar_epi16(_mm512_load_si512(order), round(even, odd));
}

// Stores two adjacent columns of 16 rows.
template <bool WithLow>
inline void storeColumns(F even, F odd, std::uint16_t* high, std::uint16_t* low) {
  const __m512i words = interleave(even, odd);
  storeTile(high, words);
  if constexpr (WithLow) {
    const U bits = (U)words;
    storeTile(low, interleave(remainder(even, bits << 16), remainder(odd, bits)));
  }
}

// The rounding errors of 32 values that were rounded to `words`, as bf16.
inline __m512i remainders(F first, F second, __m512i words) {
  const U lower = (U)_mm512_cvtepu16_epi32(_mm512_castsi512_si256(words)) << 16;
  const U upper = (U)_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words, 1)) << 16;
  return round(remainder(first, lower), remainder(second, upper));
}

// Stores 32 values that are already in the required order.
template <bool WithLow>
inline void storeLine(F first, F second, std::uint16_t* high, std::uint16_t* low) {
  const __m512i words = round(first, second);
  storeTile(high, words);
  if constexpr (WithLow) storeTile(low, remainders(first, second, words));
}

inline void storeTransposed(__m512i* rows, std::uint16_t* to) {
  transpose(rows);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) storeTile(to + i * 32, rows[i]);
}

template <class Format, bool WithLow>
inline void unpackRowPairs(const std::byte* rows, int columns, int begin, int count, std::uint16_t* high, std::uint16_t* low) {
  for (int k = 0; k < count; k += 32, high += tileElements, low += tileElements) {
    __m512i highs[16], lows[16];
    for (std::size_t r = 0; r < 16; ++r) {
      const std::byte* from = rows + (r * static_cast<std::size_t>(columns) + static_cast<std::size_t>(begin + k)) * Format::elementBytes;
      const F first = Format::load(from), second = Format::load(from + 16 * Format::elementBytes);
      highs[r] = round(first, second);
      if constexpr (WithLow) lows[r] = remainders(first, second, highs[r]);
    }
    storeTransposed(highs, high);
    if constexpr (WithLow) storeTransposed(lows, low);
  }
}

template <class Format, bool WithLow>
inline void unpackIntegerPairs(const std::byte* panel, int columns, int begin, int count, std::uint16_t* high, std::uint16_t* low) {
  constexpr int blocks = Format::groupColumns / 32;
  constexpr std::size_t blockBytes = Format::codeBytes / blocks, lines = (blockBytes + lineBytes - 1) / lineBytes;
  const Groups<Format> groups(panel, columns);
  const F flags = rowFlags<Format>(panel, 0);
  const FetchDistance ahead = fetchDistance(Fetched::panels);
  const std::byte* now = groups.codes(static_cast<std::size_t>(begin / Format::groupColumns));
  for (int k = 0; k < count; k += Format::groupColumns) {
    const std::size_t group = static_cast<std::size_t>((begin + k) / Format::groupColumns);
    const std::byte* codes = groups.codes(group);
    const auto header = groups.header(group, 0);
    for (int sub = 0; sub < blocks; ++sub, now += blockBytes) {
      fetchLines<lines>(now, ahead);
      const std::size_t at = static_cast<std::size_t>(k + sub * 32) * 16;
      F even{};
      unpackFlagged<Format>(codes, header, flags, sub, 0, [&](int column, F values) {
        if (column % 2 == 0) even = values;
        else storeColumns<WithLow>(even, values, high + at + column / 2 * 32, low + at + column / 2 * 32);
      });
    }
  }
}

template <class Format, bool WithLow>
inline void unpackFloatPairs(const std::byte* panel, int begin, int count, std::uint16_t* high, std::uint16_t* low) {
  constexpr std::size_t pairBytes = Format::columnsPerLine == 1 ? 128 : 64;
  const std::byte* line = panel + static_cast<std::size_t>(begin / 2) * pairBytes;
  for (int k = 0; k < count; k += 2, line += pairBytes, high += 32, low += 32) {
    if constexpr (Format::columnsPerLine == 1) storeColumns<WithLow>(Format::load(line, 0), Format::load(line + 64, 0), high, low);
    else storeLine<WithLow>(Format::load(line, 0), Format::load(line, 1), high, low);
  }
}

template <class Format>
void unpackPairs(const std::byte* panel, int columns, int begin, int count, std::uint16_t* high, std::uint16_t* low) {
  if constexpr (inRows<Format>) {
    if (low == nullptr) unpackRowPairs<Format, false>(panel, columns, begin, count, high, high);
    else unpackRowPairs<Format, true>(panel, columns, begin, count, high, low);
  } else if constexpr (requires { Format::columnsPerLine; }) {
    if (low == nullptr) unpackFloatPairs<Format, false>(panel, begin, count, high, high);
    else unpackFloatPairs<Format, true>(panel, begin, count, high, low);
  } else {
    if (low == nullptr) unpackIntegerPairs<Format, false>(panel, columns, begin, count, high, high);
    else unpackIntegerPairs<Format, true>(panel, columns, begin, count, high, low);
  }
}

template <bool WithLow>
inline void packRow(const float* x, int columns, std::uint16_t* high, std::uint16_t* low) {
  for (int k = 0; k < columns; k += 32, high += tileElements, low += tileElements) {
    storeLine<WithLow>(loadF(x + k), loadF(x + k + 16), high, low);
  }
}

// Packs one tile of 16 rows, [columns / 32][16][32]; rows n and above are zero.
void packRows(const float* x, std::size_t xStride, int n, int columns, std::uint16_t* high, std::uint16_t* low) {
  for (int r = 0; r < 16; ++r) {
    const auto* row = reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(x) + static_cast<std::size_t>(r) * xStride);
    if (r >= n) {
      const __m512i zero = _mm512_setzero_si512();
      for (int k = 0; k < columns; k += 32) {
        storeTile(high + r * 32 + k * 16, zero);
        if (low != nullptr) storeTile(low + r * 32 + k * 16, zero);
      }
    } else if (low == nullptr) {
      packRow<false>(row, columns, high + r * 32, high + r * 32);
    } else {
      packRow<true>(row, columns, high + r * 32, low + r * 32);
    }
  }
}

// A unit without its product: multiply, begin and end.
constexpr MatrixUnit unitOfPairs(int mostProducts, bool beatsBytes) {
  MatrixUnit unit{};
  visitLayouts([&]<class Format>(WeightLayout layout) constexpr { unit.unpack[layout] = unpackPairs<Format>; });
  unit.packRows = packRows;
  unit.mostProducts = mostProducts;
  unit.beatsBytes = beatsBytes;
  return unit;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
