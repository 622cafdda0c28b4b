// Gives a run of x the root mean square of the row of `like`, in place; workgroup (x, y) = (row, run).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint TEAMS = 1;  // subgroups

#include "shared/push.h"
layout(push_constant) uniform Push { Level push; };
#include "floats.glsl"
#include "sums.glsl"

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint likeAt = gl_WorkGroupID.x * push.likeStride;
  const uint at = gl_WorkGroupID.x * push.stride + gl_WorkGroupID.y * push.columns;
  Floats like = Floats(push.like);
  Floats x = Floats(push.x);
  float wanted = 0.0, own = 0.0;
  for (uint i = lane; i < push.columns; i += gl_WorkGroupSize.x) {
    wanted += like.v[likeAt + i] * like.v[likeAt + i];
    own += x.v[at + i] * x.v[at + i];
  }
  wanted = sumOfAll(wanted) / float(push.columns);
  own = sumOfAll(own) / float(push.columns);
  const float factor = sqrt(wanted / max(own, push.least));
  for (uint i = lane; i < push.columns; i += gl_WorkGroupSize.x) x.v[at + i] *= factor;
}
