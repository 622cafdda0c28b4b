// Attention of many rows of one sequence with matrix units: scores and weighted sums of values are products of float16 with
// float32 sums, the softmax is float32.
//
// The rows' query heads that share a KV head are folded: query i is head i % group of row i / group. UNIT_M queries have a
// subgroup, with their sums of values in its registers, or ACROSS subgroups beside each other, each with a part of a block's
// positions, and of the columns of the values. The workgroup goes through the positions that its rows see in blocks of BLOCK:
// keys are brought into shared memory and multiplied, the scores pass through a strip of shared memory, where each invocation
// takes its part of a query's, and return as weights; then the values are brought to where the keys were. Keys and values are
// read from memory one step ahead, into registers.
// Workgroup (0, y, z) = (-, KV head, queries: the last ones, which see most, first).
// REQUIRES ACROSS * LANES a multiple of UNIT_M, by at most 4; BLOCK a multiple of UNIT_K and of ACROSS * UNIT_N.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#pragma use_vulkan_memory_model

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 32;
layout(constant_id = 2) const uint UNIT_M = 16;
layout(constant_id = 3) const uint UNIT_N = 16;
layout(constant_id = 4) const uint UNIT_K = 16;
layout(constant_id = 5) const uint SUBGROUPS = 4;
layout(constant_id = 6) const uint ACROSS = 1;
layout(constant_id = 7) const uint KEY_OCTETS = 8;    // octets of elements per cached key
layout(constant_id = 8) const uint VALUE_OCTETS = 8;  // per value
layout(constant_id = 9) const uint SCORES = 0;        // 1: capped by push.softCap; + 2: lessened by distance, as push.alibi says

#include "shared/push.h"
layout(push_constant) uniform Push { Attention push; };
#include "floats.glsl"
#include "cache.glsl"
#include "pages.glsl"
#include "halves.glsl"
#include "matrix_unit.glsl"
#include "numbers.glsl"

const uint BLOCK = 32u;
const uint THREADS = SUBGROUPS * LANES;
const uint QUERIES = SUBGROUPS / ACROSS * UNIT_M;
const uint KEY_TILES = (KEY_OCTETS * 8u + UNIT_K - 1u) / UNIT_K;  // units along the elements of a head
const uint VALUE_TILES = (VALUE_OCTETS * 8u + ACROSS * UNIT_N - 1u) / (ACROSS * UNIT_N);  // along the values, of a subgroup
const uint SCORE_TILES = BLOCK / UNIT_N / ACROSS;                                         // along a block, of a subgroup
const uint keyQuads = KEY_TILES * UNIT_K / 8u;  // a quad holds eight float16
const uint valueQuads = ACROSS * VALUE_TILES * UNIT_N / 8u;
const uint tileQuads = keyQuads > valueQuads ? keyQuads : valueQuads;
const uint tileStride = tileQuads | 1u;         // odd, to avoid bank conflicts
const uint queryStride = keyQuads | 1u;
const uint keysPerThread = (BLOCK * keyQuads + THREADS - 1u) / THREADS;
const uint valuesPerThread = (BLOCK * valueQuads + THREADS - 1u) / THREADS;
const uint PARTS = ACROSS * LANES / UNIT_M;     // invocations that share a query's scores
const uint perPart = BLOCK / PARTS;
const uint stripStride = BLOCK / 4u + 1u;       // quads per row of scores, of float32
const float lowest = -3.0e38;

shared uvec4 queryTile[QUERIES * queryStride];
shared uvec4 cacheTile[BLOCK * tileStride];
shared uvec4 strips[QUERIES * stripStride];     // scores, then weights; at the end sums of values
shared float peaks[PARTS * QUERIES];            // of the parts of a query's scores
shared float shrinks[QUERIES];                  // what the sums so far are multiplied by

// Eight elements of a cell as float16.
#if defined(CACHE_Q8_0)
uvec4 cachedHalves(uvec2 cache, uint cell, uint stride, uint i) {
  const CachedOctet octet = cachedOctet(cache, cell, stride, i);
  const vec4 a = vec4(octet.pairs[0], octet.pairs[1]), b = vec4(octet.pairs[2], octet.pairs[3]);
  return limited(uvec4(halves(a), halves(b)), largestHalf);
}
#else
uvec4 cachedHalves(uvec2 cache, uint cell, uint stride, uint i) { return CacheQuads(cache).v[cell * (stride / 8u) + i]; }
#endif

// Rows past the last, and elements past the end of a head, are zero.
vec4 queryElements(uint query, uint group, uint d) {
  const uint row = query / group;
  if (row >= push.n) return vec4(0.0);
  const uint at = row * push.stride + (gl_WorkGroupID.y * group + query % group) * push.headDim + d;
  vec4 q;
  [[unroll]] for (uint j = 0; j < 4u; ++j) q[j] = d + j < push.headDim ? Floats(push.qkv).v[at + j] * push.scale : 0.0;
  return q;
}

void loadQueries(uint query0, uint group) {
  for (uint i = gl_LocalInvocationID.x; i < QUERIES * keyQuads; i += THREADS) {
    const uint query = query0 + i / keyQuads, d = i % keyQuads * 8u;
    queryTile[i / keyQuads * queryStride + i % keyQuads] =
        limited(uvec4(halves(queryElements(query, group, d)), halves(queryElements(query, group, d + 4u))), largestHalf);
  }
}

// The cache's cell of a position of the block from `block` on, in the page that holds all of the block. Positions that no row of the
// workgroup sees are those nearest to them that one does, so that only what was stored is read.
uint cellOf(uint page, uint block, uint i, uint from, uint to) {
  const uint position = clamp(block + i, from, to - 1u);
  return (page * push.pagePositions + position % runPositions) * push.kvHeads + gl_WorkGroupID.y;
}

void readKeys(out uvec4 ahead[keysPerThread], uint page, uint block, uint from, uint to) {
  [[unroll]] for (uint t = 0; t < keysPerThread; ++t) {
    const uint task = min(gl_LocalInvocationID.x + t * THREADS, BLOCK * keyQuads - 1u);
    const uint octet = task % keyQuads;
    ahead[t] = octet < KEY_OCTETS ? cachedHalves(push.keys, cellOf(page, block, task / keyQuads, from, to), KEY_OCTETS * 8u, octet) : uvec4(0);
  }
}

void readValues(out uvec4 ahead[valuesPerThread], uint page, uint block, uint from, uint to) {
  [[unroll]] for (uint t = 0; t < valuesPerThread; ++t) {
    const uint task = min(gl_LocalInvocationID.x + t * THREADS, BLOCK * valueQuads - 1u);
    const uint octet = task % valueQuads;
    ahead[t] = octet < VALUE_OCTETS ? cachedHalves(push.values, cellOf(page, block, task / valueQuads, from, to), push.valueStride, octet) : uvec4(0);
  }
}

// Of the invocations that share a query's scores.
void partsBarrier() {
  if (ACROSS > 1u) barrier();
  else subgroupBarrier();
}

uint pageOf(uint slot, uint block) { return Uints(push.pages).v[slot * push.slotPages + block / runPositions]; }

void main() {
  const uint lane = gl_LocalInvocationID.x % LANES;
  const uint side = gl_LocalInvocationID.x / LANES % ACROSS;
  const uint mine = gl_LocalInvocationID.x / LANES / ACROSS * UNIT_M;  // the subgroup's first query
  const uint group = push.heads / push.kvHeads;
  const uint query0 = ((push.n * group - 1u) / QUERIES - gl_WorkGroupID.z) * QUERIES;
  const uint row0 = query0 / group;
  const uint slot = Uints(push.ranges).v[4u * row0 + 2u];

  // What all rows of the workgroup see together, and what this invocation's query sees.
  uint from = 0xffffffffu;
  uint to = 0u;
  const uint rowsEnd = min(push.n, (query0 + QUERIES - 1u) / group + 1u);
  for (uint row = row0 + lane; row < rowsEnd; row += LANES) {
    from = min(from, Uints(push.ranges).v[4u * row]);
    to = max(to, Uints(push.ranges).v[4u * row + 1u]);
  }
  from = subgroupMin(from);
  to = subgroupMax(to);
  const uint together = gl_LocalInvocationID.x % (ACROSS * LANES);  // of the invocations of these queries
  const uint ownQuery = mine + together % UNIT_M;
  const uint part = together / UNIT_M;
  const uint ownRow = (query0 + ownQuery) / group;
  const bool present = ownRow < push.n;
  const uint oldest = present ? Uints(push.ranges).v[4u * ownRow] : 0xffffffffu;
  const uint seen = present ? Uints(push.ranges).v[4u * ownRow + 1u] - oldest : 0u;  // positions from `oldest` on

  const uint head = gl_WorkGroupID.y * group + (query0 + ownQuery) % group;
  const int ownPosition = present ? int(Uints(push.ranges).v[4u * ownRow + 3u]) : 0;
  const float slope = (SCORES & 2u) != 0u ? alibiSlope(push.alibi, head, push.heads) : 0.0;

  MatrixSum sums[VALUE_TILES];
  [[unroll]] for (uint d = 0; d < VALUE_TILES; ++d) sums[d] = MatrixSum(0.0);
  float largest = lowest;
  float total = 0.0;  // of this invocation's part

  loadQueries(query0, group);
  uvec4 keys[keysPerThread];
  uvec4 values[valuesPerThread];
  const uint first = from / BLOCK * BLOCK;
  uint page = pageOf(slot, first);
  readKeys(keys, page, first, from, to);
  for (uint block = first; block < to; block += BLOCK) {
    [[unroll]] for (uint t = 0; t < keysPerThread; ++t) {
      const uint task = gl_LocalInvocationID.x + t * THREADS;
      if (task < BLOCK * keyQuads) cacheTile[task / keyQuads * tileStride + task % keyQuads] = keys[t];
    }
    readValues(values, page, block, from, to);
    barrier();
    MatrixSum scores[SCORE_TILES];
    [[unroll]] for (uint j = 0; j < SCORE_TILES; ++j) scores[j] = MatrixSum(0.0);
    for (uint k = 0; k < KEY_TILES; ++k) {
      MatrixA q;
      matrixLoadA(q, queryTile, mine * queryStride + k * (UNIT_K / 8u), queryStride);
      [[unroll]] for (uint j = 0; j < SCORE_TILES; ++j) {
        MatrixB key;
        matrixLoadB(key, cacheTile, (side * SCORE_TILES + j) * UNIT_N * tileStride + k * (UNIT_K / 8u), tileStride);
        scores[j] = matrixMulAdd(q, key, scores[j]);
      }
    }
    const uint strip = mine * stripStride;
    [[unroll]] for (uint j = 0; j < SCORE_TILES; ++j) {
      matrixStore(scores[j], strips, strip + (side * SCORE_TILES + j) * (UNIT_N / 4u), stripStride);
    }
    barrier();  // the keys have been used, the scores are there

    [[unroll]] for (uint t = 0; t < valuesPerThread; ++t) {
      const uint task = gl_LocalInvocationID.x + t * THREADS;
      if (task < BLOCK * valueQuads) cacheTile[task / valueQuads * tileStride + task % valueQuads] = values[t];
    }
    const uint next = block + BLOCK;
    if (next < to) {
      page = pageOf(slot, next);
      readKeys(keys, page, next, from, to);
    }
    // The softmax of this invocation's part of its query's scores.
    vec4 score[perPart / 4u];
    float peak = lowest;
    const uint ownBlock = block + part * perPart - oldest;  // very large before the oldest position that it sees
    [[unroll]] for (uint c = 0; c < perPart / 4u; ++c) {
      score[c] = uintBitsToFloat(strips[ownQuery * stripStride + part * (perPart / 4u) + c]);
      [[unroll]] for (uint j = 0; j < 4u; ++j) {
        if ((SCORES & 1u) != 0u) score[c][j] = softCapped(score[c][j], push.softCap);
        if ((SCORES & 2u) != 0u) score[c][j] -= slope * float(abs(ownPosition - int(block + part * perPart + c * 4u + j)));
        if (ownBlock + c * 4u + j >= seen) score[c][j] = lowest;
        peak = max(peak, score[c][j]);
      }
    }
    if (PARTS > 1u) {
      peaks[part * QUERIES + ownQuery] = peak;
      partsBarrier();
      [[unroll]] for (uint i = 0; i < PARTS; ++i) peak = max(peak, peaks[i * QUERIES + ownQuery]);
    }
    const float top = max(largest, peak);
    const float shrink = exp(largest - top);
    largest = top;
    total *= shrink;
    if (part == 0u) shrinks[ownQuery] = shrink;
    [[unroll]] for (uint c = 0; c < perPart / 4u; ++c) {
      [[unroll]] for (uint j = 0; j < 4u; ++j) {
        // Not by the score, which may be no number: then the weight is none either.
        const float weight = ownBlock + c * 4u + j < seen ? exp(score[c][j] - top) : 0.0;
        total += weight;
        score[c][j] = weight;
      }
    }
    [[unroll]] for (uint c = 0; c < perPart / 4u; c += 2u) {
      strips[ownQuery * stripStride + part * (perPart / 8u) + c / 2u] = uvec4(halves(score[c]), halves(score[c + 1u]));
    }
    barrier();  // the values and the weights are there

    MatrixSum shrinking;
    matrixLoadRows(shrinking, shrinks, mine);
    [[unroll]] for (uint d = 0; d < VALUE_TILES; ++d) sums[d] *= shrinking;
    for (uint k = 0; k < BLOCK / UNIT_K; ++k) {
      MatrixA weights;
      matrixLoadA(weights, strips, strip + k * (UNIT_K / 8u), stripStride);
      [[unroll]] for (uint d = 0; d < VALUE_TILES; ++d) {
        MatrixB value;
        matrixLoadBRows(value, cacheTile, k * UNIT_K * tileStride + (side * VALUE_TILES + d) * (UNIT_N / 8u), tileStride);
        sums[d] = matrixMulAdd(weights, value, sums[d]);
      }
    }
    barrier();  // the values and the weights have been used
  }

  if (PARTS > 1u) {
    peaks[part * QUERIES + ownQuery] = total;
    partsBarrier();
    total = 0.0;
    [[unroll]] for (uint i = 0; i < PARTS; ++i) total += peaks[i * QUERIES + ownQuery];
  }
  float scale = 1.0;
  if (push.hasSinks != 0u) {
    const float sink = Floats(push.sinks).v[head];
    const float top = max(largest, sink);
    scale = exp(largest - top);
    total = total * scale + exp(sink - top);
  }
  if (part == 0u) shrinks[ownQuery] = present ? scale / total : 0.0;
  partsBarrier();

  // Results go through shared memory in tiles, so that each invocation gets individual elements.
  MatrixSum shrinking;
  matrixLoadRows(shrinking, shrinks, mine);
  const uint strip = mine * stripStride + side * (UNIT_N / 4u);
  [[unroll]] for (uint d = 0; d < VALUE_TILES; ++d) {
    sums[d] *= shrinking;
    matrixStore(sums[d], strips, strip, stripStride);
    subgroupBarrier();
    for (uint e = lane; e < UNIT_M * UNIT_N; e += LANES) {
      const uint query = query0 + mine + e / UNIT_N, column = (side * VALUE_TILES + d) * UNIT_N + e % UNIT_N;
      const uint row = query / group;
      if (row >= push.n || column >= push.valueDim) continue;
      const uint at = row * push.outStride + (gl_WorkGroupID.y * group + query % group) * push.valueDim + column;
      Floats(push.out_).v[at] = uintBitsToFloat(strips[strip + e / UNIT_N * stripStride + e % UNIT_N / 4u][e % 4u]);
    }
    subgroupBarrier();
  }
}
