// Causal depthwise convolution along each sequence (ConvOp in core/model/plan.h).
//
// Workgroup (x, y) = (CHANNELS channels, sequence). Its invocations compute ROWS rows at a time; when all rows are done, those of the
// first row replace the state, which until then has the inputs before the sequence's first row.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint CHANNELS = 32;  // workgroup size / ROWS
layout(constant_id = 2) const uint ROWS = 1;
layout(constant_id = 3) const uint ACTIVATION = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { Conv push; };
#include "activation.glsl"
#include "floats.glsl"
#include "sequences.glsl"

// Input `at` of a channel, counted from the oldest of the width - 1 inputs in the state.
float inputAt(Sequence s, uint at, uint channel) {
  const uint kept = push.width - 1u;
  if (at >= kept) return Floats(push.in_).v[rowAt(s, at - kept) * push.inStride + channel];
  return s.fresh ? 0.0 : Floats(push.state).v[(s.slot * kept + at) * push.channels + channel];
}

void main() {
  const uint channel = gl_WorkGroupID.x * CHANNELS + gl_LocalInvocationID.x % CHANNELS;
  const uint firstRow = gl_LocalInvocationID.x / CHANNELS;
  const bool inside = channel < push.channels;
  const Sequence s = sequenceAt(gl_WorkGroupID.y);
  if (s.count == 0u) return;
  for (uint i = firstRow; inside && i < s.count; i += ROWS) {
    float sum = push.hasBias != 0u ? Floats(push.bias).v[channel] : 0.0;
    for (uint j = 0; j < push.width; ++j) sum += Floats(push.weight).v[channel * push.width + j] * inputAt(s, i + j, channel);
    Floats(push.out_).v[rowAt(s, i) * push.outStride + channel] = activate(sum, ACTIVATION);
  }
  memoryBarrierBuffer();
  barrier();
  if (!inside || firstRow != 0u) return;
  // In ascending order an input is read before its place is overwritten.
  const uint kept = push.width - 1u;
  for (uint j = 0; j < kept; ++j) {
    Floats(push.state).v[(s.slot * kept + j) * push.channels + channel] = inputAt(s, s.count + j, channel);
  }
}
