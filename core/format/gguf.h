// The GGUF container, versions 2 and 3, little-endian (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md).
#pragma once

#include "core/format/model_file_builder.h"

#include <string_view>

namespace minerva::format {

// Reads header, metadata and tensor table of a mapped file into the builder, checking every count, length, type, shape and
// offset against the bytes that are there. `bytes` must stay valid for the ModelFile's lifetime.
// Errors: corrupt, unsupported (version, byte order, element type, split files).
[[nodiscard]] Result<void> readGguf(std::span<const std::byte> bytes, const std::string& where, ModelFileBuilder& builder);

// Name of a ggml type id in messages, also of types this build cannot read: "Q2_K", "type 77".
[[nodiscard]] std::string ggmlTypeName(std::uint32_t id);

}  // namespace minerva::format
