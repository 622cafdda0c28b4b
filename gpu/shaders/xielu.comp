// x = xIELU(x) in place.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;

#include "shared/push.h"
layout(push_constant) uniform Push { Xielu push; };
#include "floats.glsl"

// e^x - 1 - x for x <= 0; near 0 its series, where the difference would have few digits.
float exponentialRest(float x) {
  if (x < -0.6) return exp(x) - 1.0 - x;
  float series = 2.48015873e-5;
  series = series * x + 1.98412698e-4;
  series = series * x + 1.38888889e-3;
  series = series * x + 8.33333333e-3;
  series = series * x + 4.16666667e-2;
  series = series * x + 0.166666667;
  series = series * x + 0.5;
  return series * x * x;
}

void main() {
  const uint column = gl_GlobalInvocationID.x;
  if (column >= push.columns) return;
  const uint at = gl_WorkGroupID.y * push.stride + column;
  const float x = Floats(push.x).v[at];
  const float low = min(x, push.epsilon);
  const float below = push.negative * (exponentialRest(low) + (low - x)) + push.beta * x;
  Floats(push.x).v[at] = x > 0.0 ? push.positive * x * x + push.beta * x : below;
}
