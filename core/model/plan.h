// A Plan: a model's forward pass as a flat list of fused ops over named buffers. All backends run the same plans.
//
// Built by plan_builder, validated by plan_check, immutable afterwards. reads() and writes() give the buffers of each op;
// backends derive barriers and buffer reuse from them. Activations are float32 row vectors, one row per token of the
// step. Weights are indices into Plan::weights, whose views point into the ModelFile (which must outlive the plan).
// The ops are in plan_ops.h.
#pragma once

#include "core/base/error.h"
#include "core/model/plan_ops.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace minerva::model {

// What a sequence keeps between steps, of two kinds. A KV state has keys and values for every position. It can be cut back to any length.
struct KvState {
  int kvHeadCount, headDim, valueDim;
  int window;  // 0: all positions are kept; else only the last `window` are needed
};

// A recurrent state has a fixed size: float32 [rows, columns], replaced by every token, all zeros before position 0. It cannot be cut
// back: returning to an earlier position needs a checkpoint (backend.h).
struct RecurrentState {
  std::string name;  // "layer 3 delta rule"
  int rows, columns;
};

// Element type of stored keys and values.
enum class KvType {
  f16,
  q8_0,  // 8-bit codes with one scale per group of up to 32 elements of a head: about half the memory of f16
  f32,
};
[[nodiscard]] const char* name(KvType type);  // "f16", "q8_0", "f32"
// Bytes of a KV state per position, without device-specific padding.
[[nodiscard]] std::uint64_t bytesPerPosition(const KvState& state, KvType type);

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
  std::vector<KvState> kv;
  std::vector<RecurrentState> recurrent;
  std::vector<std::size_t> layerBegins;  // index of each layer's first op, then of the first op after the last layer; empty: unknown
  std::vector<PlanPart> parts;           // empty: a single part without external inputs or outputs
  std::vector<Rope> ropes;
  int hiddenSize = 0;
  int vocabularySize = 0;
  int contextLength = 0;         // the model's maximum
  KvType usualKv = KvType::f16;  // usualKvOf()
  BufferId logits = none;        // none: the head is on another device, or the model makes vectors of texts
  // Every row behind the output norm, which the plan's only part sends; none: not asked for. The plan of a prediction receives, for each
  // row, [embedding of the next token | such a row of the position] in `pairs`.
  BufferId hidden = none;
  BufferId pairs = none;
  // The vector of each text; none: the model predicts tokens. Such a plan runs whole texts: all rows of a text are in one step, next to
  // each other, from position 0 on, and the last of them wants the result. Nothing is kept between steps, so the layers may use one state
  // in turn.
  BufferId embedding = none;

  // What a step gives for each row that wants it: logits, or the vector of the text that ends there. none: on another device.
  [[nodiscard]] BufferId result() const { return embedding != none ? embedding : logits; }
  [[nodiscard]] int resultColumns() const { return result() == none ? 0 : buffers[static_cast<std::size_t>(result())].columns; }

  // Bytes of weights that a decode step reads: all of them, except one row per token of embedding tables and only the
  // used share of experts.
  [[nodiscard]] std::uint64_t weightBytesPerToken() const;
  [[nodiscard]] std::uint64_t weightBytesPerToken(std::span<const Op> some) const;  // of these ops of the plan
  // Over all KV states.
  [[nodiscard]] std::uint64_t kvBytesPerPosition(KvType type) const;
  // Bytes of all recurrent states of one sequence.
  [[nodiscard]] std::uint64_t recurrentBytes() const;
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
// The KV state an op reads or writes, and the recurrent state it replaces; -1: none.
[[nodiscard]] int kvStateRead(const Op& op);
[[nodiscard]] int kvStateWritten(const Op& op);
[[nodiscard]] int recurrentStateOf(const Op& op);

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
enum class Gives { logits, logitsAndHidden };
[[nodiscard]] Result<Plan> buildPlan(const ModelConfig& config, Gives gives = Gives::logits);
// Of the layer that predicts further tokens, with a KV state and logits of its own. Of a large vocabulary it has those of the first half,
// but predictedTokens or more: merges that are learned early are the usual ones (bench/results says what the others are worth), and
// each drafted token reads all rows of the head. REQUIRES config.prediction.
inline constexpr int predictedTokens = 100'000;
[[nodiscard]] Result<Plan> buildPredictionPlan(const ModelConfig& config);
// plan_check.cpp: ids in range, matching shapes, buffers written before they are read, element types that kernels
// support.
[[nodiscard]] Result<void> checkPlan(const Plan& plan);
// plan_print.cpp: human-readable, one line per op.
[[nodiscard]] std::string toString(const Plan& plan);

}  // namespace minerva::model
