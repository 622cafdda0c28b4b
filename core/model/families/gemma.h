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

// gemma_layers.cpp, for Gemma 3n and 4. The input vectors of the layers, if there are any; `usual` is their size in a folder that does not
// state it. Some tokens, which stand for parts of images and sound, may have no row in their table if `partly`; else that is an error.
[[nodiscard]] Result<void> readPerLayerEmbedding(Reader& reader, bool partly, int usual, ModelConfig& config);
[[nodiscard]] Result<PerLayerInput> readPerLayerInput(Reader& reader, int layer, const ModelConfig& config);
// Which layers use the keys and values of an earlier one: for each layer its number, or -1. These are the last ones, and each uses the last
// of the others that is of its kind.
[[nodiscard]] Result<std::vector<int>> readSharedKeys(const Reader& reader, const std::vector<bool>& sliding);

}  // namespace minerva::model
