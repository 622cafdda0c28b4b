// The small super-blocks of 256 elements: sixteen groups of 16. Layouts as in the GGUF files:
//   Q2_K  16 bytes of 4-bit (scale, minimum), 64 bytes of 2-bit codes, half d, half dmin   (d * scale) * q - dmin * minimum
//   Q3_K  32 bytes of third bits, 64 of two low bits, 12 of 6-bit scales, half d           (d * (scale - 32)) * (q - 4)
// Codes: each half of 128 elements is four quarters of 32 that share 32 bytes, two bits each; bit b of byte i of the third
// bits belongs to element 32 b + i. Scale s of Q3_K has its low nibble in byte s % 8 and two high bits in byte 8 + s % 4.
#include "core/tensor/half.h"
#include "core/tensor/types/bits.h"
#include "core/tensor/types/group_fit.h"
#include "core/tensor/types/rows.h"

namespace minerva::types {

namespace {

unsigned twoBits(const std::byte* codes, std::size_t i) { return toUnsigned(codes[i / 128 * 32 + i % 32]) >> (2 * (i % 128 / 32)) & 3u; }

void dequantizeQ2(const std::byte* block, float* values, std::size_t n) {
  for (std::size_t b = 0; b < n / 256; ++b, block += 84, values += 256) {
    const float scale = loadHalf(block + 80), minimum = loadHalf(block + 82);
    for (std::size_t i = 0; i < 256; ++i) {
      const unsigned pair = toUnsigned(block[i / 16]);
      const float groupScale = scale * static_cast<float>(pair & 15u), groupMinimum = minimum * static_cast<float>(pair >> 4);
      values[i] = groupScale * static_cast<float>(twoBits(block + 16, i)) - groupMinimum;
    }
  }
}

int scaleOfQ3(const std::byte* scales, std::size_t s) {
  const unsigned low = toUnsigned(scales[s % 8]) >> (s / 8 * 4) & 15u;
  const unsigned high = toUnsigned(scales[8 + s % 4]) >> (s / 4 * 2) & 3u;
  return static_cast<int>(low | high << 4) - 32;
}

void dequantizeQ3(const std::byte* block, float* values, std::size_t n) {
  for (std::size_t b = 0; b < n / 256; ++b, block += 110, values += 256) {
    const float scale = loadHalf(block + 108);
    for (std::size_t i = 0; i < 256; ++i) {
      const float groupScale = scale * static_cast<float>(scaleOfQ3(block + 96, i / 16));
      const unsigned third = toUnsigned(block[i % 32]) >> (i / 32) & 1u;
      values[i] = groupScale * static_cast<float>(static_cast<int>(twoBits(block + 32, i) | third << 2) - 4);
    }
  }
}

void storeTwoBits(const std::array<std::uint8_t, 256>& codes, std::byte* out) {
  for (std::size_t i = 0; i < 64; ++i) {
    unsigned byte = 0;
    for (std::size_t quarter = 0; quarter < 4; ++quarter) byte |= (codes[i / 32 * 128 + quarter * 32 + i % 32] & 3u) << (2 * quarter);
    out[i] = static_cast<std::byte>(byte);
  }
}

// The quantizers follow ggml's reference: the groups' scales first, rounded, then the codes taken anew.
void quantizeSuperQ2(const float* x, std::byte* block) {
  std::array<Fit<16>, 16> fits;
  float largestScale = 0.0f, largestMinimum = 0.0f;
  for (std::size_t g = 0; g < 16; ++g) {
    std::array<float, 16> weights;
    for (std::size_t i = 0; i < 16; ++i) weights[i] = std::fabs(x[16 * g + i]);
    fits[g] = searchFit<16, true>(x + 16 * g, weights, 3, {-0.5f, 0.1f, 15});
    largestScale = std::max(largestScale, fits[g].scale);
    largestMinimum = std::max(largestMinimum, fits[g].minimum);
  }
  const float inverseScale = largestScale > 0.0f ? 15.0f / largestScale : 0.0f;
  const float inverseMinimum = largestMinimum > 0.0f ? 15.0f / largestMinimum : 0.0f;
  storeHalf(block + 80, largestScale / 15.0f);
  storeHalf(block + 82, largestMinimum / 15.0f);
  std::array<std::uint8_t, 256> codes{};
  for (std::size_t g = 0; g < 16; ++g) {
    const int scale = nearest(inverseScale * fits[g].scale, 0, 15), minimum = nearest(inverseMinimum * fits[g].minimum, 0, 15);
    block[g] = static_cast<std::byte>(scale | minimum << 4);
    const float d = loadHalf(block + 80) * static_cast<float>(scale), m = loadHalf(block + 82) * static_cast<float>(minimum);
    for (std::size_t i = 0; i < 16; ++i) {
      codes[16 * g + i] = d == 0.0f ? fits[g].codes[i] : static_cast<std::uint8_t>(nearest((x[16 * g + i] + m) / d, 0, 3));
    }
  }
  storeTwoBits(codes, block + 16);
}

// Scale of a group for codes -4..3: from the value of largest magnitude, then codes moved one at a time while that helps.
struct SignedFit {
  float scale = 0.0f;
  std::array<int, 16> codes{};
};

SignedFit fitSigned(const float* x) {
  constexpr int bound = 4;
  float extreme = 0.0f;
  for (std::size_t i = 0; i < 16; ++i) {
    if (std::fabs(x[i]) > std::fabs(extreme)) extreme = x[i];
  }
  SignedFit fit;
  if (!(std::fabs(extreme) >= 1e-15f)) {
    fit.codes.fill(-bound);
    return fit;
  }
  float wlx = 0, wll = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    fit.codes[i] = nearest(static_cast<float>(-bound) / extreme * x[i], -bound, bound - 1);
    const float l = static_cast<float>(fit.codes[i]), w = x[i] * x[i];
    wlx += w * x[i] * l;
    wll += w * l * l;
  }
  for (int round = 0; round < 5; ++round) {
    bool changed = false;
    for (std::size_t i = 0; i < 16; ++i) {
      const float l = static_cast<float>(fit.codes[i]), w = x[i] * x[i];
      float otherLx = wlx - w * x[i] * l;
      if (!(otherLx > 0.0f)) continue;
      float otherLl = wll - w * l * l;
      const int code = nearest(x[i] * otherLl / otherLx, -bound, bound - 1);
      if (code == fit.codes[i]) continue;
      otherLx += w * x[i] * static_cast<float>(code);
      otherLl += w * static_cast<float>(code) * static_cast<float>(code);
      if (!(otherLl > 0.0f && otherLx * otherLx * wll > wlx * wlx * otherLl)) continue;
      fit.codes[i] = code;
      wlx = otherLx;
      wll = otherLl;
      changed = true;
    }
    if (!changed) break;
  }
  fit.scale = wll > 0.0f ? wlx / wll : 0.0f;
  return fit;
}

void quantizeSuperQ3(const float* x, std::byte* block) {
  std::fill(block, block + 110, std::byte{0});
  std::array<SignedFit, 16> fits;
  float extreme = 0.0f;
  for (std::size_t g = 0; g < 16; ++g) {
    fits[g] = fitSigned(x + 16 * g);
    if (std::fabs(fits[g].scale) > std::fabs(extreme)) extreme = fits[g].scale;
  }
  const float inverse = extreme != 0.0f ? -32.0f / extreme : 0.0f;
  if (extreme != 0.0f) storeHalf(block + 108, 1.0f / inverse);
  const float d = loadHalf(block + 108);
  std::array<std::uint8_t, 256> codes{};
  for (std::size_t g = 0; g < 16; ++g) {
    const int scale = nearest(inverse * fits[g].scale, -32, 31);
    const auto stored = extreme != 0.0f ? static_cast<unsigned>(scale + 32) : 0u;
    block[96 + g % 8] |= static_cast<std::byte>((stored & 15u) << (g / 8 * 4));
    block[104 + g % 4] |= static_cast<std::byte>((stored >> 4) << (g / 4 * 2));
    const float groupScale = d * static_cast<float>(static_cast<int>(stored) - 32);
    for (std::size_t i = 0; i < 16; ++i) {
      const int code = groupScale == 0.0f ? fits[g].codes[i] : nearest(x[16 * g + i] / groupScale, -4, 3);
      codes[16 * g + i] = static_cast<std::uint8_t>(code + 4);
    }
  }
  for (std::size_t i = 0; i < 256; ++i) block[i % 32] |= static_cast<std::byte>((codes[i] >> 2 & 1u) << (i / 32));
  storeTwoBits(codes, block + 32);
}

void quantizeQ2(const float* values, std::byte* blocks, std::size_t n) {
  for (std::size_t b = 0; b < n / 256; ++b) quantizeSuperQ2(values + 256 * b, blocks + 84 * b);
}
void quantizeQ3(const float* values, std::byte* blocks, std::size_t n) {
  for (std::size_t b = 0; b < n / 256; ++b) quantizeSuperQ3(values + 256 * b, blocks + 110 * b);
}

}  // namespace

constinit const std::array<ElementTypeTraits, 2> smallSuperRows{{
    {ElementType::Q2_K, "Q2_K", 10, 256, 84, dequantizeQ2, quantizeQ2},
    {ElementType::Q3_K, "Q3_K", 11, 256, 110, dequantizeQ3, quantizeQ3},
}};

}  // namespace minerva::types
