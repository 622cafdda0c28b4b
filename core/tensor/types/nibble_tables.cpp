// Four-bit codes that stand for values of a table. Layouts as in the GGUF files; nibbles: element i of a run is the low half
// of byte i, the second half of the run the high halves.
//   IQ4_NL  half d, 16 bytes (a run of 32)                                                  d * table
//   IQ4_XS  half d, u16 of eight 2 high bits of scales, 4 bytes of low nibbles, 8 runs of 32   (d * (scale - 32)) * table
//   MXFP4   E8M0 scale, 16 bytes (a run of 32)                                              2^(e - 128) * (2 * E2M1)
//   NVFP4   four E4M3 scales, 4 runs of 16                                                  (scale / 2) * (2 * E2M1)
#include "core/tensor/half.h"
#include "core/tensor/types/bits.h"
#include "core/tensor/types/rows.h"
#include "core/tensor/types/small_floats.h"

#include <algorithm>
#include <cmath>

namespace minerva::types {

namespace {

constexpr std::array<int, 16> nonLinear{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr std::array<int, 16> doubledE2m1{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

void readRun(const std::byte* nibbles, std::size_t elements, const std::array<int, 16>& table, float scale, float* values) {
  const std::size_t half = elements / 2;
  for (std::size_t i = 0; i < half; ++i) {
    values[i] = scale * static_cast<float>(table[toUnsigned(nibbles[i]) & 15u]);
    values[i + half] = scale * static_cast<float>(table[toUnsigned(nibbles[i]) >> 4]);
  }
}

void dequantizeIq4Nl(const std::byte* block, float* values, std::size_t n) {
  for (std::size_t b = 0; b < n / 32; ++b, block += 18, values += 32) readRun(block + 2, 32, nonLinear, loadHalf(block), values);
}

void dequantizeIq4Xs(const std::byte* block, float* values, std::size_t n) {
  for (std::size_t b = 0; b < n / 256; ++b, block += 136) {
    const float d = loadHalf(block);
    for (std::size_t s = 0; s < 8; ++s, values += 32) {
      const unsigned low = toUnsigned(block[4 + s / 2]) >> (s % 2 * 4) & 15u;
      const unsigned high = static_cast<unsigned>(loadU16(block + 2)) >> (2 * s) & 3u;
      readRun(block + 8 + 16 * s, 32, nonLinear, d * static_cast<float>(static_cast<int>(low | high << 4) - 32), values);
    }
  }
}

// Half of the E8M0 power, 255 included: what ggml multiplies the doubled codes by.
float halfPower(unsigned e) { return std::bit_cast<float>(e < 2 ? 0x00200000u << e : (e - 1) << 23); }

void dequantizeMxfp4(const std::byte* block, float* values, std::size_t n) {
  for (std::size_t b = 0; b < n / 32; ++b, block += 17, values += 32)
    readRun(block + 1, 32, doubledE2m1, halfPower(toUnsigned(block[0])), values);
}

// Half of an E4M3 scale without its sign; the code for NaN counts as 0.
float halfScale(unsigned code) {
  if (code == 0x7f) return 0.0f;
  return std::bit_cast<float>((code & 0x7fu) << 20) * 0x1p119f;
}

void dequantizeNvfp4(const std::byte* block, float* values, std::size_t n) {
  for (std::size_t b = 0; b < n / 64; ++b, block += 36) {
    for (std::size_t s = 0; s < 4; ++s, values += 16) readRun(block + 4 + 8 * s, 16, doubledE2m1, halfScale(toUnsigned(block[s])), values);
  }
}

// The first of the table's values that is nearest.
unsigned nearestE2m1(float value, float scale) {
  unsigned best = 0;
  float bestError = std::fabs(static_cast<float>(doubledE2m1[0]) * scale - value);
  for (unsigned code = 1; code < 16; ++code) {
    const float error = std::fabs(static_cast<float>(doubledE2m1[code]) * scale - value);
    if (!(error < bestError)) continue;
    best = code;
    bestError = error;
  }
  return best;
}

// As ggml's reference: the power of two that brings the largest value to between 4 and 8.
void quantizeMxfp4(const float* values, std::byte* block, std::size_t n) {
  for (std::size_t b = 0; b < n / 32; ++b, block += 17, values += 32) {
    float largest = 0.0f;
    for (std::size_t i = 0; i < 32; ++i) largest = std::max(largest, std::fabs(values[i]));
    const bool usable = largest > 0.0f && std::isfinite(largest);
    const unsigned e = usable ? static_cast<unsigned>(static_cast<int>(std::floor(std::log2(largest))) - 2 + 127) & 255u : 0u;
    const float scale = halfPower(e);
    block[0] = static_cast<std::byte>(e);
    for (std::size_t i = 0; i < 16; ++i)
      block[1 + i] = static_cast<std::byte>(nearestE2m1(values[i], scale) | nearestE2m1(values[i + 16], scale) << 4);
  }
}

// The table's nearest value; of two as near, the larger.
unsigned nearestOfTable(float value) {
  if (!(value > static_cast<float>(nonLinear.front()))) return 0;
  if (value >= static_cast<float>(nonLinear.back())) return 15;
  unsigned above = 1;
  while (value >= static_cast<float>(nonLinear[above])) ++above;
  return value - static_cast<float>(nonLinear[above - 1]) < static_cast<float>(nonLinear[above]) - value ? above - 1 : above;
}

// Weighted sums of a run of 32 for codes at this inverse scale: the best scale for them is wlx / wll.
struct RunFit {
  float wlx = 0, wll = 0;
  std::array<unsigned, 32> codes{};
};
RunFit fitRun(const float* x, float inverse) {
  RunFit fit;
  for (std::size_t i = 0; i < 32; ++i) {
    fit.codes[i] = nearestOfTable(inverse * x[i]);
    const float l = static_cast<float>(nonLinear[fit.codes[i]]), w = x[i] * x[i];
    fit.wlx += w * l * x[i];
    fit.wll += w * l * l;
  }
  return fit;
}

float extremeOf(const float* x) {
  float extreme = 0.0f;
  for (std::size_t i = 0; i < 32; ++i) {
    if (std::fabs(x[i]) > std::fabs(extreme)) extreme = x[i];
  }
  return extreme;
}

void storeRun(const std::array<unsigned, 32>& codes, std::byte* nibbles) {
  for (std::size_t i = 0; i < 16; ++i) nibbles[i] = static_cast<std::byte>(codes[i] | codes[i + 16] << 4);
}

// As ggml's reference: the extreme on the table's first value, then the best scale for those codes.
void quantizeIq4Nl(const float* values, std::byte* block, std::size_t n) {
  for (std::size_t b = 0; b < n / 32; ++b, block += 18, values += 32) {
    const float extreme = extremeOf(values);
    RunFit fit;
    float scale = 0.0f;
    if (std::fabs(extreme) >= 1e-15f) {
      fit = fitRun(values, 1.0f / (extreme / static_cast<float>(nonLinear.front())));
      scale = fit.wlx / fit.wll;
    }
    storeHalf(block, scale);
    storeRun(fit.codes, block + 2);
  }
}

// The best of fifteen scales around the extreme on the table's first value, and of the extreme on its negative.
float searchRun(const float* x) {
  const float extreme = extremeOf(x), first = static_cast<float>(nonLinear.front());
  if (!(std::fabs(extreme) >= 1e-15f)) return 0.0f;
  const RunFit start = fitRun(x, 1.0f / (-extreme / first));
  float scale = start.wlx / start.wll;
  float best = scale * start.wlx;
  for (int step = -7; step <= 7; ++step) {
    const RunFit fit = fitRun(x, (static_cast<float>(step) + first) / extreme);
    if (!(fit.wll > 0.0f && fit.wlx * fit.wlx > best * fit.wll)) continue;
    scale = fit.wlx / fit.wll;
    best = scale * fit.wlx;
  }
  return scale;
}

void quantizeIq4Xs(const float* values, std::byte* block, std::size_t n) {
  for (std::size_t b = 0; b < n / 256; ++b, block += 136, values += 256) {
    std::array<float, 8> scales;
    float extreme = 0.0f;
    for (std::size_t s = 0; s < 8; ++s) {
      scales[s] = searchRun(values + 32 * s);
      if (std::fabs(scales[s]) > std::fabs(extreme)) extreme = scales[s];
    }
    const float d = -extreme / 32.0f, inverse = d != 0.0f ? 1.0f / d : 0.0f;
    storeHalf(block, d);
    std::fill(block + 2, block + 8, std::byte{0});
    for (std::size_t s = 0; s < 8; ++s) {
      const int scale = static_cast<int>(std::nearbyint(std::max(-32.0f, std::min(31.0f, inverse * scales[s]))));
      const float runScale = d * static_cast<float>(scale);
      storeRun(fitRun(values + 32 * s, runScale != 0.0f ? 1.0f / runScale : 0.0f).codes, block + 8 + 16 * s);
      const auto stored = static_cast<unsigned>(scale + 32);
      block[4 + s / 2] |= static_cast<std::byte>((stored & 15u) << (s % 2 * 4));
      block[2 + s / 4] |= static_cast<std::byte>((stored >> 4) << (s % 4 * 2));
    }
  }
}

}  // namespace

constinit const std::array<ElementTypeTraits, 4> nibbleTableRows{{
    {ElementType::IQ4_NL, "IQ4_NL", 20, 32, 18, dequantizeIq4Nl, quantizeIq4Nl},
    {ElementType::IQ4_XS, "IQ4_XS", 23, 256, 136, dequantizeIq4Xs, quantizeIq4Xs},
    {ElementType::MXFP4, "MXFP4", 39, 32, 17, dequantizeMxfp4, quantizeMxfp4},
    {ElementType::NVFP4, "NVFP4", 40, 64, 36, dequantizeNvfp4, nullptr},
}};

}  // namespace minerva::types
