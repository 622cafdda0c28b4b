// The Q8_0 KV cache: runs of 32 elements with a scale, dequantized in registers while attention reads them (layout:
// kernels.h).
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/fetch.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

struct BlockCache {
  static constexpr CacheType type = CacheType::blocks;
  static constexpr std::size_t bytes = 1;
  static F load(const std::byte* from) { return toFloat(loadSignedBytes(from)); }  // codes without their scales
};

constexpr int runElements = 32;
constexpr int runScales = 32;  // bytes: a float16 for each of 16 positions

constexpr int vectorsBeside = 2;  // multiplied by a query in turn, so that an addition need not wait for the one before it

template <int V>
inline void multiplyAddEach(const F (&a)[V], F b, F (&sums)[V]) {
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) sums[v] = multiplyAdd(a[v], b, sums[v]);
}

// scale: a float16. The codes are computed with the rounded scale, so its rounding adds no error.
inline void quantizeRun(const float* x, int count, std::int8_t* codes, std::byte* scale) {
  float run[runElements] = {};
  __builtin_memcpy(run, x, static_cast<std::size_t>(count) * 4);
  F peak{};
  for (int i = 0; i < runElements; i += Lanes) peak = maximum(peak, (F)((U)loadF(run + i) & 0x7fffffffu));
  std::byte halves[Lanes * 2];
  storeHalves(halves, broadcast(largest(peak) / 127.0F));
  __builtin_memcpy(scale, halves, 2);
  const float step = loadHalves(halves)[0];
  const float inverse = step > 0 ? 1.0F / step : 0.0F;
  for (int i = 0; i < runElements; i += Lanes) {
    const I code = nearest(minimum(maximum(loadF(run + i) * inverse, broadcast(-127.0F)), broadcast(127.0F)));
    for (int j = 0; j < Lanes; ++j) codes[i + j] = static_cast<std::int8_t>(code[j]);
  }
}

void storeBlocks(const float* k, const float* v, int headDim, int valueDim, int position, const KvHead& to) {
  const auto block = static_cast<std::size_t>(position % attentionBlock / 16), lane = static_cast<std::size_t>(position % 16);
  const std::size_t page = to.pageAt(position);
  std::int8_t codes[runElements];
  std::byte* key = to.keys + page + block * keyBlockBytes(CacheType::blocks, headDim);
  for (int d = 0; d < headDim; d += runElements) {
    const int count = headDim - d < runElements ? headDim - d : runElements;
    quantizeRun(k + d, count, codes, key + lane * 2);
    key += runScales;
    for (int j = 0; j < count; ++j, key += 16) key[lane] = static_cast<std::byte>(codes[j]);
  }
  const std::size_t stride = valueStride(valueDim);
  std::byte* scales = to.values + page + block * valueBlockBytes(CacheType::blocks, valueDim);
  std::byte* value = scales + cacheRuns(stride) * runScales + lane * stride;
  for (int d = 0; d < valueDim; d += runElements, scales += runScales) {
    const int count = valueDim - d < runElements ? valueDim - d : runElements;
    const auto left = stride - static_cast<std::size_t>(d);
    quantizeRun(v + d, count, codes, scales + lane * 2);
    __builtin_memcpy(value + d, codes, left < runElements ? left : runElements);  // includes zeros up to the stride
  }
}

// Of keys, which lie element by element with 16 positions each, the vectors beside each other are two parts of an element or, where one
// vector has all 16 positions, the same part of two elements. Either way memory is read in order, as one stream, which hardware prefetches
// best: with two blocks side by side, a Zen 4 took twice as long.
constexpr int elementsBeside = vectorsBeside * Lanes > 16 ? 2 : 1;

// sums[t][v] += q[t][first ...] . V vectors of keys.
template <class Cache, int N, int V>
inline void multiplyKeys(const std::byte* keys, const std::byte* ahead, const float* const* q, int first, F (&sums)[N][vectorsBeside]) {
  F key[V];
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    if (v * Lanes * Cache::bytes % 64 == 0) fetchToSecond(ahead + v * Lanes * Cache::bytes);
    key[v] = Cache::load(keys + v * Lanes * Cache::bytes);
  }
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) sums[t][v] = multiplyAdd(key[v], broadcast(q[t][first + v * Lanes / 16]), sums[t][v]);
}

// The same for `count` elements from q[t][first] on; positions from `lane` on.
template <class Cache, int N>
inline void multiplyElements(const std::byte* keys, const std::byte* ahead, int lane, const float* const* q, int first, int count,
                             F (&sums)[N][vectorsBeside]) {
  int d = 0;
  for (; d + elementsBeside <= count; d += elementsBeside) {
    const std::size_t at = static_cast<std::size_t>(d * 16 + lane) * Cache::bytes;
    multiplyKeys<Cache, N, vectorsBeside>(keys + at, ahead + at, q, first + d, sums);
  }
  if (d == count) return;
  const std::size_t at = static_cast<std::size_t>(d * 16 + lane) * Cache::bytes;
  multiplyKeys<Cache, N, 1>(keys + at, ahead + at, q, first + d, sums);
}

// scores[t][p] = scale * sums[t], for the positions from `lane` on.
template <int N>
inline void storeScores(const F (&sums)[N][vectorsBeside], int lane, float scale, float* scores) {
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t) {
    float* row = scores + t * attentionBlock + lane;
    if constexpr (elementsBeside == 2) store(row, (sums[t][0] + sums[t][1]) * scale);
    else {
#pragma GCC unroll 2
      for (int v = 0; v < vectorsBeside; ++v) store(row + v * Lanes, sums[t][v] * scale);
    }
  }
}

// scoreKeys for the Q8_0 cache.
template <int N>
inline void scoreBlocks(const std::byte* keys, const std::byte* ahead, int lane, int headDim, const float* const* q, float scale,
                        float* scores) {
  F sums[N][vectorsBeside] = {};
  for (int d = 0; d < headDim; d += runElements) {
    const int count = headDim - d < runElements ? headDim - d : runElements;
    F partial[N][vectorsBeside] = {};
    multiplyElements<BlockCache, N>(keys + runScales, ahead + runScales, lane, q, d, count, partial);
#pragma GCC unroll 2
    for (int v = 0; v < vectorsBeside; ++v) {
      const F step = loadHalves(keys + (lane + v * Lanes % 16) * 2);
      for (int t = 0; t < N; ++t) sums[t][v] = multiplyAdd(partial[t][v], step, sums[t][v]);
    }
    keys += runScales + count * 16;
    ahead += runScales + count * 16;
  }
  storeScores(sums, lane, scale, scores);
}

// out[t][d] += sum over positions of weights[t][p] * value p, for V vectors of d and up to 16 positions.
// The values are elements of a cache of floats, or codes whose scales the weights have in them; weightStep: from query to query.
template <class Cache, int N, int V>
inline void addVectors(const std::byte* values, const std::byte* ahead, std::size_t stride, int count, const float* weights, int weightStep,
                       float* out) {
  F sums[N][V];
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) sums[t][v] = loadF(out + static_cast<std::size_t>(t) * stride + v * Lanes);
  for (int p = 0; p < count; ++p) {
    const std::size_t at = static_cast<std::size_t>(p) * stride * Cache::bytes;
    F value[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      const std::size_t vector = at + v * Lanes * Cache::bytes;
      if (v * Lanes * Cache::bytes % 64 == 0) fetchToSecond(ahead + vector);
      value[v] = Cache::load(values + vector);
    }
#pragma GCC unroll 8
    for (int t = 0; t < N; ++t) multiplyAddEach(value, broadcast(weights[t * weightStep + p]), sums[t]);
  }
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) store(out + static_cast<std::size_t>(t) * stride + v * Lanes, sums[t][v]);
}

// addVectors for the columns [d, end), as many vectors at once as there are registers for their sums: so whole rows of values are read in
// order, and a weight is read once for them.
template <class Cache, int N, int V = (Lanes == 16 ? 16 : 8) / N>
inline void addColumns(const std::byte* values, const std::byte* ahead, std::size_t d, std::size_t end, std::size_t stride, int count,
                       const float* weights, int weightStep, float* out) {
  if constexpr (V > 8) return addColumns<Cache, N, 8>(values, ahead, d, end, stride, count, weights, weightStep, out);
  else if constexpr (V > 0) {
    for (; d + V * Lanes <= end; d += V * Lanes)
      addVectors<Cache, N, V>(values + d * Cache::bytes, ahead + d * Cache::bytes, stride, count, weights, weightStep, out + d);
    addColumns<Cache, N, V / 2>(values, ahead, d, end, stride, count, weights, weightStep, out);
  }
}

// addValues for the Q8_0 cache. The scales of a run are multiplied into the weights first, so that each element only needs
// to be widened.
template <int N>
inline void addBlocks(const std::byte* values, const std::byte* ahead, std::size_t stride, int count, const float* weights, float* out) {
  const std::size_t runs = cacheRuns(stride);
  float scaled[N * 16];
  for (std::size_t r = 0; r < runs; ++r) {
    fetchToSecond(ahead + r * runScales);
    for (int p = 0; p < 16; p += Lanes) {
      const F step = loadHalves(values + r * runScales + p * 2);
      for (int t = 0; t < N; ++t) store(scaled + t * 16 + p, loadF(weights + t * attentionBlock + p) * step);
    }
    const std::byte *codes = values + runs * runScales, *next = ahead + runs * runScales;
    const std::size_t end = (r + 1) * runElements < stride ? (r + 1) * runElements : stride;
    addColumns<BlockCache, N>(codes, next, r * runElements, end, stride, count, scaled, 16, out);
  }
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
