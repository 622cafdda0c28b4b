// Push constants of all kernels, one struct per kernel, shared by C++ and GLSL. On pipeline creation C++ checks each size
// against the SPIR-V module. Addresses are 64-bit device addresses; the size of every struct is a multiple of 8 bytes.
#ifdef __cplusplus
#pragma once
#include <cstdint>
namespace minerva::gpu::push {
using uint = std::uint32_t;
using Address = std::uint64_t;
#else
#define Address uvec2
#endif

// out[n, rows] = epilogue(x W^T * scale + bias); weights as in runtime/weight_layout.h. With places (experts, heads), each
// of a token's `places` results uses a different matrix; groups and biases of the matrices are stored consecutively.
struct Matvec {
  Address weights;                       // planes of the matrix
  Address x;                             // float [n, xStride]; readable up to a multiple of 32 columns
  Address bias;                          // float [rows] or 0
  Address aux;                           // same layout as out: the gate of the auxGated epilogue
  Address out_;                          // float [n, outStride]
  Address route;                         // float [n, routeStride]: the expert of each place
  Address norm;                          // float [columns]: norm weights of the NORMED form, which multiplies by rms(x) * norm
  uint plane1, plane2, plane3;           // offsets within the weights, in units of 16 bytes
  uint rows, groups, blocks;             // rows as stored; groups of 8 rows; blocks of 32 columns
  uint n;                                // tokens; of routed places, the number of experts
  uint xStride, outStride, routeStride;  // floats
  uint hasBias;
  float scale;
  float softCap;                  // 0: none
  uint places, xPlace, outPlace;  // xPlace, outPlace: floats between consecutive places
  uint columns;                   // valid columns of x, for heads and NORMED; those of a range
  float epsilon;                  // of the norm
};

// out[n, columns] (+)= scale * row index[i * indexStride] of the table, its first row for an index beyond `rows`; accumulates if `add`
struct Embed {
  Address weights;
  Address index;  // uint
  Address out_;   // float [n, outStride]
  uint plane1, plane2, plane3;
  uint blocks, n, columns, outStride;
  float scale;
  uint indexStride, add;
  uint rows, unused;
};

// out (+)= scale * norm(x) for runs of `columns` elements; a row may have several runs. Form GATE: before or after the norm, x is
// multiplied by silu(gate), which has the runs of x.
struct NormRows {
  Address x, weight, bias, out_;  // bias may be 0
  Address gate;
  uint columns, n, xStride, outStride;
  uint run, weightRun;  // floats between consecutive runs: of x and out; of weight and bias
  float epsilon, scale;
  uint hasBias, add;
  uint gateStride, unused;
};

// out[n, columns] *= activation(gate[n * gateStride + column / group * gateStep])
struct Gate {
  Address gate, out_;
  uint columns, gateStride, gateStep, outStride;
  uint group;
  float limit;  // 0: none
};

// x = max(0, x - (mean + deviations * standard deviation of the row))
struct Threshold {
  Address x;  // float [n, stride]
  uint columns, stride;
  float deviations;
  uint unused;
};

// x = xIELU(x)
struct Xielu {
  Address x;  // float [n, stride]
  uint columns, stride;
  float positive, negative, beta, epsilon;
};

// x *= rms(like) / sqrt(max(mean(x^2), least)) for runs of `columns` elements
struct Level {
  Address like, x;  // float [n, likeStride], [n, stride]
  uint columns, likeStride, stride;
  float least;
};

// See mix.comp.
struct Mix {
  Address streams[8];            // float [n, stride]
  Address coefficients, target;  // float [n, coefficientStride], [n, stride]
  uint columns, stride, coefficientStride, unused;
};

// Rotates q in place, rotates k into the cache, copies v into the cache.
struct RopeKv {
  Address qkv;       // float [n, stride]
  Address rotation;  // vec2 (cos, sin) [n, rotary / 2]
  Address rows;      // uvec2 (position, slot) [n]
  Address pages;     // pages.glsl
  Address keys;      // [pages, pagePositions, kvHeads] cells of headStride elements (cache.glsl)
  Address values;    // the same with valueStride
  uint n, stride, heads, kvHeads;
  uint headDim, headStride, rotary, rotaryAt;  // rotary: rotated elements of a head, from rotaryAt on; 0: none
  uint slotPages, pagePositions;
  uint valueDim, valueStride;
  uint storesValues;  // 0: values are part of the keys
  float limit;        // largest absolute value of q, k and v; 0: none
};

// Attention per (row, KV head, split of the cache): see attention.comp.
struct Attention {
  Address qkv;     // float [n, stride], q rotated
  Address ranges;  // uvec4 [n]: a row sees the positions from the first up to, but not including, the second; its slot; its own position
  Address pages;   // pages.glsl
  Address keys, values;
  Address partial;  // float [n, heads, splits, valueDim + 2]
  Address out_;     // float [n, outStride]; written directly when splits == 1
  Address sinks;    // float [heads], or 0: one more logit per head, without a value
  uint n, stride, heads, kvHeads;
  uint headDim, valueDim;
  uint slotPages, pagePositions;
  uint splits, outStride;
  uint valueStride;  // elements per cached value
  float scale;
  float softCap;  // 0: none
  uint hasSinks;
  float alibi;  // 0: none (numbers.glsl)
  uint unused;
};

// out[m] = in[index[m]]
struct Gather {
  Address from, to, index;
  uint columns, fromStride, toStride, m;
};

// out[m]: the rows of the text that ends with row index[m], as one
struct Pool {
  Address from, to, index;
  Address rows;  // uvec2 (position, slot) [n]
  uint columns, fromStride, toStride, m;
};

// See route.comp.
struct Route {
  Address logits, out_;
  Address selectionBias, expertScale;  // float [experts], or 0
  uint experts, used, groups, groupsUsed;
  uint inStride, outStride, normalised, sharedGate;
  float scale;
  uint hasSelectionBias, hasExpertScale, unused;
};

// See by_expert.comp.
struct ByExpert {
  Address route, out_;
  uint rows, used, routeStride, tile;
  uint tiles, unused;
};

// out[n, place, columns] = share of the place * in[n, columns]
struct Spread {
  Address in_, route, out_;
  uint columns, used, inStride, routeStride;
  uint outStride, outPlace;
};

// out[n, columns] (+)= scale * (sum over places of share * in + shared expert's share * shared); a share is 1 if not weighted
struct Combine {
  Address in_, route, shared_, bias, out_;  // shared and bias may be 0
  uint columns, used, inStride, inPlace;
  uint routeStride, sharedStride, outStride;
  uint hasShared, sharedGate, hasBias;
  float scale;
  uint add, weighted, unused;
};

// out[n, head, to + i] = in[n, head, from + i], i < columns
struct Rest {
  Address in_, out_;
  uint columns, heads, from, to;
  uint inStride, inHead, outStride, outHead;
};

// The recurrent mixers (conv, delta, scan). A sequence is (first entry of `order`, entries, slot, 1 if it begins at position 0); its
// rows are those entries. A state has its elements for each slot, one slot after another.
struct Conv {
  Address in_;     // float [n, inStride], from the first channel
  Address weight;  // float [channels, width]
  Address bias;    // float [channels], or 0
  Address out_;    // float [n, outStride]
  Address state;   // float [width - 1, channels] per slot: the last inputs, oldest first
  Address sequences, order;
  uint channels, width, inStride, outStride;
  uint hasBias, unused;
};

struct Delta {
  Address in_;          // float [n, inStride]: q, k, v
  Address gates;        // float [n, gatesStride]
  Address decay, bias;  // float [valueHeads]; bias [valueHeads, keyDim] if each channel decays by itself
  Address state;        // float [valueHeads, keyDim, valueDim] per slot
  Address out_;         // float [n, outStride]
  Address sequences, order;
  uint inStride, gatesStride, outStride;
  uint betaColumn, decayColumn;
  uint keyHeads, valueHeads, keyDim, valueDim;
  uint tiled;
};

struct Scan {
  Address in_;                // float [n, inStride]: x
  Address keys;               // float [n, keysStride], from B on: B, C
  Address steps;              // float [n, stepsStride], from the first one
  Address decay, bias, skip;  // float [heads]; if each channel decays by itself [heads * headDim, stateSize], [heads * headDim]
  Address state;              // float [heads, headDim, stateSize] per slot
  Address out_;               // float [n, outStride]
  Address sequences, order;
  uint inStride, keysStride, stepsStride, outStride;
  uint heads, headDim, groups, stateSize;
  float dtMin, dtMax;
};

// Reads `quads` * 16 bytes; quads must be a multiple of 8 times the number of invocations.
struct ReadProbe {
  Address from, out_;
  uint quads, unused;
};

#ifdef __cplusplus
}  // namespace minerva::gpu::push
#endif
