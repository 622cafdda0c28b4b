// Keys and values in a KV cache of floats (HalfCache and SingleCache in vector.h; layout: kernels.h), as attention multiplies them.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/cache_ahead.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int vectorsBeside = 2;  // multiplied by a query in turn, so that an addition need not wait for the one before it

// Of keys, which lie element by element with 16 positions each, the vectors beside each other are two parts of an element or, where one
// vector has all 16 positions, the same part of two elements. Either way memory is read in order, as one stream, which hardware prefetches
// best: with two blocks side by side, a Zen 4 took twice as long.
constexpr int elementsBeside = vectorsBeside * Lanes > 16 ? 2 : 1;

template <int V>
inline void multiplyAddEach(const F (&a)[V], F b, F (&sums)[V]) {
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) sums[v] = multiplyAdd(a[v], b, sums[v]);
}

// sums[t][v] += q[t][d ...] . V vectors of keys.
template <class Cache, int N, int V>
inline void multiplyKeys(const std::byte* keys, const std::byte* ahead, const float* const* q, int d, F (&sums)[N][vectorsBeside]) {
  F key[V];
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    if (v * Lanes * Cache::bytes % 64 == 0) fetchToSecond(ahead + v * Lanes * Cache::bytes);
    key[v] = Cache::load(keys + v * Lanes * Cache::bytes);
  }
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) sums[t][v] = multiplyAdd(key[v], broadcast(q[t][d + v * Lanes / 16]), sums[t][v]);
}

// scores[t][p] = scale * q[t] . key p, for a block of 16 positions.
template <class Cache, int N>
inline void scoreBlock(const std::byte* keys, const std::byte* ahead, int headDim, const float* const* q, float scale, float* scores) {
  for (int lane = 0; lane < 16; lane += vectorsBeside * Lanes) {
    F sums[N][vectorsBeside] = {};
    int d = 0;
    for (; d + elementsBeside <= headDim; d += elementsBeside) {
      const std::size_t at = static_cast<std::size_t>(d * 16 + lane) * Cache::bytes;
      multiplyKeys<Cache, N, vectorsBeside>(keys + at, ahead + at, q, d, sums);
    }
    if (d < headDim) {
      const std::size_t at = static_cast<std::size_t>(d * 16 + lane) * Cache::bytes;
      multiplyKeys<Cache, N, 1>(keys + at, ahead + at, q, d, sums);
    }
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
}

// out[t][d] += sum over positions of weights[t][p] * value p, for V vectors of d and up to 16 positions.
template <class Cache, int N, int V>
inline void addVectors(const std::byte* values, const std::byte* ahead, std::size_t stride, int count, const float* weights, float* out) {
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
    for (int t = 0; t < N; ++t) multiplyAddEach(value, broadcast(weights[t * attentionBlock + p]), sums[t]);
  }
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) store(out + static_cast<std::size_t>(t) * stride + v * Lanes, sums[t][v]);
}

// addVectors for the columns from d on, as many vectors at once as there are registers for their sums: so whole rows of values are read in
// order, and a weight is read once for them.
template <class Cache, int N, int V = (Lanes == 16 ? 16 : 8) / N>
inline void addColumns(const std::byte* values, const std::byte* ahead, std::size_t d, std::size_t stride, int count, const float* weights,
                       float* out) {
  if constexpr (V > 8) return addColumns<Cache, N, 8>(values, ahead, d, stride, count, weights, out);
  else if constexpr (V > 0) {
    for (; d + V * Lanes <= stride; d += V * Lanes)
      addVectors<Cache, N, V>(values + d * Cache::bytes, ahead + d * Cache::bytes, stride, count, weights, out + d);
    addColumns<Cache, N, V / 2>(values, ahead, d, stride, count, weights, out);
  }
}

// What attention asks of a cache, for N queries.
template <class Cache, int N>
class FloatReader {
 public:
  FloatReader(const AttentionShape& shape, const float* const* q, float*) : m_shape(shape), m_q(q) {}

  // scores[t][p] = scale * q[t] . key p, for `count` positions of a page, rounded up to whole blocks.
  void score(const std::byte* keys, int count, CacheAhead& ahead, float* scores) const {
    const std::size_t bytes = keyBlockBytes(Cache::type, m_shape.headDim);
    for (int p = 0; p < count; p += 16, keys += bytes)
      scoreBlock<Cache, N>(keys, ahead.piece(keys, bytes), m_shape.headDim, m_q, m_shape.scale, scores + p);
  }

  // out[t][d] += sum over `count` positions of a page of weights[t][p] * value p.
  void add(const std::byte* values, int count, CacheAhead& ahead, const float* weights, float* out) const {
    const std::size_t bytes = valueBlockBytes(Cache::type, m_shape.valueDim), stride = valueStride(m_shape.valueDim);
    for (int p = 0; p < count; p += 16, values += bytes)
      addColumns<Cache, N>(values, ahead.piece(values, bytes), 0, stride, count - p < 16 ? count - p : 16, weights + p, out);
  }

 private:
  const AttentionShape& m_shape;
  const float* const* m_q;
};

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
