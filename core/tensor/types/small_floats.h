// Floats of four and eight bits (OCP MX and FP8 formats), exactly.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace minerva::types {

// E2M1: sign, two exponent bits, one mantissa bit.
inline constexpr std::array<float, 16> e2m1Values{0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,  4.0f,  6.0f,
                                                  -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f};

// Sign, four exponent bits (bias 7), three mantissa bits; no infinity, all ones is NaN.
[[nodiscard]] inline float e4m3ToFloat(std::uint8_t code) {
  if ((code & 0x7fu) == 0x7fu) return std::numeric_limits<float>::quiet_NaN();
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x80u) << 24;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(code & 0x7fu) << 20;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p120f));
}

// The power of two 2^(code - 127); 255 is NaN.
[[nodiscard]] inline float e8m0ToFloat(std::uint8_t code) {
  if (code == 255) return std::numeric_limits<float>::quiet_NaN();
  return std::bit_cast<float>(code == 0 ? 0x00400000u : static_cast<std::uint32_t>(code) << 23);
}

// Nearest value of a float with this many mantissa bits, ties to even; beyond `largest` it saturates.
template <int MantissaBits, int Bias>
[[nodiscard]] std::uint8_t toSmallFloat(float value, float largest) {
  const auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80 : 0);
  if (std::isnan(value)) return static_cast<std::uint8_t>(sign | 0x7f);
  const float magnitude = std::fmin(std::fabs(value), largest);
  const int exponent = magnitude > 0.0f ? std::max(std::ilogb(magnitude), 1 - Bias) : 1 - Bias;
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, MantissaBits - exponent)));
  // A carry out of the mantissa raises the exponent by itself, as does the step from subnormal to normal.
  return static_cast<std::uint8_t>(sign | ((exponent + Bias - 1) * (1 << MantissaBits) + steps));
}

}  // namespace minerva::types
