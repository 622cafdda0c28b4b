// For each chunk of a row of logits: the largest, as a key (top_keys.glsl), and the sum of e^((logit - largest of the chunk) * factor).
// Chunk c has the columns c, c + chunks, ...: an invocation computes it, and those of a subgroup read consecutive columns. Workgroup
// (x, y) = (invocations, row).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;

#include "shared/push.h"
layout(push_constant) uniform Push { TopChunks push; };
#include "floats.glsl"
#include "top_keys.glsl"
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly restrict buffer Keys { uint v[]; };

void main() {
  const uint chunk = gl_GlobalInvocationID.x;
  if (chunk >= push.chunks) return;
  const uint row = gl_WorkGroupID.y;
  const uint at = row * push.stride;
  Uints logits = Uints(push.logits);
  uint largest = 0u;
  for (uint i = chunk; i < push.columns; i += push.chunks) largest = max(largest, keyOf(logits.v[at + i]));
  const float factor = Floats(push.factors).v[row];
  float sum = 0.0;
  for (uint i = chunk; i < push.columns; i += push.chunks) sum += massOf(keyOf(logits.v[at + i]), largest, factor);
  Keys(push.keys).v[row * push.chunks + chunk] = largest;
  Floats(push.sums).v[row * push.chunks + chunk] = sum;
}
