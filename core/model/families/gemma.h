// What the Gemma families share.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// Tied head, gelu, norms whose SafeTensors weights are stored minus 1, embeddings times the root of their size.
[[nodiscard]] DecoderForm gemmaForm();
[[nodiscard]] Result<void> fillGemmaLike(Reader& reader, const DecoderForm& form, ModelConfig& config);
// Norms of each block's result as well (Gemma 2 and 3).
void addPostNorms(DecoderForm& form);
// query_pre_attn_scalar; GGUF files leave it to the size of the model, which is told by its number of layers: the 27B ones
// divide by the hidden size per head, all others by the head's.
[[nodiscard]] Result<void> readGemmaScale(const Reader& reader, int layersOf27B, ModelConfig& config);

}  // namespace minerva::model
