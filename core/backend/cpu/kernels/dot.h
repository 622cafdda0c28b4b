// Dot products of a panel with a few rows of activations, directly on the stored codes: for decode, small batches, and
// prefill without a matrix unit. A lane is a weight row, so there are no horizontal sums, and one load gets the scales of 16
// rows.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/expanded.h"
#include "core/backend/cpu/kernels/formats.h"
#include "core/backend/cpu/kernels/products.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// One block of 32 columns for N rows of activations, whose QuantizedBlocks are side by side. InBytes: they are 8-bit.
template <class Format, int N, bool InBytes = false>
inline void addBlock(const std::byte* codes, const typename Format::Header& header, int sub, int lane, const std::byte* x, F* sums) {
  constexpr int groups = 8 / Format::halves;
  U words[8];
  for (int g = 0; g < 8; ++g) words[g] = Format::codes(codes, sub, g, lane);
  const auto* blocks = reinterpret_cast<const QuantizedBlock*>(x);
  for (int half = 0; half < Format::halves; ++half) {
    const F scale = Format::scale(header, sub, half);
    const F offset = Format::hasOffset ? Format::offset(header, sub, half) : scale * -static_cast<float>(Format::zero);
    I totals[N];
    if constexpr (InBytes) multiplyBytes<Format::largestCode, groups, N>(words + half * groups, x + half * groups * 8, totals);
    else multiplyCodes<groups, N>(words + half * groups, x + half * groups * 8, totals);
#pragma GCC unroll 16
    for (int t = 0; t < N; ++t) {
      sums[t] = multiplyAdd(toFloat(totals[t]) * scale, broadcast(blocks[t].scale), sums[t]);
      if constexpr (Format::hasOffset || Format::zero != 0)
        sums[t] = multiplyAdd(offset, broadcast(Format::halves == 2 ? blocks[t].halves[half] : blocks[t].sum), sums[t]);
    }
  }
}

// Software prefetch. A panel is streamed from memory, and hardware prefetchers stop at every 4 KB page, if they work at all.
// Prefetching explicitly gains 15 % (Sapphire Rapids) to 170 % (Zen 5). A distance of 8 KB covers the memory latency there
// and occupies little of the L1 cache (bench/results/cpu-zen5-2026-11-22.md has other distances). With 512 bits, eight replies at once gain
// a quarter and prompts a tenth (Emerald Rapids); with fewer, prompts pass over a panel so often that it costs them a twentieth.
constexpr int fetchDistance = 8192;

template <int Lines>
inline void fetchAhead(const std::byte* from) {
#pragma GCC unroll 8
  for (int i = 0; i < Lines; ++i) _mm_prefetch(reinterpret_cast<const char*>(from + fetchDistance + i * lineBytes), _MM_HINT_T0);
}

template <class Format, int N, bool InBytes>
inline void dotInteger(const std::byte* panel, int columns, const std::byte* x, std::size_t blockStep, float* y) {
  constexpr int blocks = Format::groupColumns / 32;
  const Groups<Format> groups(panel, columns);
  constexpr int lines = Format::codeBytes / blocks / lineBytes + 1;  // per block, with its share of the headers
  const std::size_t blockBytes = groups.bytesPerGroup() / blocks;
  for (int lane = 0; lane < 16; lane += Lanes) {
    F sums[N] = {};
    const std::byte* at = panel;  // prefetch position, as if headers and codes were interleaved: memory order
    const std::byte* block = x;
    for (int group = 0; group < columns / Format::groupColumns; ++group) {
      const std::byte* codes = groups.codes(static_cast<std::size_t>(group));
      const auto header = groups.header(static_cast<std::size_t>(group), lane);
#pragma GCC unroll 8
      for (int sub = 0; sub < blocks; ++sub, at += blockBytes, block += blockStep) {
        if constexpr (N == 1 || Lanes == 16) fetchAhead<lines>(at);
        addBlock<Format, N, InBytes>(codes, header, sub, lane, block, sums);
      }
    }
    for (int t = 0; t < N; ++t) store(y + t * 16 + lane, sums[t]);
  }
}

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
  I from{};
  for (int i = 0; i < Lanes; ++i) from[i] = v * (Lanes / 2) + i / 2;
  return __builtin_shuffle(rows, from);
}

template <class Format, int N>
inline void dotSmallFloat(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, float* y) {
  constexpr float part = widensHalves ? 1.0F / Format::part : 1.0F;
  const Groups<Format> groups(panel, columns);
  for (int lane = 0; lane < 16; lane += Lanes) {
    F sums[N][2] = {};
    for (int group = 0; group < columns / Format::groupColumns; ++group) {
      const std::byte* codes = groups.codes(static_cast<std::size_t>(group));
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
    for (int t = 0; t < N; ++t) store(y + t * 16 + lane, joinSmallFloats(sums[t]) * part);
  }
}

// Float panels: columns are padded; x rows are floats, zero in the padding.
template <class Format, int N>
inline void dotFloat(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, float* y) {
  constexpr int vectors = Format::vectors, step = Format::columnsPerLine;
  constexpr int atOnce = Lanes == 16 ? vectors : 2;  // vectors of a line kept in registers at the same time
  for (int v = 0; v < vectors; v += atOnce) {
    F sums[atOnce][N] = {};
    const std::byte* line = panel;
    for (int k = 0; k < columns; k += step, line += step * (step == 1 ? 64 : 32)) {
      if constexpr (N == 1) fetchAhead<1>(line);
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

// fetchAhead for adjacent rows: prefetches further along each row, or at its end from the start of the next batch of rows.
template <int Rows>
inline void fetchRowsAhead(const std::byte* rows, std::size_t rowBytes, std::size_t at) {
  constexpr std::size_t distance = fetchDistance / Rows;
  const std::size_t ahead = at + distance < rowBytes ? at + distance : at + distance - rowBytes + Rows * rowBytes;
#pragma GCC unroll 8
  for (std::size_t r = 0; r < Rows; ++r) _mm_prefetch(reinterpret_cast<const char*>(rows + r * rowBytes + ahead), _MM_HINT_T0);
}

// Rows stored as in the file: several rows at once, to have several streams from memory.
template <class Format, int N>
inline void dotInRows(const std::byte* rows, int columns, const std::byte* x, std::size_t xStride, float* y) {
  constexpr int atOnce = N == 1 ? 8 : 4;
  const std::size_t rowBytes = static_cast<std::size_t>(columns) * Format::elementBytes;
  for (int first = 0; first < 16; first += atOnce, rows += atOnce * rowBytes) {
    F sums[atOnce][N] = {};
    for (int k = 0; k < columns; k += Lanes) {
      F weights[atOnce];
      if constexpr (N == 1) fetchRowsAhead<atOnce>(rows, rowBytes, static_cast<std::size_t>(k) * Format::elementBytes);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < atOnce; ++r)
        weights[r] = Format::load(rows + r * rowBytes + static_cast<std::size_t>(k) * Format::elementBytes);
#pragma GCC unroll 8
      for (int t = 0; t < N; ++t) {
        const F value = loadF(x + static_cast<std::size_t>(t) * xStride + static_cast<std::size_t>(k) * 4);
#pragma GCC unroll 8
        for (int r = 0; r < atOnce; ++r) sums[r][t] = multiplyAdd(weights[r], value, sums[r][t]);
      }
    }
    for (int t = 0; t < N; ++t) {
      for (int r = 0; r < atOnce; ++r) y[t * 16 + first + r] = sum(sums[r][t]);
    }
  }
}

// Rows of activations whose sums fit into the registers, for 16-bit activations and for 8-bit ones.
constexpr int mostRows = Lanes == 16 ? batchRows : 3, mostByteRows = Lanes == 16 ? batchRows : 4;

// Whether codes are multiplied as integers (products.h). Only these formats depend on how the instruction set does that.
template <class Format>
constexpr bool multipliesCodes =
    !(requires { Format::elementBytes; }) && !(requires { Format::smallFloat; }) && !(requires { Format::columnsPerLine; });

// xStep: from row to row of float rows, from block to block of quantized ones.
template <class Format, int N, bool InBytes>
inline void dotSome(const std::byte* panel, int columns, const std::byte* x, std::size_t xStep, float* y) {
  if constexpr (requires { Format::elementBytes; }) dotInRows<Format, N>(panel, columns, x, xStep, y);
  else if constexpr (requires { Format::smallFloat; }) dotSmallFloat<Format, N>(panel, columns, x, xStep, y);
  else if constexpr (requires { Format::columnsPerLine; }) dotFloat<Format, N>(panel, columns, x, xStep, y);
  else dotInteger<Format, N, InBytes>(panel, columns, x, xStep, y);
}

// Number of rows processed at once if n are left: as many as fit. Fewer variants limit the code's size: up to half of that, and for rare
// formats only two and one.
template <class Format, bool InBytes>
constexpr int rowsAtOnce(int n) {
  constexpr int whole = InBytes ? mostByteRows : mostRows, most = Lanes == 16 ? whole / 2 : whole;
  if (n >= whole) return whole;
  if constexpr (requires { requires Format::rare; }) return n >= 2 ? 2 : 1;
  return n < most ? n : most;
}

template <class Format, int N, bool InBytes>
inline void dotRest(const std::byte* panel, int columns, const std::byte* x, std::size_t xStep, int n, float* y) {
  if constexpr (N > 0) {
    if constexpr (rowsAtOnce<Format, InBytes>(N) == N) {
      if (n == N) return dotSome<Format, N, InBytes>(panel, columns, x, xStep, y);
    }
    dotRest<Format, N - 1, InBytes>(panel, columns, x, xStep, n, y);
  }
}

template <class Format, bool InBytes>
void dotRows(const std::byte* panel, int columns, const std::byte* x, std::size_t xStep, std::size_t rowBytes, int n, float* y) {
  while (n > 0) {
    const int rows = rowsAtOnce<Format, InBytes>(n);
    dotRest<Format, InBytes ? mostByteRows : mostRows, InBytes>(panel, columns, x, xStep, rows, y);
    n -= rows;
    x += static_cast<std::size_t>(rows) * rowBytes;
    y += rows * 16;
  }
}

// Uses an expanded group for all rows before the next group is expanded; y accumulates the results.
template <int N>
inline void addExpanded(const ExpandedGroup& group, int blocks, bool first, const std::byte* x, std::size_t blockStep, float* y) {
  for (int lane = 0; lane < 16; lane += Lanes) {
    F sums[N] = {};
    for (int t = 0; !first && t < N; ++t) sums[t] = loadF(y + t * 16 + lane);
    const auto header = ExpandedFormat::load(group, lane);
    for (int sub = 0; sub < blocks; ++sub)
      addBlock<ExpandedFormat, N>(group.codes(), header, sub, lane, x + static_cast<std::size_t>(sub) * blockStep, sums);
    for (int t = 0; t < N; ++t) store(y + t * 16 + lane, sums[t]);
  }
}

void dotExpanded(ElementType type, const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, int n, float* y) {
  const Expander expander(type);
  ExpandedGroup group;
  const int blocks = expander.columns / 32;
  for (int g = 0; g < columns / expander.columns; ++g) {
    expander.expand(panel, static_cast<std::size_t>(g), group);
    for (int batch = 0; batch < n; batch += batchRows) {
      const int end = n < batch + batchRows ? n : batch + batchRows;
      const std::size_t step = static_cast<std::size_t>(end - batch) * sizeof(QuantizedBlock);
      const std::byte* from = x + static_cast<std::size_t>(batch) * xStride + static_cast<std::size_t>(g * blocks) * step;
      for (int t = batch; t < end;) {
        const bool many = end - t >= mostRows;
        if (many) addExpanded<mostRows>(group, blocks, g == 0, from, step, y + t * 16);
        else addExpanded<1>(group, blocks, g == 0, from, step, y + t * 16);
        t += many ? mostRows : 1;
        from += static_cast<std::size_t>(many ? mostRows : 1) * sizeof(QuantizedBlock);
      }
    }
  }
}

// Batch by batch of quantized rows.
template <class Format, bool InBytes>
void dotBatches(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, int n, float* y) {
  for (; n > 0; n -= batchRows, x += batchRows * xStride, y += batchRows * 16) {
    const int rows = n < batchRows ? n : batchRows;
    constexpr std::size_t block = sizeof(QuantizedBlock);
    dotRows<Format, InBytes>(panel, columns, x, static_cast<std::size_t>(rows) * block, block, rows, y);
  }
}

template <class Format>
void dot(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, int n, float* y) {
  if constexpr (requires { Format::expanded; }) dotExpanded(Format::type, panel, columns, x, xStride, n, y);
  else if constexpr (multipliesCodes<Format>) dotBatches<Format, false>(panel, columns, x, xStride, n, y);
  else dotRows<Format, false>(panel, columns, x, xStride, xStride, n, y);
}

// Whether there is a kernel for 8-bit activations.
template <class Format>
constexpr bool takesBytes = false;
template <class Format>
requires(requires { Format::largestCode; }) constexpr bool takesBytes<Format> = multipliesBytes<Format::largestCode>;

// The kernels for 8-bit activations; null where there is none.
template <class Format>
constexpr DotFunction bytesFunction() {
  if constexpr (takesBytes<Format>) return dotBatches<Format, true>;
  else return nullptr;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
