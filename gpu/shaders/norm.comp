// Normalises runs of elements; workgroup (x, y) = (row, run), with one or several subgroups. rms: x / sqrt(mean(x^2) + eps)
// * w; layer: (x - mean) / sqrt(var + eps) * w + b; then times scale. The variance is computed from the differences in a
// second pass, which avoids cancellation. GATE: x or the result is also multiplied by silu(gate).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint TEAMS = 1;  // subgroups
layout(constant_id = 2) const uint KIND = 0;
layout(constant_id = 3) const uint GATE = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { NormRows push; };
#include "activation.glsl"
#include "floats.glsl"
#include "sums.glsl"

float gateAt(uint i) {
  const uint at = gl_WorkGroupID.x * push.gateStride + gl_WorkGroupID.y * push.run + i;
  return activate(Floats(push.gate).v[at], activationSilu);
}

// Element i of the run.
float inputAt(uint i) {
  const float x = Floats(push.x).v[gl_WorkGroupID.x * push.xStride + gl_WorkGroupID.y * push.run + i];
  return GATE == gateFirst ? x * gateAt(i) : x;
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint to = gl_WorkGroupID.x * push.outStride + gl_WorkGroupID.y * push.run;
  const uint weightAt = gl_WorkGroupID.y * push.weightRun;
  float mean = 0.0;
  if (KIND == normLayer) {
    float sum = 0.0;
    for (uint i = lane; i < push.columns; i += gl_WorkGroupSize.x) sum += inputAt(i);
    mean = sumOfAll(sum) / float(push.columns);
  }
  float squares = 0.0;
  for (uint i = lane; i < push.columns; i += gl_WorkGroupSize.x) {
    const float d = inputAt(i) - mean;
    squares += d * d;
  }
  const float scale = 1.0 / sqrt(sumOfAll(squares) / float(push.columns) + push.epsilon);
  Floats target = Floats(push.out_);
  for (uint i = lane; i < push.columns; i += gl_WorkGroupSize.x) {
    float y = (inputAt(i) - mean) * scale * Floats(push.weight).v[weightAt + i];
    if (push.hasBias != 0u) y += Floats(push.bias).v[weightAt + i];
    if (GATE == gateLast) y *= gateAt(i);
    y *= push.scale;
    target.v[to + i] = push.add != 0u ? target.v[to + i] + y : y;
  }
}
