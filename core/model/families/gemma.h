// Shared by the Gemma families.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// Llama's decoder with a tied head and tanh-approximated GELU. fillGemmaLike also sets up norms by 1 + weight (SafeTensors
// files store the weights minus 1) and embeddings scaled by sqrt(hidden size).
[[nodiscard]] DecoderForm gemmaForm();
[[nodiscard]] Result<void> fillGemmaLike(Reader& reader, const DecoderForm& form, ModelConfig& config);
// Adds norms of each block's result (Gemma 2 and 3).
void addPostNorms(DecoderForm& form);
// Sets the attention scale from query_pre_attn_scalar. GGUF files lack it: the scale then depends on the model size,
// recognised by the number of layers. The 27B models divide by sqrt(hidden / heads), all others by sqrt(headDim).
[[nodiscard]] Result<void> readGemmaScale(const Reader& reader, int layersOf27B, ModelConfig& config);

}  // namespace minerva::model
