// The configuration of one model as data: everything buildPlan needs, independent of file format and model family.
//
// families/<family>.cpp fills it from a ModelFile (metadata and tensor names); plan_builder.cpp turns it into a Plan.
// Later stages do not depend on the architecture's name. A value type whose views point into the ModelFile, which must
// outlive it.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"
#include "core/tensor/tensor_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace minerva::model {

enum class NormKind { rms, layer };

// clampedSwiglu (gpt-oss) exists only as a gate: (clamp(up, -7, 7) + 1) * g * sigmoid(1.702 g) with g = min(gate, 7).
enum class Activation { silu, geluTanh, geluErf, clampedSwiglu };

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

// A weight matrix [rows = outputs, columns = inputs] with its optional bias [rows].
struct Linear {
  TensorView weight;
  TensorView bias;  // empty: none
};

struct NormWeights {
  TensorView weight;  // [hidden]; empty: no norm
  TensorView bias;    // empty: none

  [[nodiscard]] bool present() const { return !weight.empty(); }
};

// A norm of queries or keys: over each head (weights shared by all heads, or one set per head) or over all heads
// together.
struct HeadNorm {
  NormWeights weights;  // [headDim], or the elements of all heads; empty: none
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

// A mixture of experts in place of the dense feed-forward. The router's logits select `used` of `count` experts for each
// token; their weights are a softmax over all experts, or over the selected ones (normalised), times scale.
struct Experts {
  int count = 0;  // 0: the layer is dense
  int used = 0;
  int feedForwardSize = 0;
  bool normalised = true;
  float scale = 1.0F;
  int groups = 1, groupsUsed = 1;  // DeepSeek-V2: select only from the groupsUsed groups with the largest logits
  Linear router;                   // [count, hidden]
  ExpertMatrices gate, up, down;
  GatePlace gatePlace = GatePlace::separate;
  // Shared expert, applied to every token. Its result is scaled by the sigmoid of sharedRouter [1, hidden] times the
  // input; unscaled if sharedRouter is empty.
  int sharedSize = 0;
  Linear sharedGate, sharedUp, sharedDown;
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

struct LayerConfig {
  int headCount = 0;
  int kvHeadCount = 0;  // divides headCount
  int headDim = 0;
  int window = 0;  // a query at p sees keys in (p - window, p]; 0: all
  int feedForwardSize = 0;
  int rope = 0;               // index into ModelConfig::ropes; -1: no rotation
  NormWeights attentionNorm;  // input norm; absent in families that only normalise block outputs
  Linear q, k, v, o;
  HeadNorm qNorm, kNorm;
  TensorView sinks;               // [headCount]: an extra logit in each head's softmax, without a value; empty: none
  NormWeights postAttentionNorm;  // applied to o's result before the residual add
  NormWeights feedForwardNorm;    // absent if parallel blocks share attentionNorm's result
  Linear gate, up, down;          // gate.weight empty: no gating
  NormWeights postFeedForwardNorm;
  LatentAttention latentAttention;
  Experts experts;
};

struct ModelConfig {
  std::string family;       // "llama", "gemma2": the row in families/table.cpp
  std::string displayName;  // the name stored in the file, else the file's name
  int vocabularySize = 0;
  int hiddenSize = 0;
  int contextLength = 0;  // the longest context the model was trained for
  NormKind norm = NormKind::rms;
  float normEpsilon = 1e-5F;
  Activation activation = Activation::silu;
  float normPlus = 0;          // added to the weights of every norm (Gemma's files store weight - 1)
  float attentionScale = 0;    // multiplies q.k, usually 1 / sqrt(headDim)
  float attentionSoftCap = 0;  // c: scores become c tanh(score / c); 0: none
  float embeddingScale = 1;
  float residualScale = 1;  // multiplies what each block adds to the residual stream
  float logitScale = 1;
  float logitSoftCap = 0;
  bool parallelBlocks = false;  // attention and feed-forward read the same x; both results are added
  std::vector<Rope> ropes;
  TensorView tokenEmbedding;     // [vocabulary, hidden]
  TensorView positionEmbedding;  // [positions, hidden], added to the token embedding; empty: none
  std::vector<LayerConfig> layers;
  NormWeights outputNorm;
  Linear head;  // the same view as tokenEmbedding if tied
  bool tiedHead = false;
  std::uint64_t parameters = 0;
  std::vector<std::string> warnings;
};

// Reads the architecture's name from the file and lets its family fill the config. Every number is checked against Limits
// (families/reader.h), every tensor against its expected shape. Errors: unsupported (architecture; names it and lists the
// supported ones), corrupt (a contradictory value or shape).
[[nodiscard]] Result<ModelConfig> readModelConfig(const format::ModelFile& file);

// Names of the supported families, for messages.
[[nodiscard]] std::vector<std::string> supportedFamilies();

}  // namespace minerva::model
