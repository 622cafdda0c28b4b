// One model, described as data: everything a plan needs to know, whatever file and family it came from.
//
// families/<family>.cpp fills it from a ModelFile (metadata + tensor names); plan_builder.cpp turns it into a Plan. After
// that nobody asks for the architecture's name. Views point into the ModelFile, which must outlive this. Plain values.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"
#include "core/tensor/tensor_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace minerva::model {

enum class NormKind { rms, layer };

// clampedSwiglu is gpt-oss's and only gates: (clamp(up, -7, 7) + 1) * g * sigmoid(1.702 g) with g = min(gate, 7).
enum class Activation { silu, geluTanh, geluErf, clampedSwiglu };

// Which elements of a head rotate together: Hugging Face files pair i with i + dimension / 2; GGUF files of the llama family
// store q and k rows permuted so that 2i pairs with 2i + 1, and some families (Cohere, GLM-4, DeepSeek-V2) are made that way.
enum class RopeLayout { halves, interleaved };

// Rotary position embedding, with its scaling already worked out: angle(p, i) = p * frequencies[i], and
// cos / sin are multiplied by magnitude (YaRN's attention factor; 1 otherwise).
struct Rope {
  RopeLayout layout = RopeLayout::halves;
  int dimension = 0;               // rotated elements per head, a run of them; even; 0: no rotation
  std::vector<float> frequencies;  // [dimension / 2], radians per position
  float magnitude = 1.0F;
  // LongRoPE: a sequence of more than `switchLength` tokens rotates all its positions by these (empty: there is no switch).
  std::vector<float> longFrequencies;
  int switchLength = 0;
};

// A weight matrix [rows = outputs, columns = inputs] with its optional bias [rows].
struct Linear {
  TensorView weight;
  TensorView bias;  // empty: none
};

struct NormWeights {
  TensorView weight;  // [hidden]; empty: there is no such norm
  TensorView bias;    // empty: none

  [[nodiscard]] bool present() const { return !weight.empty(); }
};

// A norm of queries or keys: over all their heads together, or over each head (its weights shared, or one set a head).
struct HeadNorm {
  NormWeights weights;  // [headDim], or all heads' elements; empty: none
  bool wholeWidth = false;
};

// The matrices of all experts for one step of the feed-forward.
struct ExpertMatrices {
  std::vector<TensorView> weights;  // one [experts, rows, columns], or one [rows, columns] an expert; empty: none
  TensorView bias;                  // [experts, rows]; empty: none
};

// Where gate and up stand: each in matrices of its own, or both in `gate`: its upper half the gate, or its rows in turn
// gate and up.
enum class GatePlace { separate, halves, alternating };

// A mixture of experts in place of the feed-forward. The router's logits of a token choose `used` experts of `count`;
// their shares are the softmax over all experts, or (normalised) over the chosen ones, times scale.
struct Experts {
  int count = 0;  // 0: the layer is dense
  int used = 0;
  int feedForwardSize = 0;
  bool normalised = true;
  float scale = 1.0F;
  int groups = 1, groupsUsed = 1;  // experts of the groups with the largest logit only (DeepSeek-V2)
  Linear router;                   // [count, hidden]
  ExpertMatrices gate, up, down;
  GatePlace gatePlace = GatePlace::separate;
  // An expert every token passes through; sharedGate [1, hidden] (empty: none): times sigmoid of its product with the input.
  int sharedSize = 0;
  Linear sharedGate, sharedUp, sharedDown;
  TensorView sharedRouter;
};

// Multi-head latent attention (DeepSeek-V2): the cache holds, for all heads together, a normalised latent vector and one
// rotated key. Queries are taken into the latent space by keyUp, results out of it by valueUp (the "absorbed" form).
struct LatentAttention {
  int latent = 0;                   // size of the latent vector; 0: the layer has ordinary attention
  int plainDim = 0, rotaryDim = 0;  // of a query head: [plain | rotary]
  int valueDim = 0;                 // of a head's result
  Linear qDown;                     // [queryLatent, hidden]; empty: LayerConfig::q takes the hidden state itself
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
  NormWeights attentionNorm;  // before; absent in families that only norm results
  Linear q, k, v, o;
  HeadNorm qNorm, kNorm;
  TensorView sinks;               // [headCount]: a logit more in each head's softmax, of no value; empty: none
  NormWeights postAttentionNorm;  // of o's result, before it is added
  NormWeights feedForwardNorm;    // absent in a parallel layer: attentionNorm's result is shared
  Linear gate, up, down;          // gate.weight empty: no gating
  NormWeights postFeedForwardNorm;
  LatentAttention latentAttention;
  Experts experts;
};

struct ModelConfig {
  std::string family;       // "llama", "gemma2": the row in families/table.cpp
  std::string displayName;  // what the file calls itself; else the file's name
  int vocabularySize = 0;
  int hiddenSize = 0;
  int contextLength = 0;  // the longest the model was made for
  NormKind norm = NormKind::rms;
  float normEpsilon = 1e-5F;
  Activation activation = Activation::silu;
  float normPlus = 0;          // added to the weights of every norm (Gemma's files store weight - 1)
  float attentionScale = 0;    // multiplies q.k, usually 1 / sqrt(headDim)
  float attentionSoftCap = 0;  // c: scores become c tanh(score / c); 0: none
  float embeddingScale = 1;
  float residualScale = 1;  // of what each block adds
  float logitScale = 1;
  float logitSoftCap = 0;
  bool parallelBlocks = false;  // attention and feed-forward read the same x, and both are added
  std::vector<Rope> ropes;
  TensorView tokenEmbedding;     // [vocabulary, hidden]
  TensorView positionEmbedding;  // [positions, hidden], added to the token's; empty: none
  std::vector<LayerConfig> layers;
  NormWeights outputNorm;
  Linear head;  // tied models: the same view as tokenEmbedding
  bool tiedHead = false;
  std::uint64_t parameters = 0;
  std::vector<std::string> warnings;
};

// Reads the architecture's name from the file and lets its family fill the config. Every number is checked against the
// limits below and every tensor against its expected shape.
// Errors: unsupported (architecture: named, with the list of supported ones), corrupt (a value or shape contradicts).
[[nodiscard]] Result<ModelConfig> readModelConfig(const format::ModelFile& file);

// Names of the families this build knows, for messages.
[[nodiscard]] std::vector<std::string> supportedFamilies();

}  // namespace minerva::model
