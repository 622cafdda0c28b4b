// Projection of rows of activations by weights of two bytes, on drivers that run on the CPU: out[n, rows] = epilogue(x[n, 32 * blocks] W^T).
//
// Neighbouring lanes read neighbouring words of a row, which takes such a driver's compiler one load: every lane names the words of all
// lanes and selects its own. A tile of 8 rows is read row by row, as it lies in memory, so that a processor fetches it ahead.
// Workgroup (x, y, z): row x of activations, group y + z * rowsOfPlane of the result (with the gated epilogue two groups of W).
// All addresses are valid where all lanes are off, too (matmul_rows.comp says why).
// REQUIRES subgroups of eight lanes, one a workgroup; whole tiles: blocks is a multiple of 8 (runtime/weight_layout.h).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;  // 8
layout(constant_id = 1) const uint EPILOGUE = 0;
layout(constant_id = 2) const uint ACTIVATION = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { Matvec push; };
#define FORMAT_CONSTANTS 3
#include "format.glsl"
#include "epilogue.glsl"
// The same 16 bytes of the 8 blocks of a tile, that is elements 8s .. 8s + 7 of each, and 8 elements of x.
struct Run { uvec4 v[8]; };
struct Eight { vec4 a, b; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Runs { Run v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Eights { Eight v[]; };

const uint PAIR = EPILOGUE == epilogueGated ? 2 : 1;
const uint rowsAtOnce = 2u;
const uint vectors = 4u;  // of eight words, in a run

vec2 twoOf(uint word) {
#ifdef FORMAT_F16
  return unpackHalf2x16(word);
#else
  return uintBitsToFloat(uvec2(word << 16, word & 0xffff0000u));
#endif
}

uint wordOfLane(uvec4 a, uvec4 b) {
  const uint lane = gl_SubgroupInvocationID;
  uint word = a.x;
  [[unroll]] for (uint i = 1; i < 8u; ++i) word = lane == i ? (i < 4u ? a[i & 3u] : b[i & 3u]) : word;
  return word;
}

// The two elements of x that belong to the lane's word: a and b are of neighbouring blocks.
vec2 inputOfLane(Eight a, Eight b) {
  const uint lane = gl_SubgroupInvocationID;
  vec2 x = a.a.xy;
  x = lane == 1u ? a.a.zw : x;
  x = lane == 2u ? a.b.xy : x;
  x = lane == 3u ? a.b.zw : x;
  x = lane == 4u ? b.a.xy : x;
  x = lane == 5u ? b.a.zw : x;
  x = lane == 6u ? b.b.xy : x;
  return lane == 7u ? b.b.zw : x;
}

// The sum of a row in every lane: of the runs of a tile, from `run` on.
float sumOfRow(uint run, vec2 x[codeQuads * vectors]) {
  float part[vectors];
  [[unroll]] for (uint i = 0; i < vectors; ++i) part[i] = 0.0;
  [[unroll]] for (uint s = 0; s < codeQuads; ++s) {
    [[unroll]] for (uint i = 0; i < vectors; ++i) {
      const uint word = wordOfLane(Runs(push.weights).v[run + s].v[2u * i], Runs(push.weights).v[run + s].v[2u * i + 1u]);
      const vec2 w = twoOf(word), v = x[s * vectors + i];
      part[i] += w.x * v.x;
      part[i] += w.y * v.y;
    }
  }
  float sum = (part[0] + part[1]) + (part[2] + part[3]);
  sum += subgroupShuffleXor(sum, 1u);
  sum += subgroupShuffleXor(sum, 2u);
  return sum + subgroupShuffleXor(sum, 4u);
}

// In lane r the result of row r of a group. REQUIRES a group of the matrix.
float rowsOf(uint group) {
  const uint tiles = push.blocks / 8u;
  float acc = 0.0;
  for (uint t = 0u; t < tiles; ++t) {
    const uint tile = min(t, tiles - 1u);
    vec2 x[codeQuads * vectors];
    [[unroll]] for (uint s = 0; s < codeQuads; ++s) {
      [[unroll]] for (uint i = 0; i < vectors; ++i) {
        const uint first = gl_WorkGroupID.x * push.xStride / 8u + (tile * 8u + 2u * i) * 4u + s;
        x[s * vectors + i] = inputOfLane(Eights(push.x).v[first], Eights(push.x).v[first + 4u]);
      }
    }
    // A loop that stays one: else the compiler changes the order of the reads.
    uint from = 0u;
    [[dont_unroll]] do {
      const uint r0 = min(from, 8u - rowsAtOnce);
      [[unroll]] for (uint r = 0; r < rowsAtOnce; ++r) {
        const float sum = sumOfRow(((group * tiles + tile) * 8u + r0 + r) * codeQuads, x);
        acc += gl_SubgroupInvocationID == r0 + r ? sum : 0.0;
      }
      from += rowsAtOnce;
    } while (from < 8u);
  }
  return acc;
}

void main() {
  const uint group = gl_WorkGroupID.y + gl_WorkGroupID.z * rowsOfPlane;
  if (group * PAIR >= push.groups) return;
  const uint of = min(group, push.groups / PAIR - 1u) * PAIR;
  const float first = rowsOf(of);
  const float second = PAIR == 2u ? rowsOf(of + 1u) : 0.0;
  const uint row = group * 8u + gl_SubgroupInvocationID;
  if (row >= push.rows) return;
  const uint at = gl_WorkGroupID.x * push.outStride + row;
  if (EPILOGUE == epilogueGated) store(at, 0u, row, second, first);
  else store(at, 0u, row, first, 0.0);
}
