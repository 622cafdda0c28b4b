// Computes rotary frequencies and their published scalings when a model is read.
//
// Sources: RoPE (Su et al. 2021); position interpolation, "linear" (Chen et al. 2023); YaRN (Peng et al. 2023) with the
// correction range rounded as Transformers does by default; "llama3" (Llama 3.1's release); LongRoPE (Ding et al. 2024, Phi-3);
// "proportional" (Gemma 4): the whole head's frequencies, but only the first pairs are rotated.
#pragma once

#include "core/model/families/reader.h"

namespace minerva::model {

enum class RopeScalingKind { none, linear, llama3, yarn, longrope, proportional };

struct RopeScaling {
  RopeScalingKind kind = RopeScalingKind::none;
  double factor = 1;
  double originalContext = 0;  // llama3, yarn, longrope
  double lowFrequency = 1;     // llama3: blends between the wavelengths originalContext / these factors
  double highFrequency = 4;
  double betaFast = 32;  // yarn: rotations within the original context that limit the blended range
  double betaSlow = 1;
  bool roundRange = true;                             // yarn: round the correction range to whole dimensions
  double magnitude = 1;                               // multiplies cos and sin
  double magnitudeOfScores = 1;                       // yarn with mscale_all_dim (DeepSeek-V2): scales q and k, so q.k by its square
  std::vector<double> shortFactors{}, longFactors{};  // longrope: frequency divisors up to and beyond the original context
};

// How a family's files describe rope, and the defaults for missing keys.
struct RopeForm {
  RopeLayout ggufLayout = RopeLayout::halves, huggingFaceLayout = RopeLayout::halves;
  Key base{"rope.freq_base", "rope_theta"};
  double defaultBase = 10000;
  double defaultPartial = 1;  // rotated share of a head
  std::string_view partialKey = "partial_rotary_factor";
  std::string_view layerType{};  // name under which config.json may nest the parameters of each layer type
  std::string_view ggufDimension = "rope.dimension_count";
  bool scaled = true;          // false: the file's scaling does not apply to these layers
  bool ggufRoundsYarn = true;  // RopeScaling::roundRange for GGUF, which has no key for it
  int dimension = 0;           // 0: from the file, or the head size
  int storedFactors = 0;       // GGUF's rope_freqs.weight has so many, the first of which are used; 0: one for each pair
  bool stretchedBase = false;  // config.json's "alpha" raises the base (HunYuan)
};

[[nodiscard]] std::vector<float> ropeFrequencies(int dimension, double base, const RopeScaling& scaling);
// YaRN's attention factor for a context extended by `factor`.
[[nodiscard]] double yarnMagnitude(double factor, double strength = 1);

// Reads base, dimension (default headDim) and scaling: config.json in the old and new style, or GGUF keys and the tensors
// rope_freqs.weight and rope_factors_*.weight. Errors: corrupt, unsupported (unknown scaling). scoreMagnitude, if not
// null, receives RopeScaling::magnitudeOfScores.
[[nodiscard]] Result<Rope> readRope(Reader& reader, const RopeForm& form, int headDim, int contextLength,
                                    std::vector<std::string>& warnings, double* scoreMagnitude = nullptr);

// The temperature that Mistral's newer models state beside their rope; none if the file has none.
[[nodiscard]] Result<QueryTemperature> readQueryTemperature(const Reader& reader);

}  // namespace minerva::model
