// Rows of the embedding table: out[n, columns] = dequantized row of each token, times scale. An invocation does one block.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;

#include "shared/push.h"
layout(push_constant) uniform Push { Embed push; };
#include "format.glsl"
#include "floats.glsl"

void main() {
  const uint index = gl_GlobalInvocationID.x;
  const uint token = index / push.blocks;
  const uint block = index % push.blocks;
  if (token >= push.n) return;
  const uint row = Uints(push.tokens).v[token];
  const uint r = row & 7u;
  const Scales s = loadScales(row >> 3, block);
  const vec2 scale = scalesOf(s, r);
  const vec2 offset = offsetsOf(s, r);
  Floats target = Floats(push.out_);
  const uint at = token * push.outStride + block * 32u;
  [[unroll]] for (uint j = 0; j < 8u; ++j) {
    const vec4 code = rawCodes(codesAt(row, block, j / stepsPerQuad), s, r, j) * codeUnit;
    const vec4 value = ((j < 4u ? scale.x : scale.y) * code - (j < 4u ? offset.x : offset.y)) * push.scale;
    target.v[at + 4u * j] = value.x;  // columns beyond the last are zero in the table: they keep the padding zero
    target.v[at + 4u * j + 1u] = value.y;
    target.v[at + 4u * j + 2u] = value.z;
    target.v[at + 4u * j + 3u] = value.w;
  }
}
