// Q4_0, Q4_1, Q5_0, Q5_1: value = d * code - offset, where offset is d * 8, d * 16, or the negated minimum of the block.
// Define MINIMUM for the _1 types and FIFTH for the Q5 types.
const uint codeQuads = 1;
const vec4 codeUnit = bytesUnit;

struct Scales {
  uvec4 d;
#ifdef MINIMUM
  uvec4 m;
#endif
#ifdef FIFTH
  uvec4 high[2];  // a word per row; the first has that of firstRow
#endif
};

Scales loadScales(uint group, uint block) {
  Scales s;
  const uint at = group * push.blocks + block;
#ifdef MINIMUM
  s.d = quad(push.plane1 + 2u * at);
  s.m = quad(push.plane1 + 2u * at + 1u);
#else
  s.d = quad(push.plane1 + at);
#endif
#ifdef FIFTH
  const uint from = firstRow / 4u;
  [[unroll]] for (uint i = 0; i < (ROW_COUNT + 3u) / 4u; ++i) s.high[i] = quad(push.plane2 + 2u * at + from + i);
#endif
  return s;
}

vec2 scalesOf(Scales s, uint r) { return vec2(halfOf(s.d, r)); }

vec2 offsetsOf(Scales s, uint r) {
#if defined(MINIMUM)
  return vec2(-halfOf(s.m, r));
#elif defined(FIFTH)
  return 16.0 * scalesOf(s, r);
#else
  return 8.0 * scalesOf(s, r);
#endif
}

#ifdef FIFTH
const uint codeMask = 0x1fu;
#else
const uint codeMask = 0x0fu;
#endif
uint bytesOf(uint w, Scales s, uint r, uint j) {
  const uint nibbles = w >> (j & 4u) & 0x0f0f0f0fu;
#ifdef FIFTH
  const uint high = s.high[(r - firstRow) >> 2][r & 3u];
  return nibbles | (j < 4u ? high << (4u - j) : high >> (j - 4u)) & 0x10101010u;
#else
  return nibbles;
#endif
}
