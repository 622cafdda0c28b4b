// Attention of the query heads that share a KV head, over one split of the cache. A workgroup has TEAMS subgroups, which
// process tiles in turn and merge their partial results at the end.
//
// Workgroup (x, y, z) = (split of the cache, KV head * head batches, rows): HEADS query heads of that KV head, in ROWS rows
// of one slot, against the x-th of the equal parts of the positions that they see (push.ranges). A tile has one position per
// lane: scores, then an online softmax, then each lane accumulates WORDS pairs of columns of v.
// With one split the result goes to out[row, head, d]; else (sum [d], maximum, total) goes to partial, to be merged by
// attention_join.comp.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 32;     // of a subgroup
layout(constant_id = 2) const uint HEADS = 4;      // query heads per workgroup
layout(constant_id = 3) const uint OCTETS = 8;     // octets of elements per cached key
layout(constant_id = 4) const uint WORDS = 1;      // pairs of columns accumulated per lane: PAIRS / LANES, rounded up
layout(constant_id = 5) const uint PRIVATE_Q = 0;  // q in registers (for drivers on the CPU) instead of shared memory
layout(constant_id = 6) const uint PAIRS = 32;     // pairs of elements per cached value
layout(constant_id = 7) const uint ROWS = 1;
layout(constant_id = 8) const uint SCORES = 0;     // 1: capped by push.softCap; + 2: lessened by distance, as push.alibi says
layout(constant_id = 9) const uint TEAMS = 1;

#include "shared/push.h"
layout(push_constant) uniform Push { Attention push; };
#include "floats.glsl"
#include "cache.glsl"
#include "numbers.glsl"
#include "pages.glsl"

const uint DIM = OCTETS * 8u;
const uint QUERIES = HEADS * ROWS;  // query h is head h % HEADS of row h / HEADS
const float lowest = -3.0e38;

float privateQ[PRIVATE_Q != 0 ? QUERIES * DIM : 1];
shared float sharedQ[PRIVATE_Q != 0 ? 1 : QUERIES * DIM];

// Partial results of the teams.
shared float teamLargest[TEAMS > 1 ? TEAMS * QUERIES : 1];
shared float teamTotal[TEAMS > 1 ? TEAMS * QUERIES : 1];
shared vec2 teamSum[TEAMS > 1 ? TEAMS * QUERIES * WORDS * LANES : 1];

float queryAt(uint h, uint d) {
  if (PRIVATE_Q != 0) return privateQ[h * DIM + d];
  return sharedQ[h * DIM + d];
}

// Element d of query h; zero past the last head of the group or the end of a head. Rows past the last are clamped.
float loadQuery(uint row0, uint first, uint count, uint h, uint d) {
  const uint row = min(row0 + h / HEADS, push.n - 1u);
  if (h % HEADS >= count || d >= push.headDim) return 0.0;
  return Floats(push.qkv).v[row * push.stride + (first + h % HEADS) * push.headDim + d] * push.scale;
}

void loadQueries(uint row0, uint first, uint count) {
  if (PRIVATE_Q != 0) {
    [[unroll]] for (uint h = 0; h < QUERIES; ++h) {
      [[unroll]] for (uint d = 0; d < DIM; ++d) privateQ[h * DIM + d] = loadQuery(row0, first, count, h, d);
    }
  } else {
    for (uint i = gl_LocalInvocationID.x; i < QUERIES * DIM; i += LANES * TEAMS) sharedQ[i] = loadQuery(row0, first, count, i / DIM, i % DIM);
    barrier();
  }
}

void main() {
  const uint lane = gl_LocalInvocationID.x % LANES;
  const uint team = gl_LocalInvocationID.x / LANES;
  const uint groupSize = push.heads / push.kvHeads;
  const uint batches = (groupSize + HEADS - 1u) / HEADS;
  const uint kvHead = gl_WorkGroupID.y / batches;
  const uint batch = gl_WorkGroupID.y % batches;
  const uint row0 = gl_WorkGroupID.z * ROWS;
  const uint first = kvHead * groupSize + batch * HEADS;
  const uint count = min(HEADS, groupSize - batch * HEADS);
  const uint slot = Uints(push.ranges).v[4u * row0 + 2u];
  uint oldest[ROWS];  // range of positions that each row sees
  uint beyond[ROWS];
  uint own[ROWS];  // its position
  uint from = 0xffffffffu;
  uint to = 0u;
  [[unroll]] for (uint r = 0; r < ROWS; ++r) {
    const uint row = min(row0 + r, push.n - 1u);
    oldest[r] = Uints(push.ranges).v[4u * row];
    beyond[r] = Uints(push.ranges).v[4u * row + 1u];
    own[r] = Uints(push.ranges).v[4u * row + 3u];
    from = min(from, oldest[r]);
    to = max(to, beyond[r]);
  }
  if (push.splits > 1u) {  // whole tiles; the last parts may be empty
    const uint part = (to - from + push.splits * LANES - 1u) / (push.splits * LANES) * LANES;
    from = min(to, from + gl_WorkGroupID.x * part);
    to = min(to, from + part);
  }
  // Tiles that rows share begin at multiples of their size, so that a row's sums do not depend on which rows it shares them with.
  const uint stored = from;
  if (ROWS > 1u) from -= from % LANES;
  loadQueries(row0, first, count);

  float slope[HEADS];
  [[unroll]] for (uint h = 0; h < HEADS; ++h) slope[h] = (SCORES & 2u) != 0 ? alibiSlope(push.alibi, first + h, push.heads) : 0.0;
  float largest[QUERIES];
  float total[QUERIES];
  vec2 sum[QUERIES * WORDS];
  [[unroll]] for (uint h = 0; h < QUERIES; ++h) {
    largest[h] = lowest;
    total[h] = 0.0;
    [[unroll]] for (uint w = 0; w < WORDS; ++w) sum[h * WORDS + w] = vec2(0.0);
  }
  for (uint tile = from + team * LANES; tile < to; tile += LANES * TEAMS) {
    const uint p = tile + lane;
    float score[QUERIES];
    [[unroll]] for (uint h = 0; h < QUERIES; ++h) score[h] = 0.0;
    const uint ownCell = cachedRow(push.pages, slot, push.slotPages, push.pagePositions, clamp(p, stored, to - 1u)) * push.kvHeads + kvHead;
    [[unroll]] for (uint i = 0; i < OCTETS; ++i) {
      const CachedOctet k = cachedOctet(push.keys, ownCell, DIM, i);
      [[unroll]] for (uint j = 0; j < 4u; ++j) {
        const vec2 two = k.pairs[j];
        [[unroll]] for (uint h = 0; h < QUERIES; ++h) {
          score[h] += queryAt(h, i * 8u + 2u * j) * two.x + queryAt(h, i * 8u + 2u * j + 1u) * two.y;
        }
      }
    }
    [[unroll]] for (uint h = 0; h < QUERIES; ++h) {
      if ((SCORES & 1u) != 0) score[h] = softCapped(score[h], push.softCap);
      if ((SCORES & 2u) != 0) score[h] -= slope[h % HEADS] * float(abs(int(own[h / HEADS]) - int(p)));
      const bool seen = p < to && p >= oldest[h / HEADS] && p < beyond[h / HEADS];
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
      const uint cell = subgroupBroadcast(ownCell, i);
      vec2 v[WORDS];
      [[unroll]] for (uint w = 0; w < WORDS; ++w) v[w] = cachedPair(push.values, cell, push.valueStride, min(w * LANES + lane, PAIRS - 1u));
      [[unroll]] for (uint h = 0; h < QUERIES; ++h) {
        const float weight = subgroupBroadcast(score[h], i);
        [[unroll]] for (uint w = 0; w < WORDS; ++w) sum[h * WORDS + w] += weight * v[w];
      }
    }
  }

  if (TEAMS > 1u) {
    [[unroll]] for (uint h = 0; h < QUERIES; ++h) {
      const uint at = team * QUERIES + h;
      if (lane == 0u) {
        teamLargest[at] = largest[h];
        teamTotal[at] = total[h];
      }
      [[unroll]] for (uint w = 0; w < WORDS; ++w) teamSum[(at * WORDS + w) * LANES + lane] = sum[h * WORDS + w];
    }
    barrier();
    [[unroll]] for (uint h = 0; h < QUERIES; ++h) {
      if (h % TEAMS != team) continue;
      float top = lowest;
      for (uint t = 0; t < TEAMS; ++t) top = max(top, teamLargest[t * QUERIES + h]);
      largest[h] = top;
      total[h] = 0.0;
      [[unroll]] for (uint w = 0; w < WORDS; ++w) sum[h * WORDS + w] = vec2(0.0);
      for (uint t = 0; t < TEAMS; ++t) {
        const uint at = t * QUERIES + h;
        const float shrink = exp(teamLargest[at] - top);
        total[h] += shrink * teamTotal[at];
        [[unroll]] for (uint w = 0; w < WORDS; ++w) sum[h * WORDS + w] += shrink * teamSum[(at * WORDS + w) * LANES + lane];
      }
    }
  }

  const bool whole = push.splits == 1u;
  [[unroll]] for (uint h = 0; h < QUERIES; ++h) {
    if (h % TEAMS != team) continue;
    const uint row = row0 + h / HEADS;
    const uint head = first + h % HEADS;
    if (h % HEADS >= count || row >= push.n) continue;
    float scale = 1.0;
    if (whole && push.hasSinks != 0u) {
      const float sink = Floats(push.sinks).v[head];
      const float top = max(largest[h], sink);
      const float shrink = exp(largest[h] - top);
      scale = shrink / (total[h] * shrink + exp(sink - top));
    } else if (whole) {
      scale = 1.0 / total[h];
    }
    const uint at = whole ? row * push.outStride + head * push.valueDim
                          : ((row * push.heads + head) * push.splits + gl_WorkGroupID.x) * (push.valueDim + 2u);
    Floats target = whole ? Floats(push.out_) : Floats(push.partial);
    [[unroll]] for (uint w = 0; w < WORDS; ++w) {
      const uint d = 2u * (w * LANES + lane);
      if (d < push.valueDim) target.v[at + d] = sum[h * WORDS + w].x * scale;
      if (d + 1u < push.valueDim) target.v[at + d + 1u] = sum[h * WORDS + w].y * scale;
    }
    if (!whole && lane == 0u) {
      target.v[at + push.valueDim] = largest[h];
      target.v[at + push.valueDim + 1u] = total[h];
    }
  }
}
