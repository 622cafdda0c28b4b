// Shared by the Command families (Cohere).
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// One layer norm without bias for both parallel blocks, interleaved rope, scaled logits.
[[nodiscard]] DecoderForm cohereForm();
[[nodiscard]] Result<void> fillCohereLike(Reader& reader, const DecoderForm& form, ModelConfig& config);

}  // namespace minerva::model
