// MXFP4: value = d * (code - 16), where the code is 16 more than twice the E2M1 value, and d half of the block's power of two. So a code is
// an unsigned byte, as of the other types of four bits.
// NVFP4 (define SIXTEENS): d is half of an E4M3 value per 16 elements.
const uint codeQuads = 1;
const vec4 codeUnit = bytesUnit;

#ifdef SIXTEENS
#define SPLIT_SCALES
#include "formats/e4m3.glsl"
// As in GGUF files: scales have no signs, and the first of the codes that are no numbers is 0.
layout(constant_id = FORMAT_CONSTANTS) const uint UNSIGNED = 0;

struct Scales { uvec4 pairs; };  // bytes 2r and 2r + 1: scales of elements 0 .. 15 and 16 .. 31
Scales loadScales(uint group, uint block) { return Scales(quad(push.plane1 + group * push.blocks + block)); }

float halfScale(uint c) {
  if (UNSIGNED == 0u) return 0.5 * e4m3(c);
  const float value = 0.5 * e4m3Magnitude(c);
  return c == 0x7fu ? 0.0 : value;
}
vec2 scalesOf(Scales s, uint r) {
  const uint two = s.pairs[r >> 1] >> (16u * (r & 1u));
  return vec2(halfScale(two & 0xffu), halfScale(two >> 8 & 0xffu));
}
#else
struct Scales { uvec2 e8m0; };

Scales loadScales(uint group, uint block) {
  const uint at = group * push.blocks + block;
  const uvec4 two = quad(push.plane1 + (at >> 1));
  return Scales((at & 1u) == 0u ? two.xy : two.zw);
}

// Half of 2^(c - 127); values below the smallest normal number become that number's half, 255 is not a number.
vec2 scalesOf(Scales s, uint r) {
  const uint c = s.e8m0[r >> 2] >> (8u * (r & 3u)) & 0xffu;
  return vec2(0.5 * uintBitsToFloat(c == 255u ? 0x7fc00000u : max(c, 1u) << 23));
}
#endif
vec2 offsetsOf(Scales s, uint r) { return 16.0 * scalesOf(s, r); }

#include "formats/every_bit.glsl"
const uint codeMask = 0x1fu;
uint bytesOf(uint w, Scales s, uint r, uint j) {
  w >>= j & 4u;
  const uint mantissa = w & 0x01010101u, low = w >> 1 & 0x01010101u, high = w >> 2 & 0x01010101u;
  uint twice = mantissa | (low | high) << 1;      // of exponents 0 and 1
  twice += twice & everyBit(high);                // 2
  twice += twice & everyBit(high & low);          // 3
  const uint negative = everyBit(w >> 3 & 0x01010101u);
  return 0x10101010u + twice - ((twice & negative) << 1);
}
