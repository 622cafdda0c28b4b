// Intel's matrix unit (AMX) in AVX-512 instructions, for test programs on processors without it: isa/amx.cpp is compiled with this header
// before it (-include), so the kernels' own code calls what is here. It does what the instruction set reference says of LDTILECFG,
// TILERELEASE, TILEZERO, TILELOADD, TILESTORED and TDPBF16PS: the tiles of a thread, with the rows and row bytes that it configured; and
// where the unit would raise a fault (tiles that are not configured, another palette, reserved bytes that are not 0, shapes that are too
// large or do not fit together) the program ends with the reason. Of numbers only one thing differs: subnormal ones are not flushed to 0.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <immintrin.h>

namespace minerva::emulated {
namespace {

struct Tiles {
  bool configured = false;
  int rows[8], rowBytes[8];
  alignas(64) std::uint8_t of[8][16][64];
};
thread_local Tiles tiles;

[[noreturn]] inline void fault(const char* why) {
  std::fprintf(stderr, "emulated AMX: %s\n", why);
  std::abort();
}
inline Tiles& configured() {
  if (!tiles.configured) fault("the tiles are not configured");
  return tiles;
}

inline void release() { tiles.configured = false; }

// The 64 bytes: palette, first row, 14 reserved, 16 numbers of bytes a row, 16 numbers of rows; palette 1 has 8 tiles.
inline void configure(const void* from) {
  std::uint8_t bytes[64];
  std::uint16_t rowBytes[16];
  std::memcpy(bytes, from, sizeof bytes);
  std::memcpy(rowBytes, bytes + 16, sizeof rowBytes);
  if (bytes[0] == 0) return release();
  if (bytes[0] != 1) fault("there is no such palette");
  if (bytes[1] != 0) fault("an interrupted load is not resumed here");
  for (int i = 2; i < 16; ++i)
    if (bytes[i] != 0) fault("a reserved byte is not 0");
  for (int i = 0; i < 16; ++i) {
    const bool exists = i < 8, isUsed = rowBytes[i] != 0 || bytes[48 + i] != 0;
    if (exists ? rowBytes[i] > 64 || bytes[48 + i] > 16 || (isUsed && (rowBytes[i] == 0 || bytes[48 + i] == 0)) : isUsed)
      fault("a tile has a shape that it cannot have");
    if (!exists) continue;
    tiles.rowBytes[i] = rowBytes[i];
    tiles.rows[i] = bytes[48 + i];
  }
  std::memset(tiles.of, 0, sizeof tiles.of);
  tiles.configured = true;
}

inline void zero(int tile) { std::memset(configured().of[tile], 0, sizeof tiles.of[tile]); }

inline void load(int tile, const void* from, std::size_t stride) {
  zero(tile);
  for (int r = 0; r < tiles.rows[tile]; ++r)
    std::memcpy(tiles.of[tile][r], static_cast<const std::uint8_t*>(from) + static_cast<std::size_t>(r) * stride,
                static_cast<std::size_t>(tiles.rowBytes[tile]));
}

inline void keep(int tile, void* to, std::size_t stride) {
  for (int r = 0; r < configured().rows[tile]; ++r)
    std::memcpy(static_cast<std::uint8_t*>(to) + static_cast<std::size_t>(r) * stride, tiles.of[tile][r],
                static_cast<std::size_t>(tiles.rowBytes[tile]));
}

// sums[m][n] += the products of the pairs of bf16 a[m][k] and b[k][n]: those of first elements and those of second ones are added up for
// all k by themselves, then both are added to the sum. A row of b has the pairs of up to 16 columns n.
inline void multiply(int sums, int a, int b) {
  Tiles& t = configured();
  const int pairs = t.rowBytes[a] / 4;
  if (t.rows[sums] != t.rows[a] || t.rowBytes[sums] != t.rowBytes[b] || t.rows[b] != pairs || t.rowBytes[a] % 4 != 0 ||
      t.rowBytes[b] % 4 != 0)
    fault("the shapes of a product do not fit together");
  const __m512i second = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
  for (int m = 0; m < t.rows[a]; ++m) {
    __m512 firsts = _mm512_setzero_ps(), seconds = _mm512_setzero_ps();
    for (int k = 0; k < pairs; ++k) {
      std::uint32_t pair = 0;
      std::memcpy(&pair, t.of[a][m] + 4 * k, sizeof pair);
      const __m512i x = _mm512_set1_epi32(static_cast<int>(pair)), w = _mm512_load_si512(t.of[b][k]);
      firsts = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_slli_epi32(x, 16)), _mm512_castsi512_ps(_mm512_slli_epi32(w, 16)), firsts);
      seconds =
          _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_and_si512(x, second)), _mm512_castsi512_ps(_mm512_and_si512(w, second)), seconds);
    }
    _mm512_store_ps(t.of[sums][m], _mm512_add_ps(_mm512_load_ps(t.of[sums][m]), _mm512_add_ps(firsts, seconds)));
  }
}

}  // namespace
}  // namespace minerva::emulated

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbf16ps
#define _tile_loadconfig(from) minerva::emulated::configure(from)
#define _tile_release() minerva::emulated::release()
#define _tile_zero(tile) minerva::emulated::zero(tile)
#define _tile_loadd(tile, from, stride) minerva::emulated::load(tile, from, stride)
#define _tile_stored(tile, to, stride) minerva::emulated::keep(tile, to, stride)
#define _tile_dpbf16ps(sums, a, b) minerva::emulated::multiply(sums, a, b)
