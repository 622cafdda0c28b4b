// How each element type's panel (core/backend/cpu/panels.h) is read: scales of a group, and words of four byte codes.
//
// A format says: value of an element = scale(sub, half) * (code - zero) + offset(sub). `sub` counts blocks of 32 columns in
// a group, `half` its halves of 16 (formats with `halves` == 1 have one scale for both). codes(c, sub, g, lane) is word g of
// the block: the codes of its columns 4g .. 4g + 3, from `lane` on. A new integer type is one struct here, a recipe in
// panels.cpp and a row in kernels/table.h.
#pragma once

#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int lineBytes = 64;  // one word of 16 rows

inline U word(const std::byte* codes, int index, int lane) { return loadU(codes + index * lineBytes + lane * 4); }

// The words of a block of 32 columns: four of nibbles (low: word g, high: word g + 4), and for five bits one of fifth bits
// (bit g of a byte), for six two of bit pairs (pair g % 4 of word g / 4).
template <int Bits>
struct Block {
  static U codes(const std::byte* c, int g, int lane) {
    const U nibbles = word(c, g & 3, lane) >> (g & 4) & 0x0f0f0f0fu;
    if constexpr (Bits == 5) return nibbles | (word(c, 4, lane) >> g & 0x01010101u) << 4;
    if constexpr (Bits == 6) return nibbles | (word(c, 4 + g / 4, lane) >> (2 * (g & 3)) & 0x03030303u) << 4;
    return nibbles;
  }
};

template <int Bits, bool HasMinimum>
struct Nibbles {  // Q4_0, Q4_1, Q5_0, Q5_1
  static constexpr int groupColumns = 32, headerBytes = HasMinimum ? 64 : 32, codeBytes = Bits * lineBytes;
  static constexpr int halves = 1, zero = HasMinimum ? 0 : 1 << (Bits - 1);
  static constexpr bool hasOffset = HasMinimum;
  struct Header {
    F scale, offset;
  };
  static Header load(const std::byte* header, int lane) {
    if constexpr (HasMinimum) return {loadHalves(header + lane * 2), loadHalves(header + 32 + lane * 2)};
    return {loadHalves(header + lane * 2), F{}};
  }
  static F scale(const Header& h, int, int) { return h.scale; }
  static F offset(const Header& h, int) { return h.offset; }
  static U codes(const std::byte* c, int, int g, int lane) { return Block<Bits>::codes(c, g, lane); }
};

struct Bytes {  // Q8_0, the codes stored with 128 added
  static constexpr int groupColumns = 32, headerBytes = 32, codeBytes = 8 * lineBytes, halves = 1, zero = 128;
  static constexpr bool hasOffset = false;
  struct Header {
    F scale;
  };
  static Header load(const std::byte* header, int lane) { return {loadHalves(header + lane * 2)}; }
  static F scale(const Header& h, int, int) { return h.scale; }
  static F offset(const Header&, int) { return F{}; }
  static U codes(const std::byte* c, int, int g, int lane) { return word(c, g, lane); }
};

// Q4_K and Q5_K: eight blocks a group. The 12 bytes of 6-bit scales and minima are three words a row.
template <int Bits>
struct Grouped {
  static constexpr int groupColumns = 256, headerBytes = 64 + 3 * lineBytes, codeBytes = 8 * Bits * lineBytes;
  static constexpr int halves = 1, zero = 0;
  static constexpr bool hasOffset = true;
  struct Header {
    F scale, minimum;
    U scales[2], minima[2];  // four bytes each: blocks 0 - 3, 4 - 7
  };
  static Header load(const std::byte* header, int lane) {
    const U a = word(header + 64, 0, lane), b = word(header + 64, 1, lane), c = word(header + 64, 2, lane);
    Header h;
    h.scale = loadHalves(header + lane * 2);
    h.minimum = -loadHalves(header + 32 + lane * 2);
    h.scales[0] = a & 0x3f3f3f3fu;
    h.minima[0] = b & 0x3f3f3f3fu;
    h.scales[1] = (c & 0x0f0f0f0fu) | (a >> 2 & 0x30303030u);
    h.minima[1] = (c >> 4 & 0x0f0f0f0fu) | (b >> 2 & 0x30303030u);
    return h;
  }
  static F scale(const Header& h, int sub, int) { return h.scale * toFloat(h.scales[sub >> 2] >> (8 * (sub & 3)) & 0xffu); }
  static F offset(const Header& h, int sub) { return h.minimum * toFloat(h.minima[sub >> 2] >> (8 * (sub & 3)) & 0xffu); }
  static U codes(const std::byte* c, int sub, int g, int lane) { return Block<Bits>::codes(c + sub * Bits * lineBytes, g, lane); }
};

struct Sixes {  // Q6_K: eight blocks a group, signed 8-bit scales for halves of 16
  static constexpr int groupColumns = 256, headerBytes = 32 + 256, codeBytes = 8 * 6 * lineBytes, halves = 2, zero = 32;
  static constexpr bool hasOffset = false;
  struct Header {
    F scale;
    const std::byte* scales;
  };
  static Header load(const std::byte* header, int lane) { return {loadHalves(header + lane * 2), header + 32 + lane}; }
  static F scale(const Header& h, int sub, int half) {
    return h.scale * toFloat(loadSignedBytes(h.scales + (sub * 2 + half) * 16));
  }
  static F offset(const Header&, int) { return F{}; }
  static U codes(const std::byte* c, int sub, int g, int lane) { return Block<6>::codes(c + sub * 6 * lineBytes, g, lane); }
};

// Floats: a line is 64 bytes: 16 rows of one (F32) or two neighbouring columns. load(line, v): vector v of the line, as
// float; with two columns the lanes are (row, column) in row order.
struct Singles {
  static constexpr int columnsPerLine = 1, vectors = 16 / Lanes;
  static F load(const std::byte* line, int v) { return loadF(line + v * Lanes * 4); }
};
struct Halves {
  static constexpr int columnsPerLine = 2, vectors = 32 / Lanes;
  static F load(const std::byte* line, int v) { return loadHalves(line + v * Lanes * 2); }
};
struct Brains {  // bfloat16
  static constexpr int columnsPerLine = 2, vectors = 32 / Lanes;
  static F load(const std::byte* line, int v) { return bitsF(loadWords16(line + v * Lanes * 2) << 16); }
};

// Floats left in the rows of the file: 16 rows of `columns` elements one after the other.
struct SingleRows {
  static constexpr std::size_t elementBytes = 4;
  static F load(const std::byte* from) { return loadF(from); }
};
struct HalfRows {
  static constexpr std::size_t elementBytes = 2;
  static F load(const std::byte* from) { return loadHalves(from); }
};
struct BrainRows {
  static constexpr std::size_t elementBytes = 2;
  static F load(const std::byte* from) { return bitsF(loadWords16(from) << 16); }
};

// Start of the codes in a panel: headers come first, up to a multiple of 64 bytes.
template <class Format>
inline const std::byte* codePlane(const std::byte* panel, int columns) {
  const std::size_t headers = static_cast<std::size_t>(columns / Format::groupColumns) * Format::headerBytes;
  return panel + (headers + 63) / 64 * 64;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
