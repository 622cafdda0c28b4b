// A folder as Hugging Face publishes models: config.json, tokenizer files, model.safetensors or shards with an index.
#pragma once

#include "core/format/model_file_builder.h"

namespace minerva::format {

// Reads the folder's JSON files and tensors into the builder and sets its format: MLX if mlx_lm wrote it, SafeTensors
// otherwise. `weights` is the .safetensors file the user named, or one shard of the model; if empty, the folder's index is
// used, then model.safetensors, then the only set of shards NAME-00001-of-0000N.safetensors.
// Errors: notFound (no weights, a missing shard), corrupt, unsupported (element type or quantization method).
[[nodiscard]] Result<void> readHuggingFace(const std::filesystem::path& folder, const std::filesystem::path& weights,
                                           ModelFileBuilder& builder);

}  // namespace minerva::format
