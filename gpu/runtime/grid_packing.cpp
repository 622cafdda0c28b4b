// Planes of the types with grids; layouts of the file: core/tensor/types/grids.cpp.
//   IQ2_XXS, IQ3_XXS  [group][super] half d x8
//                     [group][block] u32 x8: seven signs of each vector of IQ2 or two of IQ3, scale
//   IQ2_XS            [group][super] half d x8, of each block bytes x8: both scales
//                     [group][block] u32 x8: ninth bit of the index and seven signs of each vector
//   IQ2_S             [group][super] half d x8, of each block (high bits of the indices, both scales) x8
//                     [group][block] u32 x8: signs
//   IQ3_S             [group][super] half d x8, of each block bytes x8: ninth bits of the indices, of each block nibbles x8: scale
//                     [group][block] u32 x8: signs
//   IQ1_S             [group][super] half d x8, of each block u16 x8 as in the file
//   IQ1_M             [group][super] half d x8, scales as those of IQ4_XS (two of three bits), of each block u16 x8: high bits of the
//                     indices, and shifts, as in the file
#include "gpu/runtime/weight_packer.h"

namespace minerva::gpu {

namespace {

// The low bits of a block's indices.
void packLowBits(const std::byte* indices, const Packer& packer, std::uint32_t row, std::uint32_t b, std::uint32_t count) {
  std::byte* target = packer.quadAt(row, b, 0);
  for (std::uint32_t j = 0; j < count; ++j) target[count == 8 ? j % 2 * 4 + j / 2 : j] = indices[j];
}

// IQ2_XXS and IQ3_XXS: half d, so many indices a block in 8 bytes from block to block, and a word a block from `words` on.
void packXxs(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s, std::uint32_t indices,
             const std::byte* words, std::uint32_t wordStep) {
  packer.half(packer.superAt(1, s), 0, row, super);
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    const std::uint32_t b = s * superBlocks + g;
    packLowBits(super + 2 + 8 * g, packer, row, b, indices);
    std::memcpy(packer.blockAt(2, b) + 4 * row, words + wordStep * g, 4);
  }
}

void packIq2Xs(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  packer.half(packer.superAt(1, s), 0, row, super);
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    const std::uint32_t b = s * superBlocks + g;
    std::array<std::byte, 4> low, high;
    for (std::uint32_t i = 0; i < 4; ++i) {
      low[i] = super[2 + 8 * g + 2 * i];
      high[i] = super[3 + 8 * g + 2 * i];
    }
    packLowBits(low.data(), packer, row, b, 4);
    std::memcpy(packer.blockAt(2, b) + 4 * row, high.data(), 4);
    packer.superAt(1, s)[16 + 8 * g + row] = super[66 + g];
  }
}

void packIq2S(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  packer.half(packer.superAt(1, s), 0, row, super);
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    const std::uint32_t b = s * superBlocks + g;
    packLowBits(super + 2 + 4 * g, packer, row, b, 4);
    std::memcpy(packer.blockAt(2, b) + 4 * row, super + 34 + 4 * g, 4);
    std::byte* more = packer.superAt(1, s) + 16 + 16 * g + 2 * row;
    more[0] = super[66 + g];
    more[1] = super[74 + g];
  }
}

void packIq3S(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  std::byte* target = packer.superAt(1, s);
  packer.half(target, 0, row, super);
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    const std::uint32_t b = s * superBlocks + g;
    packLowBits(super + 2 + 8 * g, packer, row, b, 8);
    std::memcpy(packer.blockAt(2, b) + 4 * row, super + 74 + 4 * g, 4);
    target[16 + 8 * g + row] = super[66 + g];
    packer.setBits(target[80 + 4 * g + row / 2], row % 2 * 4, 15u, byteOf(super[106 + g / 2]) >> (g % 2 * 4) & 15u);
  }
}

void packIq1S(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  packer.half(packer.superAt(1, s), 0, row, super);
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    packLowBits(super + 2 + 4 * g, packer, row, s * superBlocks + g, 4);
    std::memcpy(packer.superAt(1, s) + 16 + 16 * g + 2 * row, super + 34 + 2 * g, 2);
  }
}

// The scales are four times twelve bits, below four bits of d each.
void packIq1M(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  std::byte* target = packer.superAt(1, s);
  std::array<std::uint16_t, 4> scales;
  std::memcpy(scales.data(), super + 48, sizeof scales);
  const auto d = static_cast<std::uint16_t>(scales[0] >> 12 | (scales[1] >> 12) << 4 | (scales[2] >> 12) << 8 | (scales[3] >> 12) << 12);
  std::memcpy(target + 2 * row, &d, 2);
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    packLowBits(super + 4 * g, packer, row, s * superBlocks + g, 4);
    packer.sixBits(target + 16, row, g, static_cast<unsigned>(scales[g / 2]) >> (g % 2 * 6) & 63u);
    std::memcpy(target + 64 + 16 * g + 2 * row, super + 32 + 2 * g, 2);
  }
}

}  // namespace

void packIndices(ElementType type, const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  switch (type) {
    case ElementType::IQ2_XXS: return packXxs(super, packer, row, s, 4, super + 6, 8);
    case ElementType::IQ2_XS: return packIq2Xs(super, packer, row, s);
    case ElementType::IQ2_S: return packIq2S(super, packer, row, s);
    case ElementType::IQ3_XXS: return packXxs(super, packer, row, s, 8, super + 66, 4);
    case ElementType::IQ3_S: return packIq3S(super, packer, row, s);
    case ElementType::IQ1_S: return packIq1S(super, packer, row, s);
    case ElementType::IQ1_M: return packIq1M(super, packer, row, s);
    default: return;
  }
}

}  // namespace minerva::gpu
