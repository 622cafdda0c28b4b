// Q6_K: value = (d * scale) * (code - 32), with an 8-bit scale per 16 elements.
const uint codeQuads = 1;
const vec4 codeUnit = bytesUnit;
#define SPLIT_SCALES

struct Scales {
  uvec4 d;
  uvec4 pairs;    // signed bytes 2r and 2r + 1: scales of elements 0 .. 15 and 16 .. 31
  uvec4 high[4];  // two words per row; the first has those of firstRow
};

Scales loadScales(uint group, uint block) {
  Scales s;
  const uint at = group * push.blocks + block;
  s.d = quad(push.plane1 + group * (push.blocks >> 3) + (block >> 3));
  s.pairs = quad(push.plane2 + at);
  const uint from = firstRow / 2u;
  [[unroll]] for (uint i = 0; i < (ROW_COUNT + 1u) / 2u; ++i) s.high[i] = quad(push.plane3 + 4u * at + from + i);
  return s;
}

vec2 scalesOf(Scales s, uint r) {
  const int two = int(s.pairs[r >> 1] << (16u - 16u * (r & 1u)));  // the row's two bytes in the upper half
  return halfOf(s.d, r) * vec2(float((two << 8) >> 24), float(two >> 24));
}

vec2 offsetsOf(Scales s, uint r) { return 32.0 * scalesOf(s, r); }

const uint codeMask = 0x3fu;
uint bytesOf(uint w, Scales s, uint r, uint j) {
  const uint nibbles = w >> (j & 4u) & 0x0f0f0f0fu;
  const uint high = s.high[(r - firstRow) >> 1][2u * (r & 1u) + (j >> 2)];
  const uint k = 2u * (j & 3u);
  const uint two = (k <= 4u ? high << (4u - k) : high >> (k - 4u)) & 0x30303030u;
  return nibbles | two;
}
