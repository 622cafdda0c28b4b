// A folder as Hugging Face publishes models: config.json, tokenizer files, model.safetensors or shards with an index.
#pragma once

#include "core/format/model_file_builder.h"

namespace minerva::format {

// Reads the folder's JSON files and tensors into the builder and sets its format: MLX if mlx_lm wrote it, SafeTensors
// otherwise. `weights` is the .safetensors file the user named, or one shard of the model; if empty, the folder's index is
// used unless it is another model's, then model.safetensors, then the only set of shards NAME-00001-of-0000N.safetensors.
// Errors: notFound (no weights, a missing shard), corrupt, unsupported (element type or quantization method).
[[nodiscard]] Result<void> readHuggingFace(const std::filesystem::path& folder, const std::filesystem::path& weights,
                                           ModelFileBuilder& builder);

// modules.json, the parts of a sentence-transformers folder: [{"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}, ...].
// Those behind the model itself, without their configs. Errors: corrupt (a folder outside the model's, among others).
[[nodiscard]] Result<std::vector<SentenceModule>> parseModules(std::string_view text, const std::string& where);

}  // namespace minerva::format
