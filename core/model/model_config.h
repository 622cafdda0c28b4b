// One model, described as data: everything a plan needs to know, whatever file and family it came from.
//
// families/<family>.cpp fills it from a ModelFile (metadata + tensor names); plan_builder.cpp turns it into a Plan. After
// that nobody asks for the architecture's name. Views point into the ModelFile, which must outlive this. Plain values.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"
#include "core/tensor/tensor_view.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace minerva::model {

enum class NormKind { rms, layer };
enum class Activation { silu, geluTanh, geluErf };

// Which elements of a head rotate together: Hugging Face files pair i with i + dimension / 2; GGUF files of the llama family
// store q and k rows permuted so that 2i pairs with 2i + 1.
enum class RopeLayout { halves, interleaved };

// Rotary position embedding, with its scaling already worked out: angle(p, i) = p * frequencies[i], and
// cos / sin are multiplied by magnitude (YaRN's attention factor; 1 otherwise).
struct Rope {
  RopeLayout layout = RopeLayout::halves;
  int dimension = 0;               // rotated elements per head, from the front; even; 0: no rotation
  std::vector<float> frequencies;  // [dimension / 2], radians per position
  float magnitude = 1.0F;
};

// A weight matrix [rows = outputs, columns = inputs] with its optional bias [rows].
struct Linear {
  TensorView weight;
  TensorView bias;  // empty: none
};

struct NormWeights {
  TensorView weight;  // [hidden]
  TensorView bias;    // empty: none
};

struct LayerConfig {
  int headCount = 0;
  int kvHeadCount = 0;    // divides headCount
  int headDim = 0;
  int window = 0;         // a query at p sees keys in (p - window, p]; 0: all
  int feedForwardSize = 0;
  bool rotary = true;
  NormWeights attentionNorm;
  Linear q, k, v, o;
  NormWeights feedForwardNorm;
  Linear gate, up, down;  // gate.weight empty: no gating
};

struct ModelConfig {
  std::string family;        // "llama", "mistral": the row in families/table.cpp
  std::string displayName;   // what the file calls itself; else the file's name
  int vocabularySize = 0;
  int hiddenSize = 0;
  int contextLength = 0;     // the longest the model was made for
  NormKind norm = NormKind::rms;
  float normEpsilon = 1e-5F;
  Activation activation = Activation::silu;
  float attentionScale = 0;  // multiplies q.k, usually 1 / sqrt(headDim)
  Rope rope;
  TensorView tokenEmbedding; // [vocabulary, hidden]
  std::vector<LayerConfig> layers;
  NormWeights outputNorm;
  Linear head;               // tied models: the same view as tokenEmbedding
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
