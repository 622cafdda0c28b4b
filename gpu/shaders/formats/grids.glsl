// The IQ types, whose codes are indices into a grid of vectors: of 8 elements, IQ3's of 4. Grids: core/tensor/types/grid_data.h. The codes
// are the low eight bits of each index; signs and the rest lie beside them.
//   value = scale * (code - BIAS), where the code is BIAS more than the vector's element with its sign (IQ1: than 8 times the element, and 1
//   more or less)
layout(constant_id = FORMAT_CONSTANTS) const uint GRID = 0;  // gridXXX
#include "shared/choices.h"
#include "formats/every_bit.glsl"
const bool threes = GRID == gridIq3Xxs || GRID == gridIq3S;
const bool ones = GRID == gridIq1S || GRID == gridIq1M;
const bool parity = GRID == gridIq2Xxs || GRID == gridIq2Xs || GRID == gridIq3Xxs;  // seven signs, the eighth makes their number even
const uint codeQuads = 1;
#define ROWS_PER_QUAD (threes ? 2u : 4u)
const vec4 codeUnit = bytesUnit;
#define SPLIT_SCALES
const uint BIAS = ones || GRID == gridIq3S ? 16u : 64u;
const uint superQuads =  // of plane 1
    GRID == gridIq2Xs ? 5u : GRID == gridIq2S || GRID == gridIq1S ? 9u : GRID == gridIq3S ? 7u : GRID == gridIq1M ? 12u : 1u;

struct Scales {
  uvec4 d;
  uvec4 signs[2];  // a word per row; the first has that of firstRow. Not of IQ1
  uvec4 more;      // a byte or two bytes per row, see runtime/grid_packing.cpp
  uvec2 scale;     // IQ3_S: nibble r. IQ1_M: nibble r of x has the low four bits of two scales of three bits, y the high two at 2r
};

Scales loadScales(uint group, uint block) {
  Scales s;
  const uint super = push.plane1 + superQuads * (group * (push.blocks >> 3) + (block >> 3)), b = block & 7u;
  s.d = quad(super);
  s.more = uvec4(0u);
  s.scale = uvec2(0u);
  if (!ones) {
    const uint at = push.plane2 + 2u * (group * push.blocks + block) + firstRow / 4u;
    [[unroll]] for (uint i = 0; i < (ROW_COUNT + 3u) / 4u; ++i) s.signs[i] = quad(at + i);
  }
  if (GRID == gridIq2S || GRID == gridIq1S) s.more = quad(super + 1u + b);
  if (GRID == gridIq2Xs || GRID == gridIq3S) {
    const uvec4 two = quad(super + 1u + (b >> 1));
    s.more.xy = (b & 1u) == 0u ? two.xy : two.zw;
  }
  if (GRID == gridIq3S) s.scale.x = word(4u * (super + 5u) + b);
  if (GRID == gridIq1M) {
    s.scale = uvec2(word(4u * (super + 1u) + b), word(4u * (super + 3u) + (b >> 1)) >> (16u * (b & 1u)));
    s.more = quad(super + 4u + b);
  }
  return s;
}

uint signsOf(Scales s, uint r) { return s.signs[(r - firstRow) >> 2][r & 3u]; }
uint byteOf(Scales s, uint r) { return s.more[r >> 2] >> (8u * (r & 3u)) & 0xffu; }
uint shortOf(Scales s, uint r) { return s.more[r >> 1] >> (16u * (r & 1u)) & 0xffffu; }

// The whole numbers in the scales of both halves.
uvec2 stepsOf(Scales s, uint r) {
  if (GRID == gridIq2Xs) return uvec2(byteOf(s, r) & 15u, byteOf(s, r) >> 4);
  if (GRID == gridIq2S) return uvec2(shortOf(s, r) >> 8 & 15u, shortOf(s, r) >> 12);
  if (GRID == gridIq3S) return uvec2(s.scale.x >> (4u * r) & 15u);
  if (GRID == gridIq1S) return uvec2(shortOf(s, r) >> 12 & 7u);
  if (GRID == gridIq1M) {
    const uint two = (s.scale.x >> (4u * r) & 15u) | (s.scale.y >> (2u * r) & 3u) << 4;
    return uvec2(two & 7u, two >> 3);
  }
  return uvec2(signsOf(s, r) >> 28);
}

vec2 scalesOf(Scales s, uint r) {
  const float unit = GRID == gridIq3S ? 1.0 : GRID == gridIq3Xxs ? 0.25 : 0.125;
  return halfOf(s.d, r) * unit * vec2(ivec2(2u * stepsOf(s, r) + 1u));
}
vec2 offsetsOf(Scales s, uint r) { return float(BIAS) * scalesOf(s, r); }

uint entryAt(uint i) { return word(push.plane3 * 4u + (i >> 1)) >> (16u * (i & 1u)) & 0xffffu; }
// Codes of an entry as the bytes of a word: four of the eight of two bits, or the four of three bits.
uint twoBits(uint e) { return (e | e << 6 | e << 12 | e << 18) & 0x03030303u; }
uint threeBits(uint e) { return (e & 7u) | (e & 0x38u) << 5 | (e & 0x1c0u) << 10 | (e & 0xe00u) << 15; }

// The bits of the index of vector v above the eighth; of IQ3 that of columns 4j .. 4j + 3.
uint highBits(Scales s, uint r, uint v, uint j) {
  if (GRID == gridIq2Xs) return signsOf(s, r) >> (8u * v) & 1u;
  if (GRID == gridIq2S) return shortOf(s, r) >> (2u * v) & 3u;
  if (GRID == gridIq3S) return byteOf(s, r) >> j & 1u;
  if (GRID == gridIq1S) return shortOf(s, r) >> (3u * v) & 7u;
  if (GRID == gridIq1M) return shortOf(s, r) >> (4u * v) & 7u;
  return 0u;
}

// The signs of columns 4j .. 4j + 3.
uint fourSigns(uint signs, uint v, uint j) {
  if (!parity) return signs >> (4u * j) & 15u;
  const uint seven = signs >> (GRID == gridIq2Xs ? 8u * v + 1u : 7u * v) & 127u;
  return (seven | uint(bitCount(seven)) << 7) >> (4u * (j & 1u)) & 15u;
}

const uint codeMask = ones ? 0x1fu : 0x7fu;
uint bytesOf(uint w, Scales s, uint r, uint j) {
  const uint v = j >> 1;
  const uint entry = entryAt((w >> (8u * v) & 0xffu) | highBits(s, r, v, j) << 8);
  const uint c = threes ? threeBits(entry) : twoBits(entry >> (8u * (j & 1u)) & 0xffu);
  if (ones) {
    const bool down = (shortOf(s, r) >> (GRID == gridIq1S ? 15u : 4u * v + 3u) & 1u) != 0u;
    return (c << 3) + (down ? 0x07070707u : 0x09090909u);
  }
  uint value = 0x08080808u + (c << 4) + c + (c >> 1 & 0x01010101u);  // 8, 25, 43
  if (GRID == gridIq3Xxs) value = 0x04040404u + (c << 3) + (c + 0x01010101u >> 2 & 0x02020202u);  // 4, 12, ... 52, 62
  if (GRID == gridIq3S) value = 0x01010101u + (c << 1);
  const uint four = fourSigns(signsOf(s, r), v, j);
  const uint negative = everyBit((four | four << 7 | four << 14 | four << 21) & 0x01010101u);
  return BIAS * 0x01010101u + value - ((value & negative) << 1);
}
