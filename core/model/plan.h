// A Plan: a model's forward pass as a flat list of fused ops over named buffers. All backends run the same plans.
//
// Built by plan_builder, validated by plan_check, immutable afterwards. reads() and writes() give the buffers of each op;
// backends derive barriers and buffer reuse from them. Activations are float32 row vectors, one row per token of the
// step. Weights are indices into Plan::weights, whose views point into the ModelFile (which must outlive the plan).
//
// Notation: n = rows (tokens) of this step, h = hidden size, d = head dimension.
#pragma once

#include "core/base/error.h"
#include "core/model/model_config.h"
#include "core/tensor/tensor_view.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace minerva::model {

using BufferId = int;
using WeightId = int;  // -1: none
inline constexpr int none = -1;

struct Buffer {
  std::string name;
  int columns = 0;          // float32 elements per row
  bool outputRows = false;  // rows only for the tokens of the step that want logits (else for every token)
};

struct Weight {
  std::string name;  // for errors and tools, such as "layer 3 q"
  TensorView view;   // matrices [rows, columns]; stacks for heads or experts [count, rows, columns]; vectors [columns]
  float plus = 0;    // vectors: added to every element when the weight is placed
};

// out[n, h] = scale * table[token] (+ positions[position], for learned positions).
struct EmbedOp {
  WeightId table;
  float scale;
  BufferId out;
  WeightId positions = none;  // [positions, h]; limits the context length to its rows
};

// Normalisation of a row. rms: x / sqrt(mean(x^2) + eps) * w; layer: (x - mean) / sqrt(var + eps) * w + b.
struct Norm {
  NormKind kind = NormKind::rms;
  float epsilon = 0;
  WeightId weight = none;
  WeightId bias = none;
};

// out = scale * norm(in), or out += scale * norm(in) if add. Used if the normalised row itself is needed,
// or if the norm ends a block.
struct NormOp {
  BufferId in;
  Norm norm;
  bool add;
  float scale;
  BufferId out;
};

// One matrix of a projection: out[:, column .. column + rows) = x W^T + b.
struct ProjPart {
  WeightId weight;
  WeightId bias;
  int column;
};

enum class Epilogue {
  store,      // out = y
  add,        // out = out + scale * y (the residual)
  gated,      // two parts of the same size: out = activation(part 0) * part 1, half the columns
  activated,  // out = activation(y)
};

// out = epilogue(parts(norm(in))). All parts share the (normalised) input, for example q, k and v, or gate and up. Their
// columns are contiguous and fill `out`; only a `store` may leave columns before and after them to other ops.
struct ProjOp {
  BufferId in;
  bool normalised;  // false: `norm` is not applied
  Norm norm;
  std::vector<ProjPart> parts;
  Epilogue epilogue;
  Activation activation;
  BufferId out;
  float scale = 1.0F;  // of y in `add`; 1 for other epilogues
  // The result selects experts. Rounding activations could flip a near tie, so they stay float32 at every precision.
  bool chooses = false;
};

// One matrix per head. A head's elements are [columns | rest] in `in` and [rows | rest] in `out`:
// out = [W in | rest unchanged]. in: [n, heads * (columns + rest)]; out: its first heads * (rows + rest) columns.
struct HeadProjOp {
  BufferId in;
  int heads;
  WeightId weight;  // [heads, rows, columns]
  int rest;         // 0 or more
  BufferId out;
};

// Normalises groups of `group` elements: the first `group` (at most headDim) of every head, or, if group is the width of
// all heads, all heads together. The weights are [group], or [all heads] if each head has its own.
struct HeadNormStep {
  Norm norm;  // weight none: no norm
  int group = 0;
};

// Operates on the qkv buffer ([q heads | k heads | v heads] with headDim, headDim and valueDim elements each): normalises
// q and k, rotates them in place starting at element ropeOffset of each head, then stores k and v of each row in the
// layer's KV cache at the row's position. valuesFromKeys: the buffer has no v; a value is the first valueDim elements of
// the head's key.
struct RopeKvOp {
  int layer;
  int headCount, kvHeadCount, headDim, valueDim;
  int rope;  // index into Plan::ropes; none: no rotation
  int ropeOffset = 0;
  HeadNormStep qNorm{}, kNorm{};
  bool valuesFromKeys = false;
  BufferId qkv = none;
};

// out[n, headCount * valueDim] = softmax(cap(scale q k^T), causal, window) v over the layer's KV cache, where
// cap(s) = softCap * tanh(s / softCap), or s if softCap is 0. sinks: an extra logit per head that takes part in the
// softmax but has no value.
struct AttentionOp {
  int layer;
  int headCount, kvHeadCount, headDim, valueDim;
  int window;  // 0: all
  float scale;
  BufferId qkv;
  BufferId out;
  float softCap = 0;
  WeightId sinks = none;  // [headCount]
};

// Selects `used` experts for each row from the logits [n, experts (+ 1 if sharedGate)] and writes out[n, 2 * used (+ 1)]
// = [expert indices as floats | their weights | the shared expert's weight]. Selection: largest logits, ties to the lower
// index; with groups > 1 only from the groupsUsed groups with the largest logits. Weights: softmax over the selected
// (normalised) or over all experts, times scale. The shared expert's weight is the sigmoid of the last logit.
struct RouteOp {
  BufferId logits;
  int experts, used;
  bool normalised;
  float scale;
  int groups, groupsUsed;
  bool sharedGate;
  BufferId out;
};

// One matrix for all experts: one stack [experts, rows, columns], or one [rows, columns] per expert. bias: [experts,
// rows].
struct ExpertPart {
  std::vector<WeightId> weights;
  WeightId bias;
};

// For each row and each of its `used` experts e, in slot s = 0 .. used - 1:
//   stored: out[:, s * rows ..] = W_e x + b_e                               (one part)
//   gated:  out[:, s * rows ..] = activation(gate_e x + b_e, up_e x + b_e)  (two parts, or one of twice the rows laid out as
//                                                                            gatePlace says)
// x is the row of `in` or, if perPlace, its slot s: in[:, s * columns ..).
struct ExpertOp {
  BufferId in;
  bool perPlace;
  BufferId route;
  int experts, used;
  std::vector<ExpertPart> parts;
  bool gated;
  GatePlace gatePlace;
  Activation activation;
  BufferId out;
};

// out += scale * (sum over the used experts of weight_s * in[:, s * h ..)  +  shared weight * shared).
struct CombineOp {
  BufferId in;  // [n, used * h]
  BufferId route;
  int used;
  BufferId shared;  // [n, h], or none
  bool sharedGate;  // the shared expert's weight is in route; else it is 1
  float scale;
  BufferId out;
};

// Copies the rows of the tokens that want logits: out[m, h] from in[n, h].
struct GatherOp {
  BufferId in;
  BufferId out;
};

// logits[m, vocabulary] = cap(norm(in) W^T (+ bias) * scale), cap as in AttentionOp. Separate from ProjOp because its
// result is the output of a step.
struct HeadOp {
  BufferId in;
  Norm norm;
  WeightId weight;
  WeightId bias;
  float scale;
  BufferId out;
  float softCap = 0;
};

using Op = std::variant<EmbedOp, NormOp, ProjOp, HeadProjOp, RopeKvOp, AttentionOp, RouteOp, ExpertOp, CombineOp, GatherOp, HeadOp>;

// Per-position contents of one layer's KV cache.
struct KvLayer {
  int kvHeadCount, headDim, valueDim;
  int window;  // 0: all positions are kept; else only the last `window` are needed
};

// Element type of stored keys and values.
enum class KvType {
  f16,
  q8_0,  // 8-bit codes with one scale per group of up to 32 elements of a head: about half the memory of f16
  f32,
};
[[nodiscard]] const char* name(KvType type);  // "f16", "q8_0", "f32"

// A contiguous range of ops that one device runs on its own when a model is split across devices (plan_split.h).
struct PlanPart {
  std::size_t firstOp = 0;
  std::vector<BufferId> received;  // written from outside before the part runs
  std::vector<BufferId> sent;      // read from outside after the part ran
};

struct Plan {
  std::vector<Buffer> buffers;
  std::vector<Weight> weights;
  std::vector<Op> ops;
  std::vector<KvLayer> kv;               // one per layer
  std::vector<std::size_t> layerBegins;  // index of each layer's first op, then of the first op after the last layer; empty: unknown
  std::vector<PlanPart> parts;           // empty: a single part without external inputs or outputs
  std::vector<Rope> ropes;
  int hiddenSize = 0;
  int vocabularySize = 0;
  int contextLength = 0;         // the model's maximum
  KvType usualKv = KvType::f16;  // usualKvOf()
  BufferId logits = none;        // none: the head is on another device

  // Bytes of weights that a decode step reads: all of them, except one row per token of embedding tables and only the
  // used share of experts.
  [[nodiscard]] std::uint64_t weightBytesPerToken() const;
  // KV cache bytes per position over all layers, without device-specific padding.
  [[nodiscard]] std::uint64_t kvBytesPerPosition(KvType type) const;
  // The type in which every device stores keys and values if `wanted` was requested: f16 becomes f32 at exact precision,
  // else usualKv.
  [[nodiscard]] KvType keptKv(KvType wanted, bool exact) const;
  // A sequence of more tokens than this uses the ropes' long frequencies (StepRow::longRope); 0: never.
  [[nodiscard]] int longRopeFrom() const;
};

[[nodiscard]] const char* name(const Op& op);
[[nodiscard]] std::vector<BufferId> reads(const Op& op);
[[nodiscard]] std::vector<BufferId> writes(const Op& op);
// All weights an op uses. A tied head has the same id as the embedding table.
[[nodiscard]] std::vector<WeightId> weightsOf(const Op& op);
// Subsets of weightsOf(): the matrices it multiplies with, and the vectors (norms, biases, sinks). The rest are embedding
// tables.
[[nodiscard]] std::vector<WeightId> matricesOf(const Op& op);
[[nodiscard]] std::vector<WeightId> vectorsOf(const Op& op);
// The layer whose KV cache an op reads or writes; -1: none.
[[nodiscard]] int kvLayerRead(const Op& op);
[[nodiscard]] int kvLayerWritten(const Op& op);

// Default context length for models that support a longer one.
inline constexpr int usualContext = 8192;

// f32 if all projections to q, k and v have float32 weights, where rounding to f16 would lose most of their precision;
// else f16.
[[nodiscard]] KvType usualKvOf(const Plan& plan);

// At least 1: a plan without parts counts as one part.
[[nodiscard]] std::size_t partCount(const Plan& plan);
// Ops [first, last) of a part.
[[nodiscard]] std::pair<std::size_t, std::size_t> opsOfPart(const Plan& plan, std::size_t part);

// plan_builder.cpp. Errors: unsupported combinations (named).
[[nodiscard]] Result<Plan> buildPlan(const ModelConfig& config);
// plan_check.cpp: ids in range, matching shapes, buffers written before they are read, element types that kernels
// support.
[[nodiscard]] Result<void> checkPlan(const Plan& plan);
// plan_print.cpp: human-readable, one line per op.
[[nodiscard]] std::string toString(const Plan& plan);

}  // namespace minerva::model
