// out[row, c] *= activation(gate[row * gateStride + c / group * gateStep]): gates, vectors and single factors of a row or of all rows; both
// factors within a limit, if there is one.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ACTIVATION = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { Gate push; };
#include "activation.glsl"
#include "floats.glsl"
#include "softplus.glsl"

void main() {
  const uint column = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (column >= push.columns) return;
  const float stored = Floats(push.gate).v[row * push.gateStride + column / push.group * push.gateStep];
  float gate = ACTIVATION == activationSoftplus ? softplus(stored) : activate(stored, ACTIVATION);
  float value = Floats(push.out_).v[row * push.outStride + column];
  if (push.limit > 0.0) {
    if (isNumber(gate)) gate = min(gate, push.limit);
    value = clamped(value, -push.limit, push.limit);
  }
  Floats(push.out_).v[row * push.outStride + column] = value * gate;
}
