// Planes of scales and high bits. "x8" means one value for each row of a group:
//   Q8_0, Q4_0, Q5_0   [group][block] half d x8
//   MXFP4              [group][block] byte x8, a power of two
//   MLX, 4 and 8 bits  [group][group of elements] scale x8, bias x8
//   Q4_1, Q5_1         [group][block] half d x8, half m x8
//   Q5_0, Q5_1         fifth bits [group][block] u32 x8: bit j + 8b belongs to element 4j + b
//   Q4_K, Q5_K         [group][super] half d x8, half dmin x8; [group][block] bytes x8: low four bits of scale and minimum;
//                      [group][block] nibbles x8: high two bits of scale and minimum; Q5_K: fifth bits as above
//   Q6_K               [group][super] half d x8; [group][block] (int8 of elements 0-15, int8 of 16-31) x8;
//                      high bits [group][block] u64 x8: bits 2(j mod 4) + 8b of word j / 4 belong to element 4j + b
#include "gpu/runtime/weight_layout.h"

#include "core/tensor/types/grid_data.h"
#include "gpu/shaders/shared/choices.h"

#include <algorithm>
#include <optional>
#include <cstring>
#include <vector>

namespace minerva::gpu {

namespace {

constexpr std::uint32_t superBlocks = 8;  // blocks of a super-block of 256 elements
constexpr std::uint32_t tileBlocks = 8;
constexpr std::size_t quadBytes = 16;
using Codes = std::array<std::uint8_t, blockColumns>;

// Types stored as in the file.
struct RawType {
  ElementType type;
  std::uint32_t format;
};
constexpr RawType rawTypes[] = {
    {ElementType::Q2_K, choice::formatQ2K},
    {ElementType::Q3_K, choice::formatQ3K},
    {ElementType::IQ4_NL, choice::formatIq4Nl},
    {ElementType::IQ4_XS, choice::formatIq4Xs},
    {ElementType::NVFP4, choice::formatNvfp4},
    {ElementType::TQ1_0, choice::formatTq1},
    {ElementType::TQ2_0, choice::formatTq2},
    {ElementType::Q1_0, choice::formatQ1},
    {ElementType::Q2_0, choice::formatQ2},
    {ElementType::Q8_1, choice::formatQ81},
    {ElementType::Q8_K, choice::formatQ8K},
    {ElementType::F8_E4M3, choice::formatE4m3},
    {ElementType::F8_E5M2, choice::formatE5m2},
    {ElementType::F8_E8M0, choice::formatE8m0},
    {ElementType::F8_E4M3_SCALED, choice::formatE4m3Scaled},
    {ElementType::F8_E5M2_SCALED, choice::formatE5m2Scaled},
    {ElementType::F8_E4M3_SCALED32, choice::formatE4m3Scaled},
    {ElementType::F8_E5M2_SCALED32, choice::formatE5m2Scaled},
    {ElementType::MXFP8_PLANES, choice::formatMxfp8Planes},
    {ElementType::NVFP4_PLANES, choice::formatNvfp4Planes},
    {ElementType::IQ2_XXS, choice::formatIq2Xxs},
    {ElementType::IQ2_XS, choice::formatIq2Xs},
    {ElementType::IQ2_S, choice::formatIq2S},
    {ElementType::IQ3_XXS, choice::formatIq3Xxs},
    {ElementType::IQ3_S, choice::formatIq3S},
    {ElementType::IQ1_S, choice::formatIq1S},
    {ElementType::IQ1_M, choice::formatIq1M},
};

// An MLX type: codes of so many bits in groups of so many elements, with scales and biases of a type.
struct Affine {
  std::uint32_t bits, group, scale;
  [[nodiscard]] bool hasPlanes() const { return bits == 4 || bits == 8; }
  [[nodiscard]] std::uint32_t scaleBytes() const { return scale == choice::scaleF32 ? 4 : 2; }
};
std::optional<Affine> affineOf(ElementType type) {
  if (type < ElementType::MLX2_G32_F16 || type > ElementType::MLX8_G128_F32) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(type) - static_cast<std::uint32_t>(ElementType::MLX2_G32_F16);
  constexpr std::array<std::uint32_t, 6> bits{2, 3, 4, 5, 6, 8};
  constexpr std::array<std::uint32_t, 3> groups{32, 64, 128};
  constexpr std::array<std::uint32_t, 3> scales{choice::scaleF16, choice::scaleBf16, choice::scaleF32};
  return Affine{bits[index / 9], groups[index / 3 % 3], scales[index % 3]};
}

std::optional<std::uint32_t> rawFormat(ElementType type) {
  if (const auto affine = affineOf(type)) return affine->hasPlanes() ? std::nullopt : std::optional(choice::formatMlx);
  const auto* found = std::ranges::find(rawTypes, type, &RawType::type);
  if (found == std::end(rawTypes)) return std::nullopt;
  return found->format;
}

// The grid that a raw type's codes index.
std::span<const std::uint16_t> gridOf(ElementType type) {
  switch (type) {
    case ElementType::IQ2_XXS: return types::grids::iq2Xxs;
    case ElementType::IQ2_XS: return types::grids::iq2Xs;
    case ElementType::IQ2_S: return types::grids::iq2S;
    case ElementType::IQ3_XXS: return types::grids::iq3Xxs;
    case ElementType::IQ3_S: return types::grids::iq3S;
    case ElementType::IQ1_S:
    case ElementType::IQ1_M: return types::grids::iq1S;
    default: return {};
  }
}

// raw.glsl's EXTRA: the bits per code and the type of the scales.
std::uint32_t mlxExtra(ElementType type) {
  const auto affine = affineOf(type);
  return affine ? affine->bits + 256 * affine->scale : 0;
}

struct Plane {
  std::uint32_t bytesPerBlock = 0;  // of 8 rows
  std::uint32_t bytesPerSuper = 0;
  std::uint32_t blocksPerSuper = superBlocks;
};
using Planes = std::array<Plane, 4>;

Planes planesOf(ElementType type) {
  const auto codes = [](std::uint32_t bytes) { return Plane{bytes * groupRows, 0}; };
  if (const auto affine = affineOf(type); affine && affine->hasPlanes()) {
    return {codes(4 * affine->bits), Plane{0, 2 * groupRows * affine->scaleBytes(), affine->group / blockColumns}};
  }
  switch (type) {
    case ElementType::F32: return {codes(128)};
    case ElementType::F16:
    case ElementType::BF16: return {codes(64)};
    case ElementType::Q8_0: return {codes(32), Plane{16, 0}};
    case ElementType::Q4_0: return {codes(16), Plane{16, 0}};
    case ElementType::MXFP4:
    case ElementType::MXFP4_PLANES: return {codes(16), Plane{8, 0}};
    case ElementType::Q4_1: return {codes(16), Plane{32, 0}};
    case ElementType::Q5_0: return {codes(16), Plane{16, 0}, Plane{32, 0}};
    case ElementType::Q5_1: return {codes(16), Plane{32, 0}, Plane{32, 0}};
    case ElementType::Q4_K: return {codes(16), Plane{0, 32}, Plane{12, 0}};
    case ElementType::Q5_K: return {codes(16), Plane{0, 32}, Plane{12, 0}, Plane{32, 0}};
    case ElementType::Q6_K: return {codes(16), Plane{0, 16}, Plane{16, 0}, Plane{64, 0}};
    default: break;  // raw, or refused by support.h
  }
  return {};
}

std::uint64_t rawRowBytes(const WeightLayout& layout) {
  const ElementTypeTraits& t = traits(layout.type);
  return std::uint64_t{layout.blocks} * blockColumns / t.blockElements * t.blockBytes;
}

std::uint64_t roundUp(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// Writes one block of one row into the planes of its layout.
class Packer {
 public:
  Packer(const WeightLayout& layout, std::uint32_t group, std::span<std::byte> device)
      : m_layout(layout), m_planes(planesOf(layout.type)), m_group(group), m_device(device) {}

  // Start of the bytes of plane `p` for a block of this group.
  std::byte* blockAt(std::size_t p, std::uint32_t block) const { return at(p, m_planes[p].bytesPerBlock, m_layout.blocks, block); }
  std::byte* superAt(std::size_t p, std::uint32_t super) const {
    return at(p, m_planes[p].bytesPerSuper, m_layout.blocks / m_planes[p].blocksPerSuper, super);
  }
  // Start of a row of a raw type.
  std::byte* rawAt(std::uint32_t row) const { return m_device.data() + (std::uint64_t{m_group} * groupRows + row) * rawRowBytes(m_layout); }
  // Start of quad q of a block's codes.
  std::byte* quadAt(std::uint32_t row, std::uint32_t block, std::uint32_t q) const {
    const std::uint64_t quads = m_planes[0].bytesPerBlock / groupRows / quadBytes;
    const std::uint32_t tile = block / tileBlocks * tileBlocks;
    const std::uint64_t width = std::min(tileBlocks, m_layout.blocks - tile);
    const std::uint64_t first = (std::uint64_t{m_group} * m_layout.blocks + tile) * groupRows * quads;
    return m_device.data() + (first + (row * quads + q) * width + block % tileBlocks) * quadBytes;
  }
  void nibbles(std::uint32_t row, std::uint32_t block, const Codes& codes) const {
    std::byte* target = quadAt(row, block, 0);
    for (std::size_t i = 0; i < 16; ++i) target[i] = static_cast<std::byte>((codes[i] & 15u) | (codes[i + 16] & 15u) << 4);
  }
  void fifthBits(std::size_t plane, std::uint32_t row, std::uint32_t block, const Codes& codes) const {
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < blockColumns; ++i) bits |= (codes[i] >> 4 & 1u) << (i / 4 + 8 * (i % 4));
    std::memcpy(blockAt(plane, block) + 4 * row, &bits, 4);
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

std::uint8_t byteOf(std::byte b) { return std::to_integer<std::uint8_t>(b); }

Codes unpackNibbles(const std::byte* bytes) {
  Codes codes;
  for (std::size_t i = 0; i < 16; ++i) {
    codes[i] = byteOf(bytes[i]) & 15u;
    codes[i + 16] = byteOf(bytes[i]) >> 4;
  }
  return codes;
}

// Two consecutive elements a byte, the first in its low half.
Codes nibblesInOrder(const std::byte* bytes) {
  Codes codes;
  for (std::size_t i = 0; i < blockColumns; ++i) codes[i] = byteOf(bytes[i / 2]) >> (i % 2 * 4) & 15u;
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
  if (fifth) packer.fifthBits(2, row, b, codes);
}

// MXFP4: byte, 16 bytes of nibbles. MXFP4_PLANES: 16 bytes of nibbles in order, byte.
void packE2m1(const std::byte* block, const Packer& packer, std::uint32_t row, std::uint32_t b, bool inOrder) {
  packer.blockAt(1, b)[row] = block[inOrder ? 16 : 0];
  packer.nibbles(row, b, inOrder ? nibblesInOrder(block) : unpackNibbles(block + 1));
}

// MLX: the codes of a group in order, scale, bias.
void packAffine(const std::byte* group, const Packer& packer, std::uint32_t row, std::uint32_t g, const Affine& affine) {
  const std::uint32_t blocks = affine.group / blockColumns, blockBytes = 4 * affine.bits, bytes = affine.scaleBytes();
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const std::byte* codes = group + i * blockBytes;
    const std::uint32_t block = g * blocks + i;
    if (affine.bits == 4) packer.nibbles(row, block, nibblesInOrder(codes));
    else
      for (std::uint32_t q = 0; q < 2; ++q) std::memcpy(packer.quadAt(row, block, q), codes + q * quadBytes, quadBytes);
  }
  const std::byte* scale = group + blocks * blockBytes;
  for (std::uint32_t which = 0; which < 2; ++which) {
    std::memcpy(packer.superAt(1, g) + (which * groupRows + row) * bytes, scale + which * bytes, bytes);
  }
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
    std::byte* target = packer.blockAt(2, b);
    target[row] = static_cast<std::byte>((scale & 15u) | (minimum & 15u) << 4);
    const unsigned shift = row % 2 * 4;
    target[8 + row / 2] = (target[8 + row / 2] & static_cast<std::byte>(~(15u << shift))) |
                          static_cast<std::byte>(((scale >> 4) | (minimum >> 4) << 2) << shift);
    Codes codes;
    for (std::uint32_t i = 0; i < blockColumns; ++i) {
      unsigned code = byteOf(nibbles[g / 2 * 32 + i]) >> (g % 2 * 4) & 15u;
      if (fifth) code |= (byteOf(high[i]) >> g & 1u) << 4;
      codes[i] = static_cast<std::uint8_t>(code);
    }
    packer.nibbles(row, b, codes);
    if (fifth) packer.fifthBits(3, row, b, codes);
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
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i < blockColumns; ++i) {
      codes[i] = byteOf(low[i]) >> (g % 4 >= 2 ? 4 : 0) & 15u;
      const std::uint64_t pair = byteOf(high[i]) >> (g % 4 * 2) & 3u;
      const std::uint32_t j = i / 4;
      bits |= pair << (32 * (j / 4) + 2 * (j % 4) + 8 * (i % 4));
    }
    packer.nibbles(row, b, codes);
    std::memcpy(packer.blockAt(3, b) + 8 * row, &bits, 8);
  }
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
      case ElementType::MXFP4: packE2m1(block, packer, row, i, false); break;
      case ElementType::MXFP4_PLANES: packE2m1(block, packer, row, i, true); break;
      default:
        if (const auto affine = affineOf(view.type)) packAffine(block, packer, row, i, *affine);
    }
  }
}

}  // namespace

FormatModule moduleOf(ElementType type) {
  const ElementTypeTraits& t = traits(type);
  if (const auto format = rawFormat(type)) {
    return {"RAW", {*format, t.blockElements, t.blockBytes, *format == choice::formatMlx ? mlxExtra(type) : 0}};
  }
  if (const auto affine = affineOf(type)) {
    return {affine->bits == 4 ? "AFFINE4" : "AFFINE8", {affine->group / blockColumns, affine->scale}};
  }
  if (type == ElementType::MXFP4 || type == ElementType::MXFP4_PLANES) return {"E2M1", {}};
  if (planesOf(type)[0].bytesPerBlock == 0) return {};
  return {std::string(t.name), {}};
}

std::uint64_t tableBytes(ElementType type) { return gridOf(type).size_bytes(); }

std::uint64_t groupBytes(const WeightLayout& layout, std::size_t plane) {
  if (rawFormat(layout.type)) return plane == 0 ? std::uint64_t{groupRows} * rawRowBytes(layout) : 0;
  const Plane p = planesOf(layout.type)[plane];
  return std::uint64_t{p.bytesPerBlock} * layout.blocks + std::uint64_t{p.bytesPerSuper} * (layout.blocks / p.blocksPerSuper);
}

WeightLayout layoutOf(ElementType type, std::uint32_t rows, std::uint32_t columns) {
  WeightLayout layout;
  layout.type = type;
  layout.rows = rows;
  layout.columns = columns;
  layout.groups = (rows + groupRows - 1) / groupRows;
  layout.blocks = (columns + blockColumns - 1) / blockColumns;
  for (std::size_t p = 0; p < layout.planes.size(); ++p) {
    layout.planes[p] = layout.bytes;
    layout.bytes += roundUp(groupBytes(layout, p) * layout.groups, 16);
  }
  if (rawFormat(type)) layout.bytes += 16;  // kernels load a word together with the next one
  if (tableBytes(type) > 0) {
    layout.planes[1] = layout.bytes;
    layout.bytes += roundUp(tableBytes(type), 16);
  }
  return layout;
}

void packGroup(const TensorView& view, const RowRun& rows, std::uint32_t group, const WeightLayout& layout, std::uint32_t targetGroup,
               std::span<std::byte> device) {
  const Packer packer(layout, targetGroup, device);
  const std::uint32_t elements = traits(view.type).blockElements;
  const std::uint32_t units = static_cast<std::uint32_t>(view.shape.columns()) / elements;
  const std::uint32_t first = group * groupRows;
  const std::uint32_t last = std::min(rows.count, first + groupRows);
  const bool partial = last - first < groupRows || layout.columns % blockColumns != 0;
  if (partial) packer.clear();
  if (const auto grid = gridOf(view.type); targetGroup == 0 && !grid.empty()) {
    std::memcpy(device.data() + layout.planes[1], grid.data(), grid.size_bytes());
  }
  const bool raw = rawFormat(view.type).has_value();
  std::vector<std::byte> assembled(view.apart() ? view.rowBytes() : 0);
  for (std::uint32_t i = first; i < last; ++i) {
    const std::size_t row = rows.first + std::size_t{i} * rows.stride;
    const std::byte* source = view.row(row);
    if (view.apart()) {
      assembleRows(view, row, 1, assembled.data());
      source = assembled.data();
    }
    if (raw) std::memcpy(packer.rawAt(i - first), source, view.rowBytes());
    else if (elements == 1) packFloats(view, source, packer, i - first);
    else packRow(view, source, packer, i - first, units);
  }
}

}  // namespace minerva::gpu
