// Shared by the DeepSeek families.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// Routed and shared experts; reads the keys of both file formats.
[[nodiscard]] Result<ExpertForm> deepseekExperts(const Reader& reader);

// The same as DeepSeek-V3 and its successors (GLM 4.5, dots.llm1) route: scores are sigmoids, the selection adds a bias, and groups are
// ranked by their two best experts.
[[nodiscard]] Result<ExpertForm> biasedExperts(const Reader& reader);

}  // namespace minerva::model
