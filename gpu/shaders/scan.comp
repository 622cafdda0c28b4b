// The selective scan (ScanOp in core/model/plan.h) of all rows of a sequence, in order.
//
// Workgroup (x, y, z) = (COLUMNS elements of the head, head, sequence). A column of the state is one such element; its keys are the
// stateSize elements of B and C. They lie next to each other in memory, so the splits of a column take them in turn, four at a time.
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
layout(constant_id = 6) const uint WHOLE_QUADS = 1;  // stateSize is a multiple of 4
const uint QUADS = KEYS / 4;

#include "shared/push.h"
layout(push_constant) uniform Push { Scan push; };
#include "floats.glsl"
#include "numbers.glsl"
#include "sequences.glsl"

uint placeOf(uint column, uint split) { return column * SPLITS + split; }
#include "recurrence.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) restrict buffer Quads { vec4 v[]; };

shared vec4 b[CHUNK * WIDTH / 4];
shared vec4 c[CHUNK * WIDTH / 4];
shared vec2 ofRow[CHUNK];  // e^(dt * decay), dt; unless each channel has its own

float stepSize(uint row, uint at) {
  return clamped(softplus(Floats(push.steps).v[row * push.stepsStride + at] + Floats(push.bias).v[at]), push.dtMin, push.dtMax);
}

// Four values of a vector of stateSize, from `key` on; zeros behind its end. first: index of the vector's first value.
vec4 quadOf(uvec2 address, uint first, uint key) {
  if (WHOLE_QUADS != 0u) return key < push.stateSize ? Quads(address).v[(first + key) / 4u] : vec4(0.0);
  vec4 quad = vec4(0.0);
  for (uint i = 0; i < 4u && key + i < push.stateSize; ++i) quad[i] = Floats(address).v[first + key + i];
  return quad;
}

void loadRows(Sequence s, uint first, uint count, uint head) {
  const uint group = head / (push.heads / push.groups);
  for (uint i = gl_LocalInvocationID.x; i < count * WIDTH; i += THREADS) {
    const uint key = i % WIDTH;
    const uint at = rowAt(s, first + i / WIDTH) * push.keysStride + group * push.stateSize + key;
    b[i / 4u][i % 4u] = key < push.stateSize ? Floats(push.keys).v[at] : 0.0;
    c[i / 4u][i % 4u] = key < push.stateSize ? Floats(push.keys).v[at + push.groups * push.stateSize] : 0.0;
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
  const uint stateAt = ((s.slot * push.heads + head) * push.headDim + element) * push.stateSize;
  const uint elementAt = head * push.headDim + element;
  vec4 column_[QUADS];  // of the state: quads split, split + SPLITS, ...
  vec4 decays[CHANNEL_DECAY != 0 ? QUADS : 1];
  [[unroll]] for (uint i = 0; i < QUADS; ++i) {
    const uint key = 4u * (split + i * SPLITS);
    column_[i] = inside && !s.fresh ? quadOf(push.state, stateAt, key) : vec4(0.0);
    if (CHANNEL_DECAY != 0u) decays[i] = inside ? quadOf(push.decay, elementAt * push.stateSize, key) : vec4(0.0);
  }
  const float skip = inside ? Floats(push.skip).v[CHANNEL_DECAY != 0u ? elementAt : head] : 0.0;
  for (uint first = 0; first < s.count; first += CHUNK) {
    const uint count = min(CHUNK, s.count - first);
    barrier();  // the rows before are used up
    loadRows(s, first, count, head);
    for (uint r = 0; r < count; ++r) {
      const uint row = rowAt(s, first + r);
      const float x = inside ? Floats(push.in_).v[row * push.inStride + elementAt] : 0.0;
      const uint keysAt = r * (WIDTH / 4u) + split;
      const float dt = CHANNEL_DECAY == 0u ? ofRow[r].y : inside ? stepSize(row, elementAt) : 0.0;
      vec4 sum = vec4(0.0);
      [[unroll]] for (uint i = 0; i < QUADS; ++i) {
        const vec4 factor = CHANNEL_DECAY != 0u ? exp(dt * decays[i]) : vec4(ofRow[r].x);
        column_[i] = factor * column_[i] + dt * x * b[keysAt + i * SPLITS];
        sum += column_[i] * c[keysAt + i * SPLITS];
      }
      const float all = sumOfSplits(vec2(sum.x + sum.y + sum.z + sum.w, 0.0), r, column).x;
      if (inside && split == 0u) Floats(push.out_).v[row * push.outStride + elementAt] = all + skip * x;
    }
  }
  [[unroll]] for (uint i = 0; i < QUADS; ++i) {
    const uint key = 4u * (split + i * SPLITS);
    if (!inside || key >= push.stateSize) continue;
    if (WHOLE_QUADS != 0u) Quads(push.state).v[(stateAt + key) / 4u] = column_[i];
    for (uint j = 0; WHOLE_QUADS == 0u && j < 4u && key + j < push.stateSize; ++j) Floats(push.state).v[stateAt + key + j] = column_[i][j];
  }
}
