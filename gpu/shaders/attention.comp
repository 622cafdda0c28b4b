// Attention of the heads that share a kv head, over one part of the cache. One workgroup is one subgroup.
//
// Workgroup (x, y, z) = (part of the cache, kv head * head batches, row): HEADS query heads of that kv head against positions
// [x * splitLength, (x + 1) * splitLength) of the row's slot, as far as the row sees them (causal, window). Tiles of one
// position a lane: scores, then a running softmax, then each lane adds WORDS pairs of columns of v.
// With one split the result is out[row, head, d]; else (sum [d], maximum, total) to partial, joined by attention_join.comp.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 32;     // the workgroup's size
layout(constant_id = 2) const uint HEADS = 4;      // query heads a workgroup takes at once
layout(constant_id = 3) const uint OCTETS = 8;     // eights of elements of a cached head: headStride / 8
layout(constant_id = 4) const uint WORDS = 1;      // pairs of columns a lane sums: headStride / 2 / LANES, rounded up
layout(constant_id = 5) const uint PRIVATE_Q = 0;  // q in registers (drivers that run on the CPU) or in shared memory

#include "shared/push.h"
layout(push_constant) uniform Push { Attention push; };
#include "floats.glsl"
#include "cache.glsl"

const uint DIM = OCTETS * 8u;
const float lowest = -3.0e38;

float privateQ[PRIVATE_Q != 0 ? HEADS * DIM : 1];
shared float sharedQ[PRIVATE_Q != 0 ? 1 : HEADS * DIM];

float queryAt(uint head, uint d) {
  if (PRIVATE_Q != 0) return privateQ[head * DIM + d];
  return sharedQ[head * DIM + d];
}

// Query heads [first, first + HEADS) of the row, zero beyond the last head of the group or of a head's elements.
void loadQueries(uint row, uint first, uint count) {
  Floats qkv = Floats(push.qkv);
  const uint from = row * push.stride + first * push.headDim;
  if (PRIVATE_Q != 0) {
    [[unroll]] for (uint h = 0; h < HEADS; ++h) {
      [[unroll]] for (uint d = 0; d < DIM; ++d) {
        privateQ[h * DIM + d] = h < count && d < push.headDim ? qkv.v[from + h * push.headDim + d] * push.scale : 0.0;
      }
    }
  } else {
    for (uint i = gl_LocalInvocationID.x; i < HEADS * DIM; i += LANES) {
      const uint h = i / DIM;
      const uint d = i % DIM;
      sharedQ[i] = h < count && d < push.headDim ? qkv.v[from + h * push.headDim + d] * push.scale : 0.0;
    }
    barrier();
  }
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint groupSize = push.heads / push.kvHeads;
  const uint batches = (groupSize + HEADS - 1u) / HEADS;
  const uint kvHead = gl_WorkGroupID.y / batches;
  const uint batch = gl_WorkGroupID.y % batches;
  const uint row = gl_WorkGroupID.z;
  const uint first = kvHead * groupSize + batch * HEADS;
  const uint count = min(HEADS, groupSize - batch * HEADS);
  const uint position = Uints(push.rows).v[2u * row];
  const uint slot = Uints(push.rows).v[2u * row + 1u];
  const uint oldest = push.window == 0u || position < push.window ? 0u : position - push.window + 1u;
  const uint from = max(oldest, gl_WorkGroupID.x * push.splitLength);
  const uint to = min(position + 1u, (gl_WorkGroupID.x + 1u) * push.splitLength);
  loadQueries(row, first, count);

  float largest[HEADS];
  float total[HEADS];
  vec2 sum[HEADS * WORDS];
  [[unroll]] for (uint h = 0; h < HEADS; ++h) {
    largest[h] = lowest;
    total[h] = 0.0;
    [[unroll]] for (uint w = 0; w < WORDS; ++w) sum[h * WORDS + w] = vec2(0.0);
  }
  for (uint tile = from; tile < to; tile += LANES) {
    const uint p = tile + lane;
    const bool seen = p < to;
    float score[HEADS];
    [[unroll]] for (uint h = 0; h < HEADS; ++h) score[h] = 0.0;
    const uint keyAt = ((slot * push.context + min(p, to - 1u)) * push.kvHeads + kvHead) * OCTETS;
    [[unroll]] for (uint i = 0; i < OCTETS; ++i) {
      const CachedOctet k = cachedOctet(push.keys, keyAt + i);
      [[unroll]] for (uint j = 0; j < 4u; ++j) {
        const vec2 two = k.pairs[j];
        [[unroll]] for (uint h = 0; h < HEADS; ++h) {
          score[h] += queryAt(h, i * 8u + 2u * j) * two.x + queryAt(h, i * 8u + 2u * j + 1u) * two.y;
        }
      }
    }
    [[unroll]] for (uint h = 0; h < HEADS; ++h) {
      const float s = seen ? score[h] : lowest;
      const float top = max(largest[h], subgroupMax(s));
      const float shrink = exp(largest[h] - top);
      const float p_ = seen ? exp(s - top) : 0.0;
      largest[h] = top;
      total[h] = total[h] * shrink + subgroupAdd(p_);
      [[unroll]] for (uint w = 0; w < WORDS; ++w) sum[h * WORDS + w] *= shrink;
      score[h] = p_;
    }
    [[unroll]] for (uint i = 0; i < LANES; ++i) {
      const uint valueAt = ((slot * push.context + min(tile + i, to - 1u)) * push.kvHeads + kvHead) * (OCTETS * 4u);
      vec2 v[WORDS];
      [[unroll]] for (uint w = 0; w < WORDS; ++w) {
        v[w] = cachedPair(push.values, valueAt + min(w * LANES + lane, OCTETS * 4u - 1u));
      }
      [[unroll]] for (uint h = 0; h < HEADS; ++h) {
        const float weight = subgroupBroadcast(score[h], i);
        [[unroll]] for (uint w = 0; w < WORDS; ++w) sum[h * WORDS + w] += weight * v[w];
      }
    }
  }

  [[unroll]] for (uint h = 0; h < HEADS; ++h) {
    if (h >= count) break;
    const bool whole = push.splits == 1u;
    const float scale = whole ? 1.0 / total[h] : 1.0;
    const uint at = whole ? row * push.outStride + (first + h) * push.headDim
                          : ((row * push.heads + first + h) * push.splits + gl_WorkGroupID.x) * (push.headDim + 2u);
    Floats target = whole ? Floats(push.out_) : Floats(push.partial);
    [[unroll]] for (uint w = 0; w < WORDS; ++w) {
      const uint d = 2u * (w * LANES + lane);
      if (d < push.headDim) target.v[at + d] = sum[h * WORDS + w].x * scale;
      if (d + 1u < push.headDim) target.v[at + d + 1u] = sum[h * WORDS + w].y * scale;
    }
    if (!whole && lane == 0u) {
      target.v[at + push.headDim] = largest[h];
      target.v[at + push.headDim + 1u] = total[h];
    }
  }
}
