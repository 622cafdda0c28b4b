// Rounds to nearest; packHalf2x16 leaves the rounding mode to the driver.
uvec2 halves(vec4 v) { return uvec2(packFloat2x16(f16vec2(v.xy)), packFloat2x16(f16vec2(v.zw))); }
