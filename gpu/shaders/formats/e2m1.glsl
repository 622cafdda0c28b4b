// MXFP4: value = d * (code - 16), where the code is 16 more than twice the E2M1 value, and d half of the block's power of two. So a code is
// an unsigned byte, as of the other types of four bits.
const uint codeQuads = 1;
const vec4 codeUnit = bytesUnit;

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
vec2 offsetsOf(Scales s, uint r) { return 16.0 * scalesOf(s, r); }

// Of the four codes in the bytes of a word at once: a byte of bits is all ones or all zeros after its multiplication by 255.
uint everyBit(uint lowest) { return lowest * 255u; }
vec4 rawOf(uint w, Scales s, uint r, uint j) {
  w >>= j & 4u;
  const uint mantissa = w & 0x01010101u, low = w >> 1 & 0x01010101u, high = w >> 2 & 0x01010101u;
  uint twice = mantissa | (low | high) << 1;      // of exponents 0 and 1
  twice += twice & everyBit(high);                // 2
  twice += twice & everyBit(high & low);          // 3
  const uint negative = everyBit(w >> 3 & 0x01010101u);
  return codesOf((0x10101010u - twice & negative) | (0x10101010u + twice & ~negative), 0x1fu);
}
