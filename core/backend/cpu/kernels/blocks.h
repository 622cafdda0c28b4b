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
// The block of 16 positions, and the lane of it, at which vector v of several begins.
constexpr std::size_t blockOf(int v) { return static_cast<std::size_t>(v * Lanes / 16); }
constexpr int laneOf(int v) { return v * Lanes % 16; }

template <int V>
inline void multiplyAddEach(const F (&a)[V], F b, F (&sums)[V]) {
#pragma GCC unroll 2
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

// scoreKeys for the Q8_0 cache.
template <int N, int V>
inline void scoreBlocks(const std::byte* keys, const std::byte* ahead, int lane, int headDim, const float* const* q, float scale,
                        float* scores) {
  const std::size_t blockBytes = keyBlockBytes(CacheType::blocks, headDim);
  F sums[N][V] = {};
  for (int d = 0; d < headDim; d += runElements) {
    const int count = headDim - d < runElements ? headDim - d : runElements;
    F partial[N][V] = {};
    for (int j = 0; j < count; ++j) {
      const int at = runScales + j * 16 + lane;
      F key[V];
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) {
        const std::size_t vector = static_cast<std::size_t>(at + laneOf(v)) + blockOf(v) * blockBytes;
        if (laneOf(v) == 0 && j % 4 == 0) fetch(ahead + vector);
        key[v] = BlockCache::load(keys + vector);
      }
#pragma GCC unroll 8
      for (int t = 0; t < N; ++t) multiplyAddEach(key, broadcast(q[t][d + j]), partial[t]);
    }
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      const F step = loadHalves(keys + blockOf(v) * blockBytes + (lane + laneOf(v)) * 2);
      for (int t = 0; t < N; ++t) sums[t][v] = multiplyAdd(partial[t][v], step, sums[t][v]);
    }
    keys += runScales + count * 16;
    ahead += runScales + count * 16;
  }
  for (int t = 0; t < N; ++t)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) store(scores + t * attentionBlock + v * Lanes, sums[t][v] * scale);
}

// out[t][d] += sum over positions of weights[t][p] * value p, for V vectors of d and up to 16 positions.
// The values are elements of a cache of floats, or codes whose scales the weights have in them; weightStep: from query to query.
template <class Cache, int N, int V>
inline void addVectors(const std::byte* values, const std::byte* ahead, std::size_t stride, int count, const float* weights, int weightStep,
                       float* out) {
  F sums[N][V];
  for (int t = 0; t < N; ++t)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) sums[t][v] = loadF(out + static_cast<std::size_t>(t) * stride + v * Lanes);
  for (int p = 0; p < count; ++p) {
    const std::size_t at = static_cast<std::size_t>(p) * stride * Cache::bytes;
    F value[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      const std::size_t vector = at + v * Lanes * Cache::bytes;
      if (v * Lanes * Cache::bytes % 64 == 0) fetch(ahead + vector);
      value[v] = Cache::load(values + vector);
    }
#pragma GCC unroll 8
    for (int t = 0; t < N; ++t) multiplyAddEach(value, broadcast(weights[t * weightStep + p]), sums[t]);
  }
  for (int t = 0; t < N; ++t)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) store(out + static_cast<std::size_t>(t) * stride + v * Lanes, sums[t][v]);
}

// addValues for the Q8_0 cache. The scales of a run are multiplied into the weights first, so that each element only needs
// to be widened.
template <int N>
inline void addBlocks(const std::byte* values, const std::byte* ahead, std::size_t stride, int count, const float* weights, float* out) {
  const std::size_t runs = cacheRuns(stride);
  float scaled[N * 16];
  for (std::size_t r = 0; r < runs; ++r) {
    fetch(ahead + r * runScales);
    for (int p = 0; p < 16; p += Lanes) {
      const F step = loadHalves(values + r * runScales + p * 2);
      for (int t = 0; t < N; ++t) store(scaled + t * 16 + p, loadF(weights + t * attentionBlock + p) * step);
    }
    const std::byte *codes = values + runs * runScales, *next = ahead + runs * runScales;
    const std::size_t end = (r + 1) * runElements < stride ? (r + 1) * runElements : stride;
    std::size_t d = r * runElements;
    for (; d + vectorsBeside * Lanes <= end; d += vectorsBeside * Lanes)
      addVectors<BlockCache, N, vectorsBeside>(codes + d, next + d, stride, count, scaled, 16, out + d);
    for (; d < end; d += Lanes) addVectors<BlockCache, N, 1>(codes + d, next + d, stride, count, scaled, 16, out + d);
  }
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
