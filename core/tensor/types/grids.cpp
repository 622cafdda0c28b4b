// Blocks of 256 elements whose codes are vectors of a grid (grid_data.h). Layouts as in the GGUF files; s is a small scale:
//   IQ2_XXS  half d, 8 x {4 grid bytes, u32: four 7-bit signs, s in the top 4 bits}      d * (0.5 + s) / 4, per 32
//   IQ2_XS   half d, 32 x u16: 9 bits of grid, 7-bit signs; 8 bytes of s                d * (0.5 + s) / 4, per 16
//   IQ2_S    half d, 32 grid bytes, 32 sign bytes, 8 bytes of two high bits, 8 of s     d * (0.5 + s) / 4, per 16
//   IQ3_XXS  half d, 64 grid bytes, 8 x u32: four 7-bit signs, s                        d * (0.5 + s) / 2, per 32
//   IQ3_S    half d, 64 grid bytes, 8 of high bits, 32 sign bytes, 4 bytes of s         d * (1 + 2 s), per 32
//   IQ1_S    half d, 32 grid bytes, 8 x u16: four 3 high bits, s, sign of the shift     d * (2 s + 1), per 32
//   IQ1_M    32 grid bytes, 16 bytes of (3 high bits, sign of the shift), 4 x u16: four 3-bit s and four bits of the half d
//            d * (2 s + 1), per 16
// A 7-bit sign field is eight signs whose last is the parity of the others. IQ1 values are d * (g +- 1/8): as codes 8 g +- 1
// with an eighth of the scale, which rounds to the same.
#include "core/tensor/half.h"
#include "core/tensor/types/bits.h"
#include "core/tensor/types/expand.h"
#include "core/tensor/types/grid_data.h"
#include "core/tensor/types/grid_tables.h"
#include "core/tensor/types/rows.h"

#include <bit>

namespace minerva::types {

namespace {

template <std::size_t N, std::size_t Codes>
using Grid = std::array<std::conditional_t<Codes == 8, std::uint64_t, std::uint32_t>, N>;

// The vectors as bytes, with their offset.
template <std::size_t Codes, int Offset, std::size_t N, std::size_t Values>
constexpr Grid<N, Codes> bytesOfGrid(const std::array<std::uint16_t, N>& packed, const std::array<int, Values>& values) {
  constexpr unsigned bits = 16 / Codes == 2 ? 2 : 3;
  Grid<N, Codes> grid{};
  for (std::size_t e = 0; e < N; ++e) {
    for (std::size_t i = 0; i < Codes; ++i) {
      const int value = Offset + values[packed[e] >> (bits * i) & ((1u << bits) - 1)];
      grid[e] |= static_cast<typename Grid<N, Codes>::value_type>(static_cast<std::uint8_t>(value)) << (8 * i);
    }
  }
  return grid;
}

constexpr int offset1 = GridTables::offset1, offset2 = GridTables::offset2, offset3Xxs = GridTables::offset3Xxs,
              offset3S = GridTables::offset3S;
constexpr std::array<int, 4> values2{8, 25, 43, 0};
constexpr auto gridIq2Xxs = bytesOfGrid<8, offset2>(grids::iq2Xxs, values2);
constexpr auto gridIq2Xs = bytesOfGrid<8, offset2>(grids::iq2Xs, values2);
constexpr auto gridIq2S = bytesOfGrid<8, offset2>(grids::iq2S, values2);
constexpr auto gridIq3Xxs = bytesOfGrid<4, offset3Xxs>(grids::iq3Xxs, std::array<int, 8>{4, 12, 20, 28, 36, 44, 52, 62});
constexpr auto gridIq3S = bytesOfGrid<4, offset3S>(grids::iq3S, std::array<int, 8>{1, 3, 5, 7, 9, 11, 13, 15});
constexpr auto gridIq3SPairs = [] {
  std::array<std::uint64_t, 256> pairs{};
  for (std::size_t e = 0; e < 256; ++e) pairs[e] = gridIq3S[e] | static_cast<std::uint64_t>(gridIq3S[256 + e]) << 32;
  return pairs;
}();
constexpr auto gridIq1 = bytesOfGrid<8, offset1>(grids::iq1S, std::array<int, 4>{-8, 0, 8, 0});

constexpr std::uint64_t eachByte = 0x0101010101010101u;

// Eight sign bits as bytes of all ones; for seven, the eighth is their parity.
constexpr std::uint64_t maskOf(std::size_t bits) {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < 8; ++i) mask |= (bits >> i & 1u) != 0 ? std::uint64_t{0xff} << (8 * i) : 0;
  return mask;
}
constexpr std::array<std::uint64_t, 256> signMasks = [] {
  std::array<std::uint64_t, 256> masks{};
  for (std::size_t bits = 0; bits < 256; ++bits) masks[bits] = maskOf(bits);
  return masks;
}();
constexpr std::array<std::uint64_t, 128> paritySignMasks = [] {
  std::array<std::uint64_t, 128> masks{};
  for (std::size_t bits = 0; bits < 128; ++bits) masks[bits] = maskOf(bits | (std::popcount(bits) & 1u) << 7);
  return masks;
}();

std::uint32_t loadU32(const std::byte* bytes) {
  std::uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
std::uint64_t withParity(std::uint32_t signs) { return paritySignMasks[signs & 0x7fu]; }

// Turns the signs of eight codes, none of which is 0, and takes the offset away.
template <int Offset>
void storeSigned(std::uint64_t codes, std::uint64_t mask, std::int8_t* out) {
  codes = ((codes - Offset * eachByte) ^ mask) + (mask & eachByte);
  std::memcpy(out, &codes, sizeof codes);
}
std::uint64_t pairOf(std::uint32_t first, std::uint32_t second) { return first | static_cast<std::uint64_t>(second) << 32; }

void setScaleOf32(ExpandedBlock& out, std::size_t block32, float scale) { out.scales[2 * block32] = out.scales[2 * block32 + 1] = scale; }

void expandIq2Xxs(const std::byte* block, ExpandedBlock& out) {
  const float d = loadHalf(block);
  for (std::size_t b = 0; b < 8; ++b) {
    const std::byte* grid = block + 2 + 8 * b;
    const std::uint32_t signs = loadU32(grid + 4);
    setScaleOf32(out, b, d * (0.5f + static_cast<float>(signs >> 28)) * 0.25f);
    for (std::size_t i = 0; i < 4; ++i) {
      storeSigned<offset2>(gridIq2Xxs[byteOf(grid[i])], withParity(signs >> (7 * i)), out.codes + 32 * b + 8 * i);
    }
  }
}

// Scales of halves of 32: nibbles, low first.
void setScales2(const std::byte* nibbles, float d, ExpandedBlock& out) {
  for (std::size_t i = 0; i < 16; ++i) {
    const unsigned s = byteOf(nibbles[i / 2]) >> (i % 2 * 4) & 15u;
    out.scales[i] = d * (0.5f + static_cast<float>(s)) * 0.25f;
  }
}

void expandIq2Xs(const std::byte* block, ExpandedBlock& out) {
  setScales2(block + 66, loadHalf(block), out);
  for (std::size_t i = 0; i < 32; ++i) {
    const std::uint32_t code = loadU16(block + 2 + 2 * i);
    storeSigned<offset2>(gridIq2Xs[code & 511u], withParity(code >> 9), out.codes + 8 * i);
  }
}

void expandIq2S(const std::byte* block, ExpandedBlock& out) {
  setScales2(block + 74, loadHalf(block), out);
  for (std::size_t i = 0; i < 32; ++i) {
    const unsigned high = byteOf(block[66 + i / 4]) >> (2 * (i % 4)) & 3u;
    storeSigned<offset2>(gridIq2S[byteOf(block[2 + i]) | high << 8], signMasks[byteOf(block[34 + i])], out.codes + 8 * i);
  }
}

void expandIq3Xxs(const std::byte* block, ExpandedBlock& out) {
  const float d = loadHalf(block);
  for (std::size_t b = 0; b < 8; ++b) {
    const std::byte* grid = block + 2 + 8 * b;
    const std::uint32_t signs = loadU32(block + 66 + 4 * b);
    setScaleOf32(out, b, d * (0.5f + static_cast<float>(signs >> 28)) * 0.5f);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint64_t codes = pairOf(gridIq3Xxs[byteOf(grid[2 * i])], gridIq3Xxs[byteOf(grid[2 * i + 1])]);
      storeSigned<offset3Xxs>(codes, withParity(signs >> (7 * i)), out.codes + 32 * b + 8 * i);
    }
  }
}

void expandIq3S(const std::byte* block, ExpandedBlock& out) {
  const float d = loadHalf(block);
  for (std::size_t b = 0; b < 8; ++b) {
    const unsigned s = byteOf(block[106 + b / 2]) >> (b % 2 * 4) & 15u;
    setScaleOf32(out, b, d * static_cast<float>(1 + 2 * s));
    const std::byte* grid = block + 2 + 8 * b;
    const unsigned high = byteOf(block[66 + b]);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t first = gridIq3S[byteOf(grid[2 * i]) | (high >> (2 * i) & 1u) << 8];
      const std::uint32_t second = gridIq3S[byteOf(grid[2 * i + 1]) | (high >> (2 * i + 1) & 1u) << 8];
      storeSigned<offset3S>(pairOf(first, second), signMasks[byteOf(block[74 + 4 * b + i])], out.codes + 32 * b + 8 * i);
    }
  }
}

// 8 g + 1 or 8 g - 1. The top bit of each byte is set in between, so that no byte borrows from the next.
void storeShifted(std::size_t index, bool down, std::int8_t* out) {
  const std::uint64_t shifted = gridIq1[index] + (down ? 0 : 2) * eachByte;
  const std::uint64_t codes = ((shifted | 0x80 * eachByte) - (offset1 + 1) * eachByte) ^ 0x80 * eachByte;
  std::memcpy(out, &codes, sizeof codes);
}

void expandIq1S(const std::byte* block, ExpandedBlock& out) {
  const float d = loadHalf(block);
  for (std::size_t b = 0; b < 8; ++b) {
    const std::uint32_t high = loadU16(block + 34 + 2 * b);
    setScaleOf32(out, b, d * static_cast<float>(2 * (high >> 12 & 7u) + 1) * 0.125f);
    for (std::size_t i = 0; i < 4; ++i) {
      storeShifted(byteOf(block[2 + 4 * b + i]) | (high >> (3 * i) & 7u) << 8, (high & 0x8000u) != 0, out.codes + 32 * b + 8 * i);
    }
  }
}

void expandIq1M(const std::byte* block, ExpandedBlock& out) {
  std::uint32_t half = 0;
  for (std::size_t i = 0; i < 4; ++i) half |= static_cast<std::uint32_t>(loadU16(block + 48 + 2 * i) >> 12) << (4 * i);
  const float d = halfToFloat(static_cast<std::uint16_t>(half));
  for (std::size_t i = 0; i < 16; ++i) {
    const unsigned s = static_cast<unsigned>(loadU16(block + 48 + 2 * (i / 4)) >> (3 * (i % 4))) & 7u;
    out.scales[i] = d * static_cast<float>(2 * s + 1) * 0.125f;
  }
  for (std::size_t i = 0; i < 32; ++i) {
    const unsigned high = byteOf(block[32 + i / 2]) >> (4 * (i % 2));
    storeShifted(byteOf(block[i]) | (high & 7u) << 8, (high & 8u) != 0, out.codes + 8 * i);
  }
}

template <ExpandFunction Expand, std::size_t Bytes>
constexpr ElementTypeTraits gridRow(ElementType type, std::string_view name, std::uint32_t ggmlId) {
  return {type, name, ggmlId, 256, Bytes, dequantizeExpanded<Expand, 256, Bytes>, nullptr};
}

}  // namespace

constinit const std::array<ElementTypeTraits, 7> gridRows{{
    gridRow<expandIq2Xxs, 66>(ElementType::IQ2_XXS, "IQ2_XXS", 16),
    gridRow<expandIq2Xs, 74>(ElementType::IQ2_XS, "IQ2_XS", 17),
    gridRow<expandIq2S, 82>(ElementType::IQ2_S, "IQ2_S", 22),
    gridRow<expandIq3Xxs, 98>(ElementType::IQ3_XXS, "IQ3_XXS", 18),
    gridRow<expandIq3S, 110>(ElementType::IQ3_S, "IQ3_S", 21),
    gridRow<expandIq1S, 50>(ElementType::IQ1_S, "IQ1_S", 19),
    gridRow<expandIq1M, 56>(ElementType::IQ1_M, "IQ1_M", 29),
}};

}  // namespace minerva::types

namespace minerva {

constinit const GridTables gridTables{types::gridIq2Xxs.data(), types::gridIq2Xs.data(),  types::gridIq2S.data(),
                                      types::gridIq1.data(),    types::gridIq3Xxs.data(), types::gridIq3SPairs.data()};

}  // namespace minerva
