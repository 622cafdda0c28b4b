// Shared by the Granite families.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// Multipliers of embedding, attention and residual, and the divisor of the logits.
[[nodiscard]] Result<void> readGraniteScales(const Reader& reader, ModelConfig& config);

// The routed experts, gate and up of each in one matrix, and a shared one of this size (0: none).
[[nodiscard]] ExpertForm graniteExperts(int sharedSize);

}  // namespace minerva::model
