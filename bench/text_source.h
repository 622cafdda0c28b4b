// A tokenizer and chat template without loading weights: from a model, a vocabulary-only GGUF, a tokenizer.json or
// tokenizer.model.
#pragma once

#include "core/format/model_file.h"
#include "core/base/error.h"
#include "core/text/template/chat_template.h"
#include "core/text/tokenizer.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace minerva::bench {

struct TextSource {
  std::unique_ptr<const format::ModelFile> file;  // null for a bare tokenizer.json
  std::unique_ptr<const text::Tokenizer> tokenizer;
};

[[nodiscard]] Result<TextSource> openTextSource(const std::string& path);

[[nodiscard]] Result<std::string> readFile(const std::string& path);
[[nodiscard]] std::string readStdin();  // all of stdin, as bytes
// The lines of a file, or of stdin for "-", without their ends.
[[nodiscard]] Result<std::vector<std::string>> linesOf(const std::string& path);

// Reads one JSON request per line and writes one answer per line, in order; an Error becomes {"error": ...}.
void answerLines(const std::function<Result<nlohmann::ordered_json>(const nlohmann::ordered_json&)>& answer);

}  // namespace minerva::bench
