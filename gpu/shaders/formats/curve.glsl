// IQ4_NL: value = d * (code - 128), where the code is 128 more than the value of a table of 16. IQ4_XS (SUPER): d is d * (scale - 32) of a
// super-block, with a scale of 6 bits per 32 elements.
layout(constant_id = FORMAT_CONSTANTS) const uint SUPER = 0;
const uint codeQuads = 1;
const vec4 codeUnit = bytesUnit;
#include "formats/every_bit.glsl"

struct Scales {
  uvec4 d;
  uvec2 scale;  // x: nibble r has the low four bits, y: bits 2r and 2r + 1 are the high two
};

Scales loadScales(uint group, uint block) {
  if (SUPER == 0u) return Scales(quad(push.plane1 + group * push.blocks + block), uvec2(0u));
  const uint super = push.plane1 + 4u * (group * (push.blocks >> 3) + (block >> 3));
  const uint low = 4u * super + 4u + (block & 7u), high = 4u * super + 12u + ((block & 7u) >> 1);
  return Scales(quad(super), uvec2(word(low), word(high) >> (16u * (block & 1u))));
}

vec2 scalesOf(Scales s, uint r) {
  if (SUPER == 0u) return vec2(halfOf(s.d, r));
  const uint scale = (s.scale.x >> (4u * r) & 15u) | (s.scale.y >> (2u * r) & 3u) << 4;
  return vec2(halfOf(s.d, r) * float(int(scale) - 32));
}
vec2 offsetsOf(Scales s, uint r) { return 128.0 * scalesOf(s, r); }

// Of four codes at once, b where the bytes of `mask` are all ones, a where they are all zeros.
uint pick(uint mask, uint a, uint b) { return a ^ (mask & (a ^ b)); }
uint pickNumber(uint mask, uint a, uint b) { return pick(mask, a * 0x01010101u, b * 0x01010101u); }

vec4 rawOf(uint w, Scales s, uint r, uint j) {
  w >>= j & 4u;
  const uint one = everyBit(w & 0x01010101u), two = everyBit(w >> 1 & 0x01010101u);
  const uint four = everyBit(w >> 2 & 0x01010101u), eight = everyBit(w >> 3 & 0x01010101u);
  const uint a = pick(two, pickNumber(one, 1u, 24u), pickNumber(one, 45u, 63u));
  const uint b = pick(two, pickNumber(one, 79u, 93u), pickNumber(one, 106u, 118u));
  const uint c = pick(two, pickNumber(one, 129u, 141u), pickNumber(one, 153u, 166u));
  const uint d = pick(two, pickNumber(one, 181u, 197u), pickNumber(one, 217u, 241u));
  return codesOf(pick(eight, pick(four, a, b), pick(four, c, d)), 0xffu);
}
