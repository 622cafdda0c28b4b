// F32, F16, BF16: the codes are the values. Define FORMAT_F32, FORMAT_F16 or FORMAT_BF16.
#if defined(FORMAT_F32)
const uint codeQuads = 8;
#else
const uint codeQuads = 4;
#endif
const vec4 codeUnit = vec4(1.0);
#define NO_SCALES

struct Scales { uint none; };
Scales loadScales(uint group, uint block) { return Scales(0u); }
vec2 scalesOf(Scales s, uint r) { return vec2(1.0); }
vec2 offsetsOf(Scales s, uint r) { return vec2(0.0); }

// Elements 4j .. 4j + 3, from quad j * codeQuads / 8 of the block.
vec4 rawCodes(uvec4 q, Scales s, uint r, uint j) {
#if defined(FORMAT_F32)
  return uintBitsToFloat(q);
#else
  const uint a = (j & 1u) == 0u ? q.x : q.z;
  const uint b = (j & 1u) == 0u ? q.y : q.w;
#if defined(FORMAT_F16)
  return vec4(unpackHalf2x16(a), unpackHalf2x16(b));
#else
  return uintBitsToFloat(uvec4(a << 16, a & 0xffff0000u, b << 16, b & 0xffff0000u));
#endif
#endif
}
