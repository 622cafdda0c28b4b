// Keys and values in the Q8_0 KV cache: runs of 32 elements as signed bytes with a scale (layout: kernels.h). Attention multiplies them as
// 16-bit integers: it rounds queries and weights to 16 bits, which adds less than a hundredth of the error of the
// cache's own 8 bits. So two products are added at once, and codes need not be widened to floats.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/cache_ahead.h"
#include "core/backend/cpu/kernels/cached_floats.h"
#include "core/backend/cpu/kernels/products.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int runElements = 32;
constexpr int runScales = 32;  // bytes: a float16 for each of 16 positions

inline int runOf(int dim, int r) { return dim - r * runElements < runElements ? dim - r * runElements : runElements; }

// scale: a float16. The codes are computed with the rounded scale, so its rounding adds no error.
inline void quantizeRun(const float* x, int count, std::int8_t* codes, std::byte* scale) {
  float run[runElements] = {};
  __builtin_memcpy(run, x, static_cast<std::size_t>(count) * 4);
  std::byte halves[Lanes * 2];
  storeHalves(halves, withinHalves(broadcast(largestMagnitude(run) / 127.0F)));
  __builtin_memcpy(scale, halves, 2);
  const float step = loadHalves(halves)[0];
  const float inverse = step > 0 ? 1.0F / step : 0.0F;
  for (int i = 0; i < runElements; i += Lanes) {
    const I code = nearest(clamped(loadF(run + i) * inverse, -127.0F, 127.0F));
    for (int j = 0; j < Lanes; ++j) codes[i + j] = static_cast<std::int8_t>(code[j]);
  }
}

void storeCodes(const float* k, const float* v, int headDim, int valueDim, int position, const KvHead& to) {
  const auto block = static_cast<std::size_t>(position % attentionBlock / 16), lane = static_cast<std::size_t>(position % 16);
  const std::size_t page = to.pageAt(position);
  std::int8_t codes[runElements];
  std::byte* key = to.keys + page + block * keyBlockBytes(CacheType::blocks, headDim);
  for (int r = 0; r * runElements < headDim; ++r) {
    const int count = runOf(headDim, r);
    quantizeRun(k + r * runElements, count, codes, key + lane * 2);
    key += runScales;
    for (int j = 0; j < count; j += 2, key += 32) __builtin_memcpy(key + lane * 2, codes + j, 2);  // a zero after an odd number
  }
  const std::size_t stride = valueStride(valueDim);
  std::byte* scales = to.values + page + block * valueBlockBytes(CacheType::blocks, valueDim);
  std::byte* value = scales + cacheRuns(stride) * runScales + lane % 8 * stride * 2 + lane / 8;
  for (int r = 0; r * runElements < valueDim; ++r, scales += runScales) {
    quantizeRun(v + r * runElements, runOf(valueDim, r), codes, scales + lane * 2);
    const int count = runOf(static_cast<int>(stride), r);  // includes zeros up to the stride
    for (int j = 0; j < count; ++j, value += 2) *value = static_cast<std::byte>(codes[j]);
  }
}

// sums + the products of the pairs of 16-bit elements of each lane with the pair at `by`.
inline I addPairsTimes(I sums, U pairs, const std::int16_t* by) {
#if MINERVA_LANES == 16
  using Word __attribute__((may_alias)) = std::int32_t;
  // Inline assembly for the reason that addByteProducts() has.
  __asm__("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(sums) : "v"(pairs), "m"(*reinterpret_cast<const Word*>(by)));
  return sums;
#else
  return addPairs(sums, pairs, broadcast(loadAs<std::int32_t>(by)));
#endif
}

struct BlockCache {
  static constexpr CacheType type = CacheType::blocks;
};

// What attention asks of a cache, as FloatReader (cached_floats.h). N queries, whose codes and steps are kept in `scratch`.
template <int N>
class CodeReader {
 public:
  CodeReader(const AttentionShape& shape, const float* const* q, float* scratch)
      : m_shape(shape),
        m_runs(static_cast<int>(cacheRuns(static_cast<std::size_t>(shape.headDim)))),
        m_steps(scratch),
        m_codes(reinterpret_cast<std::int16_t*>(scratch + N * m_runs)) {
    for (int t = 0; t < N; ++t)
      for (int r = 0; r < m_runs; ++r)
        m_steps[t * m_runs + r] = shape.scale * roundRun(q[t] + r * runElements, runOf(shape.headDim, r), codes(t, r));
  }

  void score(const std::byte* keys, int count, CacheAhead& ahead, float* scores) const {
    const std::size_t bytes = keyBlockBytes(CacheType::blocks, m_shape.headDim);
    for (int p = 0; p < count; p += 16, keys += bytes) {
      const std::byte* next = ahead.piece(keys, bytes);
      for (int lane = 0; lane < 16; lane += vectorsBeside * Lanes) scoreBlock(keys, next, lane, scores + p + lane);
    }
  }

  void add(const std::byte* values, int count, CacheAhead& ahead, const float* weights, float* out) const {
    const Page page = pageOf(values, count, ahead);
    const auto stride = static_cast<int>(page.stride);
    for (int r = 0; r * runElements < stride; ++r) {
      Weights rounded;
      roundWeights(page, r, weights, rounded);
      addColumns(page, rounded, r * runElements, r * runElements + runOf(stride, r), out);
    }
  }

 private:
  static constexpr float limit = 32767.0F;  // of codes: 64 products of two with a code of 8 bits can be added in 32 bits
  static constexpr int mostBlocks = attentionBlock / 16;

  // The values of a page: blocks of 16 positions, and what is fetched meanwhile.
  struct Page {
    const std::byte* values;
    const std::byte* ahead[mostBlocks];
    std::size_t bytes, stride, header;  // of a block; elements of a position; bytes of a block's scales
    int count, blocks;                  // positions; blocks that have some
  };
  // Of the weights times the scales of a run, for the positions of a page: codes[t][block][pair of positions][2].
  struct Weights {
    std::int16_t codes[N][attentionBlock];
    float steps[N];
  };

  // Rounds a run of a query to codes and returns their step.
  static float roundRun(const float* x, int count, std::int16_t* codes) {
    float shorter[runElements] = {};
    if (count < runElements) x = static_cast<const float*>(__builtin_memcpy(shorter, x, static_cast<std::size_t>(count) * 4));
    const float most = largestMagnitude(x), inverse = most > 0 ? limit / most : 0.0F;
    for (int i = 0; i < runElements; i += Lanes) storeWords(codes + i, nearest(loadF(x + i) * inverse));
    return most / limit;
  }
  [[nodiscard]] std::int16_t* codes(int t, int r) const { return m_codes + (t * m_runs + r) * runElements; }

  static constexpr int pairsBeside = elementsBeside;  // lanes as in cached_floats.h, but of pairs of elements

  template <int V>
  static void multiplyKeys(const std::byte* keys, const std::byte* ahead, const std::int16_t* const (&q)[N], int pair,
                           I (&sums)[N][vectorsBeside]) {
    U key[V];
    fetchToSecond(ahead);
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) key[v] = widenBytes(keys + v * Lanes * 2);
#pragma GCC unroll 8
    for (int t = 0; t < N; ++t)
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) sums[t][v] = addPairsTimes(sums[t][v], key[v], q[t] + 2 * (pair + v * Lanes / 16));
  }

  // scores[t] of the positions from `lane` on, of a block of 16.
  void scoreBlock(const std::byte* keys, const std::byte* ahead, int lane, float* scores) const {
    F sums[N][vectorsBeside] = {};
    for (int r = 0; r < m_runs; ++r) {
      const int pairs = (runOf(m_shape.headDim, r) + 1) / 2;
      const std::int16_t* q[N];
      for (int t = 0; t < N; ++t) q[t] = codes(t, r);
      I products[N][vectorsBeside] = {};
      int pair = 0;
      for (; pair + pairsBeside <= pairs; pair += pairsBeside) {
        const int at = runScales + pair * 32 + lane * 2;
        multiplyKeys<vectorsBeside>(keys + at, ahead + at, q, pair, products);
      }
      if (pair < pairs) {
        const int at = runScales + pair * 32 + lane * 2;
        multiplyKeys<1>(keys + at, ahead + at, q, pair, products);
      }
#pragma GCC unroll 2
      for (int v = 0; v < vectorsBeside; ++v) {
        const F step = loadHalves(keys + (lane + v * Lanes % 16) * 2);
#pragma GCC unroll 8
        for (int t = 0; t < N; ++t) sums[t][v] = multiplyAdd(toFloat(products[t][v]), step * m_steps[t * m_runs + r], sums[t][v]);
      }
      keys += runScales + pairs * 32;
      ahead += runScales + pairs * 32;
    }
#pragma GCC unroll 8
    for (int t = 0; t < N; ++t) {
      float* row = scores + t * attentionBlock;
      if constexpr (pairsBeside == 2) store(row, sums[t][0] + sums[t][1]);
      else {
#pragma GCC unroll 2
        for (int v = 0; v < vectorsBeside; ++v) store(row + v * Lanes, sums[t][v]);
      }
    }
  }

  [[nodiscard]] Page pageOf(const std::byte* values, int count, CacheAhead& ahead) const {
    const std::size_t stride = valueStride(m_shape.valueDim);
    const std::size_t bytes = valueBlockBytes(CacheType::blocks, m_shape.valueDim), header = cacheRuns(stride) * runScales;
    Page page{values, {}, bytes, stride, header, count, (count + 15) / 16};
    for (int b = 0; b < page.blocks; ++b) page.ahead[b] = ahead.piece(values + static_cast<std::size_t>(b) * bytes, bytes);
    return page;
  }

  // The codes of a query are rounded by the largest product of its own weights and scales: a position that it does not see has weight 0, so
  // that its result is the same whichever queries share the tile.
  static void roundWeights(const Page& page, int r, const float* weights, Weights& to) {
    float scales[attentionBlock], products[attentionBlock];
    for (int b = 0; b < page.blocks; ++b) {
      const std::size_t at = static_cast<std::size_t>(b) * page.bytes + static_cast<std::size_t>(r) * runScales;
      fetchToSecond(page.ahead[b] + static_cast<std::size_t>(r) * runScales);
      for (int p = 0; p < 16; p += Lanes) store(scales + b * 16 + p, loadHalves(page.values + at + p * 2));
    }
    for (int p = page.count; p < page.blocks * 16; ++p) scales[p] = 0;  // nothing is stored there
    for (int t = 0; t < N; ++t) {
      I most{};
      for (int p = 0; p < page.blocks * 16; p += Lanes) {
        const F product = loadF(weights + t * attentionBlock + p) * loadF(scales + p);
        store(products + p, product);
        most = greater(most, magnitudeBits(product));
      }
      const float largestProduct = largestOfBits(most), inverse = largestProduct > 0 ? limit / largestProduct : 0.0F;
      to.steps[t] = largestProduct / limit;
      for (int p = 0; p < page.blocks * 16; p += 16) {
        I codes[16 / Lanes];
#pragma GCC unroll 4
        for (int i = 0; i < 16 / Lanes; ++i) codes[i] = nearest(loadF(products + p + i * Lanes) * inverse);
        storeWordPairs(to.codes[t] + p, codes);
      }
    }
  }

  // out[t] += weights[t] . values, for V vectors of columns from d on.
  template <int V>
  static void addVectors(const Page& page, const Weights& weights, std::size_t d, float* out) {
    I sums[N][V] = {};
    const std::byte* values = page.values + page.header + 2 * d;
    const std::int16_t* codes = weights.codes[0];
    for (int b = 0; b < page.blocks; ++b, values += page.bytes) {
      const std::byte* ahead = page.ahead[b] + page.header + 2 * d;
#pragma GCC unroll 8
      for (int pair = 0; pair < 8; ++pair, codes += 2) {
        const std::size_t at = static_cast<std::size_t>(pair) * page.stride * 2;
        U value[V];
        fetchToSecond(ahead + at);
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) value[v] = widenBytes(values + at + v * Lanes * 2);
#pragma GCC unroll 8
        for (int t = 0; t < N; ++t)
#pragma GCC unroll 8
          for (int v = 0; v < V; ++v) sums[t][v] = addPairsTimes(sums[t][v], value[v], codes + t * attentionBlock);
      }
    }
#pragma GCC unroll 8
    for (int t = 0; t < N; ++t)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) {
        float* to = out + static_cast<std::size_t>(t) * page.stride + d + v * Lanes;
        store(to, multiplyAdd(toFloat(sums[t][v]), broadcast(weights.steps[t]), loadF(to)));
      }
  }

  template <int V = (Lanes == 16 ? 16 : 8) / N>
  static void addColumns(const Page& page, const Weights& weights, int d, int end, float* out) {
    constexpr int most = runElements / Lanes;
    if constexpr (V > most) return addColumns<most>(page, weights, d, end, out);
    else if constexpr (V > 0) {
      for (; d + V * Lanes <= end; d += V * Lanes) addVectors<V>(page, weights, static_cast<std::size_t>(d), out);
      addColumns<V / 2>(page, weights, d, end, out);
    }
  }

  const AttentionShape& m_shape;
  int m_runs;  // of a key
  float* m_steps;
  std::int16_t* m_codes;  // [N][m_runs][runElements]
};

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
