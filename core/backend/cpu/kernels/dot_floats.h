// Dot products of a panel's floats, or of rows of floats as stored in the file, with a few rows of float activations.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/fetch.h"
#include "core/backend/cpu/kernels/formats.h"
#include "core/backend/cpu/kernels/rows_at_once.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// 8-bit floats, with float activations. Two adjacent columns of a row are kept in adjacent lanes until the end, because they
// are widened as pairs of float16.
template <class Format, int N>
inline void addSmallFloats(const std::byte* codes, const std::byte* x, std::size_t xStride, int lane, F (*sums)[2]) {
  for (int g = 0; g < Format::groupColumns / 4; ++g) {
    const U words = word(codes, g, lane);
#pragma GCC unroll 2
    for (int pair = 0; pair < 2; ++pair) {
      const std::byte* from = x + static_cast<std::size_t>(g * 4 + pair * 2) * 4;
      const U two = words >> (8 * pair) & 0x00ff00ffu;
      F weights[2];
      for (int v = 0; v < 2; ++v) {
        if constexpr (widensHalves) weights[v] = widenHalves(Format::asHalves(two), v);
        else weights[v] = Format::value(two >> (16 * v) & 0xffu);
      }
#pragma GCC unroll 8
      for (int t = 0; t < N; ++t) {
        const auto* row = reinterpret_cast<const float*>(from + static_cast<std::size_t>(t) * xStride);
        for (int v = 0; v < 2; ++v) {
          F value;
          if constexpr (widensHalves) value = broadcastPair(row);
          else value = broadcast(row[v]);
          sums[t][v] = multiplyAdd(weights[v], value, sums[t][v]);
        }
      }
    }
  }
}

// Sums the results of Lanes rows of the panel from the two vectors above.
inline F joinSmallFloats(const F* sums) {
  if constexpr (!widensHalves) return sums[0] + sums[1];
  F joined{};
  for (int v = 0; v < 2; ++v) {
    for (int r = 0; r < Lanes / 2; ++r) joined[v * (Lanes / 2) + r] = sums[v][2 * r] + sums[v][2 * r + 1];
  }
  return joined;
}

// Broadcasts per-row values to the lanes that vector v of the two uses for each row.
inline F pairLanes(F rows, int v) {
  if constexpr (!widensHalves) return rows;
  return v == 0 ? lowerTwice(rows) : upperTwice(rows);
}

template <class Format, int N>
inline void dotSmallFloat(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, float* y) {
  constexpr float part = widensHalves ? 1.0F / Format::part : 1.0F;
  constexpr std::size_t groupBytes = Groups<Format>::bytesPerGroup(), lines = (groupBytes + lineBytes - 1) / lineBytes;
  const Groups<Format> groups(panel, columns);
  const FetchDistance ahead = fetchDistance(Fetched::panels);
  for (int lane = 0; lane < 16; lane += Lanes) {
    F sums[N][2] = {};
    for (int group = 0; group < columns / Format::groupColumns; ++group) {
      const std::byte* codes = groups.codes(static_cast<std::size_t>(group));
      if (lane == 0) fetchLines<lines>(groups.codePlane + static_cast<std::size_t>(group) * groupBytes, ahead);
      const std::byte* from = x + static_cast<std::size_t>(group) * Format::groupColumns * 4;
      if constexpr (Format::headerBytes == 0) {
        addSmallFloats<Format, N>(codes, from, xStride, lane, sums);
      } else {
        F parts[N][2] = {};
        addSmallFloats<Format, N>(codes, from, xStride, lane, parts);
        const F scale = groups.header(static_cast<std::size_t>(group), lane).scale;
        for (int v = 0; v < 2; ++v) {
          const F scales = pairLanes(scale, v);
          for (int t = 0; t < N; ++t) sums[t][v] = multiplyAdd(parts[t][v], scales, sums[t][v]);
        }
      }
    }
    for (int t = 0; t < N; ++t)
      store(y + t * 16 + lane, multiplyAdd(joinSmallFloats(sums[t]), broadcast(part), rowFlags<Format>(panel, lane)));
  }
}

// Float panels: columns are padded; x rows are floats, zero in the padding.
template <class Format, int N>
inline void dotFloat(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, float* y) {
  constexpr int vectors = Format::vectors, step = Format::columnsPerLine;
  constexpr int atOnce = Lanes == 16 ? vectors : 2;  // vectors of a line kept in registers at the same time
  const FetchDistance ahead = fetchDistance(Fetched::panels);
  for (int v = 0; v < vectors; v += atOnce) {
    F sums[atOnce][N] = {};
    const std::byte* line = panel;
    for (int k = 0; k < columns; k += step, line += step * (step == 1 ? 64 : 32)) {
      if constexpr (N == 1) fetchLines<1>(line, ahead);
      F weights[atOnce];
      for (int i = 0; i < atOnce; ++i) weights[i] = Format::load(line, v + i);
      for (int t = 0; t < N; ++t) {
        const float* row = reinterpret_cast<const float*>(x + static_cast<std::size_t>(t) * xStride) + k;
        F value;
        if constexpr (step == 2) value = broadcastPair(row);
        else value = broadcast(*row);
        for (int i = 0; i < atOnce; ++i) sums[i][t] = multiplyAdd(weights[i], value, sums[i][t]);
      }
    }
    for (int i = 0; i < atOnce; ++i) {
      for (int t = 0; t < N; ++t) {
        if constexpr (step == 1) {
          store(y + t * 16 + (v + i) * Lanes, sums[i][t]);
        } else {  // even and odd columns of a row are in adjacent lanes
          for (int r = 0; r < Lanes / 2; ++r) y[t * 16 + (v + i) * (Lanes / 2) + r] = sums[i][t][2 * r] + sums[i][t][2 * r + 1];
        }
      }
    }
  }
}

// sums[r][t] += row r . x[t], for one vector of columns of rows stored as in the file.
template <class Format, int N, int Rows>
inline void addColumnsOfRows(const std::byte* rows, std::size_t rowBytes, const std::byte* x, std::size_t xStride, F (&sums)[Rows][N]) {
  F weights[Rows];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < Rows; ++r) weights[r] = Format::load(rows + r * rowBytes);
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t) {
    const F value = loadF(x + static_cast<std::size_t>(t) * xStride);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) sums[r][t] = multiplyAdd(weights[r], value, sums[r][t]);
  }
}

// `atOnce` rows side by side. Weights are fetched ahead in the order in which they lie in memory, whichever rows are multiplied; each
// vector fetches its line, although two may be of the same one (once a line was no faster).
template <class Format, int N, int atOnce>
inline void dotRowsAtOnce(const std::byte* rows, int columns, const std::byte* x, std::size_t xStride, FetchDistance ahead, float* y) {
  constexpr int lines = (atOnce * Lanes * Format::elementBytes + lineBytes - 1) / lineBytes;
  const auto count = static_cast<std::size_t>(columns), rowBytes = count * Format::elementBytes;
  for (int first = 0; first < 16; first += atOnce, rows += atOnce * rowBytes) {
    F sums[atOnce][N] = {};
    for (std::size_t k = 0; k < count; k += Lanes) {
      const std::size_t at = k * Format::elementBytes;
      if (ahead.bytes > 0) fetchLines<lines>(rows + atOnce * at, ahead);
      addColumnsOfRows<Format, N, atOnce>(rows + at, rowBytes, x + k * 4, xStride, sums);
    }
#pragma GCC unroll 8  // else all sums are in memory
    for (int t = 0; t < N; ++t) {
#pragma GCC unroll 8
      for (int r = 0; r < atOnce; ++r) y[t * 16 + first + r] = sum(sums[r][t]);
    }
  }
}

// For several rows of activations four at once, so that these are read less often. For a single one, wide vectors read row by row: memory
// is fastest as one stream (Zen 5, F16: 20.2 tokens/s, with eight rows at once 17.1). Narrow ones need more additions underway than one
// row has. While some rows are multiplied, as many behind them are fetched, as one stream (Zen 4, BF16: AVX2, one reply, one thread 26 ms a
// token, with eight streams 40; eight replies, two threads 172 tokens/s, before 140, with AVX-512 240 and 173).
template <class Format, int N>
inline void dotInRows(const std::byte* rows, int columns, const std::byte* x, std::size_t xStride, float* y) {
  constexpr int atOnce = N > 1 ? 4 : Lanes == 16 ? 1 : 8;
  FetchDistance ahead = fetchDistance(Fetched::rows);
  const auto count = static_cast<std::size_t>(columns), rowBytes = count * Format::elementBytes;
  if constexpr (atOnce == 1) ahead = besideActivations(ahead, count * 4, rowBytes > 2 * ahead.bytes ? rowBytes : 2 * ahead.bytes);
  else if (N > 1 || ahead.bytes > 0) ahead = {atOnce * rowBytes, true};
  dotRowsAtOnce<Format, N, atOnce>(rows, columns, x, xStride, ahead, y);
}

// Rows of float activations at once, each of which has sums for some rows of the panel or for two vectors of it. They may not be more than
// the first cache has ways: rows of 4 KB and multiples of it share a set (Zen 4, F32, 2048 columns: sixteen at once 25 G products/s, eight
// 59). Sums in memory cost less than reading four rows of the file once more does.
template <class Format>
constexpr int mostFloatRows = Lanes == 16      ? 8
                              : inRows<Format> ? 6
                                               : 4;

template <class Format>
void dotFloats(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, int n, float* y) {
  while (n > 0) {
    const int rows = withRows<Format, mostFloatRows<Format>>(n, [=]<int N>() {
      if constexpr (inRows<Format>) dotInRows<Format, N>(panel, columns, x, xStride, y);
      else if constexpr (requires { Format::smallFloat; }) dotSmallFloat<Format, N>(panel, columns, x, xStride, y);
      else dotFloat<Format, N>(panel, columns, x, xStride, y);
    });
    n -= rows;
    x += static_cast<std::size_t>(rows) * xStride;
    y += rows * 16;
  }
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
