// Shared by the DeepSeek families.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// Routed and shared experts; reads the keys of both file formats.
[[nodiscard]] Result<ExpertForm> deepseekExperts(const Reader& reader);

// The same as DeepSeek-V3 and its successors (GLM 4.5, dots.llm1) route: scores are sigmoids, the selection adds a bias, and groups are
// ranked by their two best experts.
[[nodiscard]] Result<ExpertForm> biasedExperts(const Reader& reader);

// Sizes of latent attention: of the latent vectors, and the parts of a head.
struct LatentDims {
  int heads = 0, latent = 0, queryLatent = 0, plain = 0, rotary = 0, value = 0;
};
// valueOtherwise: the size of values where a file does not state it.
[[nodiscard]] Result<LatentDims> readLatentDims(const Reader& reader, std::optional<int> valueOtherwise = std::nullopt);
// Fills the layer's latent attention. The rotation is the caller's.
[[nodiscard]] Result<void> readLatentAttention(Reader& reader, ModelConfig& config, int layer, const LatentDims& dims);

}  // namespace minerva::model
