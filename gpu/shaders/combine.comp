// out[row, c] (+)= scale * (sum over places s of share_s * in[row, s, c] + shared expert's share * shared[row, c] + bias[c]).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;

#include "shared/push.h"
layout(push_constant) uniform Push { Combine push; };
#include "floats.glsl"

void main() {
  const uint column = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (column >= push.columns) return;
  Floats route = Floats(push.route);
  const uint routeAt = row * push.routeStride + push.used;
  float sum = 0.0;
  for (uint s = 0; s < push.used; ++s) {
    const float share = push.weighted != 0u ? route.v[routeAt + s] : 1.0;
    sum += share * Floats(push.in_).v[row * push.inStride + s * push.inPlace + column];
  }
  if (push.hasBias != 0u) sum += Floats(push.bias).v[column];
  if (push.hasShared != 0u) {
    const float share = push.sharedGate != 0u ? route.v[routeAt + push.used] : 1.0;
    sum += share * Floats(push.shared_).v[row * push.sharedStride + column];
  }
  Floats target = Floats(push.out_);
  const uint at = row * push.outStride + column;
  target.v[at] = push.add != 0u ? target.v[at] + push.scale * sum : push.scale * sum;
}
