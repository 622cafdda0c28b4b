// Copies the part of each head that a per-head projection leaves unchanged: out[row, head, to + i] = in[row, head, from +
// i].
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;

#include "shared/push.h"
layout(push_constant) uniform Push { Rest push; };
#include "floats.glsl"

void main() {
  const uint index = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (index >= push.heads * push.columns) return;
  const uint head = index / push.columns;
  const uint i = index % push.columns;
  Floats(push.out_).v[row * push.outStride + head * push.outHead + push.to + i] =
      Floats(push.in_).v[row * push.inStride + head * push.inHead + push.from + i];
}
