// Shared by the MiniCPM families.
#pragma once

#include "core/model/families/reader.h"

namespace minerva::model {

// The factors of embedding, residual sums and logits. GGUF files that state none mean those of all published models.
[[nodiscard]] Result<void> readMiniCpmScales(const Reader& reader, ModelConfig& config);

}  // namespace minerva::model
