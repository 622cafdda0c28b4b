// The IQ types, whose codes are indices into a grid of vectors; for raw.glsl. Layouts and grids:
// core/tensor/types/grids.cpp, grid_data.h. Each function returns columns k .. k + 3 of the block of 256 at byte `at`.

// An entry of the type's grid, which is stored after the rows (plane 1).
uint gridAt(uint i) { return word(push.plane1 * 4u + (i >> 1)) >> (16u * (i & 1u)) & 0xffffu; }

// Unpacks four of an entry's eight 2-bit codes: the half that contains column k.
uvec4 twoBits(uint entry, uint k) { return uvec4(entry >> (2u * (k & 4u))) >> uvec4(0, 2, 4, 6) & 3u; }
uvec4 threeBits(uint entry) { return uvec4(entry) >> uvec4(0, 3, 6, 9) & 7u; }
vec4 iq2Values(uvec4 code) { return vec4(ivec4(8u + 17u * code + (code >> 1))); }          // 8, 25, 43
vec4 iq3XxsValues(uvec4 code) { return vec4(ivec4(4u + 8u * code + 2u * ((code + 1u) >> 3))); }  // 4, 12, ... 52, 62

// Applies four of eight sign bits: the half that contains column k.
vec4 withSigns(vec4 values, uint signs, uint k) {
  const bvec4 negative = notEqual(uvec4(signs >> (k & 4u)) & uvec4(1, 2, 4, 8), uvec4(0));
  return mix(values, -values, negative);
}
uint withParity(uint seven) { return (seven & 127u) | uint(bitCount(seven & 127u) & 1) << 7; }
uint nibbleAt(uint at, uint i) { return byteAt(at + i / 2u) >> (i % 2u * 4u) & 15u; }
float halves(uint s) { return 0.5 + float(int(s)); }

vec4 iq2Xxs(uint at, uint k) {
  const uint group = at + 2u + k / 32u * 8u;
  const uint i = k % 32u / 8u;
  const uint signs = fourBytes(group + 4u);
  const vec4 codes = withSigns(iq2Values(twoBits(gridAt(byteAt(group + i)), k)), withParity(signs >> (7u * i)), k);
  return halfAt(at) * halves(signs >> 28) * 0.25 * codes;
}
vec4 iq2Xs(uint at, uint k) {
  const uint code = shortAt(at + 2u + k / 8u * 2u);
  const vec4 codes = withSigns(iq2Values(twoBits(gridAt(code & 511u), k)), withParity(code >> 9), k);
  return halfAt(at) * halves(nibbleAt(at + 66u, k / 16u)) * 0.25 * codes;
}
vec4 iq2S(uint at, uint k) {
  const uint i = k / 8u;
  const uint high = byteAt(at + 66u + i / 4u) >> (2u * (i % 4u)) & 3u;
  const vec4 codes = withSigns(iq2Values(twoBits(gridAt(byteAt(at + 2u + i) | high << 8), k)), byteAt(at + 34u + i), k);
  return halfAt(at) * halves(nibbleAt(at + 74u, k / 16u)) * 0.25 * codes;
}
vec4 iq3Xxs(uint at, uint k) {
  const uint signs = fourBytes(at + 66u + k / 32u * 4u);
  const vec4 codes = withSigns(iq3XxsValues(threeBits(gridAt(byteAt(at + 2u + k / 4u)))), withParity(signs >> (7u * (k % 32u / 8u))), k);
  return halfAt(at) * halves(signs >> 28) * 0.5 * codes;
}
vec4 iq3S(uint at, uint k) {
  const uint high = byteAt(at + 66u + k / 32u) >> (k % 32u / 4u) & 1u;
  const vec4 values = vec4(ivec4(1u + 2u * threeBits(gridAt(byteAt(at + 2u + k / 4u) | high << 8))));
  return halfAt(at) * float(int(1u + 2u * nibbleAt(at + 106u, k / 32u))) * withSigns(values, byteAt(at + 74u + k / 8u), k);
}
// d * (g +- 1/8), computed as d / 8 * (8 g +- 1), g in {-1, 0, 1}.
vec4 iq1Values(uint index, bool down, uint k) { return vec4(8 * ivec4(twoBits(gridAt(index), k)) - (down ? 9 : 7)); }
vec4 iq1S(uint at, uint k) {
  const uint high = shortAt(at + 34u + k / 32u * 2u);
  const uint index = byteAt(at + 2u + k / 8u) | (high >> (3u * (k % 32u / 8u)) & 7u) << 8;
  return halfAt(at) * float(int(2u * (high >> 12 & 7u) + 1u)) * 0.125 * iq1Values(index, (high & 0x8000u) != 0u, k);
}
vec4 iq1M(uint at, uint k) {
  uint d = 0u;
  for (uint i = 0u; i < 4u; ++i) d |= shortAt(at + 48u + 2u * i) >> 12 << (4u * i);
  const uint s = shortAt(at + 48u + k / 64u * 2u) >> (3u * (k / 16u % 4u)) & 7u;
  const uint high = byteAt(at + 32u + k / 16u) >> (4u * (k / 8u % 2u));
  const uint index = byteAt(at + k / 8u) | (high & 7u) << 8;
  return unpackHalf2x16(d).x * float(int(2u * s + 1u)) * 0.125 * iq1Values(index, (high & 8u) != 0u, k);
}
