// Rounds to nearest; packHalf2x16 leaves the rounding mode to the driver.
uvec2 halves(vec4 v) { return uvec2(packFloat2x16(f16vec2(v.xy)), packFloat2x16(f16vec2(v.zw))); }

const uint largestHalf = 0x7bffu;  // 65504

// Float16 numbers of a magnitude above `most` (the bits of one that is positive and finite) become that; what is not a number stays so. To
// be tested after they were rounded: that takes less than limiting each float, as hardly ever is there one.
uvec4 limited(uvec4 pairs, uint most) {
  const uvec4 magnitudes = pairs & 0x7fff7fffu;
  const uvec4 above = magnitudes + (0x7fffu - most) * 0x10001u;  // sets the sign bits; nothing is carried to the other half
  if (((above.x | above.y | above.z | above.w) & 0x80008000u) == 0u) return pairs;
  // All bits of a half: of those that are above, and are no more than infinity.
  const uvec4 replaced = ((above & ~(magnitudes + 0x03ff03ffu) & 0x80008000u) >> 15u) * 0xffffu;
  return (pairs & ~(replaced & 0x7fff7fffu)) | (replaced & (most * 0x10001u));
}
