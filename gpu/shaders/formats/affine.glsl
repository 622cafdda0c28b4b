// MLX's codes of 4 bits, or of 8 with BYTES: value = scale * code + bias, for groups of 32, 64 or 128 elements.
layout(constant_id = FORMAT_CONSTANTS) const uint BLOCKS = 2;  // per group of elements
layout(constant_id = FORMAT_CONSTANTS + 1) const uint SCALE = 0;  // scaleXXX: the type of scales and biases
#include "shared/choices.h"
#ifdef BYTES
const uint codeQuads = 2;
#else
const uint codeQuads = 1;
#endif
const vec4 codeUnit = bytesUnit;

struct Scales { uvec4 s[2], b[2]; };  // of eight rows; the second halves are of F32 only

Scales loadScales(uint group, uint block) {
  Scales all;
  const uint at = group * (push.blocks / BLOCKS) + block / BLOCKS;
  if (SCALE == scaleF32) {
    [[unroll]] for (uint i = 0; i < 2u; ++i) {
      all.s[i] = quad(push.plane1 + 4u * at + i);
      all.b[i] = quad(push.plane1 + 4u * at + 2u + i);
    }
  } else {
    all.s[0] = all.s[1] = quad(push.plane1 + 2u * at);
    all.b[0] = all.b[1] = quad(push.plane1 + 2u * at + 1u);
  }
  return all;
}

float ofRow(uvec4 rows[2], uint r) {
  if (SCALE == scaleF32) return uintBitsToFloat(rows[r >> 2][r & 3u]);
  if (SCALE == scaleBf16) return uintBitsToFloat((r & 1u) != 0u ? rows[0][r >> 1] & 0xffff0000u : rows[0][r >> 1] << 16);
  return halfOf(rows[0], r);
}
vec2 scalesOf(Scales all, uint r) { return vec2(ofRow(all.s, r)); }
vec2 offsetsOf(Scales all, uint r) { return vec2(-ofRow(all.b, r)); }

#ifdef BYTES
vec4 rawOf(uint w, Scales all, uint r, uint j) { return codesOf(w, 0xffu); }
#else
vec4 rawOf(uint w, Scales all, uint r, uint j) { return codesOf(w >> (j & 4u), 0x0fu); }
#endif
