// The element type of this module, chosen by a definition in variants.cmake. Each file defines how a block of 32 elements is
// decoded: value = scale * code - offset, with code = rawCodes() * codeUnit. Where the codes of columns 4j .. 4j + 3 are in word j % 4 of
// their 16 bytes it defines bytesOf() for that word: four codes as bytes, whole numbers of codeMask at most; or, with OWN_VALUES, rawOf(),
// whose bytes then have a sign if it has bytesOf() at all. With ROWS_PER_QUAD 2 or 4, 16 bytes have the codes of as many rows; they are in
// word j % 2 of the row's two, or in its only one. With OWN_CODES it says by itself where codes lie, and defines both.
#include "weights.glsl"
// loadScales() loads the bits that belong to a row alone for ROW_COUNT rows (1, 2, 4 or 8) of a group, from firstRow on, a multiple of
// their number; the caller sets it before. Rows are counted from there, so that the compiler knows the index into what was loaded: some
// compilers keep an array in memory if they do not.
uint firstRow = 0u;
#ifndef ROW_COUNT
#define ROW_COUNT 1u
#endif
#if defined(FORMAT_F32) || defined(FORMAT_F16) || defined(FORMAT_BF16)
#include "formats/floats.glsl"
#elif defined(FORMAT_Q8_0)
#include "formats/bytes.glsl"
#elif defined(FORMAT_Q4_0) || defined(FORMAT_Q4_1) || defined(FORMAT_Q5_0) || defined(FORMAT_Q5_1)
#if defined(FORMAT_Q4_1) || defined(FORMAT_Q5_1)
#define MINIMUM
#endif
#if defined(FORMAT_Q5_0) || defined(FORMAT_Q5_1)
#define FIFTH
#endif
#include "formats/nibbles.glsl"
#elif defined(FORMAT_Q4_K) || defined(FORMAT_Q5_K)
#ifdef FORMAT_Q5_K
#define FIFTH
#endif
#include "formats/k_nibbles.glsl"
#elif defined(FORMAT_Q6_K)
#include "formats/six_bits.glsl"
#elif defined(FORMAT_Q2_K) || defined(FORMAT_Q3_K)
#ifdef FORMAT_Q3_K
#define THIRD
#endif
#include "formats/two_bits.glsl"
#elif defined(FORMAT_GRID)
#include "formats/grids.glsl"
#elif defined(FORMAT_IQ4)
#include "formats/curve.glsl"
#elif defined(FORMAT_E2M1) || defined(FORMAT_NVFP4)
#ifdef FORMAT_NVFP4
#define SIXTEENS
#endif
#include "formats/e2m1.glsl"
#elif defined(FORMAT_AFFINE)
#include "formats/affine.glsl"
#elif defined(FORMAT_SIGNED)
#include "formats/signed_bytes.glsl"
#elif defined(FORMAT_TQ1_0)
#include "formats/ternary.glsl"
#endif

const uint stepsPerQuad = 8u / codeQuads;  // vec4s of elements of a row per 16 bytes of codes
#ifndef ROWS_PER_QUAD
#define ROWS_PER_QUAD 1u
#endif

#ifndef OWN_CODES
// Index of quad s of the codes of a row's block. Eight rows and up to eight blocks are interleaved, see runtime/weight_layout.h.
uint quadOf(uint row, uint block, uint s) {
  const uint tile = block >> 3;
  const uint width = min(8u, push.blocks - (tile << 3));
  const uint first = ((row >> 3) * push.blocks * 8u + tile * 64u) / ROWS_PER_QUAD;
  return first * codeQuads + ((row & 7u) / ROWS_PER_QUAD * codeQuads + s) * width + (block & 7u);
}
uvec4 codesAt(uint row, uint block, uint s) { return quad(quadOf(row, block, s)); }
#endif

#ifdef NO_SCALES
vec4 rawAt(uint row, uint block, Scales s, uint r, uint j) { return rawCodes(codesAt(row, block, j / stepsPerQuad), s, r, j); }
#else
// Which word of its quad has the codes of columns 4j .. 4j + 3.
uint wordOf(uint r, uint j) {
  const uint i = ROW_COUNT >= ROWS_PER_QUAD ? r - firstRow : r;
  if (ROWS_PER_QUAD == 4u) return i & 3u;
  if (ROWS_PER_QUAD == 2u) return 2u * (i & 1u) + (j & 1u);
  return j & 3u;
}
#if !defined(OWN_VALUES) && !defined(OWN_CODES)
vec4 rawOf(uint w, Scales s, uint r, uint j) { return codesOf(bytesOf(w, s, r, j), codeMask); }
#endif
vec4 rawCodes(uvec4 q, Scales s, uint r, uint j) { return rawOf(q[wordOf(r, j)], s, r, j); }
#ifndef OWN_CODES
// The same as of codesAt(), loading only the word that it needs.
vec4 rawAt(uint row, uint block, Scales s, uint r, uint j) {
  return rawOf(word(4u * quadOf(row, block, j / stepsPerQuad) + wordOf(r, j)), s, r, j);
}
#endif
#endif
