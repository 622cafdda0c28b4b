// out[m, columns] = in[index[m], columns]: selects the rows that want logits.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;

#include "shared/push.h"
layout(push_constant) uniform Push { Gather push; };
#include "floats.glsl"

void main() {
  const uint column = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (column >= push.columns) return;
  const uint source = Uints(push.index).v[row];
  Floats(push.to).v[row * push.toStride + column] = Floats(push.from).v[source * push.fromStride + column];
}
