// Rotary frequencies and their published scalings, worked out once when a model is read.
//
// Sources: RoPE (Su et al. 2021); position interpolation, "linear" (Chen et al. 2023); YaRN (Peng et al. 2023) with the
// correction range rounded as Transformers does by default; "llama3" (Llama 3.1's release).
#pragma once

#include "core/model/families/reader.h"

namespace minerva::model {

enum class RopeScalingKind { none, linear, llama3, yarn };

struct RopeScaling {
  RopeScalingKind kind = RopeScalingKind::none;
  double factor = 1;
  double originalContext = 0;   // llama3, yarn
  double lowFrequency = 1;      // llama3: factors of the wavelengths between which it blends
  double highFrequency = 4;
  double betaFast = 32;         // yarn: rotations within the original context
  double betaSlow = 1;
  bool roundRange = true;       // yarn: correction range to whole dimensions
  double magnitude = 1;         // factor of cos and sin
};

[[nodiscard]] std::vector<float> ropeFrequencies(int dimension, double base, const RopeScaling& scaling);
// YaRN's attention factor for a context stretched `factor` times.
[[nodiscard]] double yarnMagnitude(double factor, double strength = 1);

// Everything about rotation that stands in the file: base, dimension (default headDim), scaling (config.json in the old and
// the new style; GGUF keys and the tensor rope_freqs.weight). Errors: corrupt, unsupported (a scaling not known).
[[nodiscard]] Result<Rope> readRope(Reader& reader, int headDim, int contextLength, RopeLayout layout, std::vector<std::string>& warnings);

}  // namespace minerva::model
