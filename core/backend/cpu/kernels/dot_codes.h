// Dot products of a panel's codes with a few rows of rounded activations (Rounding in kernels.h).
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/fetch.h"
#include "core/backend/cpu/kernels/formats.h"
#include "core/backend/cpu/kernels/products.h"
#include "core/backend/cpu/kernels/rows_at_once.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// The codes of a block of 32 columns, and what they mean, for Wide vectors of rows of the panel.
template <class Format, Rounding How>
struct DecodedBlock {
  Codes<codeSplits<How>> words[8];
  F scales[Format::halves][Wide], offsets[Format::hasOffset ? Format::halves : 1][Wide];  // offsets: of formats that have any
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
    }
  }
  return block;
}

// -zero * sum of the block of activations, or of this half of it.
template <class Format, Rounding How>
[[gnu::always_inline]] inline F zeroSum(const QuantizedBlock& row, int half) {
  constexpr int first = How == Rounding::bytes ? zeroSumIndex(Format::zero, Format::halves == 2 ? 0 : -1) : -1;
  if constexpr (first >= 0) return broadcast(loadAs<float>(row.q + zeroSumOffset(first + half)));
  else return broadcastProduct(Format::halves == 2 ? row.halves[half] : row.sum, -static_cast<float>(Format::zero));
}

// Adds a block's share to the sums of one row of activations. `totals` are the sums of products of codes and rounded activations, `step` is
// the scale of these and `sum` what they add up to. With offsets the share is scale * step * totals + offset * sum; without,
// scale * (step * totals - zero * sum), which has one operation less for each vector.
template <class Format, Rounding How>
[[gnu::always_inline]] inline void addTotals(const DecodedBlock<Format, How>& block, const QuantizedBlock& row, int half,
                                             const I (&totals)[Wide], F (&sums)[Wide]) {
  const F step = broadcast(row.scale);
  const float& sum = Format::halves == 2 ? row.halves[half] : row.sum;
  F below{};
  if constexpr (Format::zero != 0) below = zeroSum<Format, How>(row, half);
#pragma GCC unroll 2
  for (int w = 0; w < Wide; ++w) {
    if constexpr (Format::hasOffset) {
      sums[w] = multiplyAdd(toFloat(totals[w]) * block.scales[half][w], step, sums[w]);
      sums[w] = multiplyAdd(block.offsets[half][w], broadcast(sum), sums[w]);
    } else {
      sums[w] = multiplyAdd(multiplyAdd(toFloat(totals[w]), step, below), block.scales[half][w], sums[w]);
    }
  }
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
    for (int t = 0; t < N; ++t) addTotals<Format, How>(block, rows[t], half, totals[t], sums[t]);
  }
}

template <class Format, int N>
[[gnu::always_inline]] inline void beginSums(const std::byte* panel, int lane, F (&sums)[N][Wide]) {
  for (int t = 0; t < N; ++t) {
    for (int w = 0; w < Wide; ++w) sums[t][w] = rowFlags<Format>(panel, lane + w * Lanes);
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
    F sums[N][Wide];
    beginSums<Format>(panel, lane, sums);
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

// How many rows of activations are multiplied at once: as many as have their sums in registers. With bytes and narrow vectors it is one
// more: a part of the sums then goes through the L1 cache, but each word of codes that is loaded serves more rows (Zen 3: 2 to 5 % faster).
// Parts are for single rows.
template <Rounding How>
constexpr int mostRows = Lanes == 16              ? 16
                         : How == Rounding::parts ? 1
                         : How == Rounding::bytes ? 5
                                                  : 4;

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
    F sums[batchRows][Wide];
    beginSums<Format>(panel, lane, sums);
    const std::byte *from = x, *now = groups.codePlane;  // as in dotInteger
    for (int first = 0; first < blocks; first += most, from += most * step) {
      const int count = blocks - first < most ? blocks - first : most;
      DecodedBlock<Format, How> decoded[most];
      for (int b = 0; b < count; b += each) {
        const int group = (first + b) / each;
        const auto header = loadHeader(groups, group, lane);
        for (int sub = 0; sub < each; ++sub)
          decoded[b + sub] = decode<Format, How>(groups.codes(static_cast<std::size_t>(group)), header, sub, lane);
      }
      // Later weights are fetched beside the products, a few lines at a time: fetched while these blocks are decoded, their lines were more
      // than a core can have underway (Zen 3, Q4_0, 8 and 20 rows from memory: 6 to 8 % slower).
      for (int t = 0, fetched = 0; t < n;) {
        t += withRows<Format, mostRows<How>>(n - t, [&]<int N>() {
          for (const int due = count * (t + N) / n; fetched < due; ++fetched, now += blockBytes) fetchLines<lines>(now, ahead);
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

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
