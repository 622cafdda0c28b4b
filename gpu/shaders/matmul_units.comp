// Projection of many rows of activations with matrix units: out[n, rows] = epilogue(x[n, 32 * blocks] W^T), with x and W
// rounded to float16 and float32 sums. With SPLIT x is the sum of two float16, about as exact as float32, for W that is
// float16 itself. With HALF_SUMS defined, the 32 products of a block are added in float16, which the units of some GPUs do
// twice as fast, and the blocks in float32: as if x were rounded once more.
//
// A workgroup processes TOKENS tokens and ROWS stored rows of W. For each block of 32 columns both are brought into shared
// memory as float16, the weights dequantized. Shared memory is double-buffered: while the units multiply one block, the next
// one is loaded into registers and then written to the other buffer. Subgroup (s % ALONG, s / ALONG) computes UNITS_M by
// UNITS_N unit-sized results.
// Workgroup (x, y, z): tile x + z * count of W, tile y of the tokens, or of an expert's places, or of a range (entries.glsl).
// REQUIRES THREADS = ROWS * {1, 2, 4} or a divisor of ROWS; THREADS a divisor of 4 * TOKENS;
// UNITS_N * UNIT_N a multiple of 16.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#pragma use_vulkan_memory_model

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint THREADS = 256;  // workgroup size
layout(constant_id = 2) const uint LANES = 32;
layout(constant_id = 3) const uint UNIT_M = 16;
layout(constant_id = 4) const uint UNIT_N = 16;
layout(constant_id = 5) const uint UNIT_K = 16;
layout(constant_id = 6) const uint UNITS_M = 4;    // unit tiles per subgroup along the tokens
layout(constant_id = 7) const uint UNITS_N = 2;    // unit tiles per subgroup along the rows of W
layout(constant_id = 8) const uint ALONG = 2;      // subgroups along the tokens
layout(constant_id = 9) const uint EPILOGUE = 0;
layout(constant_id = 10) const uint ACTIVATION = 0;
layout(constant_id = 11) const uint PLACES = 0;    // placesNone, placesGathered or placesRanges
layout(constant_id = 12) const uint SPLIT = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { Matvec push; };
#define HAS_INPUT
#define FORMAT_CONSTANTS 13
#include "format.glsl"
#include "epilogue.glsl"
#include "entries.glsl"
#include "halves.glsl"
#include "matrix_unit.glsl"

const uint PAIR = EPILOGUE == epilogueGated ? 2 : 1;
const uint SUBGROUPS = THREADS / LANES;
const uint TOKENS = ALONG * UNITS_M * UNIT_M;
const uint ROWS = SUBGROUPS / ALONG * UNITS_N * UNIT_N;
const uint stride = 5u;                       // quads (eight float16) per tile row, padded by one to avoid bank conflicts
const uint share = THREADS > ROWS ? THREADS / ROWS : 1u;  // invocations that dequantize one row together
const uint rowsPerThread = ROWS * share / THREADS;
const uint perShare = 8u / share;             // vec4s of a block of 32 per invocation
const uint quadsPerShare = (perShare + stepsPerQuad - 1u) / stepsPerQuad;
const uint inputsPerThread = TOKENS * 4u / THREADS;
const uint STRIP = 16u;                       // rows of W stored together
const uint STEPS = 32u / UNIT_K;              // multiplications of a block
#if defined(HALF_SUMS)
const float inputScale = 0.125;  // so that 32 products stay below what float16 can hold
const uint largestInput = largestHalf - (3u << 10);
#else
const float inputScale = 1.0;
const uint largestInput = largestHalf;
#endif
shared uvec4 weightTile[2u * ROWS * stride];
const uint inputs = 2u * TOKENS * stride;
shared uvec4 inputTile[inputs * (1u + SPLIT)];  // the second summands behind the first
shared float strips[SUBGROUPS * UNIT_M * STRIP];

// An invocation's share of the next block.
struct Ahead {
  Scales scales[rowsPerThread];
  uvec4 codes[rowsPerThread * quadsPerShare];
  vec4 inputs[2u * inputsPerThread];
};

uint rowOf(uint i) { return gl_LocalInvocationID.x / share + i * (THREADS / share); }
uint firstStep() { return gl_LocalInvocationID.x % share * perShare; }

void readAhead(out Ahead ahead, Columns columns, uint group0, uint block) {
  [[unroll]] for (uint i = 0; i < rowsPerThread; ++i) {
    // Clamped; results of rows past the last are not stored.
    const uint group = columns.matrix * push.groups + min(group0 + (rowOf(i) >> 3), push.groups - 1u);
    firstRow = rowOf(i) & 7u;
    ahead.scales[i] = loadScales(group, block);
    [[unroll]] for (uint s = 0; s < quadsPerShare; ++s) {
      ahead.codes[i * quadsPerShare + s] = codesAt(group * 8u + (rowOf(i) & 7u), block, firstStep() / stepsPerQuad + s);
    }
  }
  [[unroll]] for (uint i = 0; i < inputsPerThread; ++i) {
    const uint task = gl_LocalInvocationID.x + i * THREADS;
    const Column column = columnAt(columns, task / 4u);
    const uint at = column.row * push.xStride + (PLACES == placesNone ? 0u : column.place * push.xPlace);
    const uint from = (at >> 2) + block * 8u + task % 4u * 2u;
    ahead.inputs[2u * i] = inputQuad(from);
    ahead.inputs[2u * i + 1u] = inputQuad(from + 1u);
  }
}

// What is float16 already, but for the smallest numbers. Not by conversions, there and back, which compilers leave out.
vec4 truncated(vec4 v) { return uintBitsToFloat(floatBitsToUint(v) & 0xffffe000u); }

// Dequantizes this invocation's share of one row.
void placeRow(Ahead ahead, uint i, uint side) {
  const uint r = rowOf(i) & 7u;
  firstRow = r;
  const vec2 scale = scalesOf(ahead.scales[i], r);
  const vec2 offset = offsetsOf(ahead.scales[i], r);
  uvec2 two[perShare];
  [[unroll]] for (uint s = 0; s < perShare; ++s) {
    const uint j = firstStep() + s;
    const vec4 raw = rawCodes(ahead.codes[i * quadsPerShare + s / stepsPerQuad], ahead.scales[i], r, j) * codeUnit;
    two[s] = halves((j < 4u ? scale.x : scale.y) * raw - (j < 4u ? offset.x : offset.y));
  }
  const uint at = (side * ROWS + rowOf(i)) * stride + firstStep() / 2u;
  [[unroll]] for (uint s = 0; s < perShare; s += 2u) weightTile[at + s / 2u] = uvec4(two[s], two[s + 1u]);
}

void place(Ahead ahead, uint side) {
  [[unroll]] for (uint i = 0; i < rowsPerThread; ++i) placeRow(ahead, i, side);
  [[unroll]] for (uint i = 0; i < inputsPerThread; ++i) {
    const uint task = gl_LocalInvocationID.x + i * THREADS;
    vec4 a = ahead.inputs[2u * i], b = ahead.inputs[2u * i + 1u];
    const uint at = (side * TOKENS + task / 4u) * stride + task % 4u;
    if (SPLIT != 0u) {
      a = clamped(a, -65504.0, 65504.0);
      b = clamped(b, -65504.0, 65504.0);
      const vec4 firstA = truncated(a), firstB = truncated(b);
      inputTile[at] = uvec4(halves(firstA), halves(firstB));
      inputTile[inputs + at] = uvec4(halves(a - firstA), halves(b - firstB));
    } else {
      inputTile[at] = limited(uvec4(halves(inputScale * a), halves(inputScale * b)), largestInput);
    }
  }
}

void main() {
  const uint group0 = (gl_WorkGroupID.x + gl_WorkGroupID.z * gl_NumWorkGroups.x) * (ROWS / 8u);
  const Columns columns = columnsOf(gl_WorkGroupID.y, TOKENS);
  if (columns.count == 0u) return;
  const uint mine = gl_LocalInvocationID.x / LANES;  // subgroup index
  const uint lane = gl_LocalInvocationID.x % LANES;
  const uint tokenAt = mine % ALONG * UNITS_M * UNIT_M;
  const uint rowAt = mine / ALONG * UNITS_N * UNIT_N;
  MatrixSum sums[UNITS_M * UNITS_N];
  [[unroll]] for (uint i = 0; i < UNITS_M * UNITS_N; ++i) sums[i] = MatrixSum(0.0);

  Ahead ahead;
  const uvec2 blocks = blocksOf(columns);
  readAhead(ahead, columns, group0, blocks.x);
  place(ahead, blocks.x & 1u);
  barrier();
  for (uint block = blocks.x; block < blocks.y; ++block) {
    const uint side = block & 1u;
    const bool more = block + 1u < blocks.y;
    if (more) readAhead(ahead, columns, group0, block + 1u);
    const uint inputs0 = (side * TOKENS + tokenAt) * stride, weights0 = (side * ROWS + rowAt) * stride;  // the subgroup's first quads
#if defined(HALF_SUMS)
    MatrixB w[UNITS_N * STEPS];
    [[unroll]] for (uint j = 0; j < UNITS_N; ++j) {
      [[unroll]] for (uint k = 0; k < STEPS; ++k) {
        matrixLoadB(w[j * STEPS + k], weightTile, weights0 + j * UNIT_N * stride + k * UNIT_K / 8u, stride);
      }
    }
    [[unroll]] for (uint i = 0; i < UNITS_M; ++i) {
      MatrixA x[STEPS];
      [[unroll]] for (uint k = 0; k < STEPS; ++k) matrixLoadA(x[k], inputTile, inputs0 + i * UNIT_M * stride + k * UNIT_K / 8u, stride);
      [[unroll]] for (uint j = 0; j < UNITS_N; ++j) {
        MatrixHalfSum ofBlock = MatrixHalfSum(0.0);
        [[unroll]] for (uint k = 0; k < STEPS; ++k) ofBlock = matrixMulAdd(x[k], w[j * STEPS + k], ofBlock);
        sums[i * UNITS_N + j] += MatrixSum(ofBlock);
      }
    }
#else
    [[unroll]] for (uint k = 0; k < 32u; k += UNIT_K) {
      MatrixB w[UNITS_N];
      [[unroll]] for (uint j = 0; j < UNITS_N; ++j) {
        matrixLoadB(w[j], weightTile, weights0 + j * UNIT_N * stride + k / 8u, stride);
      }
      [[unroll]] for (uint i = 0; i < UNITS_M; ++i) {
        MatrixA x;
        [[unroll]] for (uint summand = 0; summand <= SPLIT; ++summand) {
          matrixLoadA(x, inputTile, summand * inputs + inputs0 + i * UNIT_M * stride + k / 8u, stride);
          [[unroll]] for (uint j = 0; j < UNITS_N; ++j) sums[i * UNITS_N + j] = matrixMulAdd(x, w[j], sums[i * UNITS_N + j]);
        }
      }
    }
#endif
    if (more) place(ahead, side ^ 1u);
    barrier();
  }

  // Results go through shared memory in strips of 16 rows (two groups), so that each invocation gets individual elements.
  const uint strip0 = mine * UNIT_M * STRIP;
  const uint perStrip = STRIP / UNIT_N;
  const uint results = STRIP / PAIR;  // per token of a strip
  [[unroll]] for (uint i = 0; i < UNITS_M; ++i) {
    [[unroll]] for (uint j = 0; j < UNITS_N; j += perStrip) {
      [[unroll]] for (uint part = 0; part < perStrip; ++part) matrixStore(sums[i * UNITS_N + j + part], strips, strip0 + part * UNIT_N, STRIP);
      subgroupBarrier();
      for (uint e = lane; e < UNIT_M * results; e += LANES) {
        const uint token = tokenAt + i * UNIT_M + e / results;
        const uint stored = group0 * 8u + rowAt + j * UNIT_N;  // the strip's first row
        const uint row = stored / PAIR + e % results;
        const uint at = strip0 + e / results * STRIP + e % results;
        if (token >= columns.count || row >= push.rows) continue;
        const Column column = columnAt(columns, token);
        const uint to = column.row * push.outStride + (PLACES == placesNone ? 0u : column.place * push.outPlace) + row;
        if (EPILOGUE == epilogueGated) store(to, columns.matrix * push.rows * PAIR, row, strips[at + 8u] / inputScale, strips[at] / inputScale);
        else store(to, columns.matrix * push.rows * PAIR, row, strips[at] / inputScale, 0.0);
      }
      subgroupBarrier();
    }
  }
}
