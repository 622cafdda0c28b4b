// x = max(0, x - (mean + deviations * standard deviation)) of a row, in place; a workgroup per row.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint TEAMS = 1;  // subgroups

#include "shared/push.h"
layout(push_constant) uniform Push { Threshold push; };
#include "floats.glsl"
#include "numbers.glsl"
#include "sums.glsl"

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint at = gl_WorkGroupID.x * push.stride;
  Floats x = Floats(push.x);
  float sum = 0.0;
  for (uint i = lane; i < push.columns; i += gl_WorkGroupSize.x) sum += x.v[at + i];
  const float mean = sumOfAll(sum) / float(push.columns);
  float squares = 0.0;
  for (uint i = lane; i < push.columns; i += gl_WorkGroupSize.x) {
    const float d = x.v[at + i] - mean;
    squares += d * d;
  }
  const float limit = mean + push.deviations * sqrt(sumOfAll(squares) / float(push.columns));
  for (uint i = lane; i < push.columns; i += gl_WorkGroupSize.x) x.v[at + i] = positive(x.v[at + i] - limit);
}
