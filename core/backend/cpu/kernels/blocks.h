// The Q8_0 KV cache: runs of 32 elements with a scale, dequantized in registers while attention reads them (layout:
// kernels.h).
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

struct BlockCache {
  static constexpr CacheType type = CacheType::blocks;
};

constexpr int runElements = 32;
constexpr int runScales = 32;  // bytes: a float16 for each of 16 positions

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
template <int N>
inline void scoreBlocks(const std::byte* keys, int headDim, const float* const* q, float scale, float* scores) {
  for (int lane = 0; lane < 16; lane += Lanes) {
    F sums[N] = {};
    const std::byte* run = keys;
    for (int d = 0; d < headDim; d += runElements) {
      const int count = headDim - d < runElements ? headDim - d : runElements;
      const F step = loadHalves(run + lane * 2);
      run += runScales;
      F partial[N] = {};
      for (int j = 0; j < count; ++j, run += 16) {
        const F key = toFloat(loadSignedBytes(run + lane));
#pragma GCC unroll 8
        for (int t = 0; t < N; ++t) partial[t] = multiplyAdd(key, broadcast(q[t][d + j]), partial[t]);
      }
#pragma GCC unroll 8
      for (int t = 0; t < N; ++t) sums[t] = multiplyAdd(partial[t], step, sums[t]);
    }
    for (int t = 0; t < N; ++t) store(scores + t * attentionBlock + lane, sums[t] * scale);
  }
}

// addValues for the Q8_0 cache. The scales of a run are multiplied into the weights first, so that each element only needs
// to be widened.
template <int N>
inline void addBlocks(const std::byte* values, std::size_t stride, int count, const float* weights, float* out) {
  const std::size_t runs = cacheRuns(stride), blockBytes = runs * runScales + stride * 16;
  float scaled[N * attentionBlock];
  for (std::size_t r = 0; r < runs; ++r) {
    for (int p = 0; p < count; p += Lanes) {
      const std::size_t block = static_cast<std::size_t>(p / 16), lane = static_cast<std::size_t>(p % 16);
      const F step = loadHalves(values + block * blockBytes + r * runScales + lane * 2);
      for (int t = 0; t < N; ++t) store(scaled + t * attentionBlock + p, loadF(weights + t * attentionBlock + p) * step);
    }
    const std::size_t end = (r + 1) * runElements < stride ? (r + 1) * runElements : stride;
    for (std::size_t d = r * runElements; d < end; d += Lanes) {
      F sums[N];
      for (int t = 0; t < N; ++t) sums[t] = loadF(out + static_cast<std::size_t>(t) * stride + d);
      for (int first = 0; first < count; first += 16) {
        const std::byte* codes = values + static_cast<std::size_t>(first / 16) * blockBytes + runs * runScales + d;
        const int last = count < first + 16 ? count : first + 16;
        for (int p = first; p < last; ++p, codes += stride) {
          const F value = toFloat(loadSignedBytes(codes));
#pragma GCC unroll 8
          for (int t = 0; t < N; ++t) sums[t] = multiplyAdd(value, broadcast(scaled[t * attentionBlock + p]), sums[t]);
        }
      }
      for (int t = 0; t < N; ++t) store(out + static_cast<std::size_t>(t) * stride + d, sums[t]);
    }
  }
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
