// The GGUF container, versions 2 and 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md).
//
// Version 1 (2023, 32-bit lengths) is refused. The byte order is detected; a big-endian file's metadata is read for the
// message, but the file is refused: its weights would have to be swapped block by block at load, and nobody publishes any.
#pragma once

#include "core/format/model_file_builder.h"

#include <optional>
#include <string_view>

namespace minerva::format {

// What a file says of the split model it is a part of; count 1: a whole model.
struct GgufPart {
  std::int64_t number = 0;  // from 0
  std::int64_t count = 1;
  std::optional<std::int64_t> tensors;  // of all parts together
};

// Reads header, metadata and tensor table of one mapped file: keys into `keys`, tensors into the builder. Every count, length,
// type, shape and offset is checked against the bytes that are there, which must stay valid for the ModelFile's lifetime.
// Errors: corrupt, unsupported (version, byte order, element type).
[[nodiscard]] Result<GgufPart> readGgufPart(std::span<const std::byte> bytes, const std::string& where, Metadata& keys,
                                            ModelFileBuilder& builder);

// The same for a whole model in one file. Errors: as above; unsupported (a part of a split model).
[[nodiscard]] Result<void> readGguf(std::span<const std::byte> bytes, const std::string& where, ModelFileBuilder& builder);

// Name of a ggml type id in messages, also of types this build cannot read: "Q4_2 (removed)", "type 77, which is not known".
[[nodiscard]] std::string ggmlTypeName(std::uint32_t id);

}  // namespace minerva::format
