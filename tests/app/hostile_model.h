// The built-in model as a malicious GGUF file.
#pragma once

#include "core/convert/convert.h"
#include "core/convert/gguf_writer.h"
#include "core/format/model_file.h"

#include <filesystem>
#include <map>
#include <string>

namespace minerva::app {

// Writes the model with these metadata keys replaced by `texts`. Takes a second.
[[nodiscard]] inline Result<void> writeModelSaying(const std::filesystem::path& out, const std::map<std::string, std::string>& texts) {
  MINERVA_ASSIGN(const auto builtIn, format::ModelFile::open(MINERVA_SOURCE_DIR "/resources/builtin-model"));
  const std::filesystem::path plain = out.string() + ".plain";
  convert::ConvertOptions options;
  options.type = "q8_0";
  MINERVA_TRY(convert::convertToGguf(*builtIn, plain, options));
  MINERVA_ASSIGN(const auto file, format::ModelFile::open(plain));
  MINERVA_ASSIGN(auto writer, convert::GgufWriter::create(out));
  for (const auto& [key, value] : file->metadata().entries()) {
    if (!texts.contains(key)) writer.copy(key, value);
  }
  for (const auto& [key, text] : texts) writer.set(key, std::string_view(text));
  for (const format::NamedTensor& tensor : file->tensors()) writer.declare(tensor.name, tensor.view.type, tensor.view.shape);
  MINERVA_TRY(writer.begin());
  for (const format::NamedTensor& tensor : file->tensors()) {
    MINERVA_TRY(writer.write(tensor.view.bytes));
  }
  MINERVA_TRY(writer.finish());
  std::filesystem::remove(plain);
  return {};
}

}  // namespace minerva::app
