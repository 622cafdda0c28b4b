// Types stored as in the file: blocks and rows are contiguous. FORMAT selects the type; each one has a function that decodes
// 4 columns. Layouts: core/tensor/types/{few_bits,floats,small_blocks,mlx_affine}.cpp.
#include "shared/choices.h"

layout(constant_id = FORMAT_CONSTANTS) const uint FORMAT = 0;        // formatXXX
layout(constant_id = FORMAT_CONSTANTS + 1) const uint ELEMENTS = 1;  // elements per block
layout(constant_id = FORMAT_CONSTANTS + 2) const uint BYTES = 1;
layout(constant_id = FORMAT_CONSTANTS + 3) const uint EXTRA = 0;     // MLX: bits per code + 256 * scaleXXX

const uint codeQuads = 1;
const vec4 codeUnit = vec4(1.0);
#define NO_SCALES
#define RAW

struct Scales { uint none; };
Scales loadScales(uint group, uint block) { return Scales(0u); }
vec2 scalesOf(Scales s, uint r) { return vec2(1.0); }
vec2 offsetsOf(Scales s, uint r) { return vec2(0.0); }

// 4 bytes at any byte address; padding after the last block makes the second load safe.
uint fourBytes(uint at) {
  const uint low = word(at >> 2);
  const uint shift = 8u * (at & 3u);
  return shift == 0u ? low : low >> shift | word((at >> 2) + 1u) << (32u - shift);
}
uint byteAt(uint at) { return word(at >> 2) >> (8u * (at & 3u)) & 0xffu; }
uint shortAt(uint at) { return byteAt(at) | byteAt(at + 1u) << 8; }
float halfAt(uint at) { return unpackHalf2x16(shortAt(at)).x; }

uvec4 unpacked(uint four, uint mask) { return uvec4(four, four >> 8, four >> 16, four >> 24) & mask; }
vec4 asSigned(uint four) { return vec4(ivec4(four << 24, four << 16, four << 8, four) >> 24); }

#include "formats/e4m3.glsl"
vec4 e4m3(uvec4 c) { return vec4(e4m3(c.x), e4m3(c.y), e4m3(c.z), e4m3(c.w)); }
vec4 e5m2(uvec4 c) { return vec4(unpackHalf2x16(c.x << 8 | c.y << 24), unpackHalf2x16(c.z << 8 | c.w << 24)); }
// 2^(c - 127); values below the smallest normal number become that number.
float e8m0(uint c) { return uintBitsToFloat(c == 255u ? 0x7fc00000u : max(c, 1u) << 23); }

// Two-bit codes where each byte holds one element of each of the four quarters of 128 elements.
uint quarterBits(uint at, uint k) { return fourBytes(at + k / 128u * 32u + k % 32u) >> (2u * (k % 128u / 32u)); }

vec4 tq1(uint at, uint k) {
  const bool last = k >= 240u;
  const bool middle = k >= 160u && !last;
  const uint first = last ? 240u : middle ? 160u : 0u;
  const uint run = last ? 4u : middle ? 16u : 32u;
  const uint n = (k - first) / run;
  const uint power = n == 0u ? 1u : n == 1u ? 3u : n == 2u ? 9u : n == 3u ? 27u : 81u;
  const uvec4 bytes = unpacked(fourBytes(at + (last ? 48u : middle ? 32u : 0u) + (k - first) % run), 255u);
  return halfAt(at + 52u) * vec4(ivec4((bytes * power & 255u) * 3u >> 8) - 1);
}
float mlxScale(uint at) {
  const uint kind = EXTRA >> 8;
  if (kind == scaleF32) return uintBitsToFloat(fourBytes(at));
  return kind == scaleBf16 ? uintBitsToFloat(shortAt(at) << 16) : halfAt(at);
}
vec4 mlx(uint at, uint k) {
  const uint bits = EXTRA & 255u;
  const uint four = fourBytes(at + k * bits / 8u) >> (k * bits % 8u);
  const uvec4 codes = uvec4(four, four >> bits, four >> (2u * bits), four >> (3u * bits)) & ((1u << bits) - 1u);
  const uint scaleAt = at + ELEMENTS * bits / 8u;
  const uint scaleBytes = (EXTRA >> 8) == scaleF32 ? 4u : 2u;
  return mlxScale(scaleAt) * vec4(ivec4(codes)) + mlxScale(scaleAt + scaleBytes);
}

// Columns 4j .. 4j + 3 of a block of 32.
vec4 rawValues(uint row, uint block, uint j) {
  const uint column = block * 32u + 4u * j;
  const uint at = row * (push.blocks * 32u / ELEMENTS * BYTES) + column / ELEMENTS * BYTES;
  const uint k = column % ELEMENTS;
  if (FORMAT == formatTq1) return tq1(at, k);
  if (FORMAT == formatTq2) return halfAt(at + 64u) * vec4(ivec4(unpacked(quarterBits(at, k), 3u)) - 1);
  if (FORMAT == formatQ1) return halfAt(at) * vec4(2 * ivec4(uvec4(byteAt(at + 2u + k / 8u)) >> (k % 8u + uvec4(0, 1, 2, 3)) & 1u) - 1);
  if (FORMAT == formatQ2) return halfAt(at) * vec4(ivec4(uvec4(byteAt(at + 2u + k / 4u)) >> uvec4(0, 2, 4, 6) & 3u) - 1);
  if (FORMAT == formatQ81) return halfAt(at) * asSigned(fourBytes(at + 4u + k));
  if (FORMAT == formatQ8K) return uintBitsToFloat(fourBytes(at)) * asSigned(fourBytes(at + 4u + k));
  if (FORMAT == formatE4m3) return e4m3(unpacked(fourBytes(at), 255u));
  if (FORMAT == formatE5m2) return e5m2(unpacked(fourBytes(at), 255u));
  if (FORMAT == formatE8m0) {
    const uvec4 c = unpacked(fourBytes(at), 255u);
    return vec4(e8m0(c.x), e8m0(c.y), e8m0(c.z), e8m0(c.w));
  }
  if (FORMAT == formatE4m3Scaled) return uintBitsToFloat(fourBytes(at + ELEMENTS)) * e4m3(unpacked(fourBytes(at + k), 255u));
  if (FORMAT == formatE5m2Scaled) return uintBitsToFloat(fourBytes(at + ELEMENTS)) * e5m2(unpacked(fourBytes(at + k), 255u));
  if (FORMAT == formatMxfp8Planes) return e8m0(byteAt(at + 32u)) * e4m3(unpacked(fourBytes(at + k), 255u));
  return mlx(at, k);
}

vec4 rawCodes(uvec4 q, Scales s, uint r, uint j) { return rawValues(q.x, q.y, j); }
