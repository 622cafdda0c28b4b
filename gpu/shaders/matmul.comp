// Projection of many rows of activations: out[n, rows] = epilogue(x[n, 32 * blocks] W^T), for steps with enough tokens to
// make sharing dequantized weights worthwhile.
//
// A workgroup processes GROUPS groups of 8 rows of W and COLUMNS * THREADS / 8 tokens. For each block of 32 columns it loads
// both into shared memory, as floats or (define BYTES) as bytes, and multiplies: invocation (m, t) = (i % 8, i / 8) computes row m of
// every group and tokens t, t + THREADS / 8, ... Workgroup (x, y, z): tile x + z * count of W, tile y of the tokens (entries.glsl).
// REQUIRES THREADS in 8 * GROUPS * {1, 2, 4, 8}; GROUPS even with the gated epilogue.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint THREADS = 128;  // workgroup size
layout(constant_id = 2) const uint GROUPS = 8;
layout(constant_id = 3) const uint COLUMNS = 4;
layout(constant_id = 4) const uint EPILOGUE = 0;
layout(constant_id = 5) const uint ACTIVATION = 0;
layout(constant_id = 6) const uint PLACES = 0;  // placesNone, placesGathered or placesRanges

#include "shared/push.h"
layout(push_constant) uniform Push { Matvec push; };
#define HAS_INPUT
#define FORMAT_CONSTANTS 7
#include "format.glsl"
#include "epilogue.glsl"
#include "entries.glsl"

const uint PAIR = EPILOGUE == epilogueGated ? 2 : 1;
const uint TEAMS = THREADS / 8u;
const uint share = THREADS / (GROUPS * 8u);  // invocations that dequantize one row together
// Of this invocation: acc[g * COLUMNS + c] is that of row m of group g and token t + c * TEAMS. Not a parameter, whose size some versions of
// spirv-opt do not know.
float acc[GROUPS * COLUMNS];
#ifdef BYTES
#include "tiles_of_bytes.glsl"
#else
#include "tiles_of_floats.glsl"
#endif

void main() {
  const uint group0 = (gl_WorkGroupID.x + gl_WorkGroupID.z * gl_NumWorkGroups.x) * GROUPS;
  const Columns columns = columnsOf(gl_WorkGroupID.y, COLUMNS * TEAMS);
  if (columns.count == 0u) return;
  const uint base = columns.matrix * push.groups;
  const uint m = gl_LocalInvocationID.x % 8u;
  const uint t = gl_LocalInvocationID.x / 8u;
  [[unroll]] for (uint i = 0; i < GROUPS * COLUMNS; ++i) acc[i] = 0.0;

  const uvec2 blocks = blocksOf(columns);
  for (uint block = blocks.x; block < blocks.y; ++block) {
    loadTiles(base, group0, columns, block);
    multiplyTiles(m, t);
    barrier();
  }

  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
    if (t + c * TEAMS >= columns.count) continue;
    const Column column = columnAt(columns, t + c * TEAMS);
    const uint biasAt = columns.matrix * push.rows * PAIR;
    [[unroll]] for (uint g = 0; g < GROUPS; g += PAIR) {
      const uint row = (group0 + g) / PAIR * 8u + m;
      if (row >= push.rows) continue;
      const uint at = column.row * push.outStride + (PLACES == placesNone ? 0u : column.place * push.outPlace) + row;
      if (EPILOGUE == epilogueGated) store(at, biasAt, row, acc[(g + 1u) * COLUMNS + c], acc[g * COLUMNS + c]);
      else store(at, biasAt, row, acc[g * COLUMNS + c], 0.0);
    }
  }
}
