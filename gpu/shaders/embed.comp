// Looks up rows of a table: out[n, columns] (+)= dequantized row * scale. One invocation processes one block.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;

#include "shared/push.h"
layout(push_constant) uniform Push { Embed push; };
#define FORMAT_CONSTANTS 1
#include "format.glsl"
#include "floats.glsl"

void main() {
  const uint index = gl_GlobalInvocationID.x;
  const uint token = index / push.blocks;
  const uint block = index % push.blocks;
  if (token >= push.n) return;
  const uint stored = Uints(push.index).v[token * push.indexStride];
  const uint row = stored < push.rows ? stored : 0u;
  const uint r = row & 7u;
  firstRow = r;
  const Scales s = loadScales(row >> 3, block);
  const vec2 scale = scalesOf(s, r);
  const vec2 offset = offsetsOf(s, r);
  Floats target = Floats(push.out_);
  const uint at = token * push.outStride + block * 32u;
  [[unroll]] for (uint j = 0; j < 8u; ++j) {
    const vec4 code = rawCodes(codesAt(row, block, j / stepsPerQuad), s, r, j) * codeUnit;
    const vec4 value = ((j < 4u ? scale.x : scale.y) * code - (j < 4u ? offset.x : offset.y)) * push.scale;
    // Columns past the last are zero in the table, so the padding of out stays zero.
    [[unroll]] for (uint i = 0; i < 4u; ++i) {
      const uint to = at + 4u * j + i;
      target.v[to] = push.add != 0u ? target.v[to] + value[i] : value[i];
    }
  }
}
