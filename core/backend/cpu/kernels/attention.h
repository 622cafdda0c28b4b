// Softmax attention of a few queries over one KV head, in blocks of positions with an online softmax (as in FlashAttention,
// Dao et al. 2022). Heads that share the KV head, and adjacent rows of a prompt, are processed together so that the cache is
// read once.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/blocks.h"
#include "core/backend/cpu/kernels/elementwise.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int queryTile = Lanes == 16 ? 8 : 4;  // queries kept in registers at the same time

// scores[t][p] = scale * q[t] . key p, for the 16 positions of a key block.
template <class Cache, int N>
inline void scoreKeys(const std::byte* keys, int headDim, const float* const* q, float scale, float* scores) {
  if constexpr (Cache::type == CacheType::blocks) return scoreBlocks<N>(keys, headDim, q, scale, scores);
  else
    for (int lane = 0; lane < 16; lane += Lanes) {
      F sums[N] = {};
      for (int d = 0; d < headDim; ++d) {
        const F key = Cache::load(keys + static_cast<std::size_t>(d * 16 + lane) * Cache::bytes);
#pragma GCC unroll 8
        for (int t = 0; t < N; ++t) sums[t] = multiplyAdd(key, broadcast(q[t][d]), sums[t]);
      }
      for (int t = 0; t < N; ++t) store(scores + t * attentionBlock + lane, sums[t] * scale);
    }
}

// out[t][d] += sum over positions of weights[t][p] * value p.
template <class Cache, int N>
inline void addValues(const std::byte* values, std::size_t stride, int count, const float* weights, float* out) {
  if constexpr (Cache::type == CacheType::blocks) return addBlocks<N>(values, stride, count, weights, out);
  else
    for (std::size_t d = 0; d < stride; d += Lanes) {
      F sums[N];
      for (int t = 0; t < N; ++t) sums[t] = loadF(out + static_cast<std::size_t>(t) * stride + d);
      for (int p = 0; p < count; ++p) {
        const F value = Cache::load(values + (static_cast<std::size_t>(p) * stride + d) * Cache::bytes);
#pragma GCC unroll 8
        for (int t = 0; t < N; ++t) sums[t] = multiplyAdd(value, broadcast(weights[t * attentionBlock + p]), sums[t]);
      }
      for (int t = 0; t < N; ++t) store(out + static_cast<std::size_t>(t) * stride + d, sums[t]);
    }
}

struct Running {
  float maximum, sum;
};

// Converts scores of one query to weights e^(score - maximum) and rescales earlier sums to the new maximum. Positions
// outside the query's range, and the padding of the block, get weight 0.
inline void soften(float* scores, int count, int from, int to, float softCap, Running& state, float* out, std::size_t stride) {
  const int padded = (count + Lanes - 1) / Lanes * Lanes;
  if (softCap > 0) {
    for (int p = 0; p < padded; p += Lanes) store(scores + p, softCap * hyperbolicTangent(loadF(scores + p) * (1.0F / softCap)));
  }
  for (int p = 0; p < from; ++p) scores[p] = -__builtin_inff();
  for (int p = to; p < padded; ++p) scores[p] = -__builtin_inff();
  F best = broadcast(state.maximum);
  for (int p = 0; p < padded; p += Lanes) best = maximum(best, loadF(scores + p));
  const float top = largest(best);
  const float decay = exponential(broadcast(state.maximum - top))[0];
  F total{};
  for (int p = 0; p < padded; p += Lanes) {
    const F score = loadF(scores + p);
    const F weight = (F)((U)exponential(score - top) & (U)(score > -3e38F));
    store(scores + p, weight);
    total += weight;
  }
  state.sum = state.sum * decay + sum(total);
  state.maximum = top;
  if (decay == 1.0F) return;
  for (std::size_t d = 0; d < stride; d += Lanes) store(out + d, loadF(out + d) * decay);
}

inline void fetch(const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 64) _mm_prefetch(reinterpret_cast<const char*>(from + at), _MM_HINT_T0);
}

// What to fetch while the scores of a page are computed: blocks of 16 positions of its values, and of the next page's keys. Null: nothing.
struct Ahead {
  const std::byte* values;
  const std::byte* keys;
};

// Computes the scores of up to a page of positions. A cache that is longer than the processor's own is read from memory, which hardware
// alone does too late (as in dot.h).
template <class Cache, int N>
inline void scorePage(const std::byte* keys, Ahead ahead, int count, const AttentionShape& shape, const float* const* q, float* scores) {
  const std::size_t keyBytes = keyBlockBytes(Cache::type, shape.headDim), valueBytes = valueBlockBytes(Cache::type, shape.valueDim);
  const auto fetchNext = [](const std::byte*& at, std::size_t bytes) {
    if (at == nullptr) return;
    fetch(at, bytes);
    at += bytes;
  };
  for (int p = 0; p < count; p += 16, keys += keyBytes) {
    fetchNext(ahead.values, valueBytes);
    fetchNext(ahead.keys, keyBytes);
    scoreKeys<Cache, N>(keys, shape.headDim, q, shape.scale, scores + p);
  }
}

template <class Cache, int N>
inline void attendTile(const KvHead& kv, const AttentionShape& shape, const AttentionQuery* queries, bool fetches, float* scratch) {
  const std::size_t stride = valueStride(shape.valueDim);
  float* scores = scratch;                    // [N][attentionBlock]
  float* out = scratch + N * attentionBlock;  // [N][stride]
  const float* q[N];
  Running states[N];
  int begin = queries[0].begin, end = queries[0].end;
  for (int t = 0; t < N; ++t) {
    q[t] = queries[t].q;
    states[t] = {queries[t].sink, queries[t].sink > noSink ? 1.0F : 0.0F};
    begin = queries[t].begin < begin ? queries[t].begin : begin;
    end = queries[t].end > end ? queries[t].end : end;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(N) * stride; i += Lanes) store(out + i, F{});
  for (int start = begin / 16 * 16, next; start < end; start = next) {
    next = (start / attentionBlock + 1) * attentionBlock;  // a block is in one page
    const int count = (end < next ? end : next) - start;
    const std::size_t page = kv.pageAt(start), firstOfPage = static_cast<std::size_t>(start % attentionBlock / 16);
    const std::byte* keys = kv.keys + page + firstOfPage * keyBlockBytes(Cache::type, shape.headDim);
    const std::byte* values = kv.values + page + firstOfPage * valueBlockBytes(Cache::type, shape.valueDim);
    const Ahead ahead{fetches ? values : nullptr, fetches && next < end ? kv.keys + kv.pageAt(next) : nullptr};
    scorePage<Cache, N>(keys, ahead, count, shape, q, scores);
    for (int t = 0; t < N; ++t) {
      const int from = queries[t].begin > start ? queries[t].begin - start : 0;
      const int to = queries[t].end - start < count ? queries[t].end - start : count;
      soften(scores + t * attentionBlock, count, from < count ? from : count, to > 0 ? to : 0, shape.softCap, states[t],
             out + static_cast<std::size_t>(t) * stride, stride);
    }
    addValues<Cache, N>(values, stride, count, scores, out);
  }
  for (int t = 0; t < N; ++t) {
    const float inverse = queries[t].state != nullptr ? 1.0F : 1.0F / states[t].sum;
    if (queries[t].state != nullptr) {
      queries[t].state[0] = states[t].maximum;
      queries[t].state[1] = states[t].sum;
    }
    for (int d = 0; d < shape.valueDim; ++d)
      queries[t].out[d] = out[static_cast<std::size_t>(t) * stride + static_cast<std::size_t>(d)] * inverse;
  }
}

template <class Cache, int N>
inline void attendRest(const KvHead& kv, const AttentionShape& shape, const AttentionQuery* queries, int count, bool fetches,
                       float* scratch) {
  if constexpr (N > 0) {
    if (count == N) return attendTile<Cache, N>(kv, shape, queries, fetches, scratch);
    attendRest<Cache, N - 1>(kv, shape, queries, count, fetches, scratch);
  }
}

template <class Cache>
void attend(const KvHead& kv, const AttentionShape& shape, const AttentionQuery* queries, int count, float* scratch) {
  bool fetches = true;  // the first tile does; the others find it in the processor's cache
  for (; count > queryTile; count -= queryTile, queries += queryTile, fetches = false)
    attendTile<Cache, queryTile>(kv, shape, queries, fetches, scratch);
  attendRest<Cache, queryTile>(kv, shape, queries, count, fetches, scratch);
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
