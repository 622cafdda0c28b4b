// Blocks of 32 elements with one half scale, and for the _1 types a half minimum. Layouts as in the GGUF files:
//   Q8_0  half d, 32 x int8                        value = d * q
//   Q4_0  half d, 16 bytes of nibbles              value = d * (q - 8)
//   Q4_1  half d, half m, 16 bytes of nibbles      value = d * q + m
//   Q5_0  half d, u32 fifth bits, 16 bytes         value = d * (q - 16)
//   Q5_1  half d, half m, u32 fifth bits, 16 bytes value = d * q + m
// Nibbles: element i is the low half of byte i, element i + 16 the high half; bit i of the u32 is element i's fifth bit.
// Rounding is that of ggml's reference quantizer: the scale is taken before it is rounded to half.
#include "core/tensor/half.h"
#include "core/tensor/types/bits.h"
#include "core/tensor/types/rows.h"

#include <algorithm>
#include <cmath>

namespace minerva::types {

namespace {

constexpr std::size_t blockSize = 32;
constexpr std::size_t halfBlock = 16;

template <int Bits, bool HasMinimum>
struct Layout {
  static constexpr std::size_t minimumAt = 2;
  static constexpr std::size_t highBitsAt = HasMinimum ? 4 : 2;
  static constexpr std::size_t nibblesAt = highBitsAt + (Bits == 5 ? 4 : 0);
  static constexpr std::size_t bytes = nibblesAt + halfBlock;
  static constexpr int middle = 1 << (Bits - 1);
  static constexpr int largest = (1 << Bits) - 1;
};

template <int Bits, bool HasMinimum>
void dequantizeNibbles(const std::byte* block, float* values, std::size_t n) {
  using L = Layout<Bits, HasMinimum>;
  for (std::size_t b = 0; b < n / blockSize; ++b, block += L::bytes, values += blockSize) {
    const float scale = loadHalf(block);
    const float minimum = HasMinimum ? loadHalf(block + L::minimumAt) : 0.0f;
    std::uint32_t highBits = 0;
    if constexpr (Bits == 5) std::memcpy(&highBits, block + L::highBitsAt, 4);
    for (std::size_t i = 0; i < blockSize; ++i) {
      const unsigned byte = toUnsigned(block[L::nibblesAt + i % halfBlock]);
      const unsigned code = (i < halfBlock ? byte & 15u : byte >> 4) | ((highBits >> i) & 1u) << 4;
      if constexpr (HasMinimum) values[i] = scale * static_cast<float>(code) + minimum;
      else values[i] = scale * static_cast<float>(static_cast<int>(code) - L::middle);
    }
  }
}

// Truncates into 0..largest; the bounds also catch what a subnormal scale (whose inverse is infinite) produces.
std::uint8_t toCode(float shifted, int largest) {
  return static_cast<std::uint8_t>(std::max(0.0f, std::min(static_cast<float>(largest), shifted)));
}

template <int Bits, bool HasMinimum>
void storeCodes(const std::array<std::uint8_t, blockSize>& codes, std::byte* block) {
  using L = Layout<Bits, HasMinimum>;
  std::uint32_t highBits = 0;
  for (std::size_t i = 0; i < halfBlock; ++i) {
    block[L::nibblesAt + i] = static_cast<std::byte>((codes[i] & 15u) | (codes[i + halfBlock] & 15u) << 4);
  }
  for (std::size_t i = 0; i < blockSize; ++i) highBits |= (static_cast<std::uint32_t>(codes[i]) >> 4 & 1u) << i;
  if constexpr (Bits == 5) std::memcpy(block + L::highBitsAt, &highBits, 4);
}

// The value of largest magnitude is mapped to the code -middle, so that its sign decides the scale's sign.
template <int Bits>
void quantizeSymmetric(const float* values, std::byte* block, std::size_t n) {
  using L = Layout<Bits, false>;
  for (std::size_t b = 0; b < n / blockSize; ++b, block += L::bytes, values += blockSize) {
    float extreme = 0.0f;
    for (std::size_t i = 0; i < blockSize; ++i) {
      if (std::fabs(values[i]) > std::fabs(extreme)) extreme = values[i];
    }
    const float scale = extreme / static_cast<float>(-L::middle);
    const float inverse = scale != 0.0f ? 1.0f / scale : 0.0f;
    storeHalf(block, scale);
    std::array<std::uint8_t, blockSize> codes;
    for (std::size_t i = 0; i < blockSize; ++i) {
      const float shifted = values[i] * inverse + (static_cast<float>(L::middle) + 0.5f);
      codes[i] = toCode(shifted, L::largest);
    }
    storeCodes<Bits, false>(codes, block);
  }
}

template <int Bits>
void quantizeWithMinimum(const float* values, std::byte* block, std::size_t n) {
  using L = Layout<Bits, true>;
  for (std::size_t b = 0; b < n / blockSize; ++b, block += L::bytes, values += blockSize) {
    const auto [low, high] = std::minmax_element(values, values + blockSize);
    const float scale = (*high - *low) / static_cast<float>(L::largest);
    const float inverse = scale != 0.0f ? 1.0f / scale : 0.0f;
    storeHalf(block, scale);
    storeHalf(block + L::minimumAt, *low);
    std::array<std::uint8_t, blockSize> codes;
    for (std::size_t i = 0; i < blockSize; ++i) {
      codes[i] = toCode((values[i] - *low) * inverse + 0.5f, L::largest);
    }
    storeCodes<Bits, true>(codes, block);
  }
}

constexpr std::size_t bytesQ8 = 34;

void dequantizeQ8(const std::byte* block, float* values, std::size_t n) {
  for (std::size_t b = 0; b < n / blockSize; ++b, block += bytesQ8, values += blockSize) {
    const float scale = loadHalf(block);
    for (std::size_t i = 0; i < blockSize; ++i) {
      values[i] = static_cast<float>(static_cast<std::int8_t>(block[2 + i])) * scale;
    }
  }
}

void quantizeQ8(const float* values, std::byte* block, std::size_t n) {
  for (std::size_t b = 0; b < n / blockSize; ++b, block += bytesQ8, values += blockSize) {
    float largest = 0.0f;
    for (std::size_t i = 0; i < blockSize; ++i) largest = std::max(largest, std::fabs(values[i]));
    const float scale = largest / 127.0f;
    const float inverse = scale != 0.0f ? 1.0f / scale : 0.0f;
    storeHalf(block, scale);
    for (std::size_t i = 0; i < blockSize; ++i) {
      const float code = std::max(-127.0f, std::min(127.0f, std::round(values[i] * inverse)));
      block[2 + i] = static_cast<std::byte>(static_cast<std::int8_t>(code));
    }
  }
}

}  // namespace

const std::array<ElementTypeTraits, 5> blockRows{{
    {ElementType::Q8_0, "Q8_0", 8, 32, bytesQ8, dequantizeQ8, quantizeQ8},
    {ElementType::Q4_0, "Q4_0", 2, 32, Layout<4, false>::bytes, dequantizeNibbles<4, false>, quantizeSymmetric<4>},
    {ElementType::Q4_1, "Q4_1", 3, 32, Layout<4, true>::bytes, dequantizeNibbles<4, true>, quantizeWithMinimum<4>},
    {ElementType::Q5_0, "Q5_0", 6, 32, Layout<5, false>::bytes, dequantizeNibbles<5, false>, quantizeSymmetric<5>},
    {ElementType::Q5_1, "Q5_1", 7, 32, Layout<5, true>::bytes, dequantizeNibbles<5, true>, quantizeWithMinimum<5>},
}};

}  // namespace minerva::types
