// The kernel table of an instruction set and the data layouts all of them share. One table is selected when the backend
// starts.
//
// Pointers are to float32 unless stated otherwise; counts are in elements; strides whose name ends in Stride are in bytes.
// Kernels never allocate or throw, and may run concurrently on different data. Functions here are static because the
// translation units of different instruction sets must not share code (README.md).
#pragma once

#include "core/tensor/element_type.h"

#include <cstddef>
#include <cstdint>

namespace minerva::cpu {

inline constexpr int typeCount = static_cast<int>(elementTypeCount);

// Storage of a matrix: panels of its type (panels.h), or, for float matrices of whole panels with columns in multiples of
// 32, the rows of the file unchanged. In that case a "panel" is 16 adjacent rows. Kernels that read weights are tables
// indexed by layout.
using WeightLayout = int;
inline constexpr int layoutCount = typeCount + 3;
static constexpr WeightLayout panelsOf(ElementType type) { return static_cast<int>(type); }
static constexpr WeightLayout rowsOf(ElementType type) { return typeCount + static_cast<int>(type); }  // F32, F16, BF16
static_assert(static_cast<int>(ElementType::BF16) == 2);

// Types whose kernels take float32 activations; all others take quantized activations.
static constexpr bool readsFloats(ElementType type) {
  return type <= ElementType::BF16 || type == ElementType::F8_E4M3 || type == ElementType::F8_E5M2 ||
         (type >= ElementType::F8_E4M3_SCALED && type <= ElementType::F8_E5M2_SCALED32) || type == ElementType::MXFP8_PLANES;
}

// Prefix of a panel of an MLX affine type: each group of 32 << shift columns has a scale and a bias of this float type.
enum class AffineScales : std::uint32_t { half, brain, single };
struct AffinePrefix {
  std::uint32_t shift;
  AffineScales scales;
};

// How a row of activations is rounded: to 16-bit integers, x = scale * q, |q| <= 32512, where the error of an element is at most its
// block's largest magnitude / 65024; or to 8-bit integers, |q| <= 127, where it is at most the largest magnitude / 254.
enum class Rounding : int {
  words,  // 16 bits, in the order in which the instruction set multiplies any type
  parts,  // the same as high and low bytes, where that is faster for single rows and types with small codes: the results are the same bits
  bytes   // 8 bits
};
inline constexpr int roundings = 3;

// 32 columns of such a row.
struct QuantizedBlock {
  std::byte q[64];  // eight bytes for each four columns; of rows of bytes, the second four are one of zeroSums
  float scale;
  float sum;        // of scale * q, over the block
  float halves[2];  // and over its halves of 16 columns
};
static_assert(sizeof(QuantizedBlock) == 80);

// Of rows that are rounded to bytes: -zero * sum, or -zero * halves[half], for the zeros that most formats have (kernels/formats.h).
// Formats with another zero multiply it themselves, for each panel anew.
inline constexpr int zeroSumCount = 8;
inline constexpr struct {
  int zero, half;  // -1: both halves
} zeroSums[zeroSumCount] = {{1, -1}, {8, -1}, {16, -1}, {128, -1}, {4, 0}, {4, 1}, {32, 0}, {32, 1}};
[[nodiscard]] static constexpr int zeroSumIndex(int zero, int half) {  // -1: there is none
  for (int i = 0; i < zeroSumCount; ++i)
    if (zeroSums[i].zero == zero && zeroSums[i].half == half) return i;
  return -1;
}
[[nodiscard]] static constexpr std::size_t zeroSumOffset(int index) { return static_cast<std::size_t>(index) * 8 + 4; }  // in q

// Rows are kept in batches, [columns / 32][rows of the batch], so that a kernel reaches the same columns of all of them from one pointer.
// A batch begins where its first row would without batches; the last one has the rows that are left. Narrow vectors decode a block once for
// a batch: with 32 rows, prompts are 3 to 5 % faster than with 16, and eight blocks of them still fit into 32 KB of L1 cache.
inline constexpr int batchRows = 32;
[[nodiscard]] static constexpr std::size_t quantizedRowBytes(std::size_t columns) {
  return (columns / 32 * sizeof(QuantizedBlock) + 63) / 64 * 64;
}
struct QuantizedRow {
  std::byte* first;  // block
  std::size_t step;  // bytes from block to block
};
// Row `row` of the `count` at `rows`.
[[nodiscard]] static inline QuantizedRow quantizedRow(std::byte* rows, int row, int count, std::size_t columns) {
  const int place = row % batchRows, batch = row - place, size = count - batch < batchRows ? count - batch : batchRows;
  constexpr std::size_t block = sizeof(QuantizedBlock);
  return {rows + static_cast<std::size_t>(batch) * quantizedRowBytes(columns) + static_cast<std::size_t>(place) * block,
          static_cast<std::size_t>(size) * block};
}

enum class NormCode : int { rms, layer };
enum class ActivationCode : int { none, silu, geluTanh, geluErf, clampedSwiglu, sigmoid, relu, reluSquared, tanh, softplus };

// Epilogue of one panel's results: out[row t] = (+= if add) cap(activation(y + bias) * (gate partner), times scale).
struct Finish {
  int rows = 16;                   // valid rows of the panel
  const float* bias = nullptr;     // [rows]
  const float* partner = nullptr;  // gated: results of the second panel, same layout as y
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

// Element format of the KV cache: 16-bit floats; float32 (for exact precision and float32 models); or runs of up to 32
// elements of a head as signed bytes with a float16 scale = largest magnitude / 127 (as Q8_0).
enum class CacheType : int { half, single, blocks };
inline constexpr int cacheTypes = 3;
inline constexpr int attentionBlock = 128;  // positions that attention takes at once, and those of a page

// One KV head of one slot in the cache, in pages of attentionBlock positions: page pages[p / attentionBlock] holds position p. Within a
// page both parts are stored in blocks of 16 positions. Keys: [headDim][16], so that a
// vector lane is a position; values: [16][valueStride], valueStride = valueDim rounded up to 16. CacheType::blocks:
//   keys:   run by run of 32 elements [16 halves: scales][pairs of elements][16][2 codes]; an odd last element has a zero beside it
//   values: [runs][16 halves: scales], then [8][valueStride][2 codes]: those of positions i and i + 8
struct KvHead {
  std::byte* keys;  // of page 0
  std::byte* values;
  const int* pages;
  std::size_t pageBytes;  // from one page to the next
  int positions = 0;      // if more than a query sees: those that may be fetched ahead, for the next run of positions

  [[nodiscard]] std::size_t pageAt(int position) const { return static_cast<std::size_t>(pages[position / attentionBlock]) * pageBytes; }
};

inline constexpr float noSink = -1e30F;
struct AttentionQuery {
  const float* q;       // [headDim]
  float* out;           // [valueDim]
  int begin, end;       // range of visible positions
  float sink = noSink;  // an additional score without a value
  float slope = 0;      // what scores lose per position between that of the query and the key's
  int position = 0;
  float* state = nullptr;  // if not null: out stays unnormalised, and [largest score, sum of e^(score - largest)] is stored here
};

// Recurrent mixers (plan.h). Steps are in floats from row to row. The rows of one sequence, in order, are rows index[0 .. count) of
// the step's buffers; `fresh` if it begins, when its state counts as zeros, whatever it holds.
struct SequenceRows {
  const int* index;
  int count;
};
struct Columns {
  const float* data;  // of row 0
  std::size_t step;
};

// Some channels of a ConvOp. State and weights are [width - 1 or width][channels of the op], `step` floats from row to row.
struct Convolution {
  SequenceRows rows;
  bool fresh, activated;
  int channels, width;
  Columns in;
  const float* weight;
  const float* bias;  // or null
  float* state;
  std::size_t step;
  float* out;
  std::size_t outStep;
};

inline constexpr int deltaTokens = 8;  // prepared at once
// Some columns of a value head of a DeltaOp; its state is [keyDim][columns], `step` floats from row to row.
struct DeltaHead {
  SequenceRows rows;
  bool fresh, channelDecay;
  int keyDim, columns;
  Columns q, k, v, betas, decays;
  float decay;
  const float* bias;  // one, or [keyDim]
  float* state;
  std::size_t step;
  float* out;
  std::size_t outStep;
};
[[nodiscard]] static constexpr std::size_t deltaScratch(int keyDim) {
  return std::size_t{4} * deltaTokens * static_cast<std::size_t>(keyDim);
}

// Some columns of a head of a ScanOp; its state is [stateSize][columns], `step` floats from row to row.
struct ScanHead {
  SequenceRows rows;
  bool fresh, channelDecay;
  int columns, stateSize;
  Columns x, b, c, steps;
  const float *decay, *bias, *skip;  // one each; with channelDecay [stateSize][columns], `decayStep` apart, and [columns]
  std::size_t decayStep;
  float dtMin, dtMax;
  float* state;
  std::size_t step;
  float* out;
  std::size_t outStep;
};

// xIELU (model_config.h).
struct XieluForm {
  float positive, negative, beta, epsilon;
};

// A row of a MixOp.
struct StreamRow {
  float* const* streams;
  int count, columns;  // count: at most mostMixed
  const float* coefficients;
  const float* target;  // or null
};
inline constexpr int mostMixed = 8;

using DotFunction = void (*)(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, int n, float* y);
using QuantizeFunction = void (*)(const float* x, int columns, QuantizedRow to);
using UnpackFunction = void (*)(const std::byte* panel, int columns, int begin, int count, float* strip);
using UnpackPairsFunction = void (*)(const std::byte* panel, int columns, int begin, int count, std::uint16_t* high, std::uint16_t* low);

// Products of bf16 tiles, by a matrix unit or in vector registers. `high` and `low` are the two bf16 parts of a value; low may be null
// if not needed. Weights: one panel's columns as [columns / 2][16 rows][2]. Activations: [rows / 16][columns / 32][16][32].
struct MatrixUnit {
  UnpackPairsFunction unpack[layoutCount];
  int mostProducts;  // weights that need more products (projection.cpp) are multiplied faster without this unit
  bool beatsBytes;   // whether it is faster than products of 8-bit activations
  // Packs one tile: n <= 16 rows, columns a multiple of 32; rows n and above become zero.
  void (*packRows)(const float* x, std::size_t xStride, int n, int columns, std::uint16_t* high, std::uint16_t* low);
  // y[t][p * 16 + r] (+)= sum over products and columns, for two row tiles and two panels, of which the first `rows` rows count; the
  // others of y may be written. activationStride and weightStride: elements between the first and the second of them; yStride: bytes
  // per row.
  struct Product {
    const std::uint16_t* activations;  // first of the two tiles of rows
    const std::uint16_t* weights;      // first of the two panels
  };
  void (*multiply)(const Product* products, int productCount, std::size_t activationStride, std::size_t weightStride, int rows, int columns,
                   bool accumulate, float* y, std::size_t yStride);
  void (*begin)();  // configures this thread's tile registers
  void (*end)();    // releases them
};

// What is streamed from memory and fetched ahead of its use: packed weights, float weights in the file's rows, keys and values.
enum class Fetched : int { panels, rows, cache };
inline constexpr int fetchedKinds = 3;
// How many bytes before its use it is fetched, and into which of a core's caches; 0: that is left to the hardware. Keys and values are
// only fetched into the second, because a page of them and what is computed fill the first.
struct ReadAhead {
  int bytes;
  bool second;
};
static constexpr ReadAhead usualReadAhead[fetchedKinds] = {{8192, false}, {8192, false}, {16384, true}};
static constexpr int usualFirstCache = 32 << 10;  // bytes
// What the kernels of all sets go by (read_ahead.h changes it), read and written atomically.
struct FetchSettings {
  int ahead[fetchedKinds];  // bytes; negative: into the second cache
  int firstCache;           // bytes, of each thread
};
extern FetchSettings fetchSettings;

struct Kernels {
  const char* name;    // "avx512"
  const char* detail;  // display name: "AVX-512 VNNI"

  // weight and bias may be null.
  void (*normalise)(const float* x, int columns, NormCode kind, float epsilon, const float* weight, const float* bias, float* out);
  // out[c] *= activation(gate[c]).
  void (*gate)(const float* gate, int columns, ActivationCode activation, float* out);
  QuantizeFunction quantize[roundings];
  // In place: ThresholdOp, XieluOp, LevelOp (one run of x) and MixOp of plan.h for one row.
  void (*threshold)(float* x, int columns, float deviations);
  void (*xielu)(float* x, int columns, const XieluForm& form);
  void (*level)(const float* like, int columns, float floor, float* x);
  void (*mix)(const StreamRow& row);

  // y[t * 16 + r] = row r of the panel . x[t], t < n. Integer types take quantized rows, in batches from the first on, and xStride is
  // quantizedRowBytes; float types take float rows, as Rounding::words. Null where a type has no such kernel: there is always one for
  // words.
  DotFunction dot[roundings][layoutCount];
  // strip[k * 16 + r] = value of row r, column begin + k. begin and count must be multiples of the group (or of 32).
  UnpackFunction unpack[layoutCount];
  // y[t * 16 + r] (+)= sum_k strip[k * 16 + r] * x[t][k].
  void (*multiply)(const float* strip, int count, const float* x, std::size_t xStride, int n, bool accumulate, float* y);

  void (*finish)(const float* y, std::size_t yStride, int n, const Finish& how, float* out);

  // Rotates heads of `dimension` elements in place: cosSin is [dimension / 2][2].
  void (*rotate)(float* heads, int headCount, int headDim, int dimension, bool interleaved, const float* cosSin);
  void (*storeKeyValue[cacheTypes])(const float* k, const float* v, int headDim, int valueDim, int position, const KvHead& to);
  // Softmax attention of queries that share one KV head. scratch: attentionScratch(headDim, valueDim) floats.
  void (*attend[cacheTypes])(const KvHead& kv, const AttentionShape& shape, const AttentionQuery* queries, int count, float* scratch);

  void (*convolve)(const Convolution& how);
  void (*deltaRule)(const DeltaHead& head, float* scratch);  // scratch: deltaScratch(keyDim) floats
  void (*scan)(const ScanHead& head);

  // Reads all bytes (a multiple of 4096) once, as fast as possible; the result prevents the compiler from removing the
  // reads.
  std::uint32_t (*read)(const std::byte* bytes, std::size_t count);

  const MatrixUnit* matrix;  // null: none
};

inline constexpr int attentionQueries = 16;  // maximum queries per call of attend()
[[nodiscard]] static constexpr std::size_t valueStride(int valueDim) { return (static_cast<std::size_t>(valueDim) + 15) / 16 * 16; }

[[nodiscard]] static constexpr std::size_t cacheRuns(std::size_t elements) { return (elements + 31) / 32; }
// The floats that attend() needs for its own, for eight queries at once: scores, results and, for each run of 32 elements of a query beside
// a cache of codes, its codes of 16 bits (16 floats) and their step.
[[nodiscard]] static constexpr std::size_t attentionScratch(int headDim, int valueDim) {
  return 8 * (attentionBlock + valueStride(valueDim) + cacheRuns(static_cast<std::size_t>(headDim)) * 17);
}
// Bytes of 16 positions of one head.
[[nodiscard]] static constexpr std::size_t keyBlockBytes(CacheType type, int headDim) {
  const auto dim = static_cast<std::size_t>(headDim);
  if (type == CacheType::blocks) return cacheRuns(dim) * 32 + (dim + 1) / 2 * 32;
  return dim * 16 * (type == CacheType::half ? 2 : 4);
}
[[nodiscard]] static constexpr std::size_t valueBlockBytes(CacheType type, int valueDim) {
  const std::size_t stride = valueStride(valueDim);
  if (type == CacheType::blocks) return cacheRuns(stride) * 32 + stride * 16;
  return stride * 16 * (type == CacheType::half ? 2 : 4);
}

// What isa/<set>.cpp defines. They are constants, because every processor reads all of them (instruction_sets.cpp), and a function that
// makes or returns one would be compiled for its set.
extern const Kernels baselineTable, avx2Table, avx512Table;
extern const Kernels avxVnniProducts;  // quantize, and dot of types with integer codes; all else is null
extern const MatrixUnit bf16Pairs, amxTiles;

}  // namespace minerva::cpu
