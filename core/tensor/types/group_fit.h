// Scale and minimum of a group of values for codes 0..largest: ggml's published search over a grid of candidate scales, each
// refitted by weighted least squares.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace minerva::types {

// A group as scale * code - minimum.
template <std::size_t Size>
struct Fit {
  float scale = 0.0f;
  float minimum = 0.0f;
  std::array<std::uint8_t, Size> codes{};
};

struct SearchGrid {
  float first;
  float step;
  int steps;
};

// Bounded before the conversion, which is undefined for what is not a number or does not fit.
inline int nearest(float value, int low, int high) {
  return static_cast<int>(std::nearbyint(std::max(static_cast<float>(low), std::min(static_cast<float>(high), value))));
}

// Absolute: differences count as they are, not squared.
template <std::size_t Size, bool Absolute>
float weightedError(const Fit<Size>& fit, const float* x, const std::array<float, Size>& weights) {
  float error = 0.0f;
  for (std::size_t i = 0; i < Size; ++i) {
    const float difference = fit.scale * static_cast<float>(fit.codes[i]) - fit.minimum - x[i];
    error += weights[i] * (Absolute ? std::fabs(difference) : difference * difference);
  }
  return error;
}

// Scale and minimum that minimise the weighted squares for fixed codes; false when the codes do not determine them.
template <std::size_t Size>
bool refit(Fit<Size>& fit, const float* x, const std::array<float, Size>& weights) {
  float w = 0, wx = 0, wl = 0, wll = 0, wlx = 0;
  for (std::size_t i = 0; i < Size; ++i) {
    const float l = fit.codes[i];
    w += weights[i];
    wx += weights[i] * x[i];
    wl += weights[i] * l;
    wll += weights[i] * l * l;
    wlx += weights[i] * l * x[i];
  }
  const float determinant = w * wll - wl * wl;
  if (!(determinant > 0.0f)) return false;
  fit.scale = (w * wlx - wx * wl) / determinant;
  float offset = (wll * wx - wl * wlx) / determinant;
  if (offset > 0.0f) {
    offset = 0.0f;
    fit.scale = wlx / wll;
  }
  fit.minimum = -offset;
  return true;
}

template <std::size_t Size>
void takeCodes(Fit<Size>& fit, const float* x, float inverse, float low, int largest) {
  for (std::size_t i = 0; i < Size; ++i) fit.codes[i] = static_cast<std::uint8_t>(nearest(inverse * (x[i] - low), 0, largest));
}

template <std::size_t Size, bool Absolute>
Fit<Size> searchFit(const float* x, const std::array<float, Size>& weights, int largest, SearchGrid grid) {
  const auto [lowest, highest] = std::minmax_element(x, x + Size);
  float low = std::min(*lowest, 0.0f);
  const float range = *highest - low;
  Fit<Size> best;
  best.minimum = -low;
  const float inverse = static_cast<float>(largest) / range;
  if (!(range > 0.0f) || !std::isfinite(inverse)) return best;
  best.scale = 1.0f / inverse;
  takeCodes(best, x, inverse, low, largest);
  float bestError = weightedError<Size, Absolute>(best, x, weights);
  for (int step = 0; step <= grid.steps; ++step) {
    Fit<Size> candidate;
    const float numerator = grid.first + grid.step * static_cast<float>(step) + static_cast<float>(largest);
    takeCodes(candidate, x, numerator / (*highest - low), low, largest);
    if (!refit(candidate, x, weights)) continue;
    const float error = weightedError<Size, Absolute>(candidate, x, weights);
    if (error >= bestError) continue;
    bestError = error;
    best = candidate;
    low = -best.minimum;  // the reference goes on from the refitted minimum
  }
  return best;
}

}  // namespace minerva::types
