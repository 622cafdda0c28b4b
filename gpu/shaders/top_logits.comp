// Lists the best logits of a row, as many as there are down to some limit, topMost at most, in any order (core/backend/backend.h,
// TopLogits). One workgroup per row, after top_chunks.comp: what is listed is in the chunks with the largest maxima, so that it reads these
// alone. Limits are found by bisection, which needs no more than counts.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint TEAMS = 1;  // subgroups

#include "shared/top.h"
layout(push_constant) uniform Push { TopLogits push; };
#include "floats.glsl"
#include "sums.glsl"
#include "top_keys.glsl"
layout(buffer_reference, std430, buffer_reference_align = 8) writeonly restrict buffer Pairs { uvec2 v[]; };

const uint most = topMost;
const uint enough = most - most / 8u;  // entries with which the search for a lower limit ends
const uint capacity = 1024u;

shared uint maxima[TEAMS];
shared uint chunks[most];      // that may have entries
shared uvec2 found[capacity];  // tokens and keys of these chunks from their limit on, if there are not more
shared uint chunkCount, foundCount, entryCount;

uint largestOfAll(uint value) {
  value = subgroupMax(value);
  if (TEAMS == 1u) return value;
  if (subgroupElect()) maxima[gl_LocalInvocationID.x * TEAMS / gl_WorkGroupSize.x] = value;
  barrier();
  for (uint i = 0u; i < TEAMS; ++i) value = max(value, maxima[i]);
  return value;
}

uint chunkKey(uint chunk) { return Uints(push.keys).v[gl_WorkGroupID.x * push.chunks + chunk]; }

// The i-th logit of the listed chunks: its token and its key, which is 0 if there is none.
uvec2 logitAt(uint i) {
  const uint token = chunks[i / push.chunkLength] + i % push.chunkLength * push.chunks;
  if (token >= push.columns) return uvec2(0u);
  return uvec2(token, keyOf(Uints(push.logits).v[gl_WorkGroupID.x * push.stride + token]));
}

uint chunksFrom(uint key) {
  uint count = 0u;
  for (uint c = gl_LocalInvocationID.x; c < push.chunks; c += gl_WorkGroupSize.x) count += chunkKey(c) >= key ? 1u : 0u;
  return uint(sumOfAll(float(count)));
}

uint logitsFrom(uint key) {
  uint count = 0u;
  if (foundCount <= capacity) {
    for (uint i = gl_LocalInvocationID.x; i < foundCount; i += gl_WorkGroupSize.x) count += found[i].y >= key ? 1u : 0u;
  } else {
    for (uint i = gl_LocalInvocationID.x; i < chunkCount * push.chunkLength; i += gl_WorkGroupSize.x) count += logitAt(i).y >= key ? 1u : 0u;
  }
  return uint(sumOfAll(float(count)));
}

// A key between two others. By the values, as most rows have theirs in a small range; after some rounds by the keys, of which there are
// 2^32 at most. The first round tries what is far below the largest.
uint between(uint low, uint high, uint round) {
  const float above = uintBitsToFloat(bitsOf(high));
  const float value = round == 0u ? above - 64.0 : 0.5 * (uintBitsToFloat(bitsOf(low)) + above);
  const uint key = keyOf(floatBitsToUint(value));
  return round < 14u && key > low && key < high ? key : low + (high - low) / 2u;
}

// A key from which on there are at most `most` maxima of chunks, or logits if `single`; the lowest one, or one with `enough`. `low` has
// more, and `high` not.
uint lowestLimit(uint low, uint high, bool single) {
  uint count = 0u;
  [[dont_unroll]] for (uint round = 0u; high - low > 1u && count < enough; ++round) {
    const uint middle = between(low, high, round);
    const uint more = single ? logitsFrom(middle) : chunksFrom(middle);
    if (more > most) {
      low = middle;
    } else {
      high = middle;
      count = more;
    }
  }
  return high;
}

// The chunks from the key on, and their logits from there on.
void find(uint key) {
  for (uint c = gl_LocalInvocationID.x; c < push.chunks; c += gl_WorkGroupSize.x) {
    if (chunkKey(c) >= key) chunks[atomicAdd(chunkCount, 1u)] = c;
  }
  barrier();
  for (uint i = gl_LocalInvocationID.x; i < chunkCount * push.chunkLength; i += gl_WorkGroupSize.x) {
    const uvec2 logit = logitAt(i);
    if (logit.y < key || logit.y == 0u) continue;
    const uint place = atomicAdd(foundCount, 1u);
    if (place < capacity) found[place] = logit;
  }
  barrier();
}

void list(uvec2 logit, uint limit) {
  const uint first = gl_WorkGroupID.x * (topHeader + most) + topHeader;
  if (logit.y >= limit) Pairs(push.out_).v[first + atomicAdd(entryCount, 1u)] = uvec2(logit.x, bitsOf(logit.y));
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  if (lane == 0u) chunkCount = foundCount = entryCount = 0u;
  uint largest = 0u;
  for (uint c = lane; c < push.chunks; c += gl_WorkGroupSize.x) largest = max(largest, chunkKey(c));
  largest = largestOfAll(largest);
  const float factor = Floats(push.factors).v[gl_WorkGroupID.x];
  float sum = 0.0;
  for (uint c = lane; c < push.chunks; c += gl_WorkGroupSize.x) {
    sum += Floats(push.sums).v[gl_WorkGroupID.x * push.chunks + c] * massOf(chunkKey(c), largest, factor);
  }
  sum = sumOfAll(sum);
  barrier();
  if (largest != notANumber) {
    const uint chunkLimit = push.chunks <= most ? 1u : lowestLimit(0u, largest + 1u, false);
    find(chunkLimit);
    const uint limit = foundCount <= most ? chunkLimit : lowestLimit(chunkLimit, largest + 1u, true);
    if (foundCount <= capacity) {
      for (uint i = lane; i < foundCount; i += gl_WorkGroupSize.x) list(found[i], limit);
    } else {
      for (uint i = lane; i < chunkCount * push.chunkLength; i += gl_WorkGroupSize.x) list(logitAt(i), limit);
    }
    barrier();
  }
  if (lane != 0u) return;
  const uint at = gl_WorkGroupID.x * (topHeader + most);
  Pairs(push.out_).v[at] = uvec2(entryCount, largest == notANumber ? 0x7fc00000u : bitsOf(largest));
  Pairs(push.out_).v[at + 1u] = uvec2(floatBitsToUint(sum), 0u);
}
