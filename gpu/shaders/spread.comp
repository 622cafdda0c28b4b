// out[row, s, c] = share_s * in[row, c] for each place s: the input of experts that take it scaled.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;

#include "shared/push.h"
layout(push_constant) uniform Push { Spread push; };
#include "floats.glsl"

void main() {
  const uint column = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  const uint place = gl_WorkGroupID.z;
  if (column >= push.columns) return;
  const float share = Floats(push.route).v[row * push.routeStride + push.used + place];
  Floats(push.out_).v[row * push.outStride + place * push.outPlace + column] = share * Floats(push.in_).v[row * push.inStride + column];
}
