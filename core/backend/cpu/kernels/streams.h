// What is applied to a row in place, and the mixing of several residual streams (StreamRow in kernels.h).
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/elementwise.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// x[i] = change(x[i]) for a row of any length.
template <class Change>
inline void changeRow(float* x, int columns, Change change) {
  for (int i = 0; i < columns; i += Lanes) storeFirst(x + i, change(loadFirst(x + i, columns - i)), columns - i);
}

void threshold(float* x, int columns, float deviations) {
  const auto mean = static_cast<float>(sumOf(x, columns, [](F v) { return v; }) / columns);
  const double variance = sumOf(x, columns, [mean](F v) { return (v - mean) * (v - mean); }) / columns;
  const float limit = mean + deviations * static_cast<float>(__builtin_sqrt(variance));
  changeRow(x, columns, [limit](F v) { return maximum(F{}, v - limit); });
}

// e^x - 1 - x for x <= 0; near 0 its series, where the difference would have few digits.
inline F exponentialRest(F x) {
  F series = broadcast(2.48015873e-5F);
  series = multiplyAdd(series, x, broadcast(1.98412698e-4F));
  series = multiplyAdd(series, x, broadcast(1.38888889e-3F));
  series = multiplyAdd(series, x, broadcast(8.33333333e-3F));
  series = multiplyAdd(series, x, broadcast(4.16666667e-2F));
  series = multiplyAdd(series, x, broadcast(0.166666667F));
  series = multiplyAdd(series, x, broadcast(0.5F));
  return choose((I)(x > -0.6F), series * x * x, exponential(x) - 1.0F - x);
}

void xielu(float* x, int columns, const XieluForm& form) {
  changeRow(x, columns, [&form](F v) {
    const F low = minimum(v, broadcast(form.epsilon));
    const F below = form.negative * (exponentialRest(low) + (low - v)) + form.beta * v;
    return choose((I)(v > 0.0F), form.positive * v * v + form.beta * v, below);
  });
}

void level(const float* like, int columns, float floor, float* x) {
  const double wanted = sumOf(like, columns, [](F v) { return v * v; }) / columns;
  const double own = sumOf(x, columns, [](F v) { return v * v; }) / columns;
  const auto factor = static_cast<float>(__builtin_sqrt(wanted / (own > static_cast<double>(floor) ? own : static_cast<double>(floor))));
  changeRow(x, columns, [factor](F v) { return v * factor; });
}

void mix(const StreamRow& row) {
  F before[mostMixed];
  for (int c = 0; c < row.columns; c += Lanes) {
    const int left = row.columns - c;
    for (int i = 0; i < row.count; ++i) before[i] = loadFirst(row.streams[i] + c, left);
    const F step = row.target != nullptr ? loadFirst(row.target + c, left) - before[0] : F{};
    for (int i = 0; i < row.count; ++i) {
      F value = before[i];
      if (row.target != nullptr) value += (1.0F + row.coefficients[i]) * step;
      for (int j = 0; row.target == nullptr && j < row.count; ++j) {
        value = multiplyAdd(before[j], broadcast(row.coefficients[i * row.count + j]), value);
      }
      storeFirst(row.streams[i] + c, value, left);
    }
  }
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
