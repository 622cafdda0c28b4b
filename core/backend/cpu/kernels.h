// The table of kernels one instruction set offers, and the layouts they share. Chosen once, when the backend starts.
//
// All pointers are to float32 unless named otherwise; counts are in elements, strides in bytes where they end in Stride.
// Kernels never allocate, never throw, and are called by many threads at once on data of their own.
// Functions here are static: the translation units of different instruction sets must not share code (README.md).
#pragma once

#include "core/tensor/element_type.h"

#include <cstddef>
#include <cstdint>

namespace minerva::cpu {

inline constexpr int typeCount = static_cast<int>(elementTypeCount);

// How a matrix lies: panels of its type (panels.h), or, for floats with whole panels and columns of a multiple of 32, the rows
// of the file as they are. A "panel" is then 16 neighbouring rows. Kernels that read weights are tables by layout.
using WeightLayout = int;
inline constexpr int layoutCount = typeCount + 3;
static constexpr WeightLayout panelsOf(ElementType type) { return static_cast<int>(type); }
static constexpr WeightLayout rowsOf(ElementType type) { return typeCount + static_cast<int>(type); }  // F32, F16, BF16
static_assert(static_cast<int>(ElementType::BF16) == 2);

// Types whose kernels multiply by float rows; all others by quantized rows.
static constexpr bool readsFloats(ElementType type) {
  return type <= ElementType::BF16 || type == ElementType::F8_E4M3 || type == ElementType::F8_E5M2 ||
         (type >= ElementType::F8_E4M3_SCALED && type <= ElementType::F8_E5M2_SCALED32) || type == ElementType::MXFP8_PLANES;
}

// The first line of a panel of an MLX affine type: 32 << shift columns share a scale and a bias of this float type.
enum class AffineScales : std::uint32_t { half, brain, single };
struct AffinePrefix {
  std::uint32_t shift;
  AffineScales scales;
};

// A row of activations as 16-bit integers, block by block of 32 columns: x = scale * q, |q| <= 32512.
// [2 * columns bytes: q, in the order the instruction set multiplies in][columns / 32 scales][columns / 16 int32: sums of q]
// The error of an element is at most its block's largest magnitude / 65024.
[[nodiscard]] static constexpr std::size_t quantizedRowBytes(std::size_t columns) {
  return (columns * 2 + columns / 32 * 4 + columns / 16 * 4 + 63) / 64 * 64;
}

enum class NormCode : int { rms, layer };
enum class ActivationCode : int { none, silu, geluTanh, geluErf, clampedSwiglu };

// How one panel's results leave: out[row t] = (+= when add) cap(activation(y + bias) * (gate partner), times scale).
struct Finish {
  int rows = 16;                   // rows of the panel that exist
  const float* bias = nullptr;     // [rows]
  const float* partner = nullptr;  // gated: results of the second panel, laid out as y
  const float* partnerBias = nullptr;
  ActivationCode activation = ActivationCode::none;
  bool add = false;
  bool pairs = false;  // rows 2r and 2r + 1 are gate and up of result r; rows is even, partner null
  float scale = 1.0F;
  float softCap = 0;          // cap(x) = softCap tanh(x / softCap); 0: x
  std::size_t outStride = 0;  // bytes between rows of out
};

struct AttentionShape {
  int headDim, valueDim;
  float scale, softCap;  // scores: cap(scale q k)
};

// What the cache stores: 16-bit floats; float32 for the exact precision and for models in float32; or runs of up to 32
// elements of a head as signed bytes times a half, scale = largest magnitude / 127 (as Q8_0).
enum class CacheType : int { half, single, blocks };
inline constexpr int cacheTypes = 3;

// One KV head of one slot in the cache, both in blocks of 16 positions. Keys: [headDim][16], so that a lane is a
// position; values: [16][valueStride], valueStride = valueDim rounded up to 16. CacheType::blocks:
//   keys:   run by run of 32 elements [16 halves: scales][elements][16 codes]
//   values: [runs][16 halves: scales], then [16][valueStride] codes
struct KvHead {
  std::byte* keys;
  std::byte* values;
};

inline constexpr float noSink = -1e30F;
struct AttentionQuery {
  const float* q;          // [headDim]
  float* out;              // [valueDim]
  int begin, end;          // positions it sees
  float sink = noSink;     // one score more, of no value
  float* state = nullptr;  // not null: out stays unnormalised, and [largest score, sum of e^(score - largest)] go here
};

using DotFunction = void (*)(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, int n, float* y);
using UnpackFunction = void (*)(const std::byte* panel, int columns, int begin, int count, float* strip);
using UnpackPairsFunction = void (*)(const std::byte* panel, int columns, int begin, int count, std::uint16_t* high, std::uint16_t* low);

// The matrix unit: bf16 tiles. `high` and `low` are the two bf16 parts of a value (low may be null: not wanted).
// Weights: one panel's columns as [columns / 2][16 rows][2]. Activations: [rows / 16][columns / 32][16][32].
struct MatrixUnit {
  UnpackPairsFunction unpack[layoutCount];
  // One tile of rows: n <= 16 of them, columns a multiple of 32; rows from n on become zero.
  void (*packRows)(const float* x, std::size_t xStride, int n, int columns, std::uint16_t* high, std::uint16_t* low);
  // y[t][p * 16 + r] (+)= sum over products and columns, for two tiles of rows and two panels; activationStride and
  // weightStride are elements from the first of them to the second, yStride bytes from row to row.
  struct Product {
    const std::uint16_t* activations;  // first of the two tiles of rows
    const std::uint16_t* weights;      // first of the two panels
  };
  void (*multiply)(const Product* products, int productCount, std::size_t activationStride, std::size_t weightStride, int columns,
                   bool accumulate, float* y, std::size_t yStride);
  void (*begin)();  // sets this thread's tiles up
  void (*end)();    // gives them back
};

struct Kernels {
  const char* name;    // "avx512"
  const char* detail;  // for people: "AVX-512 VNNI"

  void (*normalise)(const float* x, int columns, NormCode kind, float epsilon, const float* weight, const float* bias, float* out);
  void (*quantize)(const float* x, int columns, std::byte* row);

  // y[t * 16 + r] = row r of the panel . x[t], t < n. Integer types take quantized rows, float types float rows.
  DotFunction dot[layoutCount];
  // strip[k * 16 + r] = value of row r, column begin + k. begin, count: multiples of the group (or 32).
  UnpackFunction unpack[layoutCount];
  // y[t * 16 + r] (+)= sum_k strip[k * 16 + r] * x[t][k].
  void (*multiply)(const float* strip, int count, const float* x, std::size_t xStride, int n, bool accumulate, float* y);

  void (*finish)(const float* y, std::size_t yStride, int n, const Finish& how, float* out);

  // Rotates heads of `dimension` elements in place: cosSin is [dimension / 2][2].
  void (*rotate)(float* heads, int headCount, int headDim, int dimension, bool interleaved, const float* cosSin);
  void (*storeKeyValue[cacheTypes])(const float* k, const float* v, int headDim, int valueDim, int position, const KvHead& to);
  // Softmax attention of queries that share one KV head. scratch: attentionScratch(valueDim) floats.
  void (*attend[cacheTypes])(const KvHead& kv, const AttentionShape& shape, const AttentionQuery* queries, int count, float* scratch);

  // Reads all bytes (a multiple of 4096) once, as fast as it can; the result only keeps the reads from being dropped.
  std::uint32_t (*read)(const std::byte* bytes, std::size_t count);

  const MatrixUnit* matrix;  // null: none
};

inline constexpr int attentionBlock = 128;   // positions handled at once
inline constexpr int attentionQueries = 16;  // queries a call of attend() takes at most
[[nodiscard]] static constexpr std::size_t attentionScratch(int valueDim) {
  const std::size_t dim = (static_cast<std::size_t>(valueDim) + 15) / 16 * 16;
  return attentionQueries * (attentionBlock + 2 * dim + 16) + 2 * attentionBlock * dim;
}
[[nodiscard]] static constexpr std::size_t valueStride(int valueDim) { return (static_cast<std::size_t>(valueDim) + 15) / 16 * 16; }

[[nodiscard]] static constexpr std::size_t cacheRuns(std::size_t elements) { return (elements + 31) / 32; }
// Bytes of 16 positions of one head.
[[nodiscard]] static constexpr std::size_t keyBlockBytes(CacheType type, int headDim) {
  const auto dim = static_cast<std::size_t>(headDim);
  if (type == CacheType::blocks) return cacheRuns(dim) * 32 + dim * 16;
  return dim * 16 * (type == CacheType::half ? 2 : 4);
}
[[nodiscard]] static constexpr std::size_t valueBlockBytes(CacheType type, int valueDim) {
  const std::size_t stride = valueStride(valueDim);
  if (type == CacheType::blocks) return cacheRuns(stride) * 32 + stride * 16;
  return stride * 16 * (type == CacheType::half ? 2 : 4);
}

[[nodiscard]] const Kernels& baselineKernels();
[[nodiscard]] const Kernels& avx2Kernels();
[[nodiscard]] const Kernels& avxVnniKernels();
[[nodiscard]] const Kernels& avx512Kernels();
[[nodiscard]] const Kernels& amxKernels();

}  // namespace minerva::cpu
