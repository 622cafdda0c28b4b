// Formats whose codes are vectors of a grid (IQ1, IQ2, IQ3; core/backend/cpu/grid_panels.h has their panels). A row's numbers are read as
// scalars, for they become addresses, and the vectors they stand for are joined. On Zen 4 that is a fifth faster than taking the numbers
// out of a vector and a half faster than through memory; gathering is far slower where microcode guards it. So a format gives the words of
// a whole block: words(header, c, sub, lane, out) are what codes() of other formats is for g = 0 .. 7.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/vector.h"
#include "core/tensor/types/grid_tables.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// The numbers of a block, for rows from `lane` on: n(j, row) is number j of the row.
struct ByteNumbers {  // a word of four for each row
  const std::byte* at;
  std::size_t operator()(int j, int row) const { return static_cast<std::uint8_t>(at[row * 4 + j]); }
};
template <int Bits>
struct PackedNumbers {  // of two blocks with four each, Bits bytes a row
  const std::byte* at;
  int shift;
  PackedNumbers(const std::byte* codes, int sub, int lane)
      : at(codes + ((sub >> 1) * 16 + lane) * Bits + (sub & 1) * (Bits / 2)), shift((sub & 1) * (4 * Bits % 8)) {}
  std::size_t operator()(int j, int row) const {
    return loadAs<std::uint64_t>(at + row * Bits) >> shift >> (Bits * j) & ((1u << Bits) - 1);
  }
};

inline __m128 twoVectors(const std::uint64_t* grid, std::size_t first, std::size_t second) {
  return _mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(grid + first))),
                      reinterpret_cast<const __m64*>(grid + second));
}

// The vector whose 128-bit part p is part(p).
template <class Part>
[[gnu::always_inline]] inline F joinParts(const Part& part) {
#if MINERVA_LANES == 4
  return (F)part(0);
#else
  const __m256 first = _mm256_insertf128_ps(_mm256_castps128_ps256(part(0)), part(1), 1);
#if MINERVA_LANES == 8
  return (F)first;
#else
  const __m256 second = _mm256_insertf128_ps(_mm256_castps128_ps256(part(2)), part(3), 1);
  return (F)_mm512_insertf32x8(_mm512_castps256_ps512(first), second, 1);
#endif
#endif
}

// Vectors of two words, for number j of each row.
template <class Numbers>
[[gnu::always_inline]] inline void lookUpTwo(const std::uint64_t* grid, const Numbers& n, int j, U& first, U& second) {
  const F even = joinParts([&](int p) { return twoVectors(grid, n(j, 4 * p), n(j, 4 * p + 1)); });
  const F odd = joinParts([&](int p) { return twoVectors(grid, n(j, 4 * p + 2), n(j, 4 * p + 3)); });
#if MINERVA_LANES == 16
  first = (U)_mm512_shuffle_ps((__m512)even, (__m512)odd, 0x88);
  second = (U)_mm512_shuffle_ps((__m512)even, (__m512)odd, 0xdd);
#elif MINERVA_LANES == 8
  first = (U)_mm256_shuffle_ps((__m256)even, (__m256)odd, 0x88);
  second = (U)_mm256_shuffle_ps((__m256)even, (__m256)odd, 0xdd);
#else
  first = (U)_mm_shuffle_ps((__m128)even, (__m128)odd, 0x88);
  second = (U)_mm_shuffle_ps((__m128)even, (__m128)odd, 0xdd);
#endif
}

// Vectors of one word.
[[gnu::always_inline]] inline U lookUpOne(const std::uint32_t* grid, const ByteNumbers& n, int j) {
  return (U)joinParts([&](int p) {
    const auto code = [&](int row) { return static_cast<int>(grid[n(j, 4 * p + row)]); };
    return _mm_castsi128_ps(_mm_setr_epi32(code(0), code(1), code(2), code(3)));
  });
}

// Of two words, the second where bit `bit` of the row is set.
inline U chosen(U ifClear, U ifSet, U bits, int bit) {
#if MINERVA_LANES == 16
  const __mmask16 second = _mm512_test_epi32_mask((__m512i)bits, _mm512_set1_epi32(static_cast<int>(1u << bit)));
  return (U)_mm512_mask_mov_epi32((__m512i)ifClear, second, (__m512i)ifSet);
#elif MINERVA_LANES == 8
  return (U)_mm256_blendv_ps((__m256)ifClear, (__m256)ifSet, (__m256)(bits << (31 - bit)));
#else
  return (U)_mm_blendv_ps((__m128)ifClear, (__m128)ifSet, (__m128)(bits << (31 - bit)));
#endif
}

// Codes c, or 2 Zero - c where bit `bit` of the same byte of `signs` is set.
template <int Zero>
inline U mirrored(U codes, U signs, int bit) {
  constexpr unsigned twice = 2 * Zero * 0x01010101u;
#if MINERVA_LANES == 16
  const __mmask64 negative = _mm512_test_epi8_mask((__m512i)signs, _mm512_set1_epi8(static_cast<char>(1u << bit)));
  return (U)_mm512_mask_sub_epi8((__m512i)codes, negative, (__m512i)(U{} + twice), (__m512i)codes);
#elif MINERVA_LANES == 8
  return (U)_mm256_blendv_epi8((__m256i)codes, (__m256i)(twice - codes), (__m256i)(signs << (7 - bit)));
#else
  return (U)_mm_blendv_epi8((__m128i)codes, (__m128i)(twice - codes), (__m128i)(signs << (7 - bit)));
#endif
}

// Signs of a block: bit j + 4 h of byte i for column 8 j + 4 h + i. Of seven signs the eighth is the parity; its place (bit 28 + j) holds
// something else.
inline U withParities(U word) {
  const U signs = word & 0x0fffffffu;
  U parities = signs ^ signs >> 4;
  parities ^= parities >> 16;
  parities ^= parities >> 8;
  return signs | parities << 28;
}

// Four vectors of eight codes a block.
template <int Zero, class Numbers>
[[gnu::always_inline]] inline void signedEights(const std::uint64_t* grid, const Numbers& n, U signs, U* out) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    lookUpTwo(grid, n, j, out[2 * j], out[2 * j + 1]);
    out[2 * j] = mirrored<Zero>(out[2 * j], signs, j);
    out[2 * j + 1] = mirrored<Zero>(out[2 * j + 1], signs, 4 + j);
  }
}

// Eight vectors of four codes a block, by two words of numbers: vector(n, j, g) is that of number j in its word, the block's number g.
template <int Zero, class Vector>
[[gnu::always_inline]] inline void signedFours(const std::byte* numbers, U signs, const Vector& vector, U* out) {
#pragma GCC unroll 8
  for (int g = 0; g < 8; ++g) {
    const ByteNumbers n{numbers + g / 4 * lineBytes};
    out[g] = mirrored<Zero>(vector(n, g % 4, g), signs, g / 2 + 4 * (g % 2));
  }
}

// d * (0.5 + s) * factor
inline F scaleOf(F d, U s, float factor) { return d * (toFloat(s & 15u) + 0.5F) * factor; }

struct GridFormat {
  static constexpr int groupColumns = 256;
  static constexpr bool hasOffset = false, rare = true, costly = true;
  struct Header {
    F scale;
    const std::byte *rest, *codes;  // at the first of these rows
  };
  static Header load(const std::byte* header, const std::byte* codes, int lane) {
    return {loadHalves(header + lane * 2), header + 32 + lane * 4, codes + lane * 4};
  }
  static U field(const Header& h, int index) { return loadU(h.rest + index * lineBytes); }
  // Byte `sub` of eight bytes from field `first` on, and what follows it.
  static U byteOfFields(const Header& h, int first, int sub) { return field(h, first + (sub >> 2)) >> (8 * (sub & 3)); }
  static F offset(const Header&, int, int) { return F{}; }
};

struct Iq2 : GridFormat {
  static constexpr int zero = GridTables::offset2, largestCode = 2 * zero;
};

struct Iq2Xxs : Iq2 {
  static constexpr int headerBytes = 32, codeBytes = 16 * lineBytes, halves = 1;
  static F scale(const Header& h, int sub, int) { return scaleOf(h.scale, word(h.codes, 2 * sub + 1, 0) >> 28, 0.25F); }
  [[gnu::always_inline]] static void words(const Header&, const std::byte* c, int sub, int lane, U* out) {
    const ByteNumbers n{c + 2 * sub * lineBytes + lane * 4};
    signedEights<zero>(gridTables.iq2Xxs, n, withParities(word(c, 2 * sub + 1, lane)), out);
  }
};

struct Iq2Xs : Iq2 {
  static constexpr int headerBytes = 32 + lineBytes, numberBytes = 9 * lineBytes, codeBytes = numberBytes + 8 * lineBytes, halves = 2;
  static F scale(const Header& h, int sub, int half) {
    return scaleOf(h.scale, half == 0 ? word(h.codes + numberBytes, sub, 0) >> 28 : field(h, 0) >> (4 * sub), 0.25F);
  }
  [[gnu::always_inline]] static void words(const Header&, const std::byte* c, int sub, int lane, U* out) {
    const U signs = withParities(word(c + numberBytes, sub, lane));
    signedEights<zero>(gridTables.iq2Xs, PackedNumbers<9>(c, sub, lane), signs, out);
  }
};

struct Iq2S : Iq2 {
  static constexpr int headerBytes = 32 + 2 * lineBytes, numberBytes = 10 * lineBytes, codeBytes = numberBytes + 8 * lineBytes, halves = 2;
  static F scale(const Header& h, int sub, int half) { return scaleOf(h.scale, byteOfFields(h, 0, sub) >> (4 * half), 0.25F); }
  [[gnu::always_inline]] static void words(const Header&, const std::byte* c, int sub, int lane, U* out) {
    signedEights<zero>(gridTables.iq2S, PackedNumbers<10>(c, sub, lane), word(c + numberBytes, sub, lane), out);
  }
};

struct Iq3 : GridFormat {
  static constexpr int codeBytes = 24 * lineBytes, halves = 1;
};

struct Iq3Xxs : Iq3 {
  static constexpr int headerBytes = 32, zero = GridTables::offset3Xxs, largestCode = 2 * zero;
  static F scale(const Header& h, int sub, int) { return scaleOf(h.scale, word(h.codes, 3 * sub + 2, 0) >> 28, 0.5F); }
  [[gnu::always_inline]] static void words(const Header&, const std::byte* c, int sub, int lane, U* out) {
    const U signs = withParities(word(c, 3 * sub + 2, lane));
    const auto vector = [](const ByteNumbers& n, int j, int) { return lookUpOne(gridTables.iq3Xxs, n, j); };
    signedFours<zero>(c + 3 * sub * lineBytes + lane * 4, signs, vector, out);
  }
};

// The ninth bit of a number chooses between two vectors that are loaded together.
struct Iq3S : Iq3 {
  static constexpr int headerBytes = 32 + 3 * lineBytes, zero = GridTables::offset3S, largestCode = 2 * zero;
  static F scale(const Header& h, int sub, int) { return h.scale * toFloat((field(h, 2) >> (4 * sub) & 15u) * 2 + 1); }
  [[gnu::always_inline]] static void words(const Header& h, const std::byte* c, int sub, int lane, U* out) {
    const U high = byteOfFields(h, 0, sub);
    const auto vector = [&](const ByteNumbers& n, int j, int g) {
      U low, other;
      lookUpTwo(gridTables.iq3S, n, j, low, other);
      return chosen(low, other, high, g);
    };
    signedFours<zero>(c + 3 * sub * lineBytes + lane * 4, word(c, 3 * sub + 2, lane), vector, out);
  }
};

// IQ1: values are d * (g +- 1/8), as codes 8 g +- 1. up(j): all bits set where vector j is moved up.
struct Iq1 : GridFormat {
  static constexpr int numberBytes = 11 * lineBytes, codeBytes = numberBytes + lineBytes, zero = GridTables::offset1 + 1,
                       largestCode = 2 * zero;
  static U restOfCodes(const Header& h) { return word(h.codes + numberBytes, 0, 0); }
  template <class Up>
  [[gnu::always_inline]] static void shiftedEights(const PackedNumbers<11>& n, const Up& up, U* out) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      lookUpTwo(gridTables.iq1, n, j, out[2 * j], out[2 * j + 1]);
      const U shift = up(j) & 0x02020202u;
      out[2 * j] += shift;
      out[2 * j + 1] += shift;
    }
  }
};

struct Iq1S : Iq1 {
  static constexpr int headerBytes = 32, halves = 1;
  // Three bits of the scale, one whether codes are moved down.
  static U nibble(const Header& h, int sub) { return restOfCodes(h) >> (4 * sub); }
  static F scale(const Header& h, int sub, int) { return h.scale * toFloat((nibble(h, sub) & 7u) * 2 + 1) * 0.125F; }
  [[gnu::always_inline]] static void words(const Header& h, const std::byte* c, int sub, int lane, U* out) {
    const U up = (U)((nibble(h, sub) & 8u) == 0);
    shiftedEights(
        PackedNumbers<11>(c, sub, lane), [&](int) { return up; }, out);
  }
};

struct Iq1M : Iq1 {
  static constexpr int headerBytes = 2 * lineBytes, halves = 2;
  static Header load(const std::byte* header, const std::byte* codes, int lane) {
    Header h{F{}, header + lane * 4, codes + lane * 4};
    const U low = field(h, 0), high = field(h, 1);  // the half is in the top four bits of 16 each
    h.scale = fromHalves((low >> 12 & 0xfu) | (low >> 24 & 0xf0u) | (high >> 4 & 0xf00u) | (high >> 16 & 0xf000u));
    return h;
  }
  static F scale(const Header& h, int sub, int half) {
    const U s = field(h, sub >> 2) >> (16 * (sub >> 1 & 1) + 6 * (sub & 1) + 3 * half);
    return h.scale * toFloat((s & 7u) * 2 + 1) * 0.125F;
  }
  [[gnu::always_inline]] static void words(const Header& h, const std::byte* c, int sub, int lane, U* out) {
    const U down = restOfCodes(h) >> (4 * sub);
    shiftedEights(
        PackedNumbers<11>(c, sub, lane), [&](int j) { return (U)((down >> j & 1u) == 0); }, out);
  }
};

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
