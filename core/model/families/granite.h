// Shared by the Granite families.
#pragma once

#include "core/model/families/reader.h"

namespace minerva::model {

// Multipliers of embedding, attention and residual, and the divisor of the logits.
[[nodiscard]] Result<void> readGraniteScales(const Reader& reader, ModelConfig& config);

}  // namespace minerva::model
