// What the Command families share.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// One layer norm without bias for blocks that run side by side; heads rotate by neighbours; logits have a factor.
[[nodiscard]] DecoderForm cohereForm();
[[nodiscard]] Result<void> fillCohereLike(Reader& reader, const DecoderForm& form, ModelConfig& config);

}  // namespace minerva::model
