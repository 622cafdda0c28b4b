// Unpacks a panel's columns to float32 strips, and multiplies strips in float32: for exact precision of all types, and for
// prefill of float types without a matrix unit.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/formats.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// Formats of four bits: 16 rows of a column in eight bytes. Their nibbles are looked up in a vector of floats where they are in their word,
// because the instruction that looks up 16 lanes ignores all but the lowest four bits of each.
template <class Format>
constexpr bool looksUpNibbles = Lanes == 16 && Format::codeBytes == 8 * Format::groupColumns&& requires {
  Format::nibbles;
};

#if MINERVA_LANES == 16
template <class Format, class Take>
inline void unpackNibbles(const std::byte* lines, const typename Format::Header& header, int sub, int lane, Take take) {
  const F values = loadF(Format::nibbles.of);
#pragma GCC unroll 4
  for (int g = 0; g < 4; ++g) {
    const U nibbles = word(lines, g, lane);
#pragma GCC unroll 2
    for (int high = 0; high < 2; ++high) {
      const int half = Format::halves == 2 ? high : 0;
      const F scale = Format::scale(header, sub, half), offset = Format::offset(header, sub, half);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const F code = lookUpFloats(nibbles >> (8 * i + 4 * high), values);
        take(high * 16 + g * 4 + i, Format::hasOffset ? multiplyAdd(scale, code, offset) : scale * code);
      }
    }
  }
}
#else
template <class Format, class Take>
void unpackNibbles(const std::byte* lines, const typename Format::Header& header, int sub, int lane, Take take);
#endif

// Codes of a byte are converted where they are in their word, 256 or 65536 times as large, and the scale is as much smaller. What stands
// for zero is taken off by the same operation that multiplies, where that is as exact: without rounding between them, and a power of two.
template <class Format, class Take>
inline void unpackBytes(const U (&words)[8], const typename Format::Header& header, int sub, Take take) {
  constexpr unsigned zero = Format::zero;
  constexpr bool adds = Format::hasOffset || (Lanes >= 8 && (zero & (zero - 1)) == 0);
#pragma GCC unroll 8
  for (int g = 0; g < 8; ++g) {
    const int half = Format::halves == 2 ? g / 4 : 0;
    const F scale = Format::scale(header, sub, half);
    const F offset = Format::hasOffset ? Format::offset(header, sub, half) : scale * -static_cast<float>(zero);
    const auto value = [&](U code, unsigned one, F scaled) {
      if constexpr (adds) return multiplyAdd(scaled, toFloat(code), offset);
      else return scaled * toFloat((I)(code - zero * one));
    };
    take(g * 4, value(words[g] & 0xffu, 1, scale));
    take(g * 4 + 1, value(words[g] & 0xff00u, 1U << 8, scale * 0x1p-8F));
    take(g * 4 + 2, value(words[g] & 0xff0000u, 1U << 16, scale * 0x1p-16F));
    take(g * 4 + 3, value(words[g] >> 24, 1, scale));
  }
}

template <class Format, class Take>
inline void unpackSmallFloats(const U (&words)[8], F scale, Take take) {
  constexpr int byteOf[4] = {0, 2, 1, 3};  // of columns
#pragma GCC unroll 8
  for (int g = 0; g < 8; ++g) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) take(g * 4 + i, scale * Format::value(words[g] >> (8 * byteOf[i]) & 0xffu));
  }
}

// Decodes one block of 32 columns: calls take(column in block, values of Lanes rows) for each column, an odd one after the even one before
// it.
template <class Format, class Take>
inline void unpackBlock(const std::byte* codes, const typename Format::Header& header, int sub, int lane, Take take) {
  if constexpr (looksUpNibbles<Format>) {
    unpackNibbles<Format>(codes + sub * 4 * lineBytes, header, sub, lane, take);
  } else {
    U words[8];
    blockWords<Format>(header, codes, sub, lane, words);
    if constexpr (requires { Format::smallFloat; }) unpackSmallFloats<Format>(words, Format::scale(header, sub, 0), take);
    else unpackBytes<Format>(words, header, sub, take);
  }
}

// The same, where a panel's flags are added to the first column of each block.
template <class Format, class Take>
inline void unpackFlagged(const std::byte* codes, const typename Format::Header& header, F flags, int sub, int lane, Take take) {
  unpackBlock<Format>(codes, header, sub, lane, [&](int column, F values) {
    if constexpr (flagsRows<Format>) take(column, column == 0 ? values + flags : values);
    else take(column, values);
  });
}

template <class Format>
void unpackInteger(const std::byte* panel, int columns, int begin, int count, float* strip) {
  constexpr int blocks = Format::groupColumns / 32;
  const Groups<Format> groups(panel, columns);
  for (int lane = 0; lane < 16; lane += Lanes) {
    const F flags = rowFlags<Format>(panel, lane);
    for (int k = 0; k < count; k += Format::groupColumns) {
      const std::size_t group = static_cast<std::size_t>((begin + k) / Format::groupColumns);
      const std::byte* codes = groups.codes(group);
      const auto header = groups.header(group, lane);
      for (int sub = 0; sub < blocks; ++sub) {
        float* out = strip + static_cast<std::size_t>(k + sub * 32) * 16 + lane;
        unpackFlagged<Format>(codes, header, flags, sub, lane, [out](int column, F values) { store(out + column * 16, values); });
      }
    }
  }
}

// Two columns of as many rows as a vector has lanes: `first` and `second` hold them row by row, and each column becomes a vector.
inline void separateColumns(F first, F second, float* even, float* odd) {
  store(even, evenLanes(first, second));
  store(odd, oddLanes(first, second));
}

template <class Format>
void unpackFloat(const std::byte* panel, int, int begin, int count, float* strip) {
  constexpr int step = Format::columnsPerLine;
  const std::byte* line = panel + static_cast<std::size_t>(begin) * (step == 1 ? 64 : 32);
  for (int k = 0; k < count; k += step, line += 64, strip += step * 16) {
    for (int v = 0; v < Format::vectors; v += step) {
      if constexpr (step == 1) store(strip + v * Lanes, Format::load(line, v));
      else separateColumns(Format::load(line, v), Format::load(line, v + 1), strip + v * (Lanes / 2), strip + 16 + v * (Lanes / 2));
    }
  }
}

template <class Format>
void unpackRows(const std::byte* rows, int columns, int begin, int count, float* strip) {
  const std::size_t rowBytes = static_cast<std::size_t>(columns) * Format::elementBytes;
  for (int first = 0; first < 16; first += Lanes) {
    const std::byte* from = rows + static_cast<std::size_t>(first) * rowBytes + static_cast<std::size_t>(begin) * Format::elementBytes;
    for (int k = 0; k < count; k += Lanes, from += Lanes * Format::elementBytes) {
      F square[Lanes];
#pragma GCC unroll 16
      for (std::size_t r = 0; r < Lanes; ++r) square[r] = Format::load(from + r * rowBytes);
      transpose(square);
#pragma GCC unroll 16
      for (int i = 0; i < Lanes; ++i) store(strip + static_cast<std::size_t>(k + i) * 16 + first, square[i]);
    }
  }
}

template <class Format>
void unpack(const std::byte* panel, int columns, int begin, int count, float* strip) {
  if constexpr (inRows<Format>) unpackRows<Format>(panel, columns, begin, count, strip);
  else if constexpr (requires { Format::columnsPerLine; }) unpackFloat<Format>(panel, columns, begin, count, strip);
  else unpackInteger<Format>(panel, columns, begin, count, strip);
}

// As many as the first cache has ways: with rows of 8 KB, whose columns are all in the same set, twelve are a third slower on Zen 4.
constexpr int multiplyRows = Lanes == 16 ? 8 : 4;

template <int N>
inline void multiplySome(const float* strip, int count, const float* x, std::size_t xStride, bool accumulate, float* y) {
  constexpr int vectors = Lanes == 16 ? 1 : 2;
  for (int lane = 0; lane < 16; lane += vectors * Lanes) {
    F sums[vectors][N] = {};
    for (int t = 0; accumulate && t < N; ++t) {
      for (int v = 0; v < vectors; ++v) sums[v][t] = loadF(y + t * 16 + lane + v * Lanes);
    }
    for (int k = 0; k < count; ++k) {
      F weights[vectors];
      for (int v = 0; v < vectors; ++v) weights[v] = loadF(strip + k * 16 + lane + v * Lanes);
#pragma GCC unroll 16
      for (int t = 0; t < N; ++t) {
        const auto* row = reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(x) + static_cast<std::size_t>(t) * xStride);
        const F value = broadcast(row[k]);
        for (int v = 0; v < vectors; ++v) sums[v][t] = multiplyAdd(weights[v], value, sums[v][t]);
      }
    }
    for (int t = 0; t < N; ++t) {
      for (int v = 0; v < vectors; ++v) store(y + t * 16 + lane + v * Lanes, sums[v][t]);
    }
  }
}

template <int N>
inline void multiplyRest(const float* strip, int count, const float* x, std::size_t xStride, int n, bool accumulate, float* y) {
  if constexpr (N > 0) {
    if (n == N) return multiplySome<N>(strip, count, x, xStride, accumulate, y);
    multiplyRest<N - 1>(strip, count, x, xStride, n, accumulate, y);
  }
}

void multiply(const float* strip, int count, const float* x, std::size_t xStride, int n, bool accumulate, float* y) {
  const auto* rows = reinterpret_cast<const std::byte*>(x);
  for (; n > multiplyRows; n -= multiplyRows, rows += multiplyRows * xStride, y += multiplyRows * 16) {
    multiplySome<multiplyRows>(strip, count, reinterpret_cast<const float*>(rows), xStride, accumulate, y);
  }
  multiplyRest<multiplyRows>(strip, count, reinterpret_cast<const float*>(rows), xStride, n, accumulate, y);
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
