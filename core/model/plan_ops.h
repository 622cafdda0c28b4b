// The fused ops of a Plan, each with what it computes.
//
// Notation: n = rows (tokens) of this step, h = hidden size, d = head dimension. Activations are float32 row vectors, one row per token
// of the step; buffers and weights are indices into the Plan's.
#pragma once

#include "core/model/model_config.h"
#include "core/tensor/tensor_view.h"

#include <cmath>
#include <string>
#include <variant>
#include <vector>
namespace minerva::model {

using BufferId = int;
using WeightId = int;  // -1: none
inline constexpr int none = -1;

// Applied to every element of a vector when it is placed: times * f(stored) + plus, f(x) = -e^x if negatedExp, else x.
struct VectorForm {
  float plus = 0;
  float times = 1;
  bool negatedExp = false;  // state space models store log(-A)
  [[nodiscard]] float operator()(float stored) const { return times * (negatedExp ? -std::exp(stored) : stored) + plus; }
  auto operator<=>(const VectorForm&) const = default;
};

struct Buffer {
  std::string name;
  int columns = 0;          // float32 elements per row
  bool outputRows = false;  // rows only for the tokens of the step that want logits (else for every token)
};

struct Weight {
  std::string name;  // for errors and tools, such as "layer 3 q"
  TensorView view;   // matrices [rows, columns]; stacks for heads or experts [count, rows, columns]; vectors [columns]
  VectorForm form;   // vectors only: how the stored elements become the elements that ops use
};

// out[n, h] = scale * table[token] (+ positions[position], for learned positions) (+ types[type of the token])
struct EmbedOp {
  WeightId table;
  float scale;
  BufferId out;
  WeightId positions = none;  // [positions, h]; limits the context length to its rows
  WeightId types = none;      // [types, h]
  bool elseFirst = false;     // the table may have fewer rows than the vocabulary: a token beyond them has the first row
};

// Normalisation of a row. rms: x / sqrt(mean(x^2) + eps) * w; layer: (x - mean) / sqrt(var + eps) * w + b. Without a weight, w is 1.
struct Norm {
  NormKind kind = NormKind::rms;
  float epsilon = 0;
  WeightId weight = none;
  WeightId bias = none;
};

// out = scale * norm(in), or out += scale * norm(in) if add. Used if the normalised row itself is needed,
// or if the norm ends a block. group > 0: runs of `group` elements are normalised separately, with the weights [group] or [columns].
struct NormOp {
  BufferId in;
  Norm norm;
  bool add;
  float scale;
  BufferId out;
  int group = 0;
};

// out[:, column + c] *= activation(gate[:, gateColumn + c / group]) for c < columns. With a limit out = clamp(out, -limit, limit) *
// min(activation, limit). `gate` may be `out` itself, at columns that do not overlap.
struct GateOp {
  BufferId gate;
  int gateColumn;
  Activation activation;
  BufferId out;
  int column, columns;
  int group = 1;    // columns that one gate multiplies
  float limit = 0;  // 0: none
};

// The end of a recurrent mixer, in place: for every run of `group` elements of x, with g = silu(gate[:, gateColumn ..)):
// x = norm(x * g) if gateFirst, else norm(x) * g. The norm's weights are [group] or [columns of x].
struct GatedNormOp {
  BufferId gate;
  int gateColumn;
  Norm norm;
  int group;
  bool gateFirst;
  BufferId x;
};

// out *= scale, a vector [columns of out], or [1] for all of them.
struct ScaleOp {
  WeightId scale;
  BufferId out;
};

// In place, for each row: x = max(0, x - (mean + deviations * deviation)) with the row's mean and standard deviation, so that about a
// fixed share of the elements remains.
struct ThresholdOp {
  float deviations;
  BufferId x;
};

// In place: x = xIELU(x).
struct XieluOp {
  Xielu form;
  BufferId x;
};

// In place: every run of x, as wide as `like`, gets the root mean square of the row of `like`: x *= rms(like) / sqrt(max(mean(x^2),
// floor)).
struct LevelOp {
  BufferId like;
  float floor;
  BufferId x;
};

// Several streams h_0, h_1, ... of the same width, in place, with coefficients c of each row; the sums read what the streams were before:
//   without a target: h_i += sum over j of c[i * streams + j] * h_j
//   with one:         h_i += (1 + c[i]) * (target - h_0)
inline constexpr int mostStreams = 8;
struct MixOp {
  std::vector<BufferId> streams;
  BufferId coefficients;
  BufferId target = none;
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
// all heads, all heads together. The weights are [group], or [all heads] if each head has its own; or absent.
struct HeadNormStep {
  Norm norm;
  int group = 0;  // 0: no norm
  [[nodiscard]] bool present() const { return group > 0; }
};

// Operates on the qkv buffer, whose first columns are [q heads | k heads | v heads] with headDim, headDim and valueDim elements each:
// limits their absolute values, normalises q, k and v, rotates q and k in place starting at element ropeOffset of each head, then stores k
// and v of each row in a KV state at the row's position. kv none: a later attention reads the state of another layer; the buffer has
// queries only (kvHeadCount 0).
struct RopeKvOp {
  int kv;  // index into Plan::kv
  int headCount, kvHeadCount, headDim, valueDim;
  int rope;  // index into Plan::ropes; none: no rotation
  int ropeOffset = 0;
  HeadNormStep qNorm{}, kNorm{}, vNorm{};
  bool normsRotated = false;    // q and k are normalised after their rotation, not before
  bool valuesFromKeys = false;  // the buffer has no v; a value is the first valueDim elements of the head's stored key
  QueryTemperature temperature{};
  BufferId qkv = none;
  float limit = 0;  // 0: none. Only without norms, and where whole heads are rotated and stored
};

// out[n, headCount * valueDim] = softmax(cap(scale q k^T) - slope * distance) v over the visible positions of a KV state, where
// cap(s) = softCap * tanh(s / softCap), or s if softCap is 0, and the distance is that of the two positions, with a slope of each head
// (alibiSlope), or none if alibi is 0. sinks: an extra logit per head that takes part in the softmax but has no value. The queries are the
// first columns of `qkv`.
struct AttentionOp {
  int kv;  // index into Plan::kv
  int headCount, kvHeadCount, headDim, valueDim;
  Visible visible;
  float scale;
  BufferId qkv;
  BufferId out;
  float softCap = 0;
  WeightId sinks = none;  // [headCount]
  float alibi = 0;
};

// Causal depthwise convolution along a sequence: out[t, c] = f(sum over j of weight[c, j] * in[t - width + 1 + j, column + c] + bias[c]),
// j = 0 .. width - 1; inputs before the sequence's first token are 0; f is silu, or nothing. The recurrent state is
// [width - 1, channels]: a sequence's last inputs, oldest first.
struct ConvOp {
  BufferId in;
  int column, channels, width;
  WeightId weight;       // a vector [channels, width]
  WeightId bias = none;  // [channels]
  bool activated;
  int state;  // index into Plan::recurrent
  BufferId out;
};

// The gated delta rule (Yang et al. 2024, "Gated Delta Networks") with a state S [keyDim, valueDim] per value head:
//   q, k = q / |q| / sqrt(keyDim), k / |k|, where |x| = sqrt(sum x^2 + 1e-6);  g = decay * softplus(a + bias);  beta = sigmoid(b)
//   S = e^g S;  d = beta (v - k^T S);  S = S + k d^T;  out = q^T S
// in: [q heads | k heads | v heads], keyHeads, keyHeads and valueHeads of them. b and a are columns of `gates`, one per value head; with
// channelDecay, a and bias have one per key channel of each value head, [valueHeads, keyDim], and e^g scales the rows of S (Kimi Delta
// Attention). Value head j uses key head j / (valueHeads / keyHeads), or j % keyHeads if tiled.
struct DeltaOp {
  BufferId in;
  BufferId gates;
  int betaColumn, decayColumn;
  int keyHeads, valueHeads, keyDim, valueDim;
  bool tiled = false, channelDecay = false;
  WeightId decay;  // [valueHeads], negative
  WeightId bias;
  int state;  // index into Plan::recurrent: [valueHeads * keyDim, valueDim]
  BufferId out;
};

// The selective scan of Mamba 2 (Dao and Gu 2024) with a state H [headDim, stateSize] per head. x is the first heads * headDim columns of
// `in`; [B | C], groups * stateSize columns each, are columns of `keys`. Head j uses group j / (heads / groups):
//   dt = clamp(softplus(dt + bias), dtMin, dtMax);  H = e^(dt * decay) H + dt x B^T;  out = H C + skip x
// With channelDecay, dt, bias and skip have one per element of each head and decay one per element of the state, so that every row of H
// decays by factors of its own (Mamba, Gu and Dao 2023).
struct ScanOp {
  BufferId in;
  BufferId keys;
  int keyColumn;
  BufferId steps;  // dt begin at column dtColumn
  int dtColumn;
  int heads, headDim, groups, stateSize;
  bool channelDecay = false;
  WeightId decay, bias, skip;  // [heads]; with channelDecay [heads * headDim, stateSize] and [heads * headDim]; decay is negative
  float dtMin, dtMax;
  int state;  // index into Plan::recurrent: [heads * headDim, stateSize]
  BufferId out;
};

// Selects `used` experts for each row from the logits [n, experts (+ 1 if sharedGate)] and writes out[n, 2 * used (+ 1)]
// = [expert indices as floats | their weights | the shared expert's weight].
// Scores are the softmax or the sigmoid of the logits. Selection: largest score + selectionBias, ties to the lower index; with
// groups > 1 only from the groupsUsed groups with the best rank. Weights: the scores, divided by the sum of the selected ones if
// normalised, times scale and the expert's own expertScale. The shared expert's weight is the sigmoid of the last logit. If one of a row's
// logits or a bias is not a number, neither are its weights, whichever experts are chosen: a damaged router must not go unnoticed.
struct RouteOp {
  BufferId logits;
  int experts, used;
  bool normalised;
  float scale;
  int groups, groupsUsed;
  bool sharedGate;
  BufferId out;
  Scoring scoring = Scoring::softmax;
  GroupRank groupRank = GroupRank::largest;
  WeightId selectionBias = none;  // [experts]
  WeightId expertScale = none;    // [experts]
};

// out[:, s * h ..) = weight_s * in for each of the `used` experts in slot s: for models that scale the experts' input.
struct SpreadOp {
  BufferId in;
  BufferId route;
  int used;
  BufferId out;
};

// One matrix for all experts: one stack [experts, rows, columns], or one [rows, columns] per expert. bias: [experts,
// rows].
struct ExpertPart {
  std::vector<WeightId> weights;
  WeightId bias;
};

// For each row and each of its `used` experts e, in slot s = 0 .. used - 1:
//   stored: out[:, s * rows ..] = W_e x + b_e                               (one part; activation identity)
//   activated: the same with another activation
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

// out (+)= scale * (sum over the used experts of weight_s * in[:, s * h ..)  +  shared weight * shared  +  bias). weight_s is 1 if not
// weighted.
struct CombineOp {
  BufferId in;     // [n, used * h]
  BufferId route;  // none: a plain sum, neither weighted nor with a shared expert's weight
  int used;
  BufferId shared;  // [n, h], or none
  bool sharedGate;  // the shared expert's weight is in route; else it is 1
  float scale;
  BufferId out;
  bool add = true;  // false: `out` is overwritten
  bool weighted = true;
  WeightId bias = none;  // [h]
};

// Copies the rows of the tokens that want logits: out[m, h] from in[n, h].
struct GatherOp {
  BufferId in;
  BufferId out;
};

// out[m, h]: for each row that wants a result, the rows of its text up to it as one: their mean, or the first or last of them. Only in
// plans with whole texts (Plan::embedding), where they are the rows before it in the step, as many as its position says.
struct PoolOp {
  BufferId in;
  Pooling pooling;
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

using Op = std::variant<EmbedOp, NormOp, ProjOp, HeadProjOp, RopeKvOp, AttentionOp, RouteOp, ExpertOp, CombineOp, GatherOp, HeadOp, GateOp,
                        GatedNormOp, ScaleOp, SpreadOp, ConvOp, DeltaOp, ScanOp, PoolOp, ThresholdOp, XieluOp, LevelOp, MixOp>;

}  // namespace minerva::model
