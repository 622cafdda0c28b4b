// Mixes the streams of a row by the row's coefficients c, in place: h_i += sum over j of c[i * COUNT + j] * h_j, or with a target
// h_i += (1 + c[i]) * (target - h_0).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint COUNT = 1;  // streams
layout(constant_id = 2) const uint TARGET = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { Mix push; };
#include "floats.glsl"

void main() {
  const uint column = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (column >= push.columns) return;
  const uint at = row * push.stride + column;
  const uint from = row * push.coefficientStride;
  Floats coefficients = Floats(push.coefficients);
  float before[COUNT];
  [[unroll]] for (uint i = 0; i < COUNT; ++i) before[i] = Floats(push.streams[i]).v[at];
  float change = 0.0;
  if (TARGET != 0u) change = Floats(push.target).v[at] - before[0];
  [[unroll]] for (uint i = 0; i < COUNT; ++i) {
    float value = before[i];
    if (TARGET != 0u) {
      value += (1.0 + coefficients.v[from + i]) * change;
    } else {
      [[unroll]] for (uint j = 0; j < COUNT; ++j) value += coefficients.v[from + i * COUNT + j] * before[j];
    }
    Floats(push.streams[i]).v[at] = value;
  }
}
