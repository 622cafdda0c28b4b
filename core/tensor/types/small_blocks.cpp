// Blocks of four- and eight-bit floats whose codes stand in order, with a small float for a scale; the scales lie in a
// tensor of their own in the files (MLX's mxfp4, mxfp8 and nvfp4; gpt-oss' *_blocks and *_scales).
//   MXFP4_PLANES  32 x E2M1 (element 2i in the low half of byte i), E8M0 scale
//   MXFP8_PLANES  32 x E4M3, E8M0 scale
//   NVFP4_PLANES  16 x E2M1, E4M3 scale
#include "core/tensor/types/bits.h"
#include "core/tensor/types/rows.h"
#include "core/tensor/types/small_floats.h"

#include <cstring>

namespace minerva::types {

namespace {

template <std::size_t Elements, float (*Scale)(std::uint8_t)>
void dequantizeE2m1(const std::byte* block, float* values, std::size_t n) {
  constexpr std::size_t codes = Elements / 2;
  for (std::size_t b = 0; b < n / Elements; ++b, block += codes + 1, values += Elements) {
    const float scale = Scale(byteOf(block[codes]));
    for (std::size_t i = 0; i < codes; ++i) {
      values[2 * i] = e2m1Values[byteOf(block[i]) & 15u] * scale;
      values[2 * i + 1] = e2m1Values[byteOf(block[i]) >> 4] * scale;
    }
  }
}

void dequantizeE4m3(const std::byte* block, float* values, std::size_t n) {
  for (std::size_t b = 0; b < n / 32; ++b, block += 33, values += 32) {
    const float scale = e8m0ToFloat(byteOf(block[32]));
    for (std::size_t i = 0; i < 32; ++i) values[i] = e4m3ToFloat(byteOf(block[i])) * scale;
  }
}

}  // namespace

constinit const std::array<ElementTypeTraits, 3> smallBlockRows{{
    {ElementType::MXFP4_PLANES, "MXFP4_PLANES", noGgmlId, 32, 17, dequantizeE2m1<32, e8m0ToFloat>, nullptr, ElementKind::coded, {16, 1, 0}},
    {ElementType::MXFP8_PLANES, "MXFP8_PLANES", noGgmlId, 32, 33, dequantizeE4m3, nullptr, ElementKind::coded, {32, 1, 0}},
    {ElementType::NVFP4_PLANES, "NVFP4_PLANES", noGgmlId, 16, 9, dequantizeE2m1<16, e4m3ToFloat>, nullptr, ElementKind::coded, {8, 1, 0}},
}};

}  // namespace minerva::types
