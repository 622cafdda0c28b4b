// Decoders of each element type's panels (core/backend/cpu/panels.h): the scales of a group, and words of four byte codes.
//
// A format defines: value of an element = scale(sub, half) * (code - zero) + offset(sub, half). `sub` is the index of a
// block of 32 columns in a group, `half` of its halves of 16 (formats with `halves` == 1 have one scale for both). codes(c,
// sub, g, lane) is word g of the block: the codes of columns 4g .. 4g + 3, for the rows from `lane` on. To add an integer
// type: a struct here, a recipe in panels.cpp and a row in kernels/layouts.h. `rare` formats have fewer unrolled variants; blocks of
// `costly` ones are decoded once for several rows of activations by wide vectors, too. `precise` formats are never multiplied by 8-bit
// activations: it is not known how far llama.cpp is off with MLX's and NVFP4, and with MXFP4 some reference cases would be off by 0.26 to
// 0.41, beyond the least that llama.cpp is off in any case that can be compared (0.22; with 16 bits it is 0.02 to 0.04).
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/vector.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int lineBytes = 64;  // one word for each of 16 rows

inline U word(const std::byte* codes, int index, int lane) { return loadU(codes + index * lineBytes + lane * 4); }

// The words of a block of 32 columns, in as many lines as a code has bits. Up to three bits: two lines of bit pairs (pair g
// % 4 of word g / 4), and for three bits a line of third bits (bit g of a byte). Four and more: four lines of nibbles (low:
// word g, high: word g + 4); for five bits also a line of fifth bits, for six two lines of bit pairs. Eight: bytes.
template <int Bits>
struct Block {  // one bit: a single line, bit g of a byte
  static U pairs(const std::byte* c, int first, int g, int lane) { return word(c, first + g / 4, lane) >> (2 * (g & 3)) & 0x03030303u; }
  static U codes(const std::byte* c, int g, int lane) {
    if constexpr (Bits == 8) return word(c, g, lane);
    if constexpr (Bits == 1) return word(c, 0, lane) >> g & 0x01010101u;
    if constexpr (Bits == 2) return pairs(c, 0, g, lane);
    if constexpr (Bits == 3) return pairs(c, 0, g, lane) | (moved(word(c, 2, lane), 2 - g) & 0x04040404u);
    const U nibbles = word(c, g & 3, lane) >> (g & 4) & 0x0f0f0f0fu;
    if constexpr (Bits == 5) return nibbles | (moved(word(c, 4, lane), 4 - g) & 0x10101010u);
    if constexpr (Bits == 6) return nibbles | (moved(word(c, 4 + g / 4, lane), 4 - 2 * (g & 3)) & 0x30303030u);
    return nibbles;
  }
  static U moved(U word, int left) { return left >= 0 ? word << left : word >> -left; }  // bits that stay within their byte
};

// What the codes of a format stand for before its scale, if they have four bits.
struct NibbleValues {
  alignas(64) float of[16];
};
template <int Zero>
constexpr NibbleValues countedFrom = [] {
  NibbleValues values{};
  for (int n = 0; n < 16; ++n) values.of[n] = static_cast<float>(n - Zero);
  return values;
}();
template <class Table>
constexpr NibbleValues listedIn = [] {
  NibbleValues values{};
  for (int n = 0; n < 16; ++n) values.of[n] = static_cast<float>(Table::values[n] - Table::zero);
  return values;
}();

template <int Bits, bool HasMinimum>
struct Nibbles {  // Q4_0, Q4_1, Q5_0, Q5_1
  static constexpr int groupColumns = 32, headerBytes = HasMinimum ? 64 : 32, codeBytes = Bits * lineBytes;
  static constexpr int halves = 1, zero = HasMinimum ? 0 : 1 << (Bits - 1);
  static constexpr NibbleValues nibbles = countedFrom<zero>;
  static constexpr bool hasOffset = HasMinimum;
  static constexpr int largestCode = (1 << Bits) - 1;
  struct Header {
    F scale, offset;
  };
  static Header load(const std::byte* header, int lane) {
    if constexpr (HasMinimum) return {loadHalves(header + lane * 2), loadHalves(header + 32 + lane * 2)};
    return {loadHalves(header + lane * 2), F{}};
  }
  static F scale(const Header& h, int, int) { return h.scale; }
  static F offset(const Header& h, int, int) { return h.offset; }
  static U codes(const std::byte* c, int, int g, int lane) { return Block<Bits>::codes(c, g, lane); }
};

// Formats of one scale a group.
template <class Scale>
struct OneScale {
  static constexpr int headerBytes = Scale::bytes, halves = 1;
  static constexpr bool hasOffset = false;
  struct Header {
    F scale;
  };
  static Header load(const std::byte* header, int lane) { return {Scale::load(header, lane)}; }
  static F scale(const Header& h, int, int) { return h.scale; }
  static F offset(const Header&, int, int) { return F{}; }
};
struct HalfScale {
  static constexpr int bytes = 32;
  static F load(const std::byte* from, int lane) { return loadHalves(from + lane * 2); }
};

template <int Columns, class Scale>
struct Bytes : OneScale<Scale> {  // Q8_0, Q8_1 and Q8_K, stored with an offset of 128
  static constexpr int groupColumns = Columns, codeBytes = Columns / 4 * lineBytes, zero = 128, largestCode = 255;
  static constexpr bool rare = Columns != 32;
  static U codes(const std::byte* c, int sub, int g, int lane) { return word(c, sub * 8 + g, lane); }
};

// Q4_K and Q5_K: eight blocks per group. The 12 bytes of 6-bit scales and minima are three words per row.
template <int Bits>
struct Grouped {
  static constexpr int groupColumns = 256, headerBytes = 64 + 3 * lineBytes, codeBytes = 8 * Bits * lineBytes;
  static constexpr NibbleValues nibbles = countedFrom<0>;
  static constexpr int halves = 1, zero = 0;
  static constexpr bool hasOffset = true;
  static constexpr int largestCode = (1 << Bits) - 1;
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
  static F offset(const Header& h, int sub, int) { return h.minimum * toFloat(h.minima[sub >> 2] >> (8 * (sub & 3)) & 0xffu); }
  static U codes(const std::byte* c, int sub, int g, int lane) { return Block<Bits>::codes(c + sub * Bits * lineBytes, g, lane); }
};

struct Sixes {  // Q6_K: eight blocks per group, signed 8-bit scales per 16 columns
  static constexpr int groupColumns = 256, headerBytes = 32 + 256, codeBytes = 8 * 6 * lineBytes, halves = 2, zero = 32;
  static constexpr bool hasOffset = false;
  static constexpr int largestCode = 63;
  struct Header {
    F scale;
    const std::byte* scales;
  };
  static Header load(const std::byte* header, int lane) { return {loadHalves(header + lane * 2), header + 32 + lane}; }
  static F scale(const Header& h, int sub, int half) { return h.scale * toFloat(loadSignedBytes(h.scales + (sub * 2 + half) * 16)); }
  static F offset(const Header&, int, int) { return F{}; }
  static U codes(const std::byte* c, int sub, int g, int lane) { return Block<6>::codes(c + sub * 6 * lineBytes, g, lane); }
};

// Q2_K: eight blocks per group; a byte with (scale, minimum) per 16 columns.
struct Twos {
  static constexpr int groupColumns = 256, headerBytes = 64 + 4 * lineBytes, codeBytes = 8 * 2 * lineBytes, halves = 2, zero = 0;
  static constexpr bool hasOffset = true;
  static constexpr int largestCode = 3;
  struct Header {
    F scale, minimum;
    U pairs[4];
  };
  static Header load(const std::byte* header, int lane) {
    Header h;
    h.scale = loadHalves(header + lane * 2);
    h.minimum = -loadHalves(header + 32 + lane * 2);
    for (int i = 0; i < 4; ++i) h.pairs[i] = word(header + 64, i, lane);
    return h;
  }
  static U pair(const Header& h, int sub, int half) { return h.pairs[sub >> 1] >> (16 * (sub & 1) + 8 * half); }
  static F scale(const Header& h, int sub, int half) { return h.scale * toFloat(pair(h, sub, half) & 15u); }
  static F offset(const Header& h, int sub, int half) { return h.minimum * toFloat(pair(h, sub, half) >> 4 & 15u); }
  static U codes(const std::byte* c, int sub, int g, int lane) { return Block<2>::codes(c + sub * 2 * lineBytes, g, lane); }
};

// TQ2_0, Q2_0, Q1_0: one scale for Columns codes. One-bit codes are doubled to 0 and 2, so that zero is 1 for them too.
template <int Bits, int Columns>
struct FewBits : OneScale<HalfScale> {
  static constexpr int groupColumns = Columns, codeBytes = Columns / 32 * Bits * lineBytes, zero = 1, largestCode = 3;
  static constexpr bool rare = true;
  static U codes(const std::byte* c, int sub, int g, int lane) {
    const U codes = Block<Bits>::codes(c + sub * Bits * lineBytes, g, lane);
    return Bits == 1 ? codes << 1 : codes;
  }
};

// Q3_K: eight blocks per group; 6-bit scales with an offset of 32, per 16 columns. The 12 bytes of the file are three words
// per row.
struct Threes {
  static constexpr int groupColumns = 256, headerBytes = 32 + 3 * lineBytes, codeBytes = 8 * 3 * lineBytes, halves = 2, zero = 4;
  static constexpr bool hasOffset = false;
  static constexpr int largestCode = 7;
  struct Header {
    F scale;
    U scales[4];  // four bytes each
  };
  static Header load(const std::byte* header, int lane) {
    const U low[2] = {word(header + 32, 0, lane), word(header + 32, 1, lane)}, high = word(header + 32, 2, lane);
    Header h;
    h.scale = loadHalves(header + lane * 2);
    for (int i = 0; i < 4; ++i) h.scales[i] = (low[i & 1] >> (4 * (i >> 1)) & 0x0f0f0f0fu) | (high >> (2 * i) & 0x03030303u) << 4;
    return h;
  }
  static F scale(const Header& h, int sub, int half) {
    return h.scale * toFloat((I)(h.scales[sub >> 1] >> (16 * (sub & 1) + 8 * half) & 63u) - 32);
  }
  static F offset(const Header&, int, int) { return F{}; }
  static U codes(const std::byte* c, int sub, int g, int lane) { return Block<3>::codes(c + sub * 3 * lineBytes, g, lane); }
};

// Tables of the values that nibbles stand for, stored with an offset of `zero`.
struct NonLinear {
  static constexpr int zero = 128, largest = 241;
  alignas(16) static constexpr std::uint8_t values[16] = {1, 24, 45, 63, 79, 93, 106, 118, 129, 141, 153, 166, 181, 197, 217, 241};
};
struct E2m1 {  // values doubled
  static constexpr int zero = 12, largest = 24;
  alignas(16) static constexpr std::uint8_t values[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};
};
template <class Table>
inline U tableCodes(const std::byte* c, int g, int lane) {
  return lookUp(Block<4>::codes(c, g, lane), Table::values);
}

struct PowerScale {  // E8M0, halved because the codes are doubled
  static constexpr int bytes = 16;
  static F load(const std::byte* from, int lane) {
    const U e = loadBytes(from + lane);
    return bitsF(e << 23 | ((U)(e == 0) & 0x00400000u)) * 0.5F;
  }
};
template <class Table, class Scale>
struct TableBlocks : OneScale<Scale> {  // IQ4_NL
  static constexpr int groupColumns = 32, codeBytes = 4 * lineBytes, zero = Table::zero, largestCode = Table::largest;
  static constexpr NibbleValues nibbles = listedIn<Table>;
  static U codes(const std::byte* c, int, int g, int lane) { return tableCodes<Table>(c, g, lane); }
};

struct PowerBlocks : TableBlocks<E2m1, PowerScale> {  // MXFP4
  static constexpr bool precise = true;
};

// The eight words of a block of 32 columns. Formats that decode them together have words() instead of codes().
template <class Format>
[[gnu::always_inline]] inline void blockWords(const typename Format::Header& header, const std::byte* c, int sub, int lane, U* out) {
  if constexpr (requires { Format::words(header, c, sub, lane, out); }) {
    Format::words(header, c, sub, lane, out);
  } else {
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) out[g] = Format::codes(c, sub, g, lane);
  }
}

// Converts an 8-bit float in the low byte of each lane; NaN and infinity codes are treated as numbers (rowFlags tells of them).
// Subnormal codes get an implicit one that is subtracted afterwards, because multiplying float32 subnormals would cost a hundred cycles.
template <int MantissaBits, unsigned Bias>
inline F fromSmallFloat(U codes) {
  const U magnitude = codes & 0x7fu;
  const U isSmall = (U)(magnitude < (1u << MantissaBits));
  const U bits = (magnitude << (23 - MantissaBits)) + ((127u - Bias) << 23) + (isSmall & 0x00800000u);
  const F value = bitsF(bits) - bitsF(isSmall & ((128u - Bias) << 23));
  return bitsF((U)value | (codes & 0x80u) << 24);
}

// value() converts one code per lane; asHalves() converts two codes, in bytes 0 and 2, to float16 values scaled by `part`.
struct E4m3 {
  static constexpr float part = 0x1p-8F;
  static F value(U codes) { return fromSmallFloat<3, 7>(codes); }
  static U asHalves(U codes) { return (codes & 0x00800080u) << 8 | (codes & 0x007f007fu) << 7; }
};
struct E5m2 {
  static constexpr float part = 1.0F;
  static F value(U codes) { return fromSmallFloat<2, 15>(codes); }
  static U asHalves(U codes) { return codes << 8; }
};

// NVFP4: an E4M3 scale per 16 columns, halved because the codes are doubled. ggml's scales are never negative, and NaN
// counts as 0.
template <bool Signed>
struct SixteenFours {
  static constexpr int groupColumns = 32, headerBytes = 32, codeBytes = 4 * lineBytes, halves = 2, zero = E2m1::zero;
  static constexpr NibbleValues nibbles = listedIn<E2m1>;
  static constexpr int largestCode = E2m1::largest;
  static constexpr bool hasOffset = false, precise = true, flagsRows = Signed;
  struct Header {
    F scales[2];
  };
  static F load16(const std::byte* from) {
    const U code = loadBytes(from);
    if constexpr (Signed) return E4m3::value(code) * 0.5F;
    return E4m3::value(code & 0x7fu & ~(U)(code == 0x7f)) * 0.5F;
  }
  static Header load(const std::byte* header, int lane) { return {{load16(header + lane), load16(header + 16 + lane)}}; }
  static F scale(const Header& h, int, int half) { return h.scales[half]; }
  static F offset(const Header&, int, int) { return F{}; }
  static U codes(const std::byte* c, int, int g, int lane) { return tableCodes<E2m1>(c, g, lane); }
};

// IQ4_XS: eight blocks per group, 6-bit scales with an offset of 32: the low nibbles are one word per row, the high bit
// pairs 16 bits.
struct NonLinearGrouped {
  static constexpr int groupColumns = 256, headerBytes = 64 + lineBytes, codeBytes = 8 * 4 * lineBytes, halves = 1, zero = NonLinear::zero;
  static constexpr NibbleValues nibbles = listedIn<NonLinear>;
  static constexpr bool hasOffset = false;
  static constexpr int largestCode = NonLinear::largest;
  struct Header {
    F scale;
    U low, high;
  };
  static Header load(const std::byte* header, int lane) {
    return {loadHalves(header + lane * 2), word(header + 64, 0, lane), loadWords16(header + 32 + lane * 2)};
  }
  static F scale(const Header& h, int sub, int) {
    return h.scale * toFloat((I)((h.low >> (4 * sub) & 15u) | (h.high >> (2 * sub) & 3u) << 4) - 32);
  }
  static F offset(const Header&, int, int) { return F{}; }
  static U codes(const std::byte* c, int sub, int g, int lane) { return tableCodes<NonLinear>(c + sub * 4 * lineBytes, g, lane); }
};

// MLX's affine types: a scale and a bias per 32, 64 or 128 columns, in one of three float types. The panel's first line has
// group size and type, so that one format covers nine types.
template <int Bits>
struct Affine {
  static constexpr int groupColumns = 32, codeBytes = Bits * lineBytes, halves = 1, zero = 0;
  static constexpr NibbleValues nibbles = countedFrom<0>;
  static constexpr int largestCode = (1 << Bits) - 1;
  static constexpr bool hasOffset = true, precise = true, rare = Bits != 4 && Bits != 8;
  struct Header {
    F scale, bias;
  };
  static F scale(const Header& h, int, int) { return h.scale; }
  static F offset(const Header& h, int, int) { return h.bias; }
  static U codes(const std::byte* c, int, int g, int lane) { return Block<Bits>::codes(c, g, lane); }
};

// Whether panels of a format begin with a line of 0 for each row, or NaN if a code or scale of the row is not a number (panels.h). Kernels
// add it to a row's results, instead of looking at every code.
template <class Format>
constexpr bool flagsRows = requires {
  requires Format::flagsRows;
};
template <class Format>
inline F rowFlags(const std::byte* panel, int lane) {
  if constexpr (flagsRows<Format>) return loadF(panel + lane * 4);
  else return F{};
}

// Location of a panel's groups: headers, padded to a multiple of 64 bytes, then codes.
template <class Format>
struct Groups {
  const std::byte* headers;
  const std::byte* codePlane;
  Groups(const std::byte* panel, int columns) : headers(panel + (flagsRows<Format> ? lineBytes : 0)) {
    const std::size_t bytes = static_cast<std::size_t>(columns / Format::groupColumns) * Format::headerBytes;
    codePlane = headers + (bytes + 63) / 64 * 64;
  }
  [[nodiscard]] typename Format::Header header(std::size_t group, int lane) const {
    const std::byte* from = headers + group * Format::headerBytes;
    if constexpr (requires { Format::load(from, codePlane, lane); }) return Format::load(from, codes(group), lane);
    else return Format::load(from, lane);
  }
  [[nodiscard]] const std::byte* codes(std::size_t group) const { return codePlane + group * Format::codeBytes; }
  static constexpr std::size_t bytesPerGroup() { return Format::headerBytes + Format::codeBytes; }
};

template <int Bits>
struct Groups<Affine<Bits>> {
  AffinePrefix prefix;
  const std::byte* headers;
  const std::byte* codePlane;
  Groups(const std::byte* panel, int columns) : prefix(loadAs<AffinePrefix>(panel)), headers(panel + lineBytes) {
    const std::size_t shared = static_cast<std::size_t>(columns / 32) >> prefix.shift;
    codePlane = headers + shared * headerBytes();
  }
  [[nodiscard]] std::size_t headerBytes() const { return prefix.scales == AffineScales::single ? 128 : 64; }
  [[nodiscard]] typename Affine<Bits>::Header header(std::size_t group, int lane) const {
    const std::byte* from = headers + (group >> prefix.shift) * headerBytes();
    switch (prefix.scales) {
      case AffineScales::half: return {loadHalves(from + lane * 2), loadHalves(from + 32 + lane * 2)};
      case AffineScales::brain: return {bitsF(loadWords16(from + lane * 2) << 16), bitsF(loadWords16(from + 32 + lane * 2) << 16)};
      default: return {loadF(from + lane * 4), loadF(from + 64 + lane * 4)};
    }
  }
  [[nodiscard]] const std::byte* codes(std::size_t group) const { return codePlane + group * Affine<Bits>::codeBytes; }
  [[nodiscard]] std::size_t bytesPerGroup() const { return Affine<Bits>::codeBytes + (headerBytes() >> prefix.shift); }
};

// 8-bit floats, for float activations: value = scale * value(code), one scale per group. The two middle bytes of each word
// are swapped, so that adjacent columns are in the positions of two float16 (byteOf: position of column i).
struct NoScale {
  static constexpr int groupColumns = 32, bytes = 0;
  static F load(const std::byte*, int) { return broadcast(1.0F); }
};
template <int Columns>
struct SingleScale {
  static constexpr int groupColumns = Columns, bytes = 64;
  static F load(const std::byte* from, int lane) { return loadF(from + lane * 4); }
};
struct WholePowerScale {
  static constexpr int groupColumns = 32, bytes = 16;
  static F load(const std::byte* from, int lane) { return PowerScale::load(from, lane) * 2.0F; }
};
template <class Kind, class Scale>
struct SmallFloats : Kind, OneScale<Scale> {
  static constexpr int groupColumns = Scale::groupColumns, codeBytes = groupColumns / 4 * lineBytes;
  static constexpr bool smallFloat = true, rare = true, flagsRows = true;
  static U codes(const std::byte* c, int sub, int g, int lane) { return word(c, sub * 8 + g, lane); }
};

// Floats: a line of 64 bytes has 16 rows of one column (F32) or of two adjacent columns. load(line, v) is vector v of the
// line as floats; with two columns the lanes are (row, column) in row-major order.
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

// Floats stored as in the file: 16 contiguous rows of `columns` elements.
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

template <class Format>
constexpr bool inRows = requires {
  Format::elementBytes;
};  // one of these three

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
