// Planes of scales and high bits. "x8" means one value for each row of a group:
//   Q8_0, Q4_0, Q5_0   [group][block] half d x8
//   MXFP4              [group][block] byte x8, a power of two
//   Q4_1, Q5_1         [group][block] half d x8, half m x8
//   Q5_0, Q5_1         fifth bits [group][block] u32 x8: bit j + 8b belongs to element 4j + b
//   Q4_K, Q5_K         [group][super] half d x8, half dmin x8; [group][block] bytes x8: low four bits of scale and minimum;
//                      [group][block] nibbles x8: high two bits of scale and minimum; Q5_K: fifth bits as above
//   Q6_K               [group][super] half d x8; [group][block] (int8 of elements 0-15, int8 of 16-31) x8;
//                      high bits [group][block] u64 x8: bits 2(j mod 4) + 8b of word j / 4 belong to element 4j + b
//   Q2_K               [group][super] half d x8, half dmin x8; [group][block] (byte of elements 0-15, byte of 16-31) x8: scale in the low
//                      four bits, minimum in the high ones
//   Q3_K               [group][super] half d x8; scales of elements 0-15 and 16-31 as scale and minimum of Q4_K;
//                      third bits as fifth bits
//   IQ4_NL             [group][block] half d x8
//   IQ4_XS             [group][super] half d x8, of each block nibbles x8: low four bits of the scale, of each block pairs of bits x8: the
//                      high two
//   NVFP4              [group][block] (E4M3 of elements 0-15, E4M3 of 16-31) x8
//   FP8                none; with scales [group][group of elements] float x8; MXFP8 as MXFP4
//   Q8_1               [group][block] half d x8, half sum of codes x8 (which no kernel reads)
//   Q8_K               [group][super] float d x8; [group][super] 16 sums x8 (which no kernel reads)
#include "gpu/runtime/weight_packer.h"

namespace minerva::gpu {

namespace {

Codes unpackNibbles(const std::byte* bytes) {
  Codes codes;
  for (std::size_t i = 0; i < 16; ++i) {
    codes[i] = byteOf(bytes[i]) & 15u;
    codes[i + 16] = byteOf(bytes[i]) >> 4;
  }
  return codes;
}

void packFloats(const TensorView& view, const std::byte* source, const Packer& packer, std::uint32_t row) {
  const std::size_t bytes = view.rowBytes();
  const std::size_t perBlock = blockColumns * traits(view.type).blockBytes;
  for (std::size_t at = 0; at < bytes; at += quadBytes) {
    std::byte* target =
        packer.quadAt(row, static_cast<std::uint32_t>(at / perBlock), static_cast<std::uint32_t>(at % perBlock / quadBytes));
    std::memcpy(target, source + at, std::min(quadBytes, bytes - at));
  }
}

void packQ8(const std::byte* block, const Packer& packer, std::uint32_t row, std::uint32_t b) {
  packer.half(packer.blockAt(1, b), 0, row, block);
  for (std::uint32_t i = 0; i < blockColumns; ++i) {
    packer.quadAt(row, b, i / quadBytes)[i % quadBytes] = block[2 + i] ^ std::byte{0x80};
  }
}

// Q4_0, Q4_1, Q5_0, Q5_1: half d, [half m], [u32 fifth bits], 16 bytes of nibbles.
void packSmall(const std::byte* block, const Packer& packer, std::uint32_t row, std::uint32_t b, bool minimum, bool fifth) {
  packer.half(packer.blockAt(1, b), 0, row, block);
  if (minimum) packer.half(packer.blockAt(1, b), 1, row, block + 2);
  block += minimum ? 4 : 2;
  std::uint32_t bits = 0;
  if (fifth) std::memcpy(&bits, block, 4);
  Codes codes = unpackNibbles(block + (fifth ? 4 : 0));
  for (std::size_t i = 0; i < blockColumns; ++i) codes[i] = static_cast<std::uint8_t>(codes[i] | (bits >> i & 1u) << 4);
  packer.nibbles(row, b, codes);
  if (fifth) packer.oneBit(2, row, b, codes, 4);
}

// MXFP4: byte, 16 bytes of nibbles. MXFP4_PLANES: 16 bytes of nibbles in order, byte.
void packE2m1(const std::byte* block, const Packer& packer, std::uint32_t row, std::uint32_t b, bool inOrder) {
  packer.blockAt(1, b)[row] = block[inOrder ? 16 : 0];
  packer.nibbles(row, b, inOrder ? codesInOrder(block, 4) : unpackNibbles(block + 1));
}

// FP8: codes, scale. Q8_1: half d, half sum of codes, codes. Q8_K: float d, codes, 16 sums of codes.
void packSigned(ElementType type, const std::byte* group, const Packer& packer, std::uint32_t row, std::uint32_t g,
                const SignedBytes& kind) {
  const bool whole = kind.codes == choice::codesWhole;
  const std::byte* codes = group + (whole ? 4 : 0);
  const std::byte* scale = group + (whole ? 0 : kind.group);
  for (std::uint32_t at = 0; at < kind.group; at += quadBytes) {
    const std::uint32_t block = (g * kind.group + at) / blockColumns;
    std::memcpy(packer.quadAt(row, block, at % blockColumns / quadBytes), codes + at, quadBytes);
  }
  switch (kind.scale) {
    case choice::scaleE8m0: packer.blockAt(1, g)[row] = *scale; break;
    case choice::scaleF16:
      for (std::uint32_t which = 0; which < 2; ++which) packer.half(packer.blockAt(1, g), which, row, scale + 2 * which);
      break;
    default: std::memcpy(packer.superAt(1, g) + 4 * row, scale, 4);
  }
  if (type == ElementType::Q8_K) std::memcpy(packer.superAt(2, g) + 32 * row, group + 260, 32);
}

// Q4_K, Q5_K: half d, half dmin, 12 bytes of 6-bit pairs, [32 bytes of fifth bits], 128 bytes of nibbles.
void packGrouped(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s, bool fifth) {
  packer.half(packer.superAt(1, s), 0, row, super);
  packer.half(packer.superAt(1, s), 1, row, super + 2);
  const std::byte* packed = super + 4;
  const std::byte* high = super + 16;
  const std::byte* nibbles = super + (fifth ? 48 : 16);
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    const std::uint32_t b = s * superBlocks + g;
    std::uint8_t scale, minimum;
    if (g < 4) {
      scale = byteOf(packed[g]) & 63u;
      minimum = byteOf(packed[g + 4]) & 63u;
    } else {
      scale = static_cast<std::uint8_t>((byteOf(packed[g + 4]) & 15u) | (byteOf(packed[g - 4]) >> 6) << 4);
      minimum = static_cast<std::uint8_t>(byteOf(packed[g + 4]) >> 4 | (byteOf(packed[g]) >> 6) << 4);
    }
    packer.sixBitPair(2, row, b, scale, minimum);
    Codes codes;
    for (std::uint32_t i = 0; i < blockColumns; ++i) {
      unsigned code = byteOf(nibbles[g / 2 * 32 + i]) >> (g % 2 * 4) & 15u;
      if (fifth) code |= (byteOf(high[i]) >> g & 1u) << 4;
      codes[i] = static_cast<std::uint8_t>(code);
    }
    packer.nibbles(row, b, codes);
    if (fifth) packer.oneBit(3, row, b, codes, 4);
  }
}

// Q6_K: 128 bytes of low nibbles, 64 bytes of high pairs, 16 int8 scales, half d.
void packQ6(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  packer.half(packer.superAt(1, s), 0, row, super + 208);
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    const std::uint32_t b = s * superBlocks + g;
    std::memcpy(packer.blockAt(2, b) + 2 * row, super + 192 + 2 * g, 2);
    // Block g is quarter g mod 4 of half g / 4 (core/tensor/types/k_quants.cpp, q6::place).
    const std::byte* low = super + g / 4 * 64 + g % 2 * 32;
    const std::byte* high = super + 128 + g / 4 * 32;
    Codes codes;
    for (std::uint32_t i = 0; i < blockColumns; ++i) {
      codes[i] = static_cast<std::uint8_t>((byteOf(low[i]) >> (g % 4 >= 2 ? 4 : 0) & 15u) | (byteOf(high[i]) >> (g % 4 * 2) & 3u) << 4);
    }
    packer.nibbles(row, b, codes);
    packer.highPairs(3, row, b, codes);
  }
}

// Q2_K: 16 bytes of scale and minimum, 64 of codes, half d, half dmin.
void packQ2(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  packer.half(packer.superAt(1, s), 0, row, super + 80);
  packer.half(packer.superAt(1, s), 1, row, super + 82);
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    const std::uint32_t b = s * superBlocks + g;
    std::memcpy(packer.blockAt(2, b) + 2 * row, super + 2 * g, 2);
    Codes codes;
    for (std::uint32_t i = 0; i < blockColumns; ++i) codes[i] = static_cast<std::uint8_t>(twoBitsOf(super + 16, g * blockColumns + i));
    packer.twoBits(row, b, codes);
  }
}

// Q3_K: 32 bytes of third bits, 64 of two low bits, 8 of low nibbles and 4 of high bits of 16 scales, half d.
void packQ3(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  packer.half(packer.superAt(1, s), 0, row, super + 108);
  const auto scaleOf = [&](std::uint32_t i) {
    return (byteOf(super[96 + i % 8]) >> (i / 8 * 4) & 15u) | (byteOf(super[104 + i % 4]) >> (i / 4 * 2) & 3u) << 4;
  };
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    const std::uint32_t b = s * superBlocks + g;
    packer.sixBitPair(2, row, b, scaleOf(2 * g), scaleOf(2 * g + 1));
    Codes codes;
    for (std::uint32_t i = 0; i < blockColumns; ++i) {
      codes[i] = static_cast<std::uint8_t>(twoBitsOf(super + 32, g * blockColumns + i) | (byteOf(super[i]) >> g & 1u) << 2);
    }
    packer.twoBits(row, b, codes);
    packer.oneBit(3, row, b, codes, 2);
  }
}

// IQ4_NL: half d, 16 bytes of nibbles.
void packIq4Nl(const std::byte* block, const Packer& packer, std::uint32_t row, std::uint32_t b) {
  packer.half(packer.blockAt(1, b), 0, row, block);
  packer.nibbles(row, b, unpackNibbles(block + 2));
}

// IQ4_XS: half d, u16 of the scales' high bits, 4 bytes of their low nibbles, 128 bytes of nibbles.
void packIq4Xs(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s) {
  std::byte* target = packer.superAt(1, s);
  packer.half(target, 0, row, super);
  for (std::uint32_t g = 0; g < superBlocks; ++g) {
    packer.sixBits(target + 16, row, g,
                   (byteOf(super[4 + g / 2]) >> (g % 2 * 4) & 15u) | (byteOf(super[2 + g / 4]) >> (g % 4 * 2) & 3u) << 4);
    packer.nibbles(row, s * superBlocks + g, unpackNibbles(super + 8 + 16 * g));
  }
}

// NVFP4: 4 bytes of scales, 4 runs of 16 in 8 bytes of nibbles.
void packNvfp4(const std::byte* block, const Packer& packer, std::uint32_t row, std::uint32_t i) {
  for (std::uint32_t half = 0; half < 2; ++half) {
    const std::uint32_t b = 2 * i + half;
    std::memcpy(packer.blockAt(1, b) + 2 * row, block + 2 * half, 2);
    const std::byte* nibbles = block + 4 + 16 * half;
    Codes codes;
    for (std::uint32_t k = 0; k < blockColumns; ++k) codes[k] = byteOf(nibbles[k / 16 * 8 + k % 8]) >> (k % 16 / 8 * 4) & 15u;
    packer.nibbles(row, b, codes);
  }
}

// NVFP4_PLANES: 8 bytes of nibbles in order, a scale: half of a block of ours.
void packNvfp4Half(const std::byte* half, const Packer& packer, std::uint32_t row, std::uint32_t i) {
  const std::uint32_t b = i / 2;
  packer.blockAt(1, b)[2 * row + i % 2] = half[8];
  std::byte* target = packer.quadAt(row, b, 0);
  for (std::uint32_t k = 0; k < 16; ++k) packer.setBits(target[k], i % 2 * 4, 15u, byteOf(half[k / 2]) >> (k % 2 * 4) & 15u);
}

void packRow(const TensorView& view, const std::byte* source, const Packer& packer, std::uint32_t row, std::uint32_t blocks) {
  const std::size_t bytes = traits(view.type).blockBytes;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const std::byte* block = source + i * bytes;
    switch (view.type) {
      case ElementType::Q8_0: packQ8(block, packer, row, i); break;
      case ElementType::Q4_0: packSmall(block, packer, row, i, false, false); break;
      case ElementType::Q4_1: packSmall(block, packer, row, i, true, false); break;
      case ElementType::Q5_0: packSmall(block, packer, row, i, false, true); break;
      case ElementType::Q5_1: packSmall(block, packer, row, i, true, true); break;
      case ElementType::Q4_K: packGrouped(block, packer, row, i, false); break;
      case ElementType::Q5_K: packGrouped(block, packer, row, i, true); break;
      case ElementType::Q6_K: packQ6(block, packer, row, i); break;
      case ElementType::Q2_K: packQ2(block, packer, row, i); break;
      case ElementType::Q3_K: packQ3(block, packer, row, i); break;
      case ElementType::IQ4_NL: packIq4Nl(block, packer, row, i); break;
      case ElementType::IQ4_XS: packIq4Xs(block, packer, row, i); break;
      case ElementType::NVFP4: packNvfp4(block, packer, row, i); break;
      case ElementType::NVFP4_PLANES: packNvfp4Half(block, packer, row, i); break;
      case ElementType::TQ1_0: packTernary(block, packer, row, i); break;
      case ElementType::MXFP4: packE2m1(block, packer, row, i, false); break;
      case ElementType::MXFP4_PLANES: packE2m1(block, packer, row, i, true); break;
      default:
        if (const auto affine = affineOf(view.type)) packAffine(view.type, block, packer, row, i, *affine);
        else if (const auto bytes = signedBytesOf(view.type)) packSigned(view.type, block, packer, row, i, *bytes);
        else packIndices(view.type, block, packer, row, i);
    }
  }
}

}  // namespace

void packGroup(const TensorView& view, const RowRun& rows, std::uint32_t group, const WeightLayout& layout, std::uint32_t targetGroup,
               std::span<std::byte> device) {
  const Packer packer(layout, targetGroup, device);
  const std::uint32_t elements = traits(view.type).blockElements;
  const std::uint32_t units = static_cast<std::uint32_t>(view.shape.columns()) / elements;
  const std::uint32_t first = group * groupRows;
  const std::uint32_t last = std::min(rows.count, first + groupRows);
  const bool partial = last - first < groupRows || layout.columns % blockColumns != 0;
  if (partial) packer.clear();
  if (const auto grid = gridOf(view.type).entries; targetGroup == 0 && !grid.empty()) {
    std::memcpy(device.data() + layout.planes[tablePlane], grid.data(), grid.size_bytes());
  }
  std::vector<std::byte> assembled(view.apart() ? view.rowBytes() : 0);
  for (std::uint32_t i = first; i < last; ++i) {
    const std::size_t row = rows.first + std::size_t{i} * rows.stride;
    const std::byte* source = view.row(row);
    if (view.apart()) {
      assembleRows(view, row, 1, assembled.data());
      source = assembled.data();
    }
    if (elements == 1) packFloats(view, source, packer, i - first);
    else packRow(view, source, packer, i - first, units);
  }
}

}  // namespace minerva::gpu
