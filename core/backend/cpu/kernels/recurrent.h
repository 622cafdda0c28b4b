// Recurrent mixers: a state is read and replaced token by token, in blocks of columns that stay in the L1 cache.
//
// The delta rule and the scan keep a state S [rows, columns] per head. Its columns do not depend on each other, so a few vectors of
// them are processed for all rows at once, and the sums over the rows stay in registers.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/elementwise.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// The columns of a block: whole vectors, or the first `count` elements of one.
template <bool Whole>
inline F loadColumns(const float* from, int count) {
  if constexpr (Whole) return loadF(from);
  return loadFirst(from, count);
}
template <bool Whole>
inline void storeColumns(float* to, F value, int count) {
  if constexpr (Whole) store(to, value);
  else storeFirst(to, value, count);
}

// Calls work.template operator()<vectors, Whole>(first column, count) for blocks that cover all columns.
template <int Vectors, class Work>
inline void visitColumns(int columns, const Work& work) {
  int c = 0;
  for (; c + Vectors * Lanes <= columns; c += Vectors * Lanes) work.template operator()<Vectors, true>(c, Vectors * Lanes);
  for (; c + Lanes <= columns; c += Lanes) work.template operator()<1, true>(c, Lanes);
  if (c < columns) work.template operator()<1, false>(c, columns - c);
}

inline const float* rowOf(const Columns& columns, int row) { return columns.data + static_cast<std::size_t>(row) * columns.step; }

// Clears a state of [rows, columns], whose rows are `step` floats apart.
inline void clearState(float* state, int rows, int columns, std::size_t step) {
  for (int r = 0; r < rows; ++r) __builtin_memset(state + static_cast<std::size_t>(r) * step, 0, static_cast<std::size_t>(columns) * 4);
}

// ---- Convolution

// The input `at` rows after the first one of this step; before it, from the state.
inline const float* inputOf(const Convolution& how, int at) {
  return at < 0 ? how.state + static_cast<std::size_t>(how.width - 1 + at) * how.step : rowOf(how.in, how.rows.index[at]);
}

// Row t: out = f(bias + sum over j of weight row j * the input width - 1 - j rows before). Width 0: any.
template <bool Activated, int Width>
inline void convolveRow(const Convolution& how, int t, float* out) {
  const int width = Width > 0 ? Width : how.width, channels = how.channels;
  const float* inputs[Width > 0 ? Width : 1];
  for (int j = 0; j < Width; ++j) inputs[j] = inputOf(how, t - width + 1 + j);
  const float *weight = how.weight, *bias = how.bias;
  const std::size_t step = how.step;
  for (int c = 0; c < channels; c += Lanes) {
    const int count = channels - c;
    F sum = bias != nullptr ? loadFirst(bias + c, count) : F{};
#pragma GCC unroll 4
    for (int j = 0; j < width; ++j) {
      const float* input = Width > 0 ? inputs[Width > 0 ? j : 0] : inputOf(how, t - width + 1 + j);
      sum = multiplyAdd(loadFirst(weight + static_cast<std::size_t>(j) * step + c, count), loadFirst(input + c, count), sum);
    }
    if constexpr (Activated) sum = activate<ActivationCode::silu>(sum);
    storeFirst(out + c, sum, count);
  }
}

template <bool Activated>
inline void convolveRows(const Convolution& how) {
  for (int t = 0; t < how.rows.count; ++t) {
    float* out = how.out + static_cast<std::size_t>(how.rows.index[t]) * how.outStep;
    switch (how.width) {
      case 2: convolveRow<Activated, 2>(how, t, out); break;
      case 3: convolveRow<Activated, 3>(how, t, out); break;
      case 4: convolveRow<Activated, 4>(how, t, out); break;
      default: convolveRow<Activated, 0>(how, t, out); break;
    }
  }
}

void convolve(const Convolution& how) {
  const int kept = how.width - 1;
  if (how.fresh) clearState(how.state, kept, how.channels, how.step);
  if (how.activated) convolveRows<true>(how);
  else convolveRows<false>(how);
  for (int r = 0; r < kept; ++r) {  // ascending, because rows move to the front
    const float* from = inputOf(how, how.rows.count - kept + r);
    __builtin_memmove(how.state + static_cast<std::size_t>(r) * how.step, from, static_cast<std::size_t>(how.channels) * 4);
  }
}

// ---- Delta rule

// With decay factors g: u = k^T (g S) and q^T S' = q^T (g S) + (q . k) d, so one pass over the old state gives both sums. The pass that
// replaces the state for a token takes the sums of the next one.
struct DeltaToken {
  const float *k, *decayedK, *decayedQ, *factors;  // [keyDim]: k, g k, g q, g
  float qk, beta;
};

inline float dotOf(const float* a, const float* b, int count) {
  F total{};
  int i = 0;
  for (; i + Lanes <= count; i += Lanes) total = multiplyAdd(loadF(a + i), loadF(b + i), total);
  if (i < count) total += loadFirst(a + i, count - i) * loadFirst(b + i, count - i);
  return sum(total);
}

inline float rootOf(float x) { return squareRoot(broadcast(x))[0]; }

inline void decayFactors(const DeltaHead& head, const float* gates, float* factors) {
  if (!head.channelDecay) {
    const F factor = exponential(head.decay * softplus(broadcast(gates[0] + head.bias[0])));
    for (int i = 0; i < head.keyDim; i += Lanes) storeFirst(factors + i, factor, head.keyDim - i);
    return;
  }
  for (int i = 0; i < head.keyDim; i += Lanes) {
    const int count = head.keyDim - i;
    storeFirst(factors + i, exponential(head.decay * softplus(loadFirst(gates + i, count) + loadFirst(head.bias + i, count))), count);
  }
}

inline DeltaToken prepareToken(const DeltaHead& head, int row, float* place) {
  const int dim = head.keyDim;
  const float *q = rowOf(head.q, row), *k = rowOf(head.k, row);
  float *keys = place, *decayedK = place + dim, *decayedQ = place + 2 * dim, *factors = place + 3 * dim;
  decayFactors(head, rowOf(head.decays, row), factors);
  const float forK = 1.0F / rootOf(dotOf(k, k, dim) + 1e-6F);
  const float forQ = 1.0F / (rootOf(dotOf(q, q, dim) + 1e-6F) * rootOf(static_cast<float>(dim)));
  for (int i = 0; i < dim; i += Lanes) {
    const int count = dim - i;
    const F factor = loadFirst(factors + i, count), key = loadFirst(k + i, count) * forK;
    storeFirst(keys + i, key, count);
    storeFirst(decayedK + i, factor * key, count);
    storeFirst(decayedQ + i, factor * (loadFirst(q + i, count) * forQ), count);
  }
  const float beta = activate<ActivationCode::sigmoid>(broadcast(rowOf(head.betas, row)[0]))[0];
  return {keys, decayedK, decayedQ, factors, dotOf(q, k, dim) * forQ * forK, beta};
}

template <int N, bool Whole>
inline void deltaColumns(const DeltaHead& head, const int* rows, const DeltaToken* tokens, int count, int first, int width) {
  float* state = head.state + first;
  const std::size_t step = head.step;
  const int keyDim = head.keyDim;
  F ofKey[N] = {}, ofQuery[N] = {}, change[N];
  const DeltaToken begin = tokens[0];
  for (int i = 0; i < keyDim; ++i) {
    const F k = broadcast(begin.decayedK[i]), q = broadcast(begin.decayedQ[i]);
    for (int n = 0; n < N; ++n) {
      const F s = loadColumns<Whole>(state + static_cast<std::size_t>(i) * step + n * Lanes, width);
      ofKey[n] = multiplyAdd(k, s, ofKey[n]);
      ofQuery[n] = multiplyAdd(q, s, ofQuery[n]);
    }
  }
  for (int t = 0; t < count; ++t) {
    const DeltaToken token = tokens[t], next = tokens[t + 1 < count ? t + 1 : t];  // after the last token, the sums are not used
    const float* v = rowOf(head.v, rows[t]) + first;
    float* out = head.out + static_cast<std::size_t>(rows[t]) * head.outStep + first;
    for (int n = 0; n < N; ++n) {
      change[n] = (loadColumns<Whole>(v + n * Lanes, width) - ofKey[n]) * token.beta;
      storeColumns<Whole>(out + n * Lanes, ofQuery[n] + change[n] * token.qk, width);
      ofKey[n] = ofQuery[n] = F{};
    }
    for (int i = 0; i < keyDim; ++i) {
      const F factor = broadcast(token.factors[i]), key = broadcast(token.k[i]);
      const F k = broadcast(next.decayedK[i]), q = broadcast(next.decayedQ[i]);
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) {
        float* at = state + static_cast<std::size_t>(i) * step + n * Lanes;
        const F s = multiplyAdd(key, change[n], loadColumns<Whole>(at, width) * factor);
        storeColumns<Whole>(at, s, width);
        ofKey[n] = multiplyAdd(k, s, ofKey[n]);
        ofQuery[n] = multiplyAdd(q, s, ofQuery[n]);
      }
    }
  }
}

void deltaRule(const DeltaHead& head, float* scratch) {
  if (head.fresh) clearState(head.state, head.keyDim, head.columns, head.step);
  for (int first = 0; first < head.rows.count; first += deltaTokens) {
    const int count = head.rows.count - first < deltaTokens ? head.rows.count - first : deltaTokens;
    const int* rows = head.rows.index + first;
    DeltaToken tokens[deltaTokens];
    for (int t = 0; t < count; ++t) tokens[t] = prepareToken(head, rows[t], scratch + t * 4 * head.keyDim);
    visitColumns<4>(head.columns,
                    [&]<int N, bool Whole>(int begin, int width) { deltaColumns<N, Whole>(head, rows, tokens, count, begin, width); });
  }
}

// ---- Scan

constexpr int scanTokens = Lanes == 16 ? 4 : 2;  // tokens for which a vector of the state is loaded and stored once

struct ScanToken {
  const float *b, *c;  // [stateSize]
  const float *x, *steps;
  float* out;
  float dt, factor;  // unless the channels have their own
};

inline F stepSize(const ScanHead& head, F raw) { return clamped(softplus(raw), head.dtMin, head.dtMax); }

template <int N, bool Whole, int T, bool ByChannel>
inline void scanColumns(const ScanHead& head, const ScanToken* tokens, int first, int width) {
  float* state = head.state + first;
  const std::size_t step = head.step;
  const int size = head.stateSize;
  const float *b[T], *c[T];
  F dt[T][N], factors[T], x[T][N], sums[T][N] = {};
#pragma GCC unroll 4
  for (int t = 0; t < T; ++t) {
    b[t] = tokens[t].b;
    c[t] = tokens[t].c;
    factors[t] = broadcast(tokens[t].factor);
    for (int n = 0; n < N; ++n) {
      const int at = first + n * Lanes;
      if constexpr (ByChannel) {
        dt[t][n] = stepSize(head, loadColumns<Whole>(tokens[t].steps + at, width) + loadColumns<Whole>(head.bias + at, width));
      } else {
        dt[t][n] = broadcast(tokens[t].dt);
      }
      x[t][n] = loadColumns<Whole>(tokens[t].x + at, width) * dt[t][n];
    }
  }
  for (int i = 0; i < size; ++i) {
    F h[N], decay[N];
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) {
      h[n] = loadColumns<Whole>(state + static_cast<std::size_t>(i) * step + n * Lanes, width);
      if constexpr (ByChannel) {
        decay[n] = loadColumns<Whole>(head.decay + static_cast<std::size_t>(i) * head.decayStep + first + n * Lanes, width);
      }
    }
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) {
      const F ofB = broadcast(b[t][i]), ofC = broadcast(c[t][i]);
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) {
        const F factor = ByChannel ? exponential(dt[t][n] * decay[n]) : factors[t];
        h[n] = multiplyAdd(ofB, x[t][n], h[n] * factor);
        sums[t][n] = multiplyAdd(ofC, h[n], sums[t][n]);
      }
    }
#pragma GCC unroll 4
    for (int n = 0; n < N; ++n) storeColumns<Whole>(state + static_cast<std::size_t>(i) * step + n * Lanes, h[n], width);
  }
  for (int t = 0; t < T; ++t) {
    for (int n = 0; n < N; ++n) {
      const int at = first + n * Lanes;
      const F raw = loadColumns<Whole>(tokens[t].x + at, width);
      const F skip = ByChannel ? loadColumns<Whole>(head.skip + at, width) : broadcast(head.skip[0]);
      storeColumns<Whole>(tokens[t].out + at, multiplyAdd(raw, skip, sums[t][n]), width);
    }
  }
}

template <int T>
inline void scanRows(const ScanHead& head, const int* rows) {
  ScanToken tokens[T];
  for (int t = 0; t < T; ++t) {
    const float* steps = rowOf(head.steps, rows[t]);
    tokens[t] = {rowOf(head.b, rows[t]),
                 rowOf(head.c, rows[t]),
                 rowOf(head.x, rows[t]),
                 steps,
                 head.out + static_cast<std::size_t>(rows[t]) * head.outStep,
                 0,
                 0};
    if (head.channelDecay) continue;
    const F dt = stepSize(head, broadcast(steps[0] + head.bias[0]));
    tokens[t].dt = dt[0];
    tokens[t].factor = exponential(dt * head.decay[0])[0];
  }
  if (head.channelDecay) {
    visitColumns<1>(head.columns,
                    [&]<int N, bool Whole>(int begin, int width) { scanColumns<N, Whole, T, true>(head, tokens, begin, width); });
  } else {
    visitColumns<2>(head.columns,
                    [&]<int N, bool Whole>(int begin, int width) { scanColumns<N, Whole, T, false>(head, tokens, begin, width); });
  }
}

void scan(const ScanHead& head) {
  if (head.fresh) clearState(head.state, head.stateSize, head.columns, head.step);
  int t = 0;
  for (; t + scanTokens <= head.rows.count; t += scanTokens) scanRows<scanTokens>(head, head.rows.index + t);
  for (; t < head.rows.count; ++t) scanRows<1>(head, head.rows.index + t);
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
