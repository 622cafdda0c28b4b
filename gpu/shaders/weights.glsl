// Loads 16, 8 or 4 bytes of a weight, and 4 floats of the input. There are two kinds of memory access, chosen per module:
// buffer addresses (push.weights, push.x) or, with TEXEL, uniform texel buffers. Drivers on the CPU load texels for all
// lanes at once, but addresses lane by lane, unless they know that all lanes have the same; GPUs are faster with addresses.
#ifdef TEXEL
#define MASKED_CODES
layout(set = 0, binding = 0) uniform usamplerBuffer weightQuads;
layout(set = 0, binding = 1) uniform usamplerBuffer weightWords;
layout(set = 0, binding = 2) uniform samplerBuffer inputQuads;
uvec4 quad(uint i) { return texelFetch(weightQuads, int(i)); }
uint word(uint i) { return texelFetch(weightWords, int(i)).x; }
vec4 inputQuad(uint i) { return texelFetch(inputQuads, int(i)); }
#else
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Quads { uvec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Words { uint v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer FloatQuads { vec4 v[]; };
uvec4 quad(uint i) { return Quads(push.weights).v[i]; }
uint word(uint i) { return Words(push.weights).v[i]; }
#ifdef HAS_INPUT
vec4 inputQuad(uint i) { return FloatQuads(push.x).v[i]; }
#endif
#endif

// Element r of eight float16 values.
float halfOf(uvec4 eight, uint r) {
  const vec2 two = unpackHalf2x16(eight[r >> 1]);
  return (r & 1u) != 0u ? two.y : two.x;
}

// The four bytes of a word, masked, as floats; multiply by codeUnit to get their values. A GPU converts any byte of a word
// to float in one instruction. Drivers on the CPU cannot; for them (MASKED_CODES) the bytes are masked in place, which saves a
// shift per element, and codeUnit compensates the resulting powers of 256.
#ifdef MASKED_CODES
const vec4 bytesUnit = vec4(1.0, 1.0 / 256.0, 1.0 / 65536.0, 1.0);
vec4 codesOf(uint w, uint mask) {
  return vec4(float(int(w & mask)), float(int(w & (mask << 8))), float(int(w & (mask << 16))), float(int((w >> 24) & mask)));
}
#else
const vec4 bytesUnit = vec4(1.0);
vec4 codesOf(uint w, uint mask) {
  w &= mask * 0x01010101u;
  return vec4(float(w & 0xffu), float(w >> 8 & 0xffu), float(w >> 16 & 0xffu), float(w >> 24));
}
#endif
