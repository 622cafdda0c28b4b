// Softmax attention of a few queries over one KV head, in blocks of positions with an online softmax (as in FlashAttention,
// Dao et al. 2022). Heads that share the KV head, and adjacent rows of a prompt, are processed together so that the cache is
// read once.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/cache_ahead.h"
#include "core/backend/cpu/kernels/cached_codes.h"
#include "core/backend/cpu/kernels/cached_floats.h"
#include "core/backend/cpu/kernels/elementwise.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int queryTile = Lanes == 16 ? 8 : 4;  // queries kept in registers at the same time

template <class Cache, int N>
struct ReaderOf {
  using Type = FloatReader<Cache, N>;
};
template <int N>
struct ReaderOf<BlockCache, N> {
  using Type = CodeReader<N>;
};

struct Running {
  float maximum, sum;
};

inline void cap(float* scores, int count, float softCap) {
  for (int p = 0; p < count; p += Lanes) store(scores + p, softCap * hyperbolicTangent(loadF(scores + p) * (1.0F / softCap)));
}

// Scores of the positions from `first` on, each lessened by its distance.
inline void lessenByDistance(float* scores, int count, float slope, int first, int position) {
  for (int p = 0; p < count; ++p) {
    const int distance = position - first - p;
    scores[p] -= slope * static_cast<float>(distance < 0 ? -distance : distance);
  }
}

// Converts scores of one query to weights e^(score - maximum) and rescales earlier sums to the new maximum. Positions
// outside the query's range, and the padding of the block, get weight 0.
inline void soften(float* scores, int count, int from, int to, Running& state, float* out, std::size_t stride) {
  const int padded = (count + 15) / 16 * 16;
  for (int p = 0; p < from; ++p) scores[p] = -__builtin_inff();
  for (int p = to; p < padded; ++p) scores[p] = -__builtin_inff();
  F best = broadcast(state.maximum);
  for (int p = 0; p < padded; p += Lanes) best = maximum(best, loadF(scores + p));
  const float top = largest(best);
  const float decay = exponential(broadcast(state.maximum - top))[0];
  F total{};
  for (int p = 0; p < padded; p += Lanes) {
    const F score = loadF(scores + p);
    const F weight = (F)((U)exponential(score - top) & ~(U)(score <= -3e38F));  // NaN stays, and is seen in the logits
    store(scores + p, weight);
    total += weight;
  }
  state.sum = state.sum * decay + sum(total);
  state.maximum = top;
  if (decay == 1.0F) return;
  for (std::size_t d = 0; d < stride; d += Lanes) store(out + d, loadF(out + d) * decay);
}

template <class Cache, int N>
inline void attendTile(const KvHead& kv, const AttentionShape& shape, const AttentionQuery* queries, bool fetches, float* scratch) {
  const std::size_t stride = valueStride(shape.valueDim);
  float* scores = scratch;                   // [N][attentionBlock]
  float* out = scores + N * attentionBlock;  // [N][stride]
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
  const typename ReaderOf<Cache, N>::Type reader(shape, q, out + static_cast<std::size_t>(N) * stride);
  const std::size_t keyBytes = keyBlockBytes(Cache::type, shape.headDim), valueBytes = valueBlockBytes(Cache::type, shape.valueDim);
  CacheAhead ahead(kv, keyBytes, valueBytes, begin / 16 * 16, end < kv.positions ? kv.positions : end, fetches);
  for (int start = begin / 16 * 16, next; start < end; start = next) {
    next = (start / attentionBlock + 1) * attentionBlock;  // a block is in one page
    const int count = (end < next ? end : next) - start;
    const std::size_t page = kv.pageAt(start), firstOfPage = static_cast<std::size_t>(start % attentionBlock / 16);
    const std::byte* keys = kv.keys + page + firstOfPage * keyBytes;
    const std::byte* values = kv.values + page + firstOfPage * valueBytes;
    reader.score(keys, count, ahead, scores);
    for (int t = 0; t < N; ++t) {
      const int from = queries[t].begin > start ? queries[t].begin - start : 0;
      const int to = queries[t].end - start < count ? queries[t].end - start : count;
      float* own = scores + t * attentionBlock;
      if (shape.softCap > 0) cap(own, count, shape.softCap);
      if (queries[t].slope != 0) lessenByDistance(own, count, queries[t].slope, start, queries[t].position);
      soften(own, count, from < count ? from : count, to > 0 ? to : 0, states[t], out + static_cast<std::size_t>(t) * stride, stride);
    }
    reader.add(values, count, ahead, scores, out);
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
