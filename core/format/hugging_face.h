// A folder as Hugging Face publishes models: config.json, tokenizer files, model.safetensors or shards with an index.
#pragma once

#include "core/format/model_file_builder.h"

namespace minerva::format {

// Reads the folder's JSON files and the tensors into the builder, and sets its format: MLX where mlx_lm wrote it, else
// SafeTensors. `weights`: the .safetensors file the user named, whose index or other shards are followed; empty: found in the
// folder: by the index, else model.safetensors, else the one set of files NAME-00001-of-0000N.safetensors.
// Errors: notFound (no weights, a missing shard), corrupt, unsupported (an element type or quantization not known).
[[nodiscard]] Result<void> readHuggingFace(const std::filesystem::path& folder, const std::filesystem::path& weights,
                                           ModelFileBuilder& builder);

}  // namespace minerva::format
