// The GGUF container, versions 2 and 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md).
//
// Version 1 (2023, 32-bit lengths) is rejected. So are big-endian files, which are not published in practice: loading one
// would mean swapping every block. Their metadata is still read for the error message.
#pragma once

#include "core/format/model_file_builder.h"

#include <optional>
#include <string_view>

namespace minerva::format {

// A file's place in a split model; count is 1 if the model is not split.
struct GgufPart {
  std::int64_t number = 0;  // zero-based
  std::int64_t count = 1;
  std::optional<std::int64_t> tensors;  // of all parts together
};

// Reads header, metadata and tensor table of one mapped file: keys into `keys`, tensors into the builder. Every count,
// length, type, shape and offset is validated against the file size. The bytes must outlive the ModelFile.
// Errors: corrupt, unsupported (version, byte order, element type).
[[nodiscard]] Result<GgufPart> readGgufPart(std::span<const std::byte> bytes, const std::string& where, Metadata& keys,
                                            ModelFileBuilder& builder);

// The same for a model in a single file. Errors: as above; unsupported (one shard of a split model).
[[nodiscard]] Result<void> readGguf(std::span<const std::byte> bytes, const std::string& where, ModelFileBuilder& builder);

// Name of a ggml type id for messages, including unsupported ones: "Q4_2 (removed)", "type 77, which is not known".
[[nodiscard]] std::string ggmlTypeName(std::uint32_t id);

}  // namespace minerva::format
