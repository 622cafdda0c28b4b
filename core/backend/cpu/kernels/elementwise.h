// Row operations between the products: norm, quantization, activation and residual, rotation, KV store.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/products.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// The sum of term(x) over a row of any length: one vector of partial sums and a double total.
template <class Term>
inline double sumOf(const float* x, int columns, Term term) {
  const int whole = columns / Lanes * Lanes;
  F partial{};
  for (int i = 0; i < whole; i += Lanes) partial += term(loadF(x + i));
  double total = 0;
  for (int i = 0; i < Lanes; ++i) total += partial[i];
  for (int i = whole; i < columns; ++i) total += term(broadcast(x[i]))[0];
  return total;
}

// Any number of columns; x and out may be the same.
void normalise(const float* x, int columns, NormCode kind, float epsilon, const float* weight, const float* bias, float* out) {
  const int whole = columns / Lanes * Lanes;
  const float mean = kind == NormCode::layer ? static_cast<float>(sumOf(x, columns, [](F v) { return v; }) / columns) : 0.0F;
  const double square = sumOf(x, columns, [mean](F v) { return (v - mean) * (v - mean); });
  const auto scale = static_cast<float>(1.0 / __builtin_sqrt(square / columns + static_cast<double>(epsilon)));
  for (int i = 0; i < whole; i += Lanes) {
    F value = (loadF(x + i) - mean) * scale;
    if (weight != nullptr) value *= loadF(weight + i);
    if (bias != nullptr) value += loadF(bias + i);
    store(out + i, value);
  }
  for (int i = whole; i < columns; ++i) {
    const float value = (x[i] - mean) * scale * (weight != nullptr ? weight[i] : 1.0F);
    out[i] = value + (bias != nullptr ? bias[i] : 0.0F);
  }
}

// A block whose largest magnitude is not above this is rounded to zeros: the inverse of a smaller one may be too large for a float.
constexpr float smallest = 1e-30F;

// Each four elements in the order that products of this width need (products.h).
template <Rounding How>
inline U arranged(I q) {
  if constexpr (How == Rounding::bytes) return arrangeBytes(q);
  else if constexpr (How == Rounding::parts) return arrangeParts(q);
  else return arrangeWords(q);
}

// columns: a multiple of 32. The scale of a block with NaN or infinity is not finite either, nor is what it multiplies.
template <Rounding How>
void quantize(const float* x, int columns, QuantizedRow to) {
  constexpr float limit =
      How == Rounding::bytes ? 127.0F : 32512.0F;  // 127 * 256: the high byte of a rounded value stays within -127 .. 127
  for (const float* end = x + columns; x != end; x += 32, to.first += to.step) {
    auto* block = reinterpret_cast<QuantizedBlock*>(to.first);
    const float amplitude = largestMagnitude(x);
    const float inverse = amplitude > smallest ? limit / amplitude : 0.0F;
    U totals[2] = {};  // of each half; unsigned, because the code of a number that is not finite may be any
    for (int i = 0; i < 32; i += Lanes) {
      const I rounded = nearest(loadF(x + i) * inverse);
      totals[i / 16] += (U)rounded;
      storeFirstHalves(block->q + i * 2, arranged<How>(rounded));
    }
    const std::uint32_t total[2] = {sumOfLanes(totals[0]), sumOfLanes(totals[1])};
    const auto asFloat = [](std::uint32_t codes) { return static_cast<float>(static_cast<std::int32_t>(codes)); };
    block->scale = amplitude / limit;
    block->sum = asFloat(total[0] + total[1]) * block->scale;
    for (int half = 0; half < 2; ++half) block->halves[half] = asFloat(total[half]) * block->scale;
    if constexpr (How == Rounding::bytes) {
      for (int i = 0; i < zeroSumCount; ++i) {
        const auto& [zero, half] = zeroSums[i];
        const float below = (half < 0 ? block->sum : block->halves[half]) * -static_cast<float>(zero);
        __builtin_memcpy(block->q + zeroSumOffset(i), &below, sizeof below);
      }
    }
  }
}

// tanh(x) = 1 - 2 / (e^2x + 1). Has poor relative precision near 0, which the callers do not need.
inline F hyperbolicTangent(F x) { return 1.0F - 2.0F / (exponential(2.0F * x) + 1.0F); }

// a where the condition (all ones or zeros) holds, else b.
inline F choose(I condition, F a, F b) { return (F)((condition & (I)a) | (~condition & (I)b)); }

// Near 0 its series: there the difference of the other form would have few digits.
inline F preciseTangent(F x) {
  const F square = x * x;
  const F near = x * (1.0F + square * (-0.333333333F + square * (0.133333333F - 0.0539682540F * square)));
  return choose((I)(square < 0.04F), near, hyperbolicTangent(x));
}

// log(1 + x) for 0 <= x <= 1: a polynomial in m - 1, where 1 + x = m or 2 m, |m - 1| < 0.42 (Cephes' logf). x is not rounded by the
// addition of 1.
inline F logarithm1p(F x) {
  const U isLarge = (U)(x > 0.41421356F);
  const F r = (F)((isLarge & (U)(0.5F * x - 0.5F)) | (~isLarge & (U)x));
  F p = broadcast(7.0376836292e-2F);
  p = multiplyAdd(p, r, broadcast(-1.1514610310e-1F));
  p = multiplyAdd(p, r, broadcast(1.1676998740e-1F));
  p = multiplyAdd(p, r, broadcast(-1.2420140846e-1F));
  p = multiplyAdd(p, r, broadcast(1.4249322787e-1F));
  p = multiplyAdd(p, r, broadcast(-1.6668057665e-1F));
  p = multiplyAdd(p, r, broadcast(2.0000714765e-1F));
  p = multiplyAdd(p, r, broadcast(-2.4999993993e-1F));
  p = multiplyAdd(p, r, broadcast(3.3333331174e-1F));
  const F log = multiplyAdd(p * r, r * r, multiplyAdd(r * r, broadcast(-0.5F), r));
  return log + (F)(isLarge & (U)broadcast(0.693147181F));
}

// log(1 + e^x).
inline F softplus(F x) {
  const F magnitude = (F)((U)x & 0x7fffffffu);
  return maximum(F{}, x) + logarithm1p(exponential(-magnitude));
}

template <ActivationCode Kind>
inline F activate(F x) {
  if constexpr (Kind == ActivationCode::tanh) return preciseTangent(x);
  if constexpr (Kind == ActivationCode::softplus) return softplus(x);
  if constexpr (Kind == ActivationCode::silu) return x / (1.0F + exponential(-x));
  if constexpr (Kind == ActivationCode::sigmoid) return 1.0F / (1.0F + exponential(-x));
  if constexpr (Kind == ActivationCode::relu) return maximum(F{}, x);
  if constexpr (Kind == ActivationCode::reluSquared) return maximum(F{}, x) * maximum(F{}, x);
  if constexpr (Kind == ActivationCode::geluTanh) {
    return 0.5F * x * (1.0F + hyperbolicTangent(0.797884560802865F * (x + 0.044715F * x * x * x)));
  }
  if constexpr (Kind == ActivationCode::geluErf) {
    F y{};
    for (int i = 0; i < Lanes; ++i) y[i] = 0.5F * x[i] * (1.0F + __builtin_erff(x[i] * 0.707106781186547F));
    return y;
  }
  return x;
}

// activation(gate) * up.
template <ActivationCode Kind>
inline F gated(F gate, F up) {
  if constexpr (Kind == ActivationCode::clampedSwiglu) {
    const F low = minimum(broadcast(7.0F), gate);
    return (clamped(up, -7.0F, 7.0F) + 1.0F) * low / (1.0F + exponential(-1.702F * low));
  }
  return activate<Kind>(gate) * up;
}

template <ActivationCode Kind>
inline void gateAs(const float* gate, int columns, float* out) {
  int c = 0;
  for (; c + Lanes <= columns; c += Lanes) store(out + c, gated<Kind>(loadF(gate + c), loadF(out + c)));
  if (c < columns) storeFirst(out + c, gated<Kind>(loadFirst(gate + c, columns - c), loadFirst(out + c, columns - c)), columns - c);
}

void gate(const float* gate, int columns, ActivationCode activation, float* out) {
  switch (activation) {
    case ActivationCode::none: return gateAs<ActivationCode::none>(gate, columns, out);
    case ActivationCode::silu: return gateAs<ActivationCode::silu>(gate, columns, out);
    case ActivationCode::geluTanh: return gateAs<ActivationCode::geluTanh>(gate, columns, out);
    case ActivationCode::geluErf: return gateAs<ActivationCode::geluErf>(gate, columns, out);
    case ActivationCode::clampedSwiglu: return gateAs<ActivationCode::clampedSwiglu>(gate, columns, out);
    case ActivationCode::sigmoid: return gateAs<ActivationCode::sigmoid>(gate, columns, out);
    case ActivationCode::relu: return gateAs<ActivationCode::relu>(gate, columns, out);
    case ActivationCode::reluSquared: return gateAs<ActivationCode::reluSquared>(gate, columns, out);
    case ActivationCode::tanh: return gateAs<ActivationCode::tanh>(gate, columns, out);
    case ActivationCode::softplus: return gateAs<ActivationCode::softplus>(gate, columns, out);
  }
}

template <ActivationCode Kind>
inline void finishAs(const float* y, std::size_t yStride, int n, const Finish& how, float* out) {
  for (int t = 0; t < n; ++t) {
    const auto offset = static_cast<std::size_t>(t) * yStride;
    const auto* row = reinterpret_cast<const std::byte*>(y) + offset;
    auto* to = reinterpret_cast<float*>(reinterpret_cast<std::byte*>(out) + static_cast<std::size_t>(t) * how.outStride);
    for (int lane = 0; lane < how.rows; lane += Lanes) {
      const int lanes = how.rows - lane;  // the first ones count, if they are fewer than all
      F value = loadF(row + lane * 4);
      if (how.bias != nullptr) value += loadFirst(how.bias + lane, lanes);
      if (how.partner != nullptr) {
        F partner = loadF(reinterpret_cast<const std::byte*>(how.partner) + offset + lane * 4);
        if (how.partnerBias != nullptr) partner += loadFirst(how.partnerBias + lane, lanes);
        value = gated<Kind>(value, partner);
      } else {
        value = activate<Kind>(value);
      }
      value *= how.scale;
      if (how.softCap > 0) value = how.softCap * hyperbolicTangent(value * (1.0F / how.softCap));
      if (how.add) value += loadFirst(to + lane, lanes);
      storeFirst(to + lane, value, lanes);
    }
  }
}

void finishWhole(const float* y, std::size_t yStride, int n, const Finish& how, float* out) {
  switch (how.activation) {
    case ActivationCode::none: return finishAs<ActivationCode::none>(y, yStride, n, how, out);
    case ActivationCode::silu: return finishAs<ActivationCode::silu>(y, yStride, n, how, out);
    case ActivationCode::geluTanh: return finishAs<ActivationCode::geluTanh>(y, yStride, n, how, out);
    case ActivationCode::geluErf: return finishAs<ActivationCode::geluErf>(y, yStride, n, how, out);
    case ActivationCode::clampedSwiglu: return finishAs<ActivationCode::clampedSwiglu>(y, yStride, n, how, out);
    case ActivationCode::sigmoid: return finishAs<ActivationCode::sigmoid>(y, yStride, n, how, out);
    case ActivationCode::relu: return finishAs<ActivationCode::relu>(y, yStride, n, how, out);
    case ActivationCode::reluSquared: return finishAs<ActivationCode::reluSquared>(y, yStride, n, how, out);
    case ActivationCode::tanh: return finishAs<ActivationCode::tanh>(y, yStride, n, how, out);
    case ActivationCode::softplus: return finishAs<ActivationCode::softplus>(y, yStride, n, how, out);
  }
}

// Alternating gate and up rows: de-interleaves them, then proceeds as for two panels.
void finishPairs(const float* y, std::size_t yStride, int n, const Finish& how, float* out) {
  float gate[16] = {}, up[16] = {}, gateBias[16] = {}, upBias[16] = {};
  Finish apart = how;
  apart.pairs = false;
  apart.rows = how.rows / 2;
  apart.bias = gateBias;
  apart.partner = up;
  apart.partnerBias = upBias;
  for (int r = 0; how.bias != nullptr && r < apart.rows; ++r) {
    gateBias[r] = how.bias[2 * r];
    upBias[r] = how.bias[2 * r + 1];
  }
  for (int t = 0; t < n; ++t) {
    const auto* row = reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(y) + static_cast<std::size_t>(t) * yStride);
    for (int r = 0; r < apart.rows; ++r) {
      gate[r] = row[2 * r];
      up[r] = row[2 * r + 1];
    }
    finishWhole(gate, 0, 1, apart,
                reinterpret_cast<float*>(reinterpret_cast<std::byte*>(out) + static_cast<std::size_t>(t) * how.outStride));
  }
}

void finish(const float* y, std::size_t yStride, int n, const Finish& how, float* out) {
  if (how.pairs) return finishPairs(y, yStride, n, how, out);
  finishWhole(y, yStride, n, how, out);
}

void rotate(float* heads, int headCount, int headDim, int dimension, bool interleaved, const float* cosSin) {
  const int half = dimension / 2;
  for (int h = 0; h < headCount; ++h, heads += headDim) {
    for (int i = 0; i < half; ++i) {
      float& a = interleaved ? heads[2 * i] : heads[i];
      float& b = interleaved ? heads[2 * i + 1] : heads[i + half];
      const float c = cosSin[2 * i], s = cosSin[2 * i + 1], x = a, y = b;
      a = x * c - y * s;
      b = x * s + y * c;
    }
  }
}

template <class Cache>
void storeKeyValue(const float* k, const float* v, int headDim, int valueDim, int position, const KvHead& to) {
  const auto dim = static_cast<std::size_t>(headDim), at = static_cast<std::size_t>(position % attentionBlock);
  const std::size_t page = to.pageAt(position);
  std::byte* key = to.keys + page + (at / 16 * dim * 16 + at % 16) * Cache::bytes;
  std::byte* value = to.values + page + at * valueStride(valueDim) * Cache::bytes;
  for (std::size_t i = 0; i < dim; i += Lanes) {
    const std::size_t count = dim - i < Lanes ? dim - i : Lanes;
    F kk{};
    __builtin_memcpy(&kk, k + i, count * 4);
    std::byte stored[Lanes * Cache::bytes];
    Cache::save(stored, kk);
    for (std::size_t j = 0; j < count; ++j) {
      __builtin_memcpy(key + (i + j) * 16 * Cache::bytes, stored + j * Cache::bytes, Cache::bytes);
    }
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(valueDim); i += Lanes) {
    const std::size_t left = static_cast<std::size_t>(valueDim) - i;
    F vv{};
    __builtin_memcpy(&vv, v + i, (left < Lanes ? left : Lanes) * 4);
    Cache::save(value + i * Cache::bytes, vv);  // may write past valueDim, as rows are padded to 16 values
  }
}

// Four concurrent streams, a quarter apart, keep more cache line requests in flight than one.
std::uint32_t readAll(const std::byte* bytes, std::size_t count) {
  const std::size_t quarter = count / 4;
  U mix[4] = {};
  for (std::size_t i = 0; i < quarter; i += sizeof(U)) {
    for (std::size_t s = 0; s < 4; ++s) mix[s] ^= loadU(bytes + s * quarter + i);
  }
  const U all = mix[0] ^ mix[1] ^ mix[2] ^ mix[3];
  std::uint32_t result = 0;
  for (int i = 0; i < Lanes; ++i) result ^= all[i];
  return result;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
