// A GGUF model that llama-gguf-split cut into files "NAME-00001-of-0000N.gguf": metadata in the first, tensors in all.
#pragma once

#include "core/format/model_file_builder.h"

namespace minerva::format {

// Reads the model that this file is, or is any part of, into a builder of its own: every part is opened and must say the same
// count, its own number, and all together as many tensors as they claim.
// Errors: notFound (a part: named), corrupt, unsupported (as readGgufPart), invalidArgument (a part that was renamed).
[[nodiscard]] Result<std::unique_ptr<const ModelFile>> openGguf(const std::filesystem::path& path, MappedFile map);

}  // namespace minerva::format
