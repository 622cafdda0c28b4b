// IQ4_NL: value = d * value of a table of 16. IQ4_XS (SUPER): for d, d * (scale - 32) of a super-block, with a scale of 6 bits per 32
// elements.
layout(constant_id = FORMAT_CONSTANTS) const uint SUPER = 0;
const uint codeQuads = 1;
const vec4 codeUnit = vec4(1.0);
#define OWN_VALUES

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
vec2 offsetsOf(Scales s, uint r) { return vec2(0.0); }

// The table's values are those of a polynomial, rounded; it is off by 0.44 at most. Looking them up takes more instructions.
vec4 rawOf(uint w, Scales s, uint r, uint j) {
  const vec4 c = codesOf(w >> (j & 4u), 15u) * bytesUnit;
  return roundEven((((0.001586 * c + 0.031086) * c - 1.3719) * c + 24.174) * c - 126.57);
}
uint bytesOf(uint w, Scales s, uint r, uint j) {
  const uvec4 b = uvec4(ivec4(rawOf(w, s, r, j))) & 0xffu;
  return b.x | b.y << 8 | b.z << 16 | b.w << 24;
}
