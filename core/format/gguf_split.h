// GGUF models split by llama-gguf-split into shards "NAME-00001-of-0000N.gguf": metadata in the first, tensors in all.
#pragma once

#include "core/format/model_file_builder.h"

namespace minerva::format {

// Reads the model that this file is, or is a shard of. Every shard is opened; their counts must agree, their numbers must
// match their names, and together they must hold as many tensors as they claim.
// Errors: notFound (names the missing shard), corrupt, unsupported (as readGgufPart), invalidArgument (a renamed shard).
[[nodiscard]] Result<std::unique_ptr<const ModelFile>> openGguf(const std::filesystem::path& path, MappedFile map);

}  // namespace minerva::format
