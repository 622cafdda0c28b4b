// Projection of many rows of activations: out[n, rows] = epilogue(x[n, 32 * blocks] W^T), for steps with enough tokens to
// make sharing dequantized weights worthwhile.
//
// A workgroup processes GROUPS groups of 8 rows of W and COLUMNS * THREADS / 8 tokens. For each block of 32 columns it loads
// both into shared memory, dequantizing the weights, and multiplies: invocation (m, t) = (i % 8, i / 8) computes row m of
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
const uint stepsPerBlock = 8u;               // vec4s per block of 32
const uint stride = stepsPerBlock + 1u;      // padded by one, so that adjacent rows start in different banks
const uint share = THREADS / (GROUPS * 8u);  // invocations that dequantize one row together
const uint perShare = stepsPerBlock / share;
shared vec4 weightTile[GROUPS * 8u * stride];
shared vec4 inputTile[COLUMNS * TEAMS * stride];

void loadWeights(uint base, uint group0, uint block) {
  const uint m = gl_LocalInvocationID.x / share;
  const uint first = gl_LocalInvocationID.x % share * perShare;
  const uint group = base + min(group0 + (m >> 3), push.groups - 1u);  // clamped; results of rows past the last are not stored
  const uint r = m & 7u;
  firstRow = r;
  const Scales s = loadScales(group, block);
  const vec2 scale = scalesOf(s, r);
  const vec2 offset = offsetsOf(s, r);
  [[unroll]] for (uint i = 0; i < perShare; ++i) {
    const uint j = first + i;
    const vec4 raw = rawCodes(codesAt(group * 8u + r, block, j / stepsPerQuad), s, r, j) * codeUnit;
    weightTile[m * stride + j] = (j < 4u ? scale.x : scale.y) * raw - (j < 4u ? offset.x : offset.y);
  }
}

void loadInputs(Columns columns, uint block) {
  [[unroll]] for (uint i = 0; i < COLUMNS; ++i) {
    const uint task = gl_LocalInvocationID.x + i * THREADS;
    const Column column = columnAt(columns, task / stepsPerBlock);
    const uint j = task % stepsPerBlock;
    const uint at = column.row * push.xStride + (PLACES == placesNone ? 0u : column.place * push.xPlace);
    inputTile[task / stepsPerBlock * stride + j] = inputQuad((at >> 2) + block * stepsPerBlock + j);
  }
}

void main() {
  const uint group0 = (gl_WorkGroupID.x + gl_WorkGroupID.z * gl_NumWorkGroups.x) * GROUPS;
  const Columns columns = columnsOf(gl_WorkGroupID.y, COLUMNS * TEAMS);
  if (columns.count == 0u) return;
  const uint base = columns.matrix * push.groups;
  const uint m = gl_LocalInvocationID.x % 8u;
  const uint t = gl_LocalInvocationID.x / 8u;
  float acc[GROUPS * COLUMNS];
  [[unroll]] for (uint i = 0; i < GROUPS * COLUMNS; ++i) acc[i] = 0.0;

  const uvec2 blocks = blocksOf(columns);
  for (uint block = blocks.x; block < blocks.y; ++block) {
    loadWeights(base, group0, block);
    loadInputs(columns, block);
    barrier();
    for (uint j = 0; j < stepsPerBlock; ++j) {
      vec4 x[COLUMNS];
      [[unroll]] for (uint c = 0; c < COLUMNS; ++c) x[c] = inputTile[(t + c * TEAMS) * stride + j];
      [[unroll]] for (uint g = 0; g < GROUPS; ++g) {
        const vec4 w = weightTile[(g * 8u + m) * stride + j];
        [[unroll]] for (uint c = 0; c < COLUMNS; ++c) acc[g * COLUMNS + c] += dot(w, x[c]);
      }
    }
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
