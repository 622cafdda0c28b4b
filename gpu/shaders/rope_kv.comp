// Limits q, k and v, if they have a limit, rotates q in place and stores the rotated k and v of each row at its position of the cache.
//
// An invocation rotates one pair of a q head, or stores storedTogether adjacent elements (a piece) of a k or v head. Tasks
// of a row, in this order: heads * rotary / 2 pairs of q, then for each KV head the pieces of k, then those of v. cos and
// sin are computed by the host in double precision.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LAYOUT = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { RopeKv push; };
#include "floats.glsl"
#include "numbers.glsl"
#include "shared/choices.h"
#include "cache.glsl"
#include "pages.glsl"

vec2 rotation(uint row, uint i) {
  const uint at = 2u * (row * (push.rotary / 2u) + i);
  return vec2(Floats(push.rotation).v[at], Floats(push.rotation).v[at + 1u]);
}

float limited(float x) { return push.limit > 0.0 ? clamped(x, -push.limit, push.limit) : x; }

void rotateQuery(uint row, uint task) {
  const uint pairs = push.rotary / 2u;
  const uint head = row * push.stride + task / pairs * push.headDim + push.rotaryAt;
  const uint i = task % pairs;
  const uint a = head + (LAYOUT == ropeHalves ? i : 2u * i);
  const uint b = head + (LAYOUT == ropeHalves ? i + pairs : 2u * i + 1u);
  const vec2 r = rotation(row, i);
  Floats qkv = Floats(push.qkv);
  const float x = limited(qkv.v[a]);
  const float y = limited(qkv.v[b]);
  qkv.v[a] = x * r.x - y * r.y;
  qkv.v[b] = x * r.y + y * r.x;
}

// Element e of the key head at index `head`, rotated.
float rotatedKey(uint row, uint head, uint e) {
  Floats qkv = Floats(push.qkv);
  if (e >= push.headDim) return 0.0;
  const float x = limited(qkv.v[head + e]);
  if (e < push.rotaryAt || e >= push.rotaryAt + push.rotary) return x;
  head += push.rotaryAt;
  e -= push.rotaryAt;
  const uint pairs = push.rotary / 2u;
  const bool first = LAYOUT == ropeHalves ? e < pairs : (e & 1u) == 0u;
  const uint distance = LAYOUT == ropeHalves ? pairs : 1u;
  const float other = limited(qkv.v[head + (first ? e + distance : e - distance)]);
  const vec2 r = rotation(row, LAYOUT == ropeHalves ? e % pairs : e / 2u);
  return x * r.x + (first ? -other : other) * r.y;
}

float plainValue(uint head, uint e) { return e < push.valueDim ? limited(Floats(push.qkv).v[head + e]) : 0.0; }

void main() {
  const uint row = gl_WorkGroupID.y;
  uint task = gl_GlobalInvocationID.x;
  const uint queries = push.heads * (push.rotary / 2u);
  if (task < queries) {
    rotateQuery(row, task);
    return;
  }
  task -= queries;
  const uint keyPieces = (push.headStride + storedTogether - 1u) / storedTogether;
  const uint valuePieces = (push.valueStride + storedTogether - 1u) / storedTogether;
  const bool isKey = task < push.kvHeads * keyPieces;
  if (!isKey) task -= push.kvHeads * keyPieces;
  if (!isKey && (push.storesValues == 0u || task >= push.kvHeads * valuePieces)) return;
  const uint pieces = isKey ? keyPieces : valuePieces;
  const uint kvHead = task / pieces;
  const uint piece = task % pieces;
  const uint keys = row * push.stride + push.heads * push.headDim;
  const uint head = isKey ? keys + kvHead * push.headDim : keys + push.kvHeads * push.headDim + kvHead * push.valueDim;
  float x[storedTogether];
  for (uint j = 0; j < storedTogether; ++j) {
    const uint e = piece * storedTogether + j;
    x[j] = isKey ? rotatedKey(row, head, e) : plainValue(head, e);
  }
  const uint position = Uints(push.rows).v[2u * row];
  const uint slot = Uints(push.rows).v[2u * row + 1u];
  const uint cell = cachedRow(push.pages, slot, push.slotPages, push.pagePositions, position) * push.kvHeads + kvHead;
  if (isKey) storeCached(push.keys, cell, push.headStride, piece, x);
  else storeCached(push.values, cell, push.valueStride, piece, x);
}
