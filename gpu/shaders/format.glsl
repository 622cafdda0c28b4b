// The element type of this module, chosen by a definition in variants.cmake. Each file defines how a block of 32 elements is
// decoded: value = scale * code - offset, with code = rawCodes() * codeUnit.
#include "weights.glsl"
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
#elif defined(FORMAT_E2M1)
#include "formats/e2m1.glsl"
#elif defined(FORMAT_AFFINE4) || defined(FORMAT_AFFINE8)
#ifdef FORMAT_AFFINE8
#define BYTES
#endif
#include "formats/affine.glsl"
#elif defined(FORMAT_RAW)
#include "formats/raw.glsl"
#endif

const uint stepsPerQuad = 8u / codeQuads;  // vec4s of elements per 16 bytes of codes

// Quad s of the codes of a row's block. Eight rows and up to eight blocks are interleaved, see runtime/weight_layout.h.
uvec4 codesAt(uint row, uint block, uint s) {
#ifdef RAW
  return uvec4(row, block, 0u, 0u);
#endif
  const uint tile = block >> 3;
  const uint width = min(8u, push.blocks - (tile << 3));
  const uint first = (row >> 3) * push.blocks * 8u + tile * 64u;
  return quad(first * codeQuads + ((row & 7u) * codeQuads + s) * width + (block & 7u));
}
