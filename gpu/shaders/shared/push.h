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

// out[n, rows] = epilogue(x W^T * scale + bias); weights as in runtime/weight_layout.h
struct Matvec {
  Address weights;    // planes of the matrix
  Address x;          // float [n, xStride]; readable to a multiple of 32 columns
  Address bias;       // float [rows] or 0
  Address aux;        // float [n, auxStride]: the gate of the auxGated epilogue
  Address out_;        // float [n, outStride]
  uint plane1, plane2, plane3;  // of the weights, in units of 16 bytes
  uint rows, groups, blocks;    // rows as stored; groups of 8 rows; blocks of 32 columns
  uint n;             // tokens
  uint xStride, outStride, auxStride;  // floats
  uint hasBias;
  float scale;
};

// out[n, columns] = row tokens[i] of the table, times scale
struct Embed {
  Address weights;
  Address tokens;     // uint [n]
  Address out_;        // float [n, outStride]
  uint plane1, plane2, plane3;
  uint blocks, n, columns, outStride;
  float scale;
};

// out[n, columns] = norm(x)
struct NormRows {
  Address x, weight, bias, out_;  // bias may be 0
  uint columns, n, xStride, outStride;
  float epsilon;
  uint hasBias;
};

// Rotates q in place, rotates k into the cache, copies v into the cache.
struct RopeKv {
  Address qkv;        // float [n, stride]
  Address rotation;   // vec2 (cos, sin) [n, rotary / 2]
  Address rows;       // uvec2 (position, slot) [n]
  Address keys;       // half or float [slots, context, kvHeads, headStride]
  Address values;     // the same
  uint n, stride, heads, kvHeads;
  uint headDim, headStride, rotary, context;  // rotary: rotated elements of a head; 0: none
};

// Attention of each (row, kv head, part of the cache): see attention.comp
struct Attention {
  Address qkv;        // float [n, stride], q rotated
  Address rows;       // uvec2 (position, slot) [n]
  Address keys, values;
  Address partial;    // float [n, heads, splits, headDim + 2]
  Address out_;        // float [n, outStride]; written directly when splits == 1
  uint n, stride, heads, kvHeads;
  uint headDim, headStride, context, window;
  uint splits, splitLength, outStride;
  float scale;
};

// out[m] = in[index[m]]
struct Gather {
  Address from, to, index;
  uint columns, fromStride, toStride, m;
};

// out[n, columns] = activation(a) * b
struct Gate {
  Address a, b, out_;
  uint columns, n, aStride, bStride, outStride, unused;
};

// Reads `quads` times 16 bytes, a multiple of 8 times the number of invocations.
struct ReadProbe {
  Address from, out_;
  uint quads, unused;
};

#ifdef __cplusplus
}  // namespace minerva::gpu::push
#endif
