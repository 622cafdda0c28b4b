// The small super-blocks of 256 elements: sixteen groups of 16. Layouts as in the GGUF files:
//   Q2_K  16 bytes of 4-bit (scale, minimum), 64 bytes of 2-bit codes, half d, half dmin   (d * scale) * q - dmin * minimum
//   Q3_K  32 bytes of third bits, 64 of two low bits, 12 of 6-bit scales, half d           (d * (scale - 32)) * (q - 4)
// Codes: each half of 128 elements is four quarters of 32 that share 32 bytes, two bits each; bit b of byte i of the third
// bits belongs to element 32 b + i. Scale s of Q3_K has its low nibble in byte s % 8 and two high bits in byte 8 + s % 4.
#include "core/tensor/half.h"
#include "core/tensor/types/rows.h"

namespace minerva::types {

namespace {

unsigned toUnsigned(std::byte b) { return std::to_integer<unsigned>(b); }

unsigned twoBits(const std::byte* codes, std::size_t i) {
  return toUnsigned(codes[i / 128 * 32 + i % 32]) >> (2 * (i % 128 / 32)) & 3u;
}

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

}  // namespace

constinit const std::array<ElementTypeTraits, 2> smallSuperRows{{
    {ElementType::Q2_K, "Q2_K", 10, 256, 84, dequantizeQ2, nullptr},
    {ElementType::Q3_K, "Q3_K", 11, 256, 110, dequantizeQ3, nullptr},
}};

}  // namespace minerva::types
