// The SafeTensors container (https://github.com/huggingface/safetensors): 8 bytes of header length, a JSON header, data.
//
// Parses headers of files with any dtype; hugging_face.cpp decides what becomes a TensorView. Also contains the writer, used by
// minerva-bench and synthetic models.
#pragma once

#include "core/base/error.h"
#include "core/tensor/tensor_view.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::format {

struct SafeTensor {
  std::string name;
  std::string dtype;                // as stored: "F32", "BF16", "U8", "I64", ...
  std::vector<std::int64_t> shape;  // outermost first; empty: a scalar
  std::span<const std::byte> bytes;
};

struct SafeTensorsFile {
  std::vector<SafeTensor> tensors;  // in data order
  std::map<std::string, std::string> metadata;
  std::vector<std::string> warnings;
};

// True if the bytes begin with a plausible header length and an opening brace.
[[nodiscard]] bool looksLikeSafeTensors(std::span<const std::byte> bytes);

// Returns views into `bytes`. Every dtype, shape and offset is validated against the file size.
// Errors: corrupt, limit (header over 100 MB or nested), unsupported (a dtype the format does not have).
[[nodiscard]] Result<SafeTensorsFile> readSafeTensors(std::span<const std::byte> bytes, const std::string& where);

// nullopt if the dtype is not an element type of this build.
[[nodiscard]] const ElementTypeTraits* elementTypeOf(const SafeTensor& tensor);

// Header for data written in this order; uses only the sizes of the tensors, not their content.
struct SafeTensorDescription {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;
};
[[nodiscard]] std::string safeTensorsHeader(std::span<const SafeTensorDescription> tensors,
                                            const std::map<std::string, std::string>& metadata);

// Writes a whole file. Errors: io.
[[nodiscard]] Result<void> writeSafeTensors(const std::filesystem::path& path, std::span<const SafeTensor> tensors,
                                            const std::map<std::string, std::string>& metadata = {});

}  // namespace minerva::format
