// The SafeTensors container (https://github.com/huggingface/safetensors): 8 bytes of header length, a JSON header, data.
//
// The header is read on its own, so that files of any dtype can be looked at; what becomes a model's TensorView is decided
// in hugging_face.cpp. Also the writer, used by the console tool and the synthetic models.
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
  std::vector<SafeTensor> tensors;  // in the order of their data
  std::map<std::string, std::string> metadata;
  std::vector<std::string> warnings;
};

// True when the bytes start like a SafeTensors file: a plausible header length and an opening brace.
[[nodiscard]] bool looksLikeSafeTensors(std::span<const std::byte> bytes);

// Views into `bytes`. Every dtype, shape and offset is checked against the others and the file's size.
// Errors: corrupt, limit (header over 100 MB or nested), unsupported (a dtype the format does not have).
[[nodiscard]] Result<SafeTensorsFile> readSafeTensors(std::span<const std::byte> bytes, const std::string& where);

// One tensor of a model: null when its dtype is not among the element types of this build.
[[nodiscard]] const ElementTypeTraits* elementTypeOf(const SafeTensor& tensor);

// Header of a file whose data follow in this order; the bytes of the tensors are not looked at, only counted.
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
