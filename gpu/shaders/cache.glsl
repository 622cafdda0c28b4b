// Elements of the KV cache: halves, or with CACHE_F32 floats. A pair is two neighbouring elements, an octet eight.
struct CachedOctet { vec2 pairs[4]; };
#ifdef CACHE_F32
layout(buffer_reference, std430, buffer_reference_align = 16) restrict buffer CacheQuads { vec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) restrict buffer CachePairs { vec2 v[]; };
vec2 cachedPair(uvec2 cache, uint i) { return CachePairs(cache).v[i]; }
void storePair(uvec2 cache, uint i, vec2 two) { CachePairs(cache).v[i] = two; }
CachedOctet cachedOctet(uvec2 cache, uint i) {
  const vec4 a = CacheQuads(cache).v[2u * i];
  const vec4 b = CacheQuads(cache).v[2u * i + 1u];
  return CachedOctet(vec2[4](a.xy, a.zw, b.xy, b.zw));
}
#else
layout(buffer_reference, std430, buffer_reference_align = 16) restrict buffer CacheQuads { uvec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) restrict buffer CachePairs { uint v[]; };
vec2 cachedPair(uvec2 cache, uint i) { return unpackHalf2x16(CachePairs(cache).v[i]); }
void storePair(uvec2 cache, uint i, vec2 two) { CachePairs(cache).v[i] = packHalf2x16(two); }
CachedOctet cachedOctet(uvec2 cache, uint i) {
  const uvec4 q = CacheQuads(cache).v[i];
  return CachedOctet(vec2[4](unpackHalf2x16(q.x), unpackHalf2x16(q.y), unpackHalf2x16(q.z), unpackHalf2x16(q.w)));
}
#endif
