// The selective scan (ScanOp in core/model/plan.h) of all rows of a sequence, in order.
//
// Workgroup (x, y, z) = (COLUMNS elements of the head, head, sequence). A column of the state is one such element; its keys are the
// stateSize elements of B and C. They lie next to each other in memory, so the splits of a column take them in turn.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint COLUMNS = 32;
layout(constant_id = 2) const uint SPLITS = 4;
layout(constant_id = 3) const uint KEYS = 32;
layout(constant_id = 4) const uint CHUNK = 8;
layout(constant_id = 5) const uint CHANNEL_DECAY = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { Scan push; };
#include "floats.glsl"
#include "sequences.glsl"

uint placeOf(uint column, uint split) { return column * SPLITS + split; }
#include "recurrence.glsl"

shared float b[CHUNK * WIDTH];
shared float c[CHUNK * WIDTH];
shared vec2 ofRow[CHUNK];  // e^(dt * decay), dt; unless each channel has its own

float stepSize(uint row, uint at) {
  return clamp(softplus(Floats(push.steps).v[row * push.stepsStride + at] + Floats(push.bias).v[at]), push.dtMin, push.dtMax);
}

void loadRows(Sequence s, uint first, uint count, uint head) {
  const uint group = head / (push.heads / push.groups);
  for (uint i = gl_LocalInvocationID.x; i < count * WIDTH; i += THREADS) {
    const uint key = i % WIDTH;
    const uint at = rowAt(s, first + i / WIDTH) * push.keysStride + group * push.stateSize + key;
    b[i] = key < push.stateSize ? Floats(push.keys).v[at] : 0.0;
    c[i] = key < push.stateSize ? Floats(push.keys).v[at + push.groups * push.stateSize] : 0.0;
  }
  for (uint r = gl_LocalInvocationID.x; CHANNEL_DECAY == 0u && r < count; r += THREADS) {
    const float dt = stepSize(rowAt(s, first + r), head);
    ofRow[r] = vec2(exp(dt * Floats(push.decay).v[head]), dt);
  }
  barrier();
}

void main() {
  const uint head = gl_WorkGroupID.y;
  const uint column = gl_LocalInvocationID.x / SPLITS;
  const uint split = gl_LocalInvocationID.x % SPLITS;
  const uint element = gl_WorkGroupID.x * COLUMNS + column;
  const bool inside = element < push.headDim;
  const Sequence s = sequenceAt(gl_WorkGroupID.z);
  if (s.count == 0u) return;
  Floats state = Floats(push.state);
  const uint stateAt = ((s.slot * push.heads + head) * push.headDim + element) * push.stateSize + split;
  float column_[KEYS];  // of the state: keys split, split + SPLITS, ...
  [[unroll]] for (uint i = 0; i < KEYS; ++i) {
    const bool kept = inside && !s.fresh && split + i * SPLITS < push.stateSize;
    column_[i] = kept ? state.v[stateAt + i * SPLITS] : 0.0;
  }
  const uint elementAt = head * push.headDim + element;
  float decays[CHANNEL_DECAY != 0 ? KEYS : 1];
  [[unroll]] for (uint i = 0; CHANNEL_DECAY != 0u && i < KEYS; ++i) {
    const uint key = split + i * SPLITS;
    decays[i] = inside && key < push.stateSize ? Floats(push.decay).v[elementAt * push.stateSize + key] : 0.0;
  }
  const float skip = inside ? Floats(push.skip).v[CHANNEL_DECAY != 0u ? elementAt : head] : 0.0;
  for (uint first = 0; first < s.count; first += CHUNK) {
    const uint count = min(CHUNK, s.count - first);
    barrier();  // the rows before are used up
    loadRows(s, first, count, head);
    for (uint r = 0; r < count; ++r) {
      const uint row = rowAt(s, first + r);
      const float x = inside ? Floats(push.in_).v[row * push.inStride + elementAt] : 0.0;
      const uint keysAt = r * WIDTH + split;
      const float dt = CHANNEL_DECAY == 0u ? ofRow[r].y : inside ? stepSize(row, elementAt) : 0.0;
      float sum = 0.0;
      [[unroll]] for (uint i = 0; i < KEYS; ++i) {
        const float factor = CHANNEL_DECAY != 0u ? exp(dt * decays[i]) : ofRow[r].x;
        column_[i] = factor * column_[i] + dt * x * b[keysAt + i * SPLITS];
        sum += column_[i] * c[keysAt + i * SPLITS];
      }
      sum = sumOfSplits(vec2(sum, 0.0), r, column).x;
      if (inside && split == 0u) Floats(push.out_).v[row * push.outStride + elementAt] = sum + skip * x;
    }
  }
  [[unroll]] for (uint i = 0; i < KEYS; ++i) {
    if (inside && split + i * SPLITS < push.stateSize) state.v[stateAt + i * SPLITS] = column_[i];
  }
}
