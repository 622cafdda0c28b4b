// Codes of 1 to 6 or of 8 bits, in groups of 32 to 256 elements: value = scale * code + bias (MLX); without BIASES value = scale *
// (code - 1) (TQ2_0, Q2_0), and of one bit scale * (2 * code - 1) (Q1_0). Plane 0 has the lowest LOW bits of codes, plane 2 those above.
layout(constant_id = FORMAT_CONSTANTS) const uint BLOCKS = 2;     // per group of elements
layout(constant_id = FORMAT_CONSTANTS + 1) const uint SCALE = 0;  // scaleXXX: the type of scales and biases
layout(constant_id = FORMAT_CONSTANTS + 2) const uint BITS = 4;
layout(constant_id = FORMAT_CONSTANTS + 3) const uint BIASES = 1;
#include "shared/choices.h"
const uint LOW = BITS >= 8u ? 8u : BITS >= 4u ? 4u : BITS >= 2u ? 2u : 1u;
const uint HIGH = BITS - LOW;  // 0, 1 or 2
const uint codeQuads = LOW == 8u ? 2u : 1u;
#define ROWS_PER_QUAD (LOW == 1u ? 4u : LOW == 2u ? 2u : 1u)
const vec4 codeUnit = bytesUnit;

struct Scales {
  uvec4 s[2], b[2];  // of eight rows; of F32 of those from firstRow on, four each
  uvec4 high[4];     // HIGH words per row; the first has those of firstRow
};

Scales loadScales(uint group, uint block) {
  Scales all;
  const uint at = (1u + BIASES) * (group * (push.blocks / BLOCKS) + block / BLOCKS);
  if (SCALE == scaleF32) {
    const uint first = push.plane1 + 2u * at + firstRow / 4u;
    [[unroll]] for (uint i = 0; i < (ROW_COUNT + 3u) / 4u; ++i) {
      all.s[i] = quad(first + i);
      all.b[i] = quad(first + 2u * BIASES + i);
    }
  } else {
    all.s[0] = quad(push.plane1 + at);
    all.b[0] = quad(push.plane1 + at + BIASES);
  }
  const uint from = push.plane2 + 2u * HIGH * (group * push.blocks + block) + firstRow * HIGH / 4u;
  [[unroll]] for (uint i = 0; i < (ROW_COUNT * HIGH + 3u) / 4u; ++i) all.high[i] = quad(from + i);
  return all;
}

float ofRow(uvec4 rows[2], uint r) {
  if (SCALE == scaleF32) return uintBitsToFloat(rows[(r - firstRow) >> 2][r & 3u]);
  if (SCALE == scaleBf16) return uintBitsToFloat((r & 1u) != 0u ? rows[0][r >> 1] & 0xffff0000u : rows[0][r >> 1] << 16);
  return halfOf(rows[0], r);
}
vec2 scalesOf(Scales all, uint r) { return vec2(BIASES == 0u && BITS == 1u ? 2.0 * ofRow(all.s, r) : ofRow(all.s, r)); }
vec2 offsetsOf(Scales all, uint r) { return vec2(BIASES == 0u ? ofRow(all.s, r) : -ofRow(all.b, r)); }

const uint codeMask = (1u << BITS) - 1u;
uint bytesOf(uint w, Scales all, uint r, uint j) {
  const uint low = w >> (j & (8u - LOW));
  if (HIGH == 0u) return low & codeMask * 0x01010101u;
  // Of elements 4j .. 4j + 3 the bits above the lowest are from bit `at` on of the bytes of a word; those belong at LOW.
  const uint bits = all.high[(r - firstRow) * HIGH >> 2][(r * HIGH & 3u) + (j * HIGH >> 3)], at = j * HIGH & 7u;
  const uint placed = at <= LOW ? bits << (LOW - at) : bits >> (at - LOW);
  const uint lowest = ((1u << LOW) - 1u) * 0x01010101u;
  return (low & lowest) | (placed & codeMask * 0x01010101u & ~lowest);
}
