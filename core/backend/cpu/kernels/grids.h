// Formats whose codes are vectors of a grid (IQ1, IQ2, IQ3; the panels are in core/backend/cpu/grid_panels.h). A vector is loaded for each
// number of a row: scalar loads that are joined, because gathering is slower on most processors (and far slower where microcode guards it).
// So a format gives the words of a whole block: words(header, c, sub, lane, out) are what codes() of other formats is for g = 0 .. 7.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/vector.h"
#include "core/tensor/types/grid_tables.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// Numbers of grid vectors, one a row: in memory, because they become addresses.
struct GridNumbers {
  alignas(64) std::uint32_t of[Lanes];
  explicit GridNumbers(U numbers) { __builtin_memcpy(of, &numbers, sizeof of); }
};

inline __m128 twoVectors(const std::uint64_t* grid, std::uint32_t first, std::uint32_t second) {
  return _mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(grid + first))),
                      reinterpret_cast<const __m64*>(grid + second));
}
inline __m128 fourVectors(const std::uint32_t* grid, const std::uint32_t* numbers) {
  return _mm_castsi128_ps(_mm_setr_epi32(static_cast<int>(grid[numbers[0]]), static_cast<int>(grid[numbers[1]]),
                                         static_cast<int>(grid[numbers[2]]), static_cast<int>(grid[numbers[3]])));
}

// The vector whose 128-bit part p is part(p).
template <class Part>
inline F joinParts(const Part& part) {
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

// Vectors of eight codes: the first four of each row, and the others.
inline void lookUpEights(const std::uint64_t* grid, U numbers, U& first, U& second) {
  const GridNumbers n(numbers);
  const F even = joinParts([&](int p) { return twoVectors(grid, n.of[4 * p], n.of[4 * p + 1]); });
  const F odd = joinParts([&](int p) { return twoVectors(grid, n.of[4 * p + 2], n.of[4 * p + 3]); });
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

// Vectors of four codes.
inline U lookUpFours(const std::uint32_t* grid, U numbers) {
  const GridNumbers n(numbers);
  return (U)joinParts([&](int p) { return fourVectors(grid, n.of + 4 * p); });
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

// Four numbers of vectors of eight a block; highBits(j) completes the low byte of number j.
template <int Zero, class HighBits>
inline void signedEights(const std::uint64_t* grid, U numbers, U signs, const HighBits& highBits, U* out) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    lookUpEights(grid, (numbers >> (8 * j) & 0xffu) | highBits(j), out[2 * j], out[2 * j + 1]);
    out[2 * j] = mirrored<Zero>(out[2 * j], signs, j);
    out[2 * j + 1] = mirrored<Zero>(out[2 * j + 1], signs, 4 + j);
  }
}

// Eight numbers of vectors of four a block, in two words.
template <int Zero, class HighBits>
inline void signedFours(const std::uint32_t* grid, const std::byte* c, int line, int lane, U signs, const HighBits& highBits, U* out) {
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    const U numbers = word(c, line + half, lane);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const int g = 4 * half + i;
      out[g] = mirrored<Zero>(lookUpFours(grid, (numbers >> (8 * i) & 0xffu) | highBits(g)), signs, g / 2 + 4 * (g % 2));
    }
  }
}

constexpr auto noHighBits = [](int) { return 0u; };

// d * (0.5 + s) * factor
inline F scaleOf(F d, U s, float factor) { return d * (toFloat(s & 15u) + 0.5F) * factor; }

struct GridFormat {
  static constexpr int groupColumns = 256;
  static constexpr bool hasOffset = false, rare = true;
  struct Header {
    F scale;
    const std::byte *rest, *codes;  // of the first of these rows
  };
  static Header load(const std::byte* header, const std::byte* codes, int lane) {
    return {loadHalves(header + lane * 2), header + 32 + lane * 4, codes + lane * 4};
  }
  static U field(const Header& h, int index) { return loadU(h.rest + index * lineBytes); }
  // Byte `sub` of eight bytes from field `first` on, and what follows it.
  static U byteOfFields(const Header& h, int first, int sub) { return field(h, first + (sub >> 2)) >> (8 * (sub & 3)); }
  template <class Header>
  static F offset(const Header&, int, int) {
    return F{};
  }
};

struct Iq2 : GridFormat {
  static constexpr int codeBytes = 16 * lineBytes, zero = 43, largestCode = 86;
};

struct Iq2Xxs : Iq2 {
  static constexpr int headerBytes = 32, halves = 1;
  static F scale(const Header& h, int sub, int) { return scaleOf(h.scale, word(h.codes, 2 * sub + 1, 0) >> 28, 0.25F); }
  static void words(const Header&, const std::byte* c, int sub, int lane, U* out) {
    const U signs = withParities(word(c, 2 * sub + 1, lane));
    signedEights<zero>(gridTables.iq2Xxs, word(c, 2 * sub, lane), signs, noHighBits, out);
  }
};

struct Iq2Xs : Iq2 {
  static constexpr int headerBytes = 32 + 2 * lineBytes, halves = 2;
  static F scale(const Header& h, int sub, int half) { return scaleOf(h.scale, byteOfFields(h, 0, sub) >> (4 * half), 0.25F); }
  static void words(const Header&, const std::byte* c, int sub, int lane, U* out) {
    const U high = word(c, 2 * sub + 1, lane);
    const auto highBits = [&](int j) { return high >> (20 + j) & 0x100u; };
    signedEights<zero>(gridTables.iq2Xs, word(c, 2 * sub, lane), withParities(high), highBits, out);
  }
};

struct Iq2S : Iq2 {
  static constexpr int headerBytes = 32 + 4 * lineBytes, halves = 2;
  static F scale(const Header& h, int sub, int half) { return scaleOf(h.scale, byteOfFields(h, 2, sub) >> (4 * half), 0.25F); }
  static void words(const Header& h, const std::byte* c, int sub, int lane, U* out) {
    const U high = byteOfFields(h, 0, sub);
    const auto highBits = [&](int j) { return high << 8 >> (2 * j) & 0x300u; };
    signedEights<zero>(gridTables.iq2S, word(c, 2 * sub, lane), word(c, 2 * sub + 1, lane), highBits, out);
  }
};

struct Iq3Xxs : GridFormat {
  static constexpr int headerBytes = 32, codeBytes = 24 * lineBytes, halves = 1, zero = 62, largestCode = 124;
  static F scale(const Header& h, int sub, int) { return scaleOf(h.scale, word(h.codes, 3 * sub + 2, 0) >> 28, 0.5F); }
  static void words(const Header&, const std::byte* c, int sub, int lane, U* out) {
    const U signs = withParities(word(c, 3 * sub + 2, lane));
    signedFours<zero>(gridTables.iq3Xxs, c, 3 * sub, lane, signs, noHighBits, out);
  }
};

struct Iq3S : GridFormat {
  static constexpr int headerBytes = 32 + 3 * lineBytes, codeBytes = 24 * lineBytes, halves = 1, zero = 15, largestCode = 30;
  static F scale(const Header& h, int sub, int) { return h.scale * toFloat((field(h, 2) >> (4 * sub) & 15u) * 2 + 1); }
  static void words(const Header& h, const std::byte* c, int sub, int lane, U* out) {
    const U high = byteOfFields(h, 0, sub);
    const auto highBits = [&](int g) { return high << 8 >> g & 0x100u; };
    signedFours<zero>(gridTables.iq3S, c, 3 * sub, lane, word(c, 3 * sub + 2, lane), highBits, out);
  }
};

// IQ1: values are d * (g +- 1/8), as codes 8 g +- 1. up(j): all bits set where vector j is moved up.
struct Iq1 : GridFormat {
  static constexpr int codeBytes = 8 * lineBytes, zero = 9, largestCode = 18;
  template <class HighBits, class Up>
  static void shiftedEights(U numbers, const HighBits& highBits, const Up& up, U* out) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      lookUpEights(gridTables.iq1, (numbers >> (8 * j) & 0xffu) | highBits(j), out[2 * j], out[2 * j + 1]);
      const U shift = up(j) & 0x02020202u;
      out[2 * j] += shift;
      out[2 * j + 1] += shift;
    }
  }
};

struct Iq1S : Iq1 {
  static constexpr int headerBytes = 32 + 4 * lineBytes, halves = 1;
  // Three high bits for each of four numbers, three of the scale, one whether codes are moved down.
  static U bits(const Header& h, int sub) { return field(h, sub >> 1) >> (16 * (sub & 1)); }
  static F scale(const Header& h, int sub, int) { return h.scale * toFloat((bits(h, sub) >> 11 & 14u) + 1) * 0.125F; }
  static void words(const Header& h, const std::byte* c, int sub, int lane, U* out) {
    const U high = bits(h, sub), up = (U)((high & 0x8000u) == 0);
    shiftedEights(
        word(c, sub, lane), [&](int j) { return high << 8 >> (3 * j) & 0x700u; }, [&](int) { return up; }, out);
  }
};

struct Iq1M : Iq1 {
  static constexpr int headerBytes = 6 * lineBytes, halves = 2;
  static Header load(const std::byte* header, const std::byte* codes, int lane) {
    Header h{F{}, header + lane * 4, codes + lane * 4};
    const U low = field(h, 4), high = field(h, 5);  // the half is in the top four bits of 16 each
    h.scale = fromHalves((low >> 12 & 0xfu) | (low >> 24 & 0xf0u) | (high >> 4 & 0xf00u) | (high >> 16 & 0xf000u));
    return h;
  }
  static F scale(const Header& h, int sub, int half) {
    const U s = field(h, 4 + (sub >> 2)) >> (16 * (sub >> 1 & 1) + 6 * (sub & 1) + 3 * half);
    return h.scale * toFloat((s & 7u) * 2 + 1) * 0.125F;
  }
  static void words(const Header& h, const std::byte* c, int sub, int lane, U* out) {
    const U bits = field(h, sub >> 1) >> (16 * (sub & 1));  // for each of four numbers three high bits, and whether codes are moved down
    shiftedEights(
        word(c, sub, lane), [&](int j) { return bits << 8 >> (4 * j) & 0x700u; }, [&](int j) { return (U)((bits >> (4 * j) & 8u) == 0); },
        out);
  }
};

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
