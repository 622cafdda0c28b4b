// Planes of the types of affine.glsl and ternary.glsl; layouts of the file: core/tensor/types/{mlx_affine,few_bits}.cpp.
//   MLX                [group][group of elements] scale x8, bias x8
//   TQ2_0, Q2_0, Q1_0  [group][group of elements] half d x8
//   MLX, 3 and 5 bits  third or fifth bits [group][block] u32 x8: bit j + 8b belongs to element 4j + b
//   MLX, 6 bits        high bits as of Q6_K
//   TQ1_0              [group][super] 48 bytes x8 (the first 48 of the row), 4 bytes x8 (the rest), half d x8
#include "gpu/runtime/weight_packer.h"

namespace minerva::gpu {

Codes codesInOrder(const std::byte* codes, std::uint32_t bits) {
  Codes found;
  for (std::uint32_t i = 0; i < blockColumns; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, codes + i / 8 * bits, bits);
    for (std::uint32_t k = 0; k < 8; ++k) found[i + k] = static_cast<std::uint8_t>(eight >> (k * bits) & ((1u << bits) - 1));
  }
  return found;
}

namespace {

// The lowest bits of codes of less than eight, and those above.
void packCodes(const Codes& codes, const Packer& packer, std::uint32_t row, std::uint32_t block, const Affine& affine) {
  switch (affine.lowBits()) {
    case 1: packer.writeBits(packer.quadAt(row, block, 0), codes, 0); break;
    case 2: packer.twoBits(row, block, codes); break;
    default: packer.nibbles(row, block, codes);
  }
  if (affine.bits == 6) packer.highPairs(2, row, block, codes);
  else if (affine.bits != affine.lowBits()) packer.oneBit(2, row, block, codes, affine.lowBits());
}

}  // namespace

void packAffine(ElementType type, const std::byte* group, const Packer& packer, std::uint32_t row, std::uint32_t g, const Affine& affine) {
  const std::uint32_t blocks = affine.group / blockColumns, codeBytes = affine.group * affine.bits / 8, scaleBytes = affine.scaleBytes();
  const bool scaleFirst = type == ElementType::Q1_0 || type == ElementType::Q2_0;
  const std::byte* all = group + (scaleFirst ? scaleBytes : 0);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const std::byte* stored = all + i * 4 * affine.bits;
    const std::uint32_t block = g * blocks + i;
    if (affine.bits == 8) {
      for (std::uint32_t q = 0; q < 2; ++q) std::memcpy(packer.quadAt(row, block, q), stored + q * quadBytes, quadBytes);
      continue;
    }
    Codes codes;
    if (type == ElementType::TQ2_0) {
      for (std::uint32_t k = 0; k < blockColumns; ++k) codes[k] = static_cast<std::uint8_t>(twoBitsOf(all, i * blockColumns + k));
    } else {
      codes = codesInOrder(stored, affine.bits);
    }
    packCodes(codes, packer, row, block, affine);
  }
  const std::byte* scale = group + (scaleFirst ? 0 : codeBytes);
  for (std::uint32_t which = 0; which < (affine.biases ? 2u : 1u); ++which) {
    std::memcpy(packer.superAt(1, g) + (which * groupRows + row) * scaleBytes, scale + which * scaleBytes, scaleBytes);
  }
}

void packTernary(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  std::byte* target = packer.superAt(0, s);
  std::memcpy(target + 48 * row, super, 48);
  std::memcpy(target + 384 + 4 * row, super + 48, 4);
  packer.half(target + 416, 0, row, super + 52);
}

}  // namespace minerva::gpu
