// Shared by LFM2 and its mixture: gated short convolutions, and attention in some layers.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// The form without its feed-forward size.
[[nodiscard]] Result<DecoderForm> lfm2Form(const Reader& reader);
// fillDecoder, then the convolutions.
[[nodiscard]] Result<void> fillLfm2Layers(Reader& reader, const DecoderForm& form, ModelConfig& config);

}  // namespace minerva::model
