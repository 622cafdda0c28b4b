// Projection of several rows of activations on drivers that run on the CPU: out[n, rows] = epilogue(x[n, 32 * blocks] W^T).
//
// The eight lanes have the rows of a group of W (with the gated epilogue of two groups), and each lane has all COLUMNS tokens of the
// workgroup. So all lanes multiply by the same element of x at the same time: a compiler that knows what is the same for all lanes loads it
// once, as an operand of the multiplication. Lanes that read different elements take it dozens of instructions. Nothing is added across
// lanes. Workgroup (x, y, z): group x + z * count, tokens COLUMNS * y.
// Where a condition is false for all lanes such a driver goes on with all of them off, and still reads what is at one address for all; a
// variable of a loop then has any value. So every address is valid: instead of what is past the last there is the last.
// REQUIRES subgroups of eight lanes, one a workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x_id = 0) in;  // 8
layout(constant_id = 1) const uint COLUMNS = 8;
layout(constant_id = 2) const uint EPILOGUE = 0;
layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const uint PLACES = 0;  // placesNone or placesGathered: then y is a tile of an expert (entries.glsl)

#include "shared/push.h"
layout(push_constant) uniform Push { Matvec push; };
#define MASKED_CODES
#define FORMAT_CONSTANTS 5
#include "format.glsl"
#include "epilogue.glsl"
#include "entries.glsl"
struct InputBlock { vec4 v[8]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer InputBlocks { InputBlock v[]; };

const uint PAIR = EPILOGUE == epilogueGated ? 2 : 1;
const uint lanes = 8u;

// The address of element `at` of x. A sum of 64 bits once a token, so that a block's elements are at constants from one address.
uvec2 addressOf(uint at) {
  uint carry;
  const uint low = uaddCarry(push.x.x, 4u * at, carry);
  return uvec2(low, push.x.y + carry);
}

// 16 bytes of codes of the lane's row. Every lane names those of all rows and selects its own: that is eight loads and no gathering.
uvec4 codesOfLane(uint group, uint block, uint s, uint r) {
  uvec4 q = codesAt(group * 8u, block, s);
  [[unroll]] for (uint lane = 1; lane < lanes; ++lane) {
    const uvec4 other = codesAt(group * 8u + lane, block, s);
    q = r == lane ? other : q;
  }
  return q;
}

void main() {
  const uint group = gl_WorkGroupID.x + gl_WorkGroupID.z * gl_NumWorkGroups.x;  // of the result
  Columns columns = columnsOf(gl_WorkGroupID.y, COLUMNS);
  const uint count = columns.count;
  if (count == 0u || group * PAIR >= push.groups) return;
  columns.count = max(count, 1u);
  const uint base = columns.matrix * push.groups + min(group, push.groups / PAIR - 1u) * PAIR;
  const uint r = gl_SubgroupInvocationID;
  firstRow = r;
  uvec2 inputs[COLUMNS];
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
    const Column column = columnAt(columns, c);
    inputs[c] = addressOf(column.row * push.xStride + (PLACES == placesNone ? 0u : column.place * push.xPlace));
  }
  float acc[PAIR * COLUMNS];
  [[unroll]] for (uint i = 0; i < PAIR * COLUMNS; ++i) acc[i] = 0.0;

  for (uint b = 0u; b < push.blocks; ++b) {
    const uint block = min(b, push.blocks - 1u);
    float part[PAIR * COLUMNS];  // sums of the block alone: registers hold them, and sums of sums are more exact
    [[unroll]] for (uint i = 0; i < PAIR * COLUMNS; ++i) part[i] = 0.0;
    Scales scales[PAIR];
    vec2 scale[PAIR];
    vec2 offset[PAIR];
    [[unroll]] for (uint p = 0; p < PAIR; ++p) {
      scales[p] = loadScales(base + p, block);
      scale[p] = scalesOf(scales[p], r);
      offset[p] = offsetsOf(scales[p], r);
    }
    [[unroll]] for (uint s = 0; s < codeQuads; ++s) {
      uvec4 q[PAIR];
      [[unroll]] for (uint p = 0; p < PAIR; ++p) q[p] = codesOfLane(base + p, block, s, r);
      [[unroll]] for (uint k = 0; k < stepsPerQuad; ++k) {
        const uint j = s * stepsPerQuad + k;
        vec4 w[PAIR];
        [[unroll]] for (uint p = 0; p < PAIR; ++p) {
          const vec4 raw = rawCodes(q[p], scales[p], r, j);
          w[p] = raw * (codeUnit * (j < 4u ? scale[p].x : scale[p].y)) - (j < 4u ? offset[p].x : offset[p].y);
        }
        [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
          const vec4 x = InputBlocks(inputs[c]).v[block].v[j];
          // Element by element: the driver fuses these multiplications and additions, but not those of dot().
          [[unroll]] for (uint i = 0; i < 4u; ++i) {
            [[unroll]] for (uint p = 0; p < PAIR; ++p) part[c * PAIR + p] += w[p][i] * x[i];
          }
        }
      }
    }
    [[unroll]] for (uint i = 0; i < PAIR * COLUMNS; ++i) acc[i] += part[i];
  }

  const uint row = group * 8u + r;
  const uint biasAt = columns.matrix * push.rows * PAIR;
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
    if (c >= count || row >= push.rows) continue;
    const Column column = columnAt(columns, c);
    const uint at = column.row * push.outStride + (PLACES == placesNone ? 0u : column.place * push.outPlace) + row;
    if (EPILOGUE == epilogueGated) store(at, biasAt, row, acc[c * PAIR + 1u], acc[c * PAIR]);
    else store(at, biasAt, row, acc[c * PAIR], 0.0);
  }
}
