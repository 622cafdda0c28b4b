// The gated delta rule (DeltaOp in core/model/plan.h) of all rows of a sequence, in order.
//
// Workgroup (x, y, z) = (COLUMNS value columns, value head, sequence). With S' = e^g S, one pass over a column yields both k^T S' and
// q^T S', because q^T S = q^T S' + (q k) d for the new S.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 32;  // of a subgroup
layout(constant_id = 2) const uint COLUMNS = 32;
layout(constant_id = 3) const uint SPLITS = 4;
layout(constant_id = 4) const uint KEYS = 32;
layout(constant_id = 5) const uint CHUNK = 8;
layout(constant_id = 6) const uint CHANNEL_DECAY = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { Delta push; };
#include "floats.glsl"
#include "sequences.glsl"

uint placeOf(uint column, uint split) { return split * COLUMNS + column; }
#include "recurrence.glsl"

shared float q[CHUNK * WIDTH];
shared float k[CHUNK * WIDTH];
shared float channelDecay[CHANNEL_DECAY != 0 ? CHUNK * WIDTH : 1];  // e^g
shared vec4 ofRow[CHUNK];                                           // scales of q and k, their product, beta
shared float rowDecay[CHUNK];                                       // e^g if all channels have the same

float decayOf(uint row, uint head, uint at) {
  const float a = Floats(push.gates).v[row * push.gatesStride + push.decayColumn + at];
  return exp(Floats(push.decay).v[head] * softplus(a + Floats(push.bias).v[at]));
}

// Loads `count` rows from the first on. A subgroup takes a row at a time for what needs sums over the keys.
void loadRows(Sequence s, uint first, uint count, uint head) {
  const uint keyHead = push.tiled != 0u ? head % push.keyHeads : head / (push.valueHeads / push.keyHeads);
  for (uint i = gl_LocalInvocationID.x; i < count * WIDTH; i += THREADS) {
    const uint row = rowAt(s, first + i / WIDTH);
    const uint key = i % WIDTH;
    const uint at = row * push.inStride + keyHead * push.keyDim + key;
    q[i] = key < push.keyDim ? Floats(push.in_).v[at] : 0.0;
    k[i] = key < push.keyDim ? Floats(push.in_).v[at + push.keyHeads * push.keyDim] : 0.0;
    if (CHANNEL_DECAY != 0u) channelDecay[i] = key < push.keyDim ? decayOf(row, head, head * push.keyDim + key) : 0.0;
  }
  barrier();
  const uint lane = gl_LocalInvocationID.x % LANES;
  for (uint r = gl_LocalInvocationID.x / LANES; r < count; r += THREADS / LANES) {
    vec3 sums = vec3(0.0);
    for (uint i = r * WIDTH + lane; i < (r + 1u) * WIDTH; i += LANES) sums += vec3(q[i] * q[i], k[i] * k[i], q[i] * k[i]);
    sums = subgroupAdd(sums);
    if (lane == 0u) {
      const uint row = rowAt(s, first + r);
      const float qScale = 1.0 / sqrt((sums.x + 1e-6) * float(push.keyDim));
      const float kScale = 1.0 / sqrt(sums.y + 1e-6);
      const float beta = 1.0 / (1.0 + exp(-Floats(push.gates).v[row * push.gatesStride + push.betaColumn + head]));
      ofRow[r] = vec4(qScale, kScale, sums.z * qScale * kScale, beta);
      if (CHANNEL_DECAY == 0u) rowDecay[r] = decayOf(row, head, head);
    }
  }
  barrier();
}

void main() {
  const uint head = gl_WorkGroupID.y;
  const uint column = gl_LocalInvocationID.x % COLUMNS;
  const uint split = gl_LocalInvocationID.x / COLUMNS;
  const uint value = gl_WorkGroupID.x * COLUMNS + column;
  const bool inside = value < push.valueDim;
  const Sequence s = sequenceAt(gl_WorkGroupID.z);
  if (s.count == 0u) return;
  Floats state = Floats(push.state);
  const uint stateAt = ((s.slot * push.valueHeads + head) * push.keyDim + split * KEYS) * push.valueDim + value;
  float column_[KEYS];  // of the state, from key split * KEYS on
  [[unroll]] for (uint i = 0; i < KEYS; ++i) {
    const bool kept = inside && !s.fresh && split * KEYS + i < push.keyDim;
    column_[i] = kept ? state.v[stateAt + i * push.valueDim] : 0.0;
  }
  const uint valuesAt = 2u * push.keyHeads * push.keyDim + head * push.valueDim + value;
  for (uint first = 0; first < s.count; first += CHUNK) {
    const uint count = min(CHUNK, s.count - first);
    barrier();  // the rows before are used up
    loadRows(s, first, count, head);
    for (uint r = 0; r < count; ++r) {
      const uint row = rowAt(s, first + r);
      const uint keysAt = r * WIDTH + split * KEYS;
      vec2 sums = vec2(0.0);  // q^T S' and k^T S'
      [[unroll]] for (uint i = 0; i < KEYS; ++i) {
        column_[i] *= CHANNEL_DECAY != 0u ? channelDecay[keysAt + i] : rowDecay[r];
        sums += vec2(q[keysAt + i], k[keysAt + i]) * column_[i];
      }
      sums = sumOfSplits(sums, r, column) * ofRow[r].xy;
      const float v = inside ? Floats(push.in_).v[row * push.inStride + valuesAt] : 0.0;
      const float d = ofRow[r].w * (v - sums.y);
      const float step_ = ofRow[r].y * d;
      [[unroll]] for (uint i = 0; i < KEYS; ++i) column_[i] += step_ * k[keysAt + i];
      if (inside && split == 0u) Floats(push.out_).v[row * push.outStride + head * push.valueDim + value] = sums.x + ofRow[r].z * d;
    }
  }
  [[unroll]] for (uint i = 0; i < KEYS; ++i) {
    if (inside && split * KEYS + i < push.keyDim) state.v[stateAt + i * push.valueDim] = column_[i];
  }
}
