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
  std::string name;   // for errors and tools: "layer 3 q"
  TensorView view;    // matrices [rows, columns]; vectors [columns]
};

// out[n, h] = embedding row of each token, times scale.
struct EmbedOp {
  WeightId table;
  float scale;
  BufferId out;
};

// Normalisation of a row: rms: x / sqrt(mean(x^2) + eps) * w ; layer: (x - mean) / sqrt(var + eps) * w + b.
struct Norm {
  NormKind kind;
  float epsilon;
  WeightId weight;
  WeightId bias;
};

// One matrix of a projection: out[:, column .. column + rows) = x W^T + b.
struct ProjPart {
  WeightId weight;
  WeightId bias;
  int column;
};

enum class Epilogue {
  store,      // out = y
  add,        // out = out + y (the residual)
  gated,      // two parts of the same size: out = activation(part 0) * part 1, half the columns
  activated,  // out = activation(y)
};

// out = epilogue(parts(norm(in))). All parts share the (normalised) input: q, k, v or gate, up go together.
struct ProjOp {
  BufferId in;
  bool normalised;  // false: `norm` is not applied
  Norm norm;
  std::vector<ProjPart> parts;
  Epilogue epilogue;
  Activation activation;
  BufferId out;
};

// Rotates q and k in place in the qkv buffer ([q heads | k heads | v heads], each of headDim), then stores k and v of each
// row at its position in the layer's KV cache.
struct RopeKvOp {
  int layer;
  int headCount, kvHeadCount, headDim;
  bool rotary;      // false: only the store
  BufferId qkv;
};

// out[n, headCount * d] = softmax(scale q k^T, causal, window) v over the layer's KV cache.
struct AttentionOp {
  int layer;
  int headCount, kvHeadCount, headDim;
  int window;       // 0: all
  float scale;
  BufferId qkv;
  BufferId out;
};

// Copies the rows of tokens that want logits: out[m, h] from in[n, h].
struct GatherOp {
  BufferId in;
  BufferId out;
};

// logits[m, vocabulary] = norm(in) W^T (* scale): like ProjOp, its own kind because its result is what a step returns.
struct HeadOp {
  BufferId in;
  Norm norm;
  WeightId weight;
  WeightId bias;
  float scale;
  BufferId out;
};

using Op = std::variant<EmbedOp, ProjOp, RopeKvOp, AttentionOp, GatherOp, HeadOp>;

// What one layer's KV cache holds per position.
struct KvLayer {
  int kvHeadCount, headDim;
  int window;  // 0: every position is needed; else only the last `window`
};

struct Plan {
  std::vector<Buffer> buffers;
  std::vector<Weight> weights;
  std::vector<Op> ops;
  std::vector<KvLayer> kv;  // one a layer
  Rope rope;
  int hiddenSize = 0;
  int vocabularySize = 0;
  int contextLength = 0;    // the model's own
  BufferId logits = none;

  // Bytes of weights a decode step reads: all of them, but of the embedding table only one row a token.
  [[nodiscard]] std::uint64_t weightBytesPerToken() const;
  // Bytes of KV a cached position takes over all layers, in 16-bit floats.
  [[nodiscard]] std::uint64_t kvBytesPerPosition() const;
};

[[nodiscard]] const char* name(const Op& op);
[[nodiscard]] std::vector<BufferId> reads(const Op& op);
[[nodiscard]] std::vector<BufferId> writes(const Op& op);
// Every weight an op uses. A tied head has the same id as the embedding table.
[[nodiscard]] std::vector<WeightId> weightsOf(const Op& op);
// Stage of the KV cache an op touches: -1 none; else the layer.
[[nodiscard]] int kvLayerRead(const Op& op);
[[nodiscard]] int kvLayerWritten(const Op& op);

// plan_builder.cpp. Errors: unsupported combinations (named).
[[nodiscard]] Result<Plan> buildPlan(const ModelConfig& config);
// plan_check.cpp: every id in range, shapes agree, every buffer written before it is read, no element type a kernel lacks.
[[nodiscard]] Result<void> checkPlan(const Plan& plan);
// plan_print.cpp: one line an op, for people.
[[nodiscard]] std::string toString(const Plan& plan);

}  // namespace minerva::model
