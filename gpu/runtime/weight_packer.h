// Writes one block of one row into the planes of its layout: for weight_packing.cpp, grid_packing.cpp, which has the types with grids, and
// affine_packing.cpp.
#pragma once

#include "gpu/runtime/weight_planes.h"

#include <algorithm>
#include <cstring>

namespace minerva::gpu {

using Codes = std::array<std::uint8_t, blockColumns>;

class Packer {
 public:
  Packer(const WeightLayout& layout, std::uint32_t group, std::span<std::byte> device)
      : m_layout(layout), m_planes(planesOf(layout.type)), m_group(group), m_device(device) {}

  // Start of the bytes of plane `p` for a block of this group.
  std::byte* blockAt(std::size_t p, std::uint32_t block) const { return at(p, m_planes[p].bytesPerBlock, m_layout.blocks, block); }
  std::byte* superAt(std::size_t p, std::uint32_t super) const {
    return at(p, m_planes[p].bytesPerSuper, m_layout.blocks / m_planes[p].blocksPerSuper, super);
  }
  // Start of quad q of a block's codes, or of the row's half of it.
  std::byte* quadAt(std::uint32_t row, std::uint32_t block, std::uint32_t q) const {
    const std::uint32_t rowBytes = m_planes[0].bytesPerBlock / groupRows;
    const std::uint32_t quads = std::max<std::uint32_t>(1, rowBytes / quadBytes),
                        rowsPerQuad = quadBytes / std::min<std::size_t>(quadBytes, rowBytes);
    const std::uint32_t tile = block / tileBlocks * tileBlocks;
    const std::uint64_t width = std::min(tileBlocks, m_layout.blocks - tile);
    const std::uint64_t first = (std::uint64_t{m_group} * m_layout.blocks + tile) * groupRows * rowBytes;
    return m_device.data() + first + ((row / rowsPerQuad * quads + q) * width + block % tileBlocks) * quadBytes +
           row % rowsPerQuad * rowBytes;
  }
  void nibbles(std::uint32_t row, std::uint32_t block, const Codes& codes) const {
    std::byte* target = quadAt(row, block, 0);
    for (std::size_t i = 0; i < 16; ++i) target[i] = static_cast<std::byte>((codes[i] & 15u) | (codes[i + 16] & 15u) << 4);
  }
  void twoBits(std::uint32_t row, std::uint32_t block, const Codes& codes) const {
    std::array<std::uint32_t, 2> words{};
    for (std::uint32_t i = 0; i < blockColumns; ++i) words[i / 4 % 2] |= (codes[i] & 3u) << (i / 8 * 2 + 8 * (i % 4));
    std::memcpy(quadAt(row, block, 0), words.data(), sizeof words);
  }
  // Bit `which` of each code.
  void oneBit(std::size_t plane, std::uint32_t row, std::uint32_t block, const Codes& codes, unsigned which) const {
    writeBits(blockAt(plane, block) + 4 * row, codes, which);
  }
  static void writeBits(std::byte* target, const Codes& codes, unsigned which) {
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < blockColumns; ++i) bits |= (codes[i] >> which & 1u) << (i / 4 + 8 * (i % 4));
    std::memcpy(target, &bits, 4);
  }
  // Bits 4 and 5 of each code.
  void highPairs(std::size_t plane, std::uint32_t row, std::uint32_t block, const Codes& codes) const {
    std::array<std::uint32_t, 2> words{};
    for (std::uint32_t i = 0; i < blockColumns; ++i) words[i / 16] |= (codes[i] >> 4 & 3u) << (i / 4 % 4 * 2 + 8 * (i % 4));
    std::memcpy(blockAt(plane, block) + 8 * row, words.data(), sizeof words);
  }
  // Two numbers of six bits.
  void sixBitPair(std::size_t plane, std::uint32_t row, std::uint32_t block, unsigned first, unsigned second) const {
    std::byte* target = blockAt(plane, block);
    target[row] = static_cast<std::byte>((first & 15u) | (second & 15u) << 4);
    setBits(target[8 + row / 2], row % 2 * 4, 15u, (first >> 4) | (second >> 4) << 2);
  }
  // A number of six bits of each block of a super-block: low four bits, then high two.
  static void sixBits(std::byte* target, std::uint32_t row, std::uint32_t g, unsigned number) {
    setBits(target[4 * g + row / 2], row % 2 * 4, 15u, number & 15u);
    setBits(target[32 + 2 * g + row / 4], row % 4 * 2, 3u, number >> 4);
  }
  static void setBits(std::byte& byte, unsigned shift, unsigned mask, unsigned value) {
    byte = (byte & static_cast<std::byte>(~(mask << shift))) | static_cast<std::byte>(value << shift);
  }
  // Zeroes all planes of the group.
  void clear() const {
    for (std::size_t p = 0; p < m_planes.size(); ++p) {
      const std::uint64_t bytes = groupBytes(m_layout, p);
      if (bytes > 0) std::memset(m_device.data() + m_layout.planes[p] + m_group * bytes, 0, bytes);
    }
  }
  // Stores half number `row` of the x8 vector number `which`.
  static void half(std::byte* x8, std::uint32_t which, std::uint32_t row, const std::byte* source) {
    std::memcpy(x8 + 16 * which + 2 * row, source, 2);
  }

 private:
  std::byte* at(std::size_t p, std::uint64_t bytes, std::uint64_t perGroup, std::uint64_t i) const {
    return m_device.data() + m_layout.planes[p] + (m_group * perGroup + i) * bytes;
  }

  const WeightLayout& m_layout;
  Planes m_planes;
  std::uint32_t m_group;
  std::span<std::byte> m_device;
};

inline std::uint8_t byteOf(std::byte b) { return std::to_integer<std::uint8_t>(b); }

// Element i of 256 codes of two bits, a byte of which has one of each quarter of 128 (core/tensor/types/k_small.cpp).
inline unsigned twoBitsOf(const std::byte* codes, std::uint32_t i) {
  return byteOf(codes[i / 128 * 32 + i % 32]) >> (i % 128 / 32 * 2) & 3u;
}

// A block of codes of so many bits in order, the first in the lowest bits of the first byte.
Codes codesInOrder(const std::byte* codes, std::uint32_t bits);

// A group of elements of a type that affine.glsl reads.
void packAffine(ElementType type, const std::byte* group, const Packer& packer, std::uint32_t row, std::uint32_t g, const Affine& affine);
// A super-block of TQ1_0.
void packTernary(const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s);
// A super-block of a type with a grid.
void packIndices(ElementType type, const std::byte* super, const Packer& packer, std::uint32_t row, std::uint32_t s);

}  // namespace minerva::gpu
