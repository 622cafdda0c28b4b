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

// scores[t][p] = scale * q[t] . key p, for a block of 16 positions. Here and below, `ahead` is as long as what is read, and is fetched
// meanwhile.
template <class Cache, int N>
inline void scoreKeys(const std::byte* keys, const std::byte* ahead, int headDim, const float* const* q, float scale, float* scores) {
  for (int lane = 0; lane < 16; lane += vectorsBeside * Lanes) {
    if constexpr (Cache::type == CacheType::blocks) scoreBlocks<N>(keys, ahead, lane, headDim, q, scale, scores);
    else {
      F sums[N][vectorsBeside] = {};
      multiplyElements<Cache, N>(keys, ahead, lane, q, 0, headDim, sums);
      storeScores(sums, lane, scale, scores);
    }
  }
}

// out[t][d] += sum over positions of weights[t][p] * value p, for up to 16 positions.
template <class Cache, int N>
inline void addValues(const std::byte* values, const std::byte* ahead, std::size_t stride, int count, const float* weights, float* out) {
  if constexpr (Cache::type == CacheType::blocks) addBlocks<N>(values, ahead, stride, count, weights, out);
  else addColumns<Cache, N>(values, ahead, 0, stride, stride, count, weights, attentionBlock, out);
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

// What attention reads some kilobytes later: page by page the keys, then the values. A cache that is longer than the processor's own is
// read from memory, which hardware alone does too late (fetch.h). So while a piece is read, a later one of the same size is fetched.
class CacheAhead {
 public:
  // Bytes are those of a block of 16 positions. on: false if the positions [begin, end) are in the processor's cache.
  CacheAhead(const KvHead& kv, std::size_t keyBytes, std::size_t valueBytes, int begin, int end, bool on)
      : m_kv(kv), m_keyBytes(keyBytes), m_valueBytes(valueBytes), m_start(begin), m_end(end), m_on(on), m_from(kv.keys), m_to(kv.keys) {
    advance(fetchDistance(Fetched::cache).bytes);
  }
  // What to fetch while `bytes` bytes from `now` on are read: those themselves if nothing is left to be fetched.
  const std::byte* piece(const std::byte* now, std::size_t bytes) {
    if (!m_on) return now;
    const std::byte* from = m_from;
    advance(bytes);
    return from;
  }

 private:
  // Moves on by so many bytes. If that passes the end of a part, the beginning of the next part is fetched at once, so that the distance
  // stays the same.
  void advance(std::size_t bytes) {
    m_from += bytes;
    while (m_on && m_from >= m_to) {
      const auto over = static_cast<std::size_t>(m_from - m_to);
      startPart();
      for (std::size_t at = 0; m_on && at < over && m_from + at < m_to; at += 64) fetchToSecond(m_from + at);
      m_from += over;
    }
  }
  // The keys, then the values, of the page that m_start is in.
  void startPart() {
    m_on = m_start < m_end;
    if (!m_on) return;
    const int next = (m_start / attentionBlock + 1) * attentionBlock, last = next < m_end ? next : m_end;
    const auto blocks = static_cast<std::size_t>((last - m_start + 15) / 16);
    const std::size_t bytes = m_inValues ? m_valueBytes : m_keyBytes;
    m_from =
        m_kv.pageAt(m_start) + (m_inValues ? m_kv.values : m_kv.keys) + static_cast<std::size_t>(m_start % attentionBlock / 16) * bytes;
    m_to = m_from + blocks * bytes;
    if (m_inValues) m_start = next;
    m_inValues = !m_inValues;
  }

  const KvHead& m_kv;
  std::size_t m_keyBytes, m_valueBytes;
  int m_start, m_end;
  bool m_on, m_inValues = false;
  const std::byte *m_from, *m_to;
};

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
  const std::size_t keyBytes = keyBlockBytes(Cache::type, shape.headDim), valueBytes = valueBlockBytes(Cache::type, shape.valueDim);
  CacheAhead ahead(kv, keyBytes, valueBytes, begin / 16 * 16, end < kv.positions ? kv.positions : end, fetches);
  for (int start = begin / 16 * 16, next; start < end; start = next) {
    next = (start / attentionBlock + 1) * attentionBlock;  // a block is in one page
    const int count = (end < next ? end : next) - start;
    const std::size_t page = kv.pageAt(start), firstOfPage = static_cast<std::size_t>(start % attentionBlock / 16);
    const std::byte* keys = kv.keys + page + firstOfPage * keyBytes;
    const std::byte* values = kv.values + page + firstOfPage * valueBytes;
    for (int p = 0; p < count; p += 16, keys += keyBytes)
      scoreKeys<Cache, N>(keys, ahead.piece(keys, keyBytes), shape.headDim, q, shape.scale, scores + p);
    for (int t = 0; t < N; ++t) {
      const int from = queries[t].begin > start ? queries[t].begin - start : 0;
      const int to = queries[t].end - start < count ? queries[t].end - start : count;
      soften(scores + t * attentionBlock, count, from < count ? from : count, to > 0 ? to : 0, shape.softCap, states[t],
             out + static_cast<std::size_t>(t) * stride, stride);
    }
    for (int p = 0; p < count; p += 16, values += valueBytes)
      addValues<Cache, N>(values, ahead.piece(values, valueBytes), stride, count - p < 16 ? count - p : 16, scores + p, out);
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
