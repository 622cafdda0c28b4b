// Projection of a few rows of activations: out[n, rows] = epilogue(x[n, 32 * blocks] W^T).
//
// A team of LANES invocations (one subgroup) processes ROWS consecutive rows of W within a group of 8 (with the gated
// epilogue the same rows of two groups) and COLUMNS tokens, so that each weight is read once for all tokens of the workgroup and each x
// once for all rows. SHARE lanes read a block together. One: it reads 16 bytes of codes at a time, which suits drivers on the CPU. Four:
// each has 4 columns of both halves, so that neighbouring lanes read x and codes beside each other, as a GPU's memory wants it.
// Workgroup (x, y, z): tokens COLUMNS * x, teams y + z * rowsOfPlane (runtime/projection_form.h: tokensFirst).
// One token: raw codes are multiplied, and the scales are applied to the sums of a block. Several: scaled codes are, which are the same for
// all of them. ALIKE: each of several as if it were one, so that a result does not depend on how many tokens there are, to the last bit.
// NORMED (one token or ALIKE, no places but routed ones): the kernel also normalises x, as rms(x) * norm. Every team reads all of x, so it
// computes the sum of squares along with the products and divides the results by the root.
// With PLACES: teams x + z * count; y is token * places + place, and every place uses a different matrix (COLUMNS is 1); or y is a tile of
// the places of one expert (entries.glsl).
// SUMMED: the experts of a token are the teams of a workgroup, which have the same rows, and what is stored is the sum of their results by
// the shares of the route, with the shared expert's result, if there is one (combine.comp computes the same from results in memory).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 32;
layout(constant_id = 2) const uint ROWS = 4;        // 1, 2, 4 or 8
layout(constant_id = 3) const uint COLUMNS = 1;
layout(constant_id = 4) const uint EPILOGUE = 0;
layout(constant_id = 5) const uint ACTIVATION = 0;
layout(constant_id = 6) const uint PLACES = 0;
layout(constant_id = 7) const uint NORMED = 0;
layout(constant_id = 8) const uint SHARE = 1;       // 1 or 4
layout(constant_id = 9) const uint SUMMED = 0;      // places that are added, or 0
layout(constant_id = 10) const uint SHARED = 0;     // 1: the result in aux is added to the sum, 2: by its share of the route
layout(constant_id = 11) const uint ALIKE = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { Matvec push; };
#define HAS_INPUT
#define FORMAT_CONSTANTS 12
#define ROW_COUNT ROWS
#include "format.glsl"
#include "epilogue.glsl"
#include "entries.glsl"
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer NormQuads { vec4 v[]; };

const uint PAIR = EPILOGUE == epilogueGated ? 2 : 1;
const uint TOTAL = ROWS * PAIR;
const uint LOADS = SHARE == 1 ? codeQuads : 1;       // of 16 bytes of codes, of each row
const uint STEPS = SHARE == 1 ? stepsPerQuad : 2;    // of 4 columns after each
const bool scaledLater = COLUMNS == 1u || ALIKE != 0u;
// Of values as they are, a lane that has all of a block has one sum for both halves, and reads those of one token in the order in which they
// lie, which a processor fetches ahead.
#ifdef NO_SCALES
const bool oneSum = SHARE == 1u;
#else
const bool oneSum = false;
#endif
const bool rowByRow = oneSum && COLUMNS == 1u;

shared float ofPlaces[SUMMED == 0u ? 1u : SUMMED * ROWS];

// The sum over the places of a token: of element t of the rows of this workgroup.
float summed(uint token, uint t, uint at) {
  const uint shares = token * push.routeStride + SUMMED;
  float sum = 0.0;
  for (uint s = 0; s < SUMMED; ++s) sum += Floats(push.route).v[shares + s] * ofPlaces[s * ROWS + t];
  if (SHARED != 0u) sum += (SHARED == 2u ? Floats(push.route).v[shares + SUMMED] : 1.0) * Floats(push.aux).v[at];
  return sum;
}

// Elements 4j .. 4j + 3 of a block of x. Heads may start at any element and end inside a block.
vec4 inputAt(uint token, uint place, uint block, uint j) {
  if (PLACES == placesHeads) {
    const uint k = block * 32u + 4u * j;
    const uint at = token * push.xStride + place * push.xPlace + k;
    Floats x = Floats(push.x);
    vec4 four = vec4(0.0);
    [[unroll]] for (uint i = 0; i < 4u; ++i) {
      if (k + i < push.columns) four[i] = x.v[at + i];
    }
    return four;
  }
  return inputQuad((token * push.xStride + (PLACES == placesNone ? 0u : place * push.xPlace)) / 4u + block * 8u + j);
}

void main() {
  const uint teams = gl_WorkGroupSize.x / LANES;
  const uint lane = gl_LocalInvocationID.x % LANES;
  const uint team = gl_LocalInvocationID.x / LANES;
  const bool tokensFirst = PLACES == placesNone;
  const uint workgroup = tokensFirst ? gl_WorkGroupID.y + gl_WorkGroupID.z * rowsOfPlane : gl_WorkGroupID.x + gl_WorkGroupID.z * gl_NumWorkGroups.x;
  const uint unit = SUMMED == 0u ? workgroup * teams + team : workgroup;
  const uint perGroup = 8u / ROWS;
  const uint group = unit / perGroup;                              // group of the result
  const uint r0 = ROWS == 8u ? 0u : (unit % perGroup) * ROWS;      // first row in the group
  firstRow = r0;
  Column columns[COLUMNS];
  uint matrix = 0u;  // index among the experts or heads
  uint count = 1u;   // of columns
  if (PLACES == placesNone || PLACES == placesGathered) {
    const Columns all = columnsOf(tokensFirst ? gl_WorkGroupID.x : gl_WorkGroupID.y, COLUMNS);
    if (all.count == 0u) return;
    [[unroll]] for (uint c = 0; c < COLUMNS; ++c) columns[c] = columnAt(all, c);
    matrix = all.matrix;
    count = all.count;
  } else {
    if (SUMMED == 0u) columns[0] = Column(gl_WorkGroupID.y / push.places, gl_WorkGroupID.y % push.places);
    else columns[0] = Column(gl_WorkGroupID.y, team);
    if (PLACES == placesRouted) {
      const float chosen = Floats(push.route).v[columns[0].row * push.routeStride + columns[0].place];
      matrix = min(uint(int(chosen)), push.n - 1u);
    } else {
      matrix = columns[0].place;
    }
  }
  const uint base = matrix * push.groups;                          // the matrix's first group
  const bool active_ = group * PAIR < push.groups;

  float squares[COLUMNS];
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) squares[c] = 0.0;
  float acc[TOTAL * COLUMNS];
  [[unroll]] for (uint i = 0; i < TOTAL * COLUMNS; ++i) acc[i] = 0.0;

  for (uint block = lane / SHARE; active_ && block < push.blocks; block += LANES / SHARE) {
    Scales scales[PAIR];
    [[unroll]] for (uint p = 0; p < PAIR; ++p) scales[p] = loadScales(base + group * PAIR + p, block);
    // Where scales come later, for both halves of the block:
    vec2 part[TOTAL * COLUMNS];  // sums of raw codes times x
    vec2 xSum[COLUMNS];          // sums of x
    [[unroll]] for (uint i = 0; i < TOTAL * COLUMNS; ++i) part[i] = vec2(0.0);
    [[unroll]] for (uint c = 0; c < COLUMNS; ++c) xSum[c] = vec2(0.0);

#ifdef NO_SCALES
    if (rowByRow) {
      vec4 x[8];
      [[unroll]] for (uint j = 0; j < 8u; ++j) {
        x[j] = inputAt(columns[0].row, columns[0].place, block, j);
        if (NORMED != 0u) {
          squares[0] += dot(x[j], x[j]);
          x[j] *= NormQuads(push.norm).v[block * 8u + j];
        }
      }
      [[unroll]] for (uint t = 0; t < TOTAL; ++t) {
        const uint r = r0 + t % ROWS;
        [[unroll]] for (uint s = 0; s < LOADS; ++s) {
          const uvec4 q = codesAt((base + group * PAIR + t / ROWS) * 8u + r, block, s);
          [[unroll]] for (uint j = s * STEPS; j < (s + 1u) * STEPS; ++j) part[t].x += dot(rawCodes(q, scales[t / ROWS], r, j), x[j] * codeUnit);
        }
      }
    }
#endif
    [[unroll]] for (uint s = 0; !rowByRow && s < LOADS; ++s) {
      uvec4 q[TOTAL];
      [[unroll]] for (uint t = 0; SHARE == 1u && t < TOTAL; ++t) {
        q[t] = codesAt((base + group * PAIR + t / ROWS) * 8u + r0 + t % ROWS, block, s);
      }
      [[unroll]] for (uint k = 0; k < STEPS; ++k) {
        const uint j = SHARE == 1u ? s * STEPS + k : lane % 4u + 4u * k;
        const bool firstHalf = SHARE == 1u ? s * STEPS + k < 4u : k == 0u;
        vec4 x[COLUMNS];
        [[unroll]] for (uint c = 0; c < COLUMNS; ++c) x[c] = inputAt(columns[c].row, columns[c].place, block, j);
        [[unroll]] for (uint c = 0; scaledLater && c < COLUMNS; ++c) {
          if (NORMED != 0u) {
            squares[c] += dot(x[c], x[c]);
            x[c] *= NormQuads(push.norm).v[block * 8u + j];
          }
#ifndef NO_SCALES
          const float all = x[c].x + x[c].y + x[c].z + x[c].w;
          if (firstHalf) xSum[c].x += all; else xSum[c].y += all;
#endif
          x[c] *= codeUnit;
        }
        [[unroll]] for (uint t = 0; t < TOTAL; ++t) {
          const uint r = r0 + t % ROWS;
          const vec4 raw = SHARE == 1u ? rawCodes(q[t], scales[t / ROWS], r, j)
                                       : rawAt((base + group * PAIR + t / ROWS) * 8u + r, block, scales[t / ROWS], r, j);
          if (scaledLater) {
            [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
              const uint i = c * TOTAL + t;
              if (firstHalf || oneSum) part[i].x += dot(raw, x[c]); else part[i].y += dot(raw, x[c]);
            }
          } else {
            const vec2 scale = scalesOf(scales[t / ROWS], r);
            const vec2 offset = offsetsOf(scales[t / ROWS], r);
            const vec4 w = raw * (codeUnit * (firstHalf ? scale.x : scale.y)) - (firstHalf ? offset.x : offset.y);
            [[unroll]] for (uint c = 0; c < COLUMNS; ++c) acc[c * TOTAL + t] += dot(w, x[c]);
          }
        }
      }
    }
    [[unroll]] for (uint i = 0; scaledLater && i < TOTAL * COLUMNS; ++i) {
#if defined(NO_SCALES)
      acc[i] += part[i].x + part[i].y;
#else
      const uint t = i % TOTAL, c = i / TOTAL;
      const vec2 scale = scalesOf(scales[t / ROWS], r0 + t % ROWS);
      const vec2 offset = offsetsOf(scales[t / ROWS], r0 + t % ROWS);
#if defined(SPLIT_SCALES)
      acc[i] += dot(scale, part[i]) - dot(offset, xSum[c]);
#else
      acc[i] += scale.x * (part[i].x + part[i].y) - offset.x * (xSum[c].x + xSum[c].y);
#endif
#endif
    }
  }

  [[unroll]] for (uint i = 0; i < TOTAL * COLUMNS; ++i) acc[i] = subgroupAdd(acc[i]);
  float shrink[COLUMNS];
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c)
    shrink[c] = NORMED != 0u ? 1.0 / sqrt(subgroupAdd(squares[c]) / float(push.columns) + push.epsilon) : 1.0;
  const uint biasAt = matrix * push.rows * PAIR;
  if (SUMMED != 0u) {
    if (lane == 0u) {
      [[unroll]] for (uint t = 0; t < ROWS; ++t) {
        const uint row = min(group * 8u + r0 + t, push.rows - 1u);
        ofPlaces[team * ROWS + t] = acc[t] + (push.hasBias != 0u ? Floats(push.bias).v[biasAt + row] : 0.0);
      }
    }
    barrier();
  }
  if (!active_ || lane != 0u || (SUMMED != 0u && team != 0u)) return;
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
    [[unroll]] for (uint t = 0; t < ROWS; ++t) {
      const uint row = group * 8u + r0 + t;
      if (row >= push.rows || c >= count) continue;
      const float first = acc[c * TOTAL + t] * shrink[c];
      const uint at = columns[c].row * push.outStride + columns[c].place * push.outPlace + row;
      if (SUMMED != 0u) {
        const float sum = push.scale * summed(columns[c].row, t, at);
        Floats target = Floats(push.out_);
        target.v[at] = EPILOGUE == epilogueAdd ? target.v[at] + sum : sum;
        continue;
      }
      if (EPILOGUE == epilogueGated) store(at, biasAt, row, acc[c * TOTAL + ROWS + t] * shrink[c], first);
      else store(at, biasAt, row, first, 0.0);
    }
  }
}
