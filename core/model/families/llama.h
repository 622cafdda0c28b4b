// The decoder that Llama made common, shared by the families that only differ in a detail of it.
#pragma once

#include "core/model/families/reader.h"

namespace minerva::model {

// Fills a config from a file laid out as Llama's: RMS norm before attention and before the gated feed-forward, rotary
// embedding, grouped-query attention, biases where the file has them, a head that may be tied.
// Relies on: one head size and one feed-forward size for all layers; GGUF q and k rows permuted (interleaved rotation).
[[nodiscard]] Result<void> fillLlamaLike(Reader& reader, ModelConfig& config);

}  // namespace minerva::model
