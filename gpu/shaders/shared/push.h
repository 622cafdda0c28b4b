// Push constants of every kernel, one struct each, read by C++ and GLSL. C++ checks each size against the SPIR-V module
// when it makes a pipeline. Addresses are 64-bit device addresses; every struct is a multiple of 8 bytes.
#ifdef __cplusplus
#pragma once
#include <cstdint>
namespace minerva::gpu::push {
using uint = std::uint32_t;
using Address = std::uint64_t;
#else
#define Address uvec2
#endif

// out[n, rows] = epilogue(x W^T * scale + bias); weights as in runtime/weight_layout.h. With places (experts, heads): for each
// of `places` of a token another matrix, whose groups, biases and results follow those of the one before.
struct Matvec {
  Address weights;                       // planes of the matrix
  Address x;                             // float [n, xStride]; readable to a multiple of 32 columns
  Address bias;                          // float [rows] or 0
  Address aux;                           // laid out as out: the gate of the auxGated epilogue
  Address out_;                          // float [n, outStride]
  Address route;                         // float [n, routeStride]: the expert of each place
  Address norm;                          // float [columns]: of the NORMED form, which multiplies rms(x) * norm
  uint plane1, plane2, plane3;           // of the weights, in units of 16 bytes
  uint rows, groups, blocks;             // rows as stored; groups of 8 rows; blocks of 32 columns
  uint n;                                // tokens
  uint xStride, outStride, routeStride;  // floats
  uint hasBias;
  float scale;
  float softCap;                  // 0: none
  uint places, xPlace, outPlace;  // xPlace, outPlace: floats from one place to the next
  uint columns;                   // of x that count; only heads and NORMED need it
  float epsilon;                  // of the norm
};

// out[n, columns] = row index[i * indexStride] of the table, times scale; add: on top of what stands there
struct Embed {
  Address weights;
  Address index;  // uint
  Address out_;   // float [n, outStride]
  uint plane1, plane2, plane3;
  uint blocks, n, columns, outStride;
  float scale;
  uint indexStride, add;
};

// out = scale * norm(x), or added to it, of runs of `columns` elements, some a row
struct NormRows {
  Address x, weight, bias, out_;  // bias may be 0
  uint columns, n, xStride, outStride;
  uint run, weightRun;  // floats from one run to the next: of x and out; of weight and bias
  float epsilon, scale;
  uint hasBias, add;
};

// Rotates q in place, rotates k into the cache, copies v into the cache.
struct RopeKv {
  Address qkv;       // float [n, stride]
  Address rotation;  // vec2 (cos, sin) [n, rotary / 2]
  Address rows;      // uvec2 (position, slot) [n]
  Address keys;      // [slots, context, kvHeads] cells of headStride elements (cache.glsl)
  Address values;    // the same with valueStride
  uint n, stride, heads, kvHeads;
  uint headDim, headStride, rotary, context;  // rotary: rotated elements of a head; 0: none
  uint rotaryAt;                              // the first of them
  uint valueDim, valueStride;
  uint storesValues;  // 0: values are part of the keys
};

// Attention of each (row, kv head, part of the cache): see attention.comp
struct Attention {
  Address qkv;   // float [n, stride], q rotated
  Address rows;  // uvec2 (position, slot) [n]
  Address keys, values;
  Address partial;  // float [n, heads, splits, valueDim + 2]
  Address out_;     // float [n, outStride]; written directly when splits == 1
  Address sinks;    // float [heads], or 0: a logit more a head, without a value
  uint n, stride, heads, kvHeads;
  uint headDim, valueDim, context, window;
  uint splits, splitLength, outStride;
  uint valueStride;  // elements from one cached value to the next
  float scale;
  float softCap;  // 0: none
  uint hasSinks, unused;
};

// out[m] = in[index[m]]
struct Gather {
  Address from, to, index;
  uint columns, fromStride, toStride, m;
};

// See route.comp.
struct Route {
  Address logits, out_;
  uint experts, used, groups, groupsUsed;
  uint inStride, outStride, normalised, sharedGate;
  float scale;
  uint unused;
};

// out[n, columns] += scale * (sum over places of share * in + shared share * shared)
struct Combine {
  Address in_, route, shared_, out_;  // shared may be 0
  uint columns, used, inStride, inPlace;
  uint routeStride, sharedStride, outStride;
  uint hasShared, sharedGate;
  float scale;
};

// out[n, head, to + i] = in[n, head, from + i], i < columns
struct Rest {
  Address in_, out_;
  uint columns, heads, from, to;
  uint inStride, inHead, outStride, outHead;
};

// Reads `quads` times 16 bytes, a multiple of 8 times the number of invocations.
struct ReadProbe {
  Address from, out_;
  uint quads, unused;
};

#ifdef __cplusplus
}  // namespace minerva::gpu::push
#endif
