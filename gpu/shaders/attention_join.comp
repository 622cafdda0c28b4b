// Joins the parts of attention.comp: out[row, head, d] = sum_s exp(max_s - max) sum_s[d] / sum_s exp(max_s - max) total_s.
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
  const uint width = push.headDim + 2u;
  const uint from = (row * push.heads + head) * push.splits * width;
  Floats partial = Floats(push.partial);
  float largest = -3.0e38;
  for (uint s = 0; s < push.splits; ++s) largest = max(largest, partial.v[from + s * width + push.headDim]);
  for (uint d = gl_LocalInvocationID.x; d < push.headDim; d += gl_WorkGroupSize.x) {
    float sum = 0.0;
    float total = 0.0;
    for (uint s = 0; s < push.splits; ++s) {
      const float weight = exp(partial.v[from + s * width + push.headDim] - largest);
      sum += weight * partial.v[from + s * width + d];
      total += weight * partial.v[from + s * width + push.headDim + 1u];
    }
    Floats(push.out_).v[row * push.outStride + head * push.headDim + d] = sum / total;
  }
}
