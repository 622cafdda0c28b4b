// Rotary frequencies and their published scalings, worked out once when a model is read.
//
// Sources: RoPE (Su et al. 2021); position interpolation, "linear" (Chen et al. 2023); YaRN (Peng et al. 2023) with the
// correction range rounded as Transformers does by default; "llama3" (Llama 3.1's release); LongRoPE (Ding et al. 2024, Phi-3).
#pragma once

#include "core/model/families/reader.h"

namespace minerva::model {

enum class RopeScalingKind { none, linear, llama3, yarn, longrope };

struct RopeScaling {
  RopeScalingKind kind = RopeScalingKind::none;
  double factor = 1;
  double originalContext = 0;  // llama3, yarn
  double lowFrequency = 1;     // llama3: factors of the wavelengths between which it blends
  double highFrequency = 4;
  double betaFast = 32;  // yarn: rotations within the original context
  double betaSlow = 1;
  bool roundRange = true;                             // yarn: correction range to whole dimensions
  double magnitude = 1;                               // factor of cos and sin
  double magnitudeOfScores = 1;                       // yarn with mscale_all_dim (DeepSeek-V2): factor of q.k, once for each of the two
  std::vector<double> shortFactors{}, longFactors{};  // longrope: divisors of the frequencies, up to and beyond the original context
};

// Where a family's rotation stands in its files, and what is meant where they are silent.
struct RopeForm {
  RopeLayout ggufLayout = RopeLayout::halves, huggingFaceLayout = RopeLayout::halves;
  Key base{"rope.freq_base", "rope_theta"};
  double defaultBase = 10000;
  double defaultPartial = 1;  // share of a head that is rotated
  std::string_view partialKey = "partial_rotary_factor";
  std::string_view layerType{};  // config.json may keep the parameters of each kind of layer apart under this name
  bool scaled = true;            // false: whatever scaling the file has, it is not of these layers
  bool ggufRoundsYarn = true;    // GGUF has no key for it
  int dimension = 0;             // 0: of the head
};

[[nodiscard]] std::vector<float> ropeFrequencies(int dimension, double base, const RopeScaling& scaling);
// YaRN's attention factor for a context stretched `factor` times.
[[nodiscard]] double yarnMagnitude(double factor, double strength = 1);

// Everything about rotation that stands in the file: base, dimension (default headDim), scaling (config.json in the old and
// the new style; GGUF keys and the tensor rope_freqs.weight). Errors: corrupt, unsupported (a scaling not known).
// scoreMagnitude (may be null) receives RopeScaling::magnitudeOfScores.
[[nodiscard]] Result<Rope> readRope(Reader& reader, const RopeForm& form, int headDim, int contextLength,
                                    std::vector<std::string>& warnings, double* scoreMagnitude = nullptr);

}  // namespace minerva::model
