// Dot products of a panel with a few rows of activations, directly on the stored codes: for decode, small batches, and
// prefill without a matrix unit. A lane is a weight row, so there are no horizontal sums, and one load gets the scales of 16
// rows.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/fetch.h"
#include "core/backend/cpu/kernels/formats.h"
#include "core/backend/cpu/kernels/products.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// The codes of a block of 32 columns, and what they mean, for Wide vectors of rows of the panel.
template <class Format, Rounding How>
struct DecodedBlock {
  Codes<codeSplits<How>> words[8];
  F scales[Format::halves][Wide], offsets[Format::halves][Wide];
};

// The headers of a group for these rows.
template <class Format>
struct WideHeader {
  typename Format::Header vectors[Wide];
};

template <class Format>
[[gnu::always_inline]] inline WideHeader<Format> loadHeader(const Groups<Format>& groups, int group, int lane) {
  WideHeader<Format> header;
  for (int w = 0; w < Wide; ++w) header.vectors[w] = groups.header(static_cast<std::size_t>(group), lane + w * Lanes);
  return header;
}

template <class Format, Rounding How>
[[gnu::always_inline]] inline DecodedBlock<Format, How> decode(const std::byte* codes, const WideHeader<Format>& header, int sub,
                                                               int lane) {
  DecodedBlock<Format, How> block;
#pragma GCC unroll 2  // else the words of formats that are hard to decode go through memory
  for (int w = 0; w < Wide; ++w) {
    U words[8];
    blockWords<Format>(header.vectors[w], codes, sub, lane + w * Lanes, words);
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
      if constexpr (codeSplits<How> == 2) {
        block.words[g][0][w] = words[g] & 0x00ff00ffu;
        block.words[g][1][w] = words[g] >> 8 & 0x00ff00ffu;
      } else {
        block.words[g][0][w] = words[g];
      }
    }
  }
  for (int half = 0; half < Format::halves; ++half) {
    for (int w = 0; w < Wide; ++w) {
      block.scales[half][w] = Format::scale(header.vectors[w], sub, half);
      if constexpr (Format::hasOffset) block.offsets[half][w] = Format::offset(header.vectors[w], sub, half);
      else block.offsets[half][w] = block.scales[half][w] * -static_cast<float>(Format::zero);
    }
  }
  return block;
}

// Multiplies it by N rows of activations, whose QuantizedBlocks are side by side.
template <class Format, int N, Rounding How>
[[gnu::always_inline]] inline void addBlock(const DecodedBlock<Format, How>& block, const std::byte* x, F (*sums)[Wide]) {
  constexpr int groups = 8 / Format::halves;
  const auto* rows = reinterpret_cast<const QuantizedBlock*>(x);
  for (int half = 0; half < Format::halves; ++half) {
    const Codes<codeSplits<How>>* words = block.words + half * groups;
    const std::byte* from = x + half * groups * 8;
    I totals[N][Wide];
    if constexpr (How == Rounding::bytes) multiplyBytes<Format::largestCode, groups, N>(words, from, totals);
    else if constexpr (How == Rounding::parts) multiplyParts<Format::largestCode, groups, N>(words, from, totals);
    else multiplyCodes<groups, N>(words, from, totals);
#pragma GCC unroll 16
    for (int t = 0; t < N; ++t) {
#pragma GCC unroll 2
      for (int w = 0; w < Wide; ++w) {
        sums[t][w] = multiplyAdd(toFloat(totals[t][w]) * block.scales[half][w], broadcast(rows[t].scale), sums[t][w]);
        if constexpr (Format::hasOffset || Format::zero != 0)
          sums[t][w] = multiplyAdd(block.offsets[half][w], broadcast(Format::halves == 2 ? rows[t].halves[half] : rows[t].sum), sums[t][w]);
      }
    }
  }
}

template <int N>
inline void storeSums(const F (*sums)[Wide], int lane, float* y) {
  for (int t = 0; t < N; ++t) {
    for (int w = 0; w < Wide; ++w) store(y + t * 16 + lane + w * Lanes, sums[t][w]);
  }
}

template <class Format, int N, Rounding How>
inline void dotInteger(const std::byte* panel, int columns, const std::byte* x, std::size_t blockStep, float* y) {
  constexpr int blocks = Format::groupColumns / 32;
  const Groups<Format> groups(panel, columns);
  constexpr int lines = Format::codeBytes / blocks / lineBytes + 1;  // per block, with its share of the headers
  const std::size_t blockBytes = groups.bytesPerGroup() / blocks;
  FetchDistance ahead = fetchDistance(Fetched::panels);
  if constexpr (N == 1) {
    const auto headers = static_cast<std::size_t>(groups.codePlane - panel);
    ahead = besideActivations(ahead, quantizedRowBytes(static_cast<std::size_t>(columns)), headers + ahead.bytes);
  }
  for (int lane = 0; lane < 16; lane += Wide * Lanes) {
    F sums[N][Wide] = {};
    // Fetched in memory order, as if headers and codes were interleaved. Since a panel's headers come before its codes, it is the codes
    // that must be as far ahead as was measured: from the panel's start on, those of 8192 columns of Q4_0 were not ahead at all.
    const std::byte* now = groups.codePlane;
    const std::byte* block = x;
    for (int group = 0; group < columns / Format::groupColumns; ++group) {
      const std::byte* codes = groups.codes(static_cast<std::size_t>(group));
      const auto header = loadHeader(groups, group, lane);
#pragma GCC unroll 1  // unrolled, types in groups of 256 are read from memory a sixth slower
      for (int sub = 0; sub < blocks; ++sub, now += blockBytes, block += blockStep) {
        if constexpr (N == 1 || Lanes == 16) fetchLines<lines>(now, ahead);
        addBlock<Format, N, How>(decode<Format, How>(codes, header, sub, lane), block, sums);
      }
    }
    storeSums<N>(sums, lane, y);
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
  constexpr std::size_t groupBytes = Groups<Format>::bytesPerGroup(), lines = (groupBytes + lineBytes - 1) / lineBytes;
  const Groups<Format> groups(panel, columns);
  const FetchDistance ahead = fetchDistance(Fetched::panels);
  for (int lane = 0; lane < 16; lane += Lanes) {
    F sums[N][2] = {};
    for (int group = 0; group < columns / Format::groupColumns; ++group) {
      const std::byte* codes = groups.codes(static_cast<std::size_t>(group));
      if (N == 1 && lane == 0) fetchLines<lines>(groups.codePlane + static_cast<std::size_t>(group) * groupBytes, ahead);
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

// Of rows that are read side by side: what is read after byte `at` of each, further along the row or behind its end in the next rows.
template <int Rows>
inline void fetchRowsAhead(const std::byte* rows, std::size_t rowBytes, std::size_t at, FetchDistance ahead) {
  const std::size_t next = at + ahead.bytes / Rows, from = next < rowBytes ? next : next - rowBytes + Rows * rowBytes;
  if (ahead.second) {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < Rows; ++r) fetchToSecond(rows + r * rowBytes + from);
  } else {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < Rows; ++r) fetchToFirst(rows + r * rowBytes + from);
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

// `atOnce` rows at the same time. Only for a single row of activations are weights fetched ahead; each vector fetches its line, although
// several are of the same one (once a line was no faster).
template <class Format, int N, int atOnce>
inline void dotRowsAtOnce(const std::byte* rows, int columns, const std::byte* x, std::size_t xStride, FetchDistance ahead, float* y) {
  const auto count = static_cast<std::size_t>(columns), rowBytes = count * Format::elementBytes;
  for (int first = 0; first < 16; first += atOnce, rows += atOnce * rowBytes) {
    F sums[atOnce][N] = {};
    for (std::size_t k = 0; k < count; k += Lanes) {
      const std::size_t at = k * Format::elementBytes;
      if constexpr (N == 1) fetchRowsAhead<atOnce>(rows, rowBytes, at, ahead);
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
// row has.
template <class Format, int N>
inline void dotInRows(const std::byte* rows, int columns, const std::byte* x, std::size_t xStride, float* y) {
  constexpr int atOnce = N > 1 ? 4 : Lanes == 16 ? 1 : 8;
  FetchDistance ahead = fetchDistance(Fetched::rows);
  const auto count = static_cast<std::size_t>(columns), rowBytes = count * Format::elementBytes;
  if constexpr (atOnce == 1) ahead = besideActivations(ahead, count * 4, rowBytes > 2 * ahead.bytes ? rowBytes : 2 * ahead.bytes);
  dotRowsAtOnce<Format, N, atOnce>(rows, columns, x, xStride, ahead, y);
}

// Whether codes are multiplied as integers (products.h). Only these formats depend on how the instruction set does that.
template <class Format>
constexpr bool multipliesCodes = !inRows<Format> && !(requires { Format::smallFloat; }) && !(requires { Format::columnsPerLine; });

// Rows of activations whose sums fit into the registers. Parts are for single rows.
template <Rounding How>
constexpr int mostRows = Lanes == 16              ? 16
                         : How == Rounding::parts ? 1
                                                  : 4;

// Number of rows processed at once if n are left: as many as fit. Fewer variants limit the code's size: up to half of that, and for rare
// formats only two and one.
template <class Format, int Whole>
constexpr int rowsAtOnce(int n) {
  constexpr int most = Whole > 8 ? Whole / 2 : Whole;
  if (n >= Whole) return Whole;
  if constexpr (requires { requires Format::rare; }) return n >= 2 ? 2 : 1;
  return n < most ? n : most;
}

// Calls work<N>() for the number of rows N that the function above gives for n, and returns it.
template <class Format, int Most, int N = Most, class Work>
inline int withRows(int n, const Work& work) {
  if constexpr (N > 1) {
    if constexpr (rowsAtOnce<Format, Most>(N) == N) {
      if (n < N) return withRows<Format, Most, N - 1>(n, work);
    } else {
      return withRows<Format, Most, N - 1>(n, work);
    }
  }
  work.template operator()<N>();
  return N;
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

// Several rows with narrow vectors, or of formats that are hard to decode: some blocks at a time are decoded once and kept in the L1 cache
// for all of them.
template <class Format, Rounding How>
void dotShared(const std::byte* panel, int columns, const std::byte* x, int n, float* y) {
  constexpr int each = Format::groupColumns / 32, most = each < 8 ? 8 : each;
  const Groups<Format> groups(panel, columns);
  const int blocks = columns / 32;
  constexpr int lines = Format::codeBytes / each / lineBytes + 1;
  const std::size_t blockBytes = groups.bytesPerGroup() / each, step = static_cast<std::size_t>(n) * sizeof(QuantizedBlock);
  const FetchDistance ahead = fetchDistance(Fetched::panels);
  for (int lane = 0; lane < 16; lane += Wide * Lanes) {
    F sums[batchRows][Wide] = {};
    const std::byte *from = x, *now = groups.codePlane;  // as in dotInteger
    for (int first = 0; first < blocks; first += most, from += most * step) {
      const int count = blocks - first < most ? blocks - first : most;
      DecodedBlock<Format, How> decoded[most];
      for (int b = 0; b < count; b += each) {
        const int group = (first + b) / each;
        const auto header = loadHeader(groups, group, lane);
        for (int sub = 0; sub < each; ++sub, now += blockBytes) {
          fetchLines<lines>(now, ahead);
          decoded[b + sub] = decode<Format, How>(groups.codes(static_cast<std::size_t>(group)), header, sub, lane);
        }
      }
      for (int t = 0; t < n;) {
        t += withRows<Format, mostRows<How>>(n - t, [&]<int N>() {
          const std::byte* row = from + static_cast<std::size_t>(t) * sizeof(QuantizedBlock);
          for (int b = 0; b < count; ++b, row += step) addBlock<Format, N, How>(decoded[b], row, sums + t);
        });
      }
    }
    for (int t = 0; t < n; ++t) storeSums<1>(sums + t, lane, y + t * 16);
  }
}

// Batch by batch of quantized rows.
template <class Format, Rounding How>
void dotBatches(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, int n, float* y) {
  constexpr int most = mostRows<How>;
  constexpr bool costly = requires { requires Format::costly; };
  constexpr bool shares = (Lanes < 16 || costly) && most > 1;
  constexpr int unshared = !shares ? most : Lanes == 16 ? 2 : 1;  // as many rows of a format that shares are faster by themselves
  for (; n > 0; n -= batchRows, x += batchRows * xStride, y += batchRows * 16) {
    const int rows = n < batchRows ? n : batchRows;
    if constexpr (shares) {
      if (rows > unshared) {
        dotShared<Format, How>(panel, columns, x, rows, y);
        continue;
      }
    }
    const std::size_t step = static_cast<std::size_t>(rows) * sizeof(QuantizedBlock);
    for (int t = 0; t < rows;) {
      t += withRows<Format, most, unshared>(rows - t, [=]<int N>() {
        dotInteger<Format, N, How>(panel, columns, x + static_cast<std::size_t>(t) * sizeof(QuantizedBlock), step, y + t * 16);
      });
    }
  }
}

template <class Format>
void dot(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, int n, float* y) {
  if constexpr (multipliesCodes<Format>) dotBatches<Format, Rounding::words>(panel, columns, x, xStride, n, y);
  else dotFloats<Format>(panel, columns, x, xStride, n, y);
}

// Whether there is a kernel for activations that are rounded so; all formats have one for words.
template <class Format, Rounding How>
constexpr bool hasProducts = How == Rounding::words;
template <class Format>
requires(requires { Format::largestCode; }) constexpr bool hasProducts<Format, Rounding::parts> = multipliesParts<Format::largestCode>;
template <class Format>
requires(
    requires { Format::largestCode; } &&
    !requires { requires Format::precise; }) constexpr bool hasProducts<Format, Rounding::bytes> = multipliesBytes<Format::largestCode>;

template <class Format, Rounding How>
constexpr DotFunction productFunction() {
  if constexpr (How == Rounding::words) return dot<Format>;
  else if constexpr (hasProducts<Format, How>) return dotBatches<Format, How>;
  else return nullptr;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
