// Four-bit codes that stand for values of a table. Layouts as in the GGUF files; nibbles: element i of a run is the low half
// of byte i, the second half of the run the high halves.
//   IQ4_NL  half d, 16 bytes (a run of 32)                                                  d * table
//   IQ4_XS  half d, u16 of eight 2 high bits of scales, 4 bytes of low nibbles, 8 runs of 32   (d * (scale - 32)) * table
//   MXFP4   E8M0 scale, 16 bytes (a run of 32)                                              2^(e - 128) * (2 * E2M1)
//   NVFP4   four E4M3 scales, 4 runs of 16                                                  (scale / 2) * (2 * E2M1)
#include "core/tensor/half.h"
#include "core/tensor/types/rows.h"
#include "core/tensor/types/small_floats.h"

#include <algorithm>
#include <cmath>

namespace minerva::types {

namespace {

constexpr std::array<int, 16> nonLinear{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr std::array<int, 16> doubledE2m1{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

unsigned toUnsigned(std::byte b) { return std::to_integer<unsigned>(b); }

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
  for (std::size_t b = 0; b < n / 32; ++b, block += 17, values += 32) readRun(block + 1, 32, doubledE2m1, halfPower(toUnsigned(block[0])), values);
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
    for (std::size_t i = 0; i < 16; ++i) block[1 + i] = static_cast<std::byte>(nearestE2m1(values[i], scale) | nearestE2m1(values[i + 16], scale) << 4);
  }
}

}  // namespace

constinit const std::array<ElementTypeTraits, 4> nibbleTableRows{{
    {ElementType::IQ4_NL, "IQ4_NL", 20, 32, 18, dequantizeIq4Nl, nullptr},
    {ElementType::IQ4_XS, "IQ4_XS", 23, 256, 136, dequantizeIq4Xs, nullptr},
    {ElementType::MXFP4, "MXFP4", 39, 32, 17, dequantizeMxfp4, quantizeMxfp4},
    {ElementType::NVFP4, "NVFP4", 40, 64, 36, dequantizeNvfp4, nullptr},
}};

}  // namespace minerva::types
