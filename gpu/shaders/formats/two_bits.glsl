// Codes of two bits, with a scale per 16 elements. Q2_K: value = (d * scale) * code - (dmin * minimum), scale and minimum of 4 bits.
// Q3_K (define THIRD): value = (d * (scale - 32)) * (code - 4), with a third bit of each code, and a scale of 6 bits.
const uint codeQuads = 1;
#define ROWS_PER_QUAD 2u
const vec4 codeUnit = bytesUnit;
#define SPLIT_SCALES

#ifdef THIRD
#include "formats/six_bit_pairs.glsl"
struct Scales {
  uvec4 d;
  uvec3 pairs;    // scales of elements 0 .. 15 and 16 .. 31
  uvec4 high[2];  // a word per row; the first has that of firstRow
};

Scales loadScales(uint group, uint block) {
  Scales s;
  const uint at = group * push.blocks + block;
  s.d = quad(push.plane1 + group * (push.blocks >> 3) + (block >> 3));
  s.pairs = loadPairs(push.plane2, at);
  const uint from = firstRow / 4u;
  [[unroll]] for (uint i = 0; i < (ROW_COUNT + 3u) / 4u; ++i) s.high[i] = quad(push.plane3 + 2u * at + from + i);
  return s;
}

vec2 scalesOf(Scales s, uint r) {
  return halfOf(s.d, r) * vec2(float(int(firstOf(s.pairs, r)) - 32), float(int(secondOf(s.pairs, r)) - 32));
}
vec2 offsetsOf(Scales s, uint r) { return 4.0 * scalesOf(s, r); }
#else
struct Scales {
  uvec4 d, dmin;
  uvec4 pairs;  // bytes 2r and 2r + 1, of elements 0 .. 15 and 16 .. 31: scale in the low four bits, minimum in the high ones
};

Scales loadScales(uint group, uint block) {
  const uint super = push.plane1 + 2u * (group * (push.blocks >> 3) + (block >> 3));
  return Scales(quad(super), quad(super + 1u), quad(push.plane2 + group * push.blocks + block));
}

uint pairOf(Scales s, uint r) { return s.pairs[r >> 1] >> (16u * (r & 1u)); }
vec2 scalesOf(Scales s, uint r) {
  const uint two = pairOf(s, r);
  return halfOf(s.d, r) * vec2(float(int(two & 15u)), float(int(two >> 8 & 15u)));
}
vec2 offsetsOf(Scales s, uint r) {
  const uint two = pairOf(s, r);
  return halfOf(s.dmin, r) * vec2(float(int(two >> 4 & 15u)), float(int(two >> 12 & 15u)));
}
#endif

#ifdef THIRD
const uint codeMask = 7u;
#else
const uint codeMask = 3u;
#endif
uint bytesOf(uint w, Scales s, uint r, uint j) {
  const uint low = w >> (j & 6u) & 0x03030303u;
#ifdef THIRD
  const uint high = s.high[(r - firstRow) >> 2][r & 3u];
  return low | (j < 2u ? high << (2u - j) : high >> (j - 2u)) & 0x04040404u;
#else
  return low;
#endif
}
