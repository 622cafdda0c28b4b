// The configuration of one model as data: everything buildPlan needs, independent of file format and model family.
//
// families/<family>.cpp fills it from a ModelFile (metadata and tensor names); plan_builder.cpp turns it into a Plan.
// Later stages do not depend on the architecture's name. A value type whose views point into the ModelFile, which must
// outlive it.
#pragma once

#include "core/base/error.h"
#include "core/model/layer_config.h"
#include "core/tensor/tensor_view.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace minerva::format {
class ModelFile;
}

namespace minerva::model {

// The input vectors that PerLayerInput reads, `size` elements per layer:
// (table[token] * sqrt(size) + norm(projection(x) / sqrt(hidden))) / sqrt(2), x being the token's embedding.
struct PerLayerEmbedding {
  int size = 0;       // 0: none
  TensorView table;   // [vocabulary, layers * size]; with fewer rows, further tokens have the first one
  Linear projection;  // [layers * size, hidden]
  NormWeights norm;   // [size]
};

// How the rows of a text become one: their mean, or the row of its first or last token.
enum class Pooling { none, mean, first, last };
[[nodiscard]] const char* name(Pooling pooling);  // "none", "mean", "first token", "last token"

// What a reranker makes of the pooled row of a query and a document: how well they belong together. All sizes are [hidden] or
// [rows, hidden]; this runs on the host.
struct Ranking {
  enum class Activation { tanh, gelu, silu };
  Linear dense;  // [hidden, hidden]; empty: none, and neither activation nor norm
  Activation activation = Activation::tanh;
  NormWeights norm;            // a layer norm of what the activation gives; absent: none
  std::vector<Linear> scores;  // [1, hidden] each: one gives the score; two, those of "yes" and of "no", the probability of "yes"
  float temperature = 1;       // a score of one is divided by this
  // Query and document are one text, each with this before it. Both empty: a pair, or the question that asks for "yes" or "no".
  std::string beforeQuery, beforeDocument;
};

// What an embedding model makes of a text instead of logits: the pooled row, through the dense layers, scaled to length 1 if normalised.
struct TextEmbedding {
  Pooling pooling = Pooling::none;  // none: the model predicts tokens
  std::vector<Linear> dense;        // [outputs, inputs] each, from hidden size to the vector's
  bool normalised = true;
  int textLength = 0;                          // tokens of a text that its makers allow; 0: not stated
  std::map<std::string, std::string> prompts;  // by name ("query"): what they put before a text
  std::string usualPrompt;                     // name of the one they use if none is asked for; empty: none
};

// Residual streams beside the first (StreamMixing). Each begins as a projection of the embedding; at the end the mean of the first stream
// and of projections of the others goes on. All projections get the root mean square of the first stream (LevelOp).
struct Streams {
  std::vector<Linear> begin, end;  // [hidden, hidden], of every further stream; empty: there are none
  float floor = 1e-5F;
};

// A layer that predicts the token after the next one ("multi-token prediction"; DeepSeek-AI 2024, "DeepSeek-V3", 2.2), from which drafts
// are made. Its input at position p is combine([embeddingNorm(e) | hiddenNorm(h)]), with e the embedding of the token at p + 1 and h the
// model's row at p behind its output norm; its own row behind its output norm is the h of a further token.
struct Prediction {
  Linear combine;                                     // [hidden, 2 * hidden]
  NormWeights embeddingNorm, hiddenNorm, outputNorm;  // [hidden]
  LayerConfig layer;
  Linear head;                // [vocabulary, hidden]: the model's if the layer has none of its own
  TensorView tokenEmbedding;  // [vocabulary, hidden], likewise
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
  float normPlus = 0;          // added to the weights of every norm that is not `whole` (Gemma's files store weight - 1)
  float attentionScale = 0;    // multiplies q.k, usually 1 / sqrt(headDim)
  float attentionLimit = 0;    // largest absolute value of queries, keys and values before their rotation; 0: none
  float attentionSoftCap = 0;  // c: scores become c tanh(score / c); 0: none
  float alibi = 0;             // the largest exponent of the heads' slopes (alibiSlope); 0: scores do not depend on the distance
  float embeddingScale = 1;
  float residualScale = 1;  // multiplies what each block adds to the residual stream
  float logitScale = 1;
  float logitSoftCap = 0;
  bool parallelBlocks = false;  // attention and feed-forward read the same x; both results are added
  std::vector<Rope> ropes;
  TensorView tokenEmbedding;     // [vocabulary, hidden]
  TensorView positionEmbedding;  // [positions, hidden], added to the token embedding; empty: none
  TensorView typeEmbedding;      // [types, hidden]: that of its type is added to every token; empty: none
  NormWeights embeddingNorm;     // of the sum of these; absent: none
  PerLayerEmbedding perLayerEmbedding;
  Streams streams;
  std::vector<LayerConfig> layers;
  NormWeights outputNorm;
  Linear head;  // the same view as tokenEmbedding if tied
  bool tiedHead = false;
  std::optional<Prediction> prediction;  // the first such layer; none: the file has none, or one that is not read
  TextEmbedding embedding;               // if it pools, there is no head
  std::optional<Ranking> ranking;        // of a model that pools, but not for vectors of texts
  std::uint64_t parameters = 0;
  std::vector<std::string> warnings;

  [[nodiscard]] bool embeds() const { return embedding.pooling != Pooling::none; }
  [[nodiscard]] bool ranks() const { return ranking.has_value(); }
};

// Reads the architecture's name from the file and lets its family fill the config. Every number is checked against Limits
// (families/reader.h), every tensor against its expected shape. Errors: unsupported (architecture; names it and lists the
// supported ones), corrupt (a contradictory value or shape).
[[nodiscard]] Result<ModelConfig> readModelConfig(const format::ModelFile& file);

// Makes a reranker of a model that predicts tokens: it is asked whether a document answers a query, and ranked by these two tokens.
// Errors: unsupported (a model that does not predict tokens).
[[nodiscard]] Result<void> rankByAnswer(ModelConfig& config, std::int64_t yes, std::int64_t no);

// Names of the supported families, for messages.
[[nodiscard]] std::vector<std::string> supportedFamilies();

}  // namespace minerva::model
