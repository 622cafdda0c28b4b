// Merges the splits of attention.comp: out[row, head, d] = sum_s exp(max_s - max) sum_s[d] / sum_s exp(max_s - max) total_s
// (a sink adds exp(sink - max) to the denominator).
// Workgroup (x, y) = (head, row).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;

#include "shared/push.h"
layout(push_constant) uniform Push { Attention push; };
#include "floats.glsl"

void main() {
  const uint head = gl_WorkGroupID.x;
  const uint row = gl_WorkGroupID.y;
  const uint width = push.valueDim + 2u;
  const uint from = (row * push.heads + head) * push.splits * width;
  Floats partial = Floats(push.partial);
  float largest = -3.0e38;
  for (uint s = 0; s < push.splits; ++s) largest = max(largest, partial.v[from + s * width + push.valueDim]);
  float total = 0.0;
  if (push.hasSinks != 0u) {
    const float sink = Floats(push.sinks).v[head];
    largest = max(largest, sink);
    total = exp(sink - largest);
  }
  for (uint s = 0; s < push.splits; ++s) {
    total += exp(partial.v[from + s * width + push.valueDim] - largest) * partial.v[from + s * width + push.valueDim + 1u];
  }
  for (uint d = gl_LocalInvocationID.x; d < push.valueDim; d += gl_WorkGroupSize.x) {
    float sum = 0.0;
    for (uint s = 0; s < push.splits; ++s) {
      sum += exp(partial.v[from + s * width + push.valueDim] - largest) * partial.v[from + s * width + d];
    }
    Floats(push.out_).v[row * push.outStride + head * push.valueDim + d] = sum / total;
  }
}
