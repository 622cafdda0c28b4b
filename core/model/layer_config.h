// One layer of a model as data: its matrices, norms, attention, experts and mixers, with their options. All that distinguishes one
// architecture's layers from another's is here; model_config.h has what a model has once.
#pragma once

#include "core/tensor/tensor_view.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>
namespace minerva::model {

enum class NormKind { rms, layer };

// clampedSwiglu (gpt-oss) exists only as a gate: (clamp(up, -7, 7) + 1) * g * sigmoid(1.702 g) with g = min(gate, 7).
// relu: max(x, 0). reluSquared: its square. identity: x. softplus: log(1 + e^x), of an output gate only.
enum class Activation { silu, geluTanh, geluErf, clampedSwiglu, sigmoid, relu, reluSquared, identity, tanh, softplus };

// xIELU (Huang and Schlag 2024): positive x^2 + beta x for x > 0, else negative (e^min(x, epsilon) - 1 - x) + beta x.
struct Xielu {
  float positive, negative, beta, epsilon;
};

// Which elements of a head are rotated as a pair. Hugging Face files pair i with i + dimension / 2. GGUF files of the
// llama family store permuted rows of q and k so that 2i pairs with 2i + 1; some families (Cohere, GLM-4, DeepSeek-V2)
// use that layout natively.
enum class RopeLayout { halves, interleaved };

// Rotary position embedding with its scaling already applied: angle(p, i) = p * frequencies[i]; cos and sin are
// multiplied by magnitude (YaRN's attention factor; 1 otherwise).
struct Rope {
  RopeLayout layout = RopeLayout::halves;
  int dimension = 0;               // rotated elements per head, contiguous; even; 0: no rotation
  std::vector<float> frequencies;  // [dimension / 2], radians per position
  float magnitude = 1.0F;
  // LongRoPE: a sequence of more than `switchLength` tokens uses these frequencies for all its positions. Empty: no
  // switch.
  std::vector<float> longFrequencies;
  int switchLength = 0;
};

// Multiplies rotated queries by 1 + strength * ln(1 + floor((position + offset) / length)), which keeps attention sharp beyond the
// length a model was first trained for.
struct QueryTemperature {
  float strength = 0;  // 0: none
  float length = 1;
  int offset = 0;
  [[nodiscard]] double at(int position) const {
    return 1.0 + static_cast<double>(strength) * std::log1p(std::floor((position + offset) / static_cast<double>(length)));
  }
  bool operator==(const QueryTemperature&) const = default;
};

// The positions that a query at position p sees: [begin(p), end(p, length)). Usually all up to p.
struct Visible {
  int window = 0;  // none before p - window + 1; 0: no limit
  int chunk = 0;   // none before the multiple of `chunk` that is at or below p; 0: no limit
  // Also later ones, at most window - 1 away. All rows of a sequence must then be in one step.
  bool bidirectional = false;

  [[nodiscard]] int begin(int position) const {
    const int afterWindow = window > 0 ? position - window + 1 : 0;
    return std::max({0, afterWindow, chunk > 0 ? position / chunk * chunk : 0});
  }
  // length: positions of the sequence after the step.
  [[nodiscard]] int end(int position, int length) const {
    if (!bidirectional) return position + 1;
    return window > 0 ? std::min(length, position + window) : length;
  }
  // Positions more than this before p are never seen; 0: all are.
  [[nodiscard]] int reach() const {
    if (window > 0 && chunk > 0) return std::min(window, chunk);
    return window > 0 ? window : chunk;
  }
  bool operator==(const Visible&) const = default;
};

// ALiBi (Press et al. 2022): what a head's score loses per position between the query and the key. Of 2^k heads the slopes are
// 2^(-largest / 2^k), its square, ... and at last 2^-largest; the exponents of further heads are halfway between these.
[[nodiscard]] inline float alibiSlope(float largest, int head, int heads) {
  const int whole = static_cast<int>(std::bit_floor(static_cast<unsigned>(heads)));
  const double step = static_cast<double>(largest) / whole;
  return static_cast<float>(std::exp2(-step * (head < whole ? head + 1 : head - whole + 0.5)));
}

// A weight matrix [rows = outputs, columns = inputs] with its optional bias [rows].
struct Linear {
  TensorView weight;
  TensorView bias;  // empty: none
};

struct NormWeights {
  TensorView weight;           // [hidden]; empty: no norm
  TensorView bias;             // empty: none
  bool withoutWeight = false;  // a norm whose weights are all 1
  float times = 1;             // multiplies the weights; without these, only that of the queries may not be 1
  bool whole = false;          // the model's normPlus is not added to the weights
  float epsilon = 0;           // 0: the model's

  [[nodiscard]] bool present() const { return withoutWeight || !weight.empty(); }
};

// A norm of queries, keys or values: over each head (weights shared by all heads, or one set per head) or over all heads
// together.
struct HeadNorm {
  NormWeights weights;  // [headDim], or the elements of all heads; absent: none
  bool wholeWidth = false;
};

// One matrix of the feed-forward, for all experts.
struct ExpertMatrices {
  std::vector<TensorView> weights;  // one stack [experts, rows, columns], or one [rows, columns] per expert; empty: none
  TensorView bias;                  // [experts, rows]; empty: none
};

// How gate and up are stored: as separate matrices, or both in `gate`: gate in the first half of the rows and up in the
// second, or with alternating rows.
enum class GatePlace { separate, halves, alternating };

// What a router's logits become. sparseMixer (Phi-3.5 MoE): each of the two experts' weights is a softmax over only the logits that are
// within a relative distance of 0.02 of its own, without those already chosen.
enum class Scoring { softmax, sigmoid, sparseMixer };
// How a group of experts is ranked: by its largest score (DeepSeek-V2), or by the sum of its two largest (V3).
enum class GroupRank { largest, twoLargest };

// A mixture of experts, in place of the dense feed-forward or beside it. A router selects `used` of `count` experts for each token
// (RouteOp in plan.h says how).
struct Experts {
  int count = 0;  // 0: none
  int used = 0;
  int feedForwardSize = 0;
  bool normalised = true;
  float scale = 1.0F;
  int groups = 1, groupsUsed = 1;  // select only from the groupsUsed groups with the best rank
  Scoring scoring = Scoring::softmax;
  GroupRank groupRank = GroupRank::largest;
  TensorView selectionBias;  // [count], added to the scores for the selection only; empty: none
  TensorView expertScale;    // [count], multiplies the weights; empty: none
  bool scalesInput = false;  // the weights multiply the experts' input, not their result (Llama 4)
  bool gated = true;         // false: an expert is activation(up x), then down; `gate` is empty
  Linear router;             // [count, hidden]
  // The router reads the residual stream as it is before the layer's mixers add to it, not the experts' input. Without routerNorm and
  // sharedRouter.
  bool routesEarly = false;
  // The router's own input norm, of the residual stream, times routerScale [hidden]; absent: the experts' input.
  NormWeights routerNorm;
  float routerScale = 1;
  ExpertMatrices gate, up, down;
  TensorView resultBias;  // [hidden], added once to the sum of all experts; empty: none. Without a latent space
  GatePlace gatePlace = GatePlace::separate;
  // The routed experts work in a latent space, on latentDown [latent, hidden] of the input; latentUp [hidden, latent] maps the sum of their
  // results back. Empty: they work on the input itself. Without sharedRouter.
  Linear latentDown, latentUp;
  // Shared expert, applied to every token. Its result is scaled by the sigmoid of sharedRouter [1, hidden] times the
  // input; unscaled if sharedRouter is empty.
  int sharedSize = 0;
  Linear sharedGate, sharedUp, sharedDown;
  float gateLimit = 0, sharedGateLimit = 0;  // as LayerConfig::gateLimit, of the routed experts and of the shared one
  TensorView sharedRouter;
};

// Multi-head latent attention (DeepSeek-V2). The cache holds one normalised latent vector and one rotated key, shared by
// all heads. keyUp maps queries into the latent space and valueUp maps results out of it (the "absorbed" form).
struct LatentAttention {
  int latent = 0;                   // size of the latent vector; 0: ordinary attention
  int plainDim = 0, rotaryDim = 0;  // parts of a query head: [plain | rotary]
  int valueDim = 0;                 // result size per head
  Linear qDown;                     // [queryLatent, hidden]; empty: LayerConfig::q is applied to the hidden state directly
  NormWeights qNorm;                // [queryLatent]
  Linear latentDown;                // [latent, hidden]
  Linear keyDown;                   // [rotaryDim, hidden]
  NormWeights latentNorm;           // [latent]
  TensorView keyUp;                 // [heads, latent, plainDim]
  TensorView valueUp;               // [heads, valueDim, latent]
};

// Gated delta net (Qwen3-Next, Qwen 3.5, Kimi Linear): a linear attention with a matrix per value head (DeltaOp in plan.h).
struct DeltaNet {
  int keyHeads = 0, valueHeads = 0, keyDim = 0, valueDim = 0;  // keyHeads 0: none
  bool tiled = false;                                          // value head j uses key head j % keyHeads, else j / (valueHeads / keyHeads)
  Linear q, k, v;                                              // [heads * dim, hidden]; fused in the file: q has the rows of all three
  Linear z;                                                    // [valueHeads * valueDim, hidden]: the gate of the result
  Linear b, a;                                                 // [valueHeads, hidden]; with channelDecay a is [valueHeads * keyDim, hidden]
  Linear zDown, aDown;           // [rank, hidden]: z and a are applied to their results, not to the hidden state; empty: none
  bool channelDecay = false;     // a decay per channel of the keys
  bool sigmoidGate = false;      // the result's gate is the sigmoid of z, not its silu
  int convolution = 0;           // width
  TensorView convolutionWeight;  // [channels of q, k and v, width]
  TensorView decay;              // [valueHeads]: -e^x of it if decayIsLog
  bool decayIsLog = false;
  TensorView stepBias;  // [valueHeads], with channelDecay [valueHeads * keyDim]
  NormWeights norm;     // [valueDim], not zero-centred
  Linear out;           // [hidden, valueHeads * valueDim]
};

// Mamba 2 (ScanOp in plan.h), whose `in` gives [z | x | B | C | dt]; or Mamba, whose `in` gives [x | z]: its B, C and dt, one per channel,
// are made from the convolved x. All channels of Mamba are one head.
struct Mamba {
  int heads = 0, headDim = 0, groups = 0, stateSize = 0;  // heads 0: none
  Linear in;                                              // [2 * heads * headDim + 2 * groups * stateSize + heads, hidden]
  int convolution = 0;                                    // width
  TensorView convolutionWeight, convolutionBias;          // [channels of x, B and C, width], [channels]; Mamba: channels of x
  int stepRank = 0;                                       // 0: Mamba 2
  Linear select;                                          // Mamba: [stepRank + 2 * stateSize, channels] gives [dt of low rank | B | C]
  NormWeights stepNorm, keyNorm;                          // of these: [stepRank], [2, stateSize] for B and for C; absent: none
  Linear step;                                            // [channels, stepRank], without its bias
  TensorView decay;                                       // [heads], Mamba [channels, stateSize]: -e^x of it if decayIsLog
  bool decayIsLog = false;
  TensorView stepBias, skip;  // [heads], Mamba [channels]
  float stepMin = 0, stepMax = std::numeric_limits<float>::infinity();
  NormWeights norm;             // [heads * headDim], after the gate, over each of the `groups`; absent: only the gate
  Linear out;                   // [hidden, heads * headDim]
  std::vector<float> inScales;  // multiply z, x, B, C and dt, where `in` has no bias; empty: all 1
  float resultScale = 1;        // multiplies the result of `out`

  // The rows of `in` of Mamba 2 that z, x, B, C and dt are made by.
  [[nodiscard]] std::array<int, 5> inSections() const {
    const int inner = heads * headDim, states = groups * stateSize;
    return {inner, inner, states, states, heads};
  }
};

// Gated short convolution (LFM2): out(C * conv(B * x)) with [B | C | x] = in(h).
struct ShortConvolution {
  int width = 0;            // 0: none
  Linear in, out;           // [3 * hidden, hidden], [hidden, hidden]
  TensorView weight, bias;  // [hidden, width], [hidden]
};

// Per-layer input (Gemma 4): x += norm(projection(activation(gate(x)) * this layer's part of the token's input vector)).
struct PerLayerInput {
  Linear gate;        // [size, hidden]; empty: none
  Linear projection;  // [hidden, size]
  NormWeights norm;   // [hidden]
};

// What a layer with several residual streams (AltUp, Baykal et al. 2023, "Alternating Updates for Efficient Transformers") has beside its
// blocks, which run on the first stream only (MixOp in plan.h): coefficients from the modalities tanh(router(norm(x))), of the first stream
// before the layer, which predicts all streams, and of the blocks' result, which corrects them. The per-layer input reads the first
// corrected stream, times resultScale, and is added to the others.
struct StreamMixing {
  NormWeights routerNorm;         // [hidden]
  Linear router;                  // [streams, hidden]; empty: the model has one stream
  Linear prediction, correction;  // [streams^2, streams], [streams, streams]
  TensorView resultScale;         // [hidden]; empty: 1
};

// A learned residual of low rank beside the mixers (LAuReL, Menghani et al. 2024). With n the mixers' normalised input:
// x = (x + mixers + n + norm(right(left(n)))) / sqrt(2).
struct LowRankResidual {
  Linear left, right;  // [rank, hidden], [hidden, rank]
  NormWeights norm;    // [hidden]
};

// A layer is a mixer, or several that read the same normalised input and whose results are added (Falcon H1), followed by a
// feed-forward; either may be absent. Mixers: attention (headCount > 0), DeltaNet, Mamba, ShortConvolution. Without attention, `o` may be a
// mixer by itself: a matrix [hidden, hidden].
struct LayerConfig {
  int headCount = 0;
  int kvHeadCount = 0;  // divides headCount
  int headDim = 0;
  int valueDim = 0;  // of the values, if they have another size
  Visible visible;
  int feedForwardSize = 0;
  int rope = 0;                                                // index into ModelConfig::ropes; -1: no rotation
  float attentionScale = 0;                                    // 0: the model's
  float attentionResultScale = 1, feedForwardResultScale = 1;  // multiply the results of `o` and `down`, where no norm follows them
  NormWeights attentionNorm;  // input norm of the mixers; absent in families that only normalise block outputs
  Linear q, k, v, o;
  HeadNorm qNorm, kNorm, vNorm;
  bool normsRotated = false;  // q and k are normalised after the rotation
  QueryTemperature temperature;
  // Multiplies the attention's result, after its activation: [headCount * value size, hidden], or [headCount, hidden] for all elements of a
  // head; empty: none.
  Linear outputGate;
  Activation outputGateActivation = Activation::sigmoid;
  int kvFrom = -1;   // layer whose keys and values are used; this one has no k and v
  TensorView sinks;  // [headCount]: an extra logit in each head's softmax, without a value; empty: none
  DeltaNet deltaNet;
  Mamba mamba;
  ShortConvolution shortConvolution;
  NormWeights postAttentionNorm;  // applied to the mixer's result before the residual add
  NormWeights feedForwardNorm;    // absent if parallel blocks share attentionNorm's result
  Linear gate, up, down;          // gate.weight empty: no gating; down.weight empty: no dense feed-forward
  NormWeights postFeedForwardNorm;
  // Norms of the residual stream itself, after the mixer's and after the feed-forward's result was added (BERT). The latter may stand
  // alone, but not in the last layer.
  NormWeights attentionSumNorm, feedForwardSumNorm;
  // With these: the attention's result is the norm of its sum with the residual stream, which that is added to again (Jina, for code).
  NormWeights attentionResultNorm;
  LatentAttention latentAttention;
  Experts experts;
  // With a dense feed-forward and experts side by side: the norms of each result, and the experts' own input norm. postFeedForwardNorm
  // is then applied to their sum.
  NormWeights postDenseNorm, expertsNorm, postExpertsNorm;
  // Of the dense feed-forward. Only gates that are more than this many standard deviations above their mean are used (ThresholdOp).
  std::optional<float> gateDeviations;
  float gateLimit = 0;         // of the dense feed-forward: gates are at most this, what they multiply is within +- this; 0: no limit
  std::optional<Xielu> xielu;  // in place of the model's activation; only without a gate
  PerLayerInput perLayerInput;
  StreamMixing streamMixing;
  LowRankResidual lowRankResidual;
  TensorView scale;  // [1]: multiplies the residual stream at the layer's end; empty: none

  [[nodiscard]] bool hasAttention() const { return headCount > 0; }
  [[nodiscard]] int valueSize() const { return valueDim > 0 ? valueDim : headDim; }
  [[nodiscard]] bool hasDense() const { return !down.weight.empty(); }
  [[nodiscard]] bool hasExperts() const { return experts.count > 0; }
};

}  // namespace minerva::model
