// Bytes that have a sign: FP8, with and without scales, and the whole numbers of Q8_1 and Q8_K. value = scale * code.
layout(constant_id = FORMAT_CONSTANTS) const uint BLOCKS = 1;     // per scale
layout(constant_id = FORMAT_CONSTANTS + 1) const uint SCALE = 0;  // scaleXXX
layout(constant_id = FORMAT_CONSTANTS + 2) const uint CODES = 0;  // codesXXX
#include "shared/choices.h"
const uint codeQuads = 2;
const vec4 codeUnit = vec4(1.0);
#define OWN_VALUES

struct Scales { uvec4 d[2]; };  // of eight rows; of F32 of those from firstRow on, four each

Scales loadScales(uint group, uint block) {
  Scales s;
  const uint at = group * (push.blocks / BLOCKS) + block / BLOCKS;
  s.d[0] = uvec4(0u);
  if (SCALE == scaleE8m0) {
    const uvec4 two = quad(push.plane1 + (at >> 1));
    s.d[0].xy = (at & 1u) == 0u ? two.xy : two.zw;
  } else if (SCALE == scaleF32) {
    [[unroll]] for (uint i = 0; i < (ROW_COUNT + 3u) / 4u; ++i) s.d[i] = quad(push.plane1 + 2u * at + firstRow / 4u + i);
  } else if (SCALE == scaleF16) {
    s.d[0] = quad(push.plane1 + 2u * at);  // the sums of the codes follow
  }
  return s;
}

// 2^(c - 127); values below the smallest normal number become that number, 255 is not a number.
float e8m0(uint c) { return uintBitsToFloat(c == 255u ? 0x7fc00000u : max(c, 1u) << 23); }

vec2 scalesOf(Scales s, uint r) {
  const float unit = CODES == codesE4m3 ? 256.0 : 1.0;
  if (SCALE == scaleNone) return vec2(unit);
  if (SCALE == scaleE8m0) return vec2(unit * e8m0(s.d[0][r >> 2] >> (8u * (r & 3u)) & 0xffu));
  return vec2(unit * (SCALE == scaleF32 ? uintBitsToFloat(s.d[(r - firstRow) >> 2][r & 3u]) : halfOf(s.d[0], r)));
}
vec2 offsetsOf(Scales s, uint r) { return vec2(0.0); }

// The bits of float16: of elements 0 and 2, and of 1 and 3. E5M2 is its upper byte. E4M3 lies a bit lower but for the sign, for a unit of
// 2^-8, as its exponent is biased by 8 less; the code that is not a number gets a bit more, so that its exponent is full.
uvec2 halvesOf(uint w) {
  if (CODES == codesE5m2) return uvec2(w << 8, w) & 0xff00ff00u;
  const uint signless = w & 0x7f7f7f7fu, full = signless | (signless + 0x01010101u & 0x80808080u);
  return uvec2(w << 8, w) & 0x80008000u | uvec2(full << 7, full >> 1) & 0x7f807f80u;
}

vec4 rawOf(uint w, Scales s, uint r, uint j) {
  if (CODES == codesWhole) return vec4(ivec4(w << 24, w << 16, w << 8, w) >> 24);
  const uvec2 two = halvesOf(w);
  const vec2 even = unpackHalf2x16(two.x), odd = unpackHalf2x16(two.y);
  return vec4(even.x, odd.x, even.y, odd.y);
}
