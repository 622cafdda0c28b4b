// Q4_K, Q5_K (define FIFTH): value = (d * scale) * code - (dmin * minimum), with a 6-bit scale and minimum per 32 elements.
const uint codeQuads = 1;
const vec4 codeUnit = bytesUnit;
#include "formats/six_bit_pairs.glsl"

struct Scales {
  uvec4 d, dmin;
  uvec3 pairs;
#ifdef FIFTH
  uvec4 high[2];  // a word per row; the first has that of firstRow
#endif
};

Scales loadScales(uint group, uint block) {
  Scales s;
  const uint super = push.plane1 + 2u * (group * (push.blocks >> 3) + (block >> 3));
  const uint at = group * push.blocks + block;
  s.d = quad(super);
  s.dmin = quad(super + 1u);
  s.pairs = loadPairs(push.plane2, at);
#ifdef FIFTH
  const uint from = firstRow / 4u;
  [[unroll]] for (uint i = 0; i < (ROW_COUNT + 3u) / 4u; ++i) s.high[i] = quad(push.plane3 + 2u * at + from + i);
#endif
  return s;
}

vec2 scalesOf(Scales s, uint r) { return vec2(halfOf(s.d, r) * float(int(firstOf(s.pairs, r)))); }
vec2 offsetsOf(Scales s, uint r) { return vec2(halfOf(s.dmin, r) * float(int(secondOf(s.pairs, r)))); }

#ifdef FIFTH
const uint codeMask = 0x1fu;
#else
const uint codeMask = 0x0fu;
#endif
uint bytesOf(uint w, Scales s, uint r, uint j) {
  const uint nibbles = w >> (j & 4u) & 0x0f0f0f0fu;
#ifdef FIFTH
  const uint high = s.high[(r - firstRow) >> 2][r & 3u];
  return nibbles | (j < 4u ? high << (4u - j) : high >> (j - 4u)) & 0x10101010u;
#else
  return nibbles;
#endif
}
