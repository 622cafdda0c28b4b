// One, two and three values an element, and plain bytes; one scale a block. Layouts as in the GGUF files:
//   TQ1_0  48 + 4 bytes of five and four base-3 digits, half d     value = d * (digit - 1), 256 elements
//   TQ2_0  64 bytes of 2-bit codes, half d                         value = d * (code - 1), 256 elements
//   Q1_0   half d, 16 bytes of bits                                value = bit ? d : -d, 128 elements
//   Q2_0   half d, 16 bytes of 2-bit codes in order                value = d * (code - 1), 64 elements
//   Q8_1   half d, half of d * (sum of codes), 32 x int8           value = d * code
//   Q8_K   float d, 256 x int8, 16 x int16 sums                    value = d * code
// A byte of base-3 digits is ceil(256 n / 243): times a power of 3 (modulo 256), times 3, the digit is above bit 8.
#include "core/tensor/half.h"
#include "core/tensor/types/bits.h"
#include "core/tensor/types/expand.h"
#include "core/tensor/types/rows.h"

#include <algorithm>
#include <cmath>

namespace minerva::types {

namespace {

void setAllScales(ExpandedBlock& out, std::size_t count, float scale) { std::fill_n(out.scales, count, scale); }

// Digit n of Bytes bytes, in order.
template <std::size_t Bytes>
void takeDigits(const std::byte* from, unsigned power, std::int8_t* out) {
  for (std::size_t i = 0; i < Bytes; ++i)
    out[i] = static_cast<std::int8_t>(static_cast<int>((toUnsigned(from[i]) * power & 255u) * 3 >> 8) - 1);
}

void expandTq1(const std::byte* block, ExpandedBlock& out) {
  constexpr std::array<unsigned, 5> powers{1, 3, 9, 27, 81};
  for (std::size_t n = 0; n < 5; ++n) takeDigits<32>(block, powers[n], out.codes + 32 * n);
  for (std::size_t n = 0; n < 5; ++n) takeDigits<16>(block + 32, powers[n], out.codes + 160 + 16 * n);
  for (std::size_t n = 0; n < 4; ++n) takeDigits<4>(block + 48, powers[n], out.codes + 240 + 4 * n);
  setAllScales(out, 16, loadHalf(block + 52));
}

void expandTq2(const std::byte* block, ExpandedBlock& out) {
  for (std::size_t half = 0; half < 2; ++half) {
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      std::int8_t* codes = out.codes + 128 * half + 32 * quarter;
      for (std::size_t i = 0; i < 32; ++i)
        codes[i] = static_cast<std::int8_t>(static_cast<int>(toUnsigned(block[32 * half + i]) >> (2 * quarter) & 3u) - 1);
    }
  }
  setAllScales(out, 16, loadHalf(block + 64));
}

void expandQ1(const std::byte* block, ExpandedBlock& out) {
  for (std::size_t i = 0; i < 128; ++i) out.codes[i] = (toUnsigned(block[2 + i / 8]) >> (i % 8) & 1u) != 0 ? 1 : -1;
  setAllScales(out, 8, loadHalf(block));
}

void expandQ2(const std::byte* block, ExpandedBlock& out) {
  for (std::size_t i = 0; i < 64; ++i)
    out.codes[i] = static_cast<std::int8_t>(static_cast<int>(toUnsigned(block[2 + i / 4]) >> (2 * (i % 4)) & 3u) - 1);
  setAllScales(out, 4, loadHalf(block));
}

void expandQ8_1(const std::byte* block, ExpandedBlock& out) {
  std::memcpy(out.codes, block + 4, 32);
  setAllScales(out, 2, loadHalf(block));
}

void quantizeQ8_1(const float* values, std::byte* block, std::size_t n) {
  for (std::size_t b = 0; b < n / 32; ++b, block += 36, values += 32) {
    float largest = 0.0f;
    for (std::size_t i = 0; i < 32; ++i) largest = std::max(largest, std::fabs(values[i]));
    const float scale = largest / 127.0f;
    const float inverse = scale != 0.0f ? 1.0f / scale : 0.0f;
    int sum = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      const auto code = static_cast<int>(std::max(-127.0f, std::min(127.0f, std::round(values[i] * inverse))));
      block[4 + i] = static_cast<std::byte>(code);
      sum += code;
    }
    storeHalf(block, scale);
    storeHalf(block + 2, static_cast<float>(sum) * scale);
  }
}

void expandQ8K(const std::byte* block, ExpandedBlock& out) {
  float scale;
  std::memcpy(&scale, block, sizeof scale);
  std::memcpy(out.codes, block + 4, 256);
  setAllScales(out, 16, scale);
}

template <ExpandFunction Expand, std::size_t Elements, std::size_t Bytes>
constexpr ElementTypeTraits fewBitRow(ElementType type, std::string_view name, std::uint32_t ggmlId,
                                      void (*quantize)(const float*, std::byte*, std::size_t) = nullptr) {
  return {type, name, ggmlId, Elements, Bytes, dequantizeExpanded<Expand, Elements, Bytes>, quantize};
}

}  // namespace

constinit const std::array<ElementTypeTraits, 6> fewBitRows{{
    fewBitRow<expandTq1, 256, 54>(ElementType::TQ1_0, "TQ1_0", 34),
    fewBitRow<expandTq2, 256, 66>(ElementType::TQ2_0, "TQ2_0", 35),
    fewBitRow<expandQ1, 128, 18>(ElementType::Q1_0, "Q1_0", 41),
    fewBitRow<expandQ2, 64, 18>(ElementType::Q2_0, "Q2_0", 42),
    fewBitRow<expandQ8_1, 32, 36>(ElementType::Q8_1, "Q8_1", 9, quantizeQ8_1),
    fewBitRow<expandQ8K, 256, 292>(ElementType::Q8_K, "Q8_K", 15),
}};

}  // namespace minerva::types
