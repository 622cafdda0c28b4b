// Elements of the KV cache. A cell is one head at one position, with `stride` elements (a multiple of 8). One invocation
// stores storedTogether elements of it. A pair is two adjacent elements, an octet eight.
struct CachedOctet { vec2 pairs[4]; };

#if defined(CACHE_Q8_0)
// A cell: its elements as signed bytes, then for each 32 of them a word with the scale as float16 (largest magnitude / 127).
// The number of scale words is rounded up to an even number.
const uint storedTogether = 32;
layout(buffer_reference, std430, buffer_reference_align = 8) restrict buffer CacheOctets { uvec2 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) restrict buffer CacheWords { uint v[]; };
uint cellWords(uint stride) { return stride / 4u + (stride + 63u) / 64u * 2u; }
float cachedStep(uvec2 cache, uint cell, uint stride, uint run) {
  return unpackHalf2x16(CacheWords(cache).v[cell * cellWords(stride) + stride / 4u + run]).x;
}
vec2 codes(uint word, int first) {
  return vec2(bitfieldExtract(int(word), 8 * first, 8), bitfieldExtract(int(word), 8 * first + 8, 8));
}
vec2 cachedPair(uvec2 cache, uint cell, uint stride, uint i) {
  const uint word = CacheWords(cache).v[cell * cellWords(stride) + i / 2u];
  return cachedStep(cache, cell, stride, i / 16u) * codes(word, 2 * int(i & 1u));
}
CachedOctet cachedOctet(uvec2 cache, uint cell, uint stride, uint i) {
  const uvec2 q = CacheOctets(cache).v[cell * cellWords(stride) / 2u + i];
  const float step_ = cachedStep(cache, cell, stride, i / 4u);
  return CachedOctet(vec2[4](step_ * codes(q.x, 0), step_ * codes(q.x, 2), step_ * codes(q.y, 0), step_ * codes(q.y, 2)));
}
// The float16 nearest to x >= 0, ties to even. packHalf2x16 may truncate instead, depending on the driver.
uint nearestHalf(float x) {
  uint below = packHalf2x16(vec2(x, 0.0));
  if (unpackHalf2x16(below).x > x) --below;
  const float left = x - unpackHalf2x16(below).x;
  const float right = unpackHalf2x16(below + 1u).x - x;
  return right < left || (right == left && (below & 1u) == 1u) ? below + 1u : below;
}
// The codes are computed with the rounded scale. A number that no scale is large enough for becomes the largest one, so that nothing of it
// reaches queries that do not see it. A run with infinity or with what is not a number has a scale that is none: products by codes other
// than zero then are none either.
void storeCached(uvec2 cache, uint cell, uint stride, uint run, float x[storedTogether]) {
  uint peak = 0u;  // magnitudes as whole numbers, which have the same order and what is not a number above all others
  for (uint j = 0; j < storedTogether; ++j) peak = max(peak, floatBitsToUint(x[j]) & 0x7fffffffu);
  const bool finite = peak < 0x7f800000u;
  const uint scale = finite ? nearestHalf(min(uintBitsToFloat(peak) / 127.0, 65504.0)) : 0x7e00u;
  const float step_ = unpackHalf2x16(scale).x;
  const float inverse = step_ > 0.0 ? 1.0 / step_ : 0.0;
  CacheWords words = CacheWords(cache);
  const uint at = cell * cellWords(stride);
  for (uint w = 0; w < storedTogether / 4u && run * 8u + w < stride / 4u; ++w) {
    uint word = 0;
    for (uint j = 0; j < 4u; ++j) {
      const int code = finite ? int(roundEven(clamp(x[4u * w + j] * inverse, -127.0, 127.0))) : 1;
      word |= uint(code & 255) << (8u * j);
    }
    words.v[at + run * 8u + w] = word;
  }
  words.v[at + stride / 4u + run] = scale;
}

#elif defined(CACHE_F32)
const uint storedTogether = 2;
layout(buffer_reference, std430, buffer_reference_align = 16) restrict buffer CacheQuads { vec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) restrict buffer CachePairs { vec2 v[]; };
vec2 cachedPair(uvec2 cache, uint cell, uint stride, uint i) { return CachePairs(cache).v[cell * (stride / 2u) + i]; }
CachedOctet cachedOctet(uvec2 cache, uint cell, uint stride, uint i) {
  const uint at = 2u * (cell * (stride / 8u) + i);
  const vec4 a = CacheQuads(cache).v[at];
  const vec4 b = CacheQuads(cache).v[at + 1u];
  return CachedOctet(vec2[4](a.xy, a.zw, b.xy, b.zw));
}
void storeCached(uvec2 cache, uint cell, uint stride, uint i, float x[storedTogether]) {
  CachePairs(cache).v[cell * (stride / 2u) + i] = vec2(x[0], x[1]);
}

#else  // float16
const uint storedTogether = 2;
layout(buffer_reference, std430, buffer_reference_align = 16) restrict buffer CacheQuads { uvec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) restrict buffer CachePairs { uint v[]; };
vec2 cachedPair(uvec2 cache, uint cell, uint stride, uint i) {
  return unpackHalf2x16(CachePairs(cache).v[cell * (stride / 2u) + i]);
}
CachedOctet cachedOctet(uvec2 cache, uint cell, uint stride, uint i) {
  const uvec4 q = CacheQuads(cache).v[cell * (stride / 8u) + i];
  return CachedOctet(vec2[4](unpackHalf2x16(q.x), unpackHalf2x16(q.y), unpackHalf2x16(q.z), unpackHalf2x16(q.w)));
}
// What float16 can hold, for numbers: infinity and what is not a number stay. Attention multiplies what a query does not see by 0, which
// gives 0 of numbers only.
float withinHalves(float x) {
  return (floatBitsToUint(x) & 0x7f800000u) == 0x7f800000u ? x : clamp(x, -65504.0, 65504.0);
}
void storeCached(uvec2 cache, uint cell, uint stride, uint i, float x[storedTogether]) {
  CachePairs(cache).v[cell * (stride / 2u) + i] = packHalf2x16(vec2(withinHalves(x[0]), withinHalves(x[1])));
}
#endif
