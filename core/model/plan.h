// A Plan: the model's forward pass as a flat list of fused ops over named buffers. Both backends run the same one.
//
// Built once by plan_builder, checked once by plan_check, immutable afterwards. An op says which buffers it reads and
// writes (reads(), writes()); barriers and buffer reuse follow from that. Activations are float32 row vectors, one row a
// token of the step. Weights are indices into Plan::weights, whose views point into the ModelFile (it must outlive the plan).
//
// Letters: n = rows (tokens) of this step, h = hidden size, d = head dimension.
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
  int columns = 0;          // float32 elements a row
  bool outputRows = false;  // rows are only those tokens of the step that want logits (else every token)
};

struct Weight {
  std::string name;  // for errors and tools: "layer 3 q"
  TensorView view;   // matrices [rows, columns], of several heads or experts [count, rows, columns]; vectors [columns]
  float plus = 0;    // vectors: added to every element when they are placed
};

// out[n, h] = embedding row of each token, times scale; plus the row of its position (learned positions).
struct EmbedOp {
  WeightId table;
  float scale;
  BufferId out;
  WeightId positions = none;  // [positions, h]; a context must not be longer than it has rows
};

// Normalisation of a row: rms: x / sqrt(mean(x^2) + eps) * w ; layer: (x - mean) / sqrt(var + eps) * w + b.
struct Norm {
  NormKind kind = NormKind::rms;
  float epsilon = 0;
  WeightId weight = none;
  WeightId bias = none;
};

// out = scale * norm(in), or (add) out += scale * norm(in): a norm whose result is stored or is a block's last step.
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

// out = epilogue(parts(norm(in))). All parts share the (normalised) input: q, k, v or gate, up go together. Parts follow one
// another without a gap. They fill `out`, except that a `store` may leave columns before and behind to other ops.
struct ProjOp {
  BufferId in;
  bool normalised;  // false: `norm` is not applied
  Norm norm;
  std::vector<ProjPart> parts;
  Epilogue epilogue;
  Activation activation;
  BufferId out;
  float scale = 1.0F;  // of y in `add`; 1 in the others
  // The results choose experts: rounding activations could decide a near tie, so every precision keeps them in float32.
  bool chooses = false;
};

// A matrix for each head: the head's elements of `in` are [columns | rest], those of `out` [rows | rest]:
// out = [W in | rest as it is]. in: [n, heads * (columns + rest)]; out: its first heads * (rows + rest) columns.
struct HeadProjOp {
  BufferId in;
  int heads;
  WeightId weight;  // [heads, rows, columns]
  int rest;         // 0 or more
  BufferId out;
};

// Normalises runs of `group` elements: every head's first `group` (at most headDim), or, when group is the width of all
// heads, all of them together. The weights are [group], or [all heads] where each head has its own.
struct HeadNormStep {
  Norm norm;  // weight none: no norm
  int group = 0;
};

// On the qkv buffer ([q heads | k heads | v heads], of headDim, headDim and valueDim elements each): normalises q and k,
// rotates them in place from element ropeOffset of each head on, then stores k and v of each row at its position in the
// layer's KV cache. valuesFromKeys: the buffer has no v; a value is the first valueDim elements of the head's key.
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
// cap(s) = softCap * tanh(s / softCap), or s where softCap is 0. sinks: one logit more a head, which takes its share of the
// softmax and has no value.
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

// Chooses `used` experts of each row by the logits [n, experts (+ 1 when sharedGate)] and writes
// out[n, 2 * used (+ 1)] = [chosen experts, as whole numbers | their shares | the shared expert's share].
// Chosen: the largest logits, the lower index first among equals; with groups > 1 only from the groupsUsed groups with the
// largest logits. Shares: softmax over the chosen (normalised) or over all experts, times scale. The shared expert's share
// is the sigmoid of the last logit.
struct RouteOp {
  BufferId logits;
  int experts, used;
  bool normalised;
  float scale;
  int groups, groupsUsed;
  bool sharedGate;
  BufferId out;
};

// The matrices of all experts: one weight [experts, rows, columns], or one [rows, columns] an expert. bias [experts, rows].
struct ExpertPart {
  std::vector<WeightId> weights;
  WeightId bias;
};

// For each row and each of its `used` experts, at place s = 0 .. used - 1:
//   stored: out[:, s * rows ..] = W_e x + b_e                               (one part)
//   gated:  out[:, s * rows ..] = activation(gate_e x + b_e, up_e x + b_e)  (two parts; or one, of twice the rows, as `place` says)
// x is the row of `in`, or (perPlace) its run s: in[:, s * columns ..).
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

// out += scale * (sum over the used experts of share_s * in[:, s * h ..)  +  shared share * shared).
struct CombineOp {
  BufferId in;  // [n, used * h]
  BufferId route;
  int used;
  BufferId shared;  // [n, h], or none
  bool sharedGate;  // its share stands in route; else 1
  float scale;
  BufferId out;
};

// Copies the rows of tokens that want logits: out[m, h] from in[n, h].
struct GatherOp {
  BufferId in;
  BufferId out;
};

// logits[m, vocabulary] = cap(norm(in) W^T (+ bias) * scale): like ProjOp, its own kind because its result is what a step
// returns. cap as in AttentionOp.
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

// What one layer's KV cache holds per position.
struct KvLayer {
  int kvHeadCount, headDim, valueDim;
  int window;  // 0: every position is needed; else only the last `window`
};

// How keys and values are kept.
enum class KvType {
  f16,
  q8_0,  // runs of up to 32 elements of a head as 8-bit codes times a scale: about half the memory of f16
  f32,
};
[[nodiscard]] const char* name(KvType type);  // "f16", "q8_0", "f32"

// A run of ops that a device does by itself, where a model is shared out among several (plan_split.h).
struct PlanPart {
  std::size_t firstOp = 0;
  std::vector<BufferId> received;  // their rows are written from outside before it runs
  std::vector<BufferId> sent;      // their rows are read from outside after it ran
};

struct Plan {
  std::vector<Buffer> buffers;
  std::vector<Weight> weights;
  std::vector<Op> ops;
  std::vector<KvLayer> kv;               // one a layer
  std::vector<std::size_t> layerBegins;  // first op of each layer, and of what follows the last one; empty: not told
  std::vector<PlanPart> parts;           // empty: one part, nothing from or to outside
  std::vector<Rope> ropes;
  int hiddenSize = 0;
  int vocabularySize = 0;
  int contextLength = 0;         // the model's own
  KvType usualKv = KvType::f16;  // usualKvOf()
  BufferId logits = none;        // none: another device has the head

  // Bytes of weights a decode step reads: all of them, but of the embedding table only one row a token, and of experts the
  // share that is used.
  [[nodiscard]] std::uint64_t weightBytesPerToken() const;
  // Bytes of KV a cached position takes over all layers, without what a device rounds up.
  [[nodiscard]] std::uint64_t kvBytesPerPosition(KvType type) const;
  // How every device keeps keys and values where `wanted` was asked for: f16 becomes f32 where the precision is exact, and
  // where usualKv is.
  [[nodiscard]] KvType keptKv(KvType wanted, bool exact) const;
  // A sequence of more tokens than this rotates by the ropes' long frequencies (StepRow::longRope); 0: never.
  [[nodiscard]] int longRopeFrom() const;
};

[[nodiscard]] const char* name(const Op& op);
[[nodiscard]] std::vector<BufferId> reads(const Op& op);
[[nodiscard]] std::vector<BufferId> writes(const Op& op);
// Every weight an op uses. A tied head has the same id as the embedding table.
[[nodiscard]] std::vector<WeightId> weightsOf(const Op& op);
// Of these, the matrices it multiplies with, and the vectors (norms, biases, sinks). The rest are tables it reads rows of.
[[nodiscard]] std::vector<WeightId> matricesOf(const Op& op);
[[nodiscard]] std::vector<WeightId> vectorsOf(const Op& op);
// Stage of the KV cache an op touches: -1 none; else the layer.
[[nodiscard]] int kvLayerRead(const Op& op);
[[nodiscard]] int kvLayerWritten(const Op& op);

// Positions a load takes of a longer context, unless told how many.
inline constexpr int usualContext = 8192;

// f32 where all matrices that queries, keys and values come from are in float32: rounding to f16 would then lose most of
// the precision the file has. Else f16.
[[nodiscard]] KvType usualKvOf(const Plan& plan);

// A plan without parts is part 0.
[[nodiscard]] std::size_t partCount(const Plan& plan);
// Ops [first, last) of a part.
[[nodiscard]] std::pair<std::size_t, std::size_t> opsOfPart(const Plan& plan, std::size_t part);

// plan_builder.cpp. Errors: unsupported combinations (named).
[[nodiscard]] Result<Plan> buildPlan(const ModelConfig& config);
// plan_check.cpp: every id in range, shapes agree, every buffer written before it is read, no element type a kernel lacks.
[[nodiscard]] Result<void> checkPlan(const Plan& plan);
// plan_print.cpp: one line an op, for people.
[[nodiscard]] std::string toString(const Plan& plan);

}  // namespace minerva::model
