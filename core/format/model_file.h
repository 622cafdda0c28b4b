// An opened model: its format, its metadata and views of its tensors.
//
// open() detects the format by content, maps the files and validates every count, offset and shape; it reads headers only
// and copies no weights. Owns the mappings: views and string_views are valid as long as the ModelFile. Immutable and thread-safe after
// open().
#pragma once

#include "core/base/error.h"
#include "core/base/mapped_file.h"
#include "core/format/metadata.h"
#include "core/tensor/tensor_view.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::format {

enum class FileFormat { gguf, safetensors, mlx };
[[nodiscard]] const char* name(FileFormat format);  // "GGUF", "SafeTensors", "MLX"

struct NamedTensor {
  std::string name;
  TensorView view;
};

// A part of a sentence-transformers folder (modules.json) behind the model itself.
struct SentenceModule {
  std::string kind;       // "Pooling", "Dense", "Normalize"
  std::string folder;     // "2_Dense"; the names of its tensors begin with it and a slash
  nlohmann::json config;  // its config.json; null if there is none
};

// The other files of a Hugging Face folder. A member is null or empty if its file does not exist.
struct HuggingFaceFiles {
  nlohmann::json config;            // config.json
  nlohmann::json generationConfig;  // generation_config.json
  nlohmann::json tokenizerConfig;   // tokenizer_config.json
  nlohmann::json sentenceConfig;    // config_sentence_transformers.json: prompts
  nlohmann::json sentenceLimits;    // sentence_bert_config.json: how long a text may be
  std::vector<SentenceModule> modules;
  std::string_view tokenizerJson;   // text of tokenizer.json (large: parse with care)
  std::string_view tokenizerModel;  // bytes of tokenizer.model (sentencepiece; GLM-4: ranks, as in tiktoken.model)
  std::string_view tekken;          // text of tekken.json (Mistral; large)
  std::string_view tiktokenModel;   // text of tiktoken.model (Kimi, Moonlight)
  std::string_view qwenTiktoken;    // text of qwen.tiktoken (Qwen 1)
  // chat_template.jinja, else "chat_template" ("default" of a list) of tokenizer_config.json or chat_template.json.
  std::string chatTemplate;
  // Of requests with tools: additional_chat_templates/tool_use.jinja, else "tool_use" of the list that `chatTemplate` is from.
  std::string toolTemplate;
};

class ModelFile {
 public:
  // path: a .gguf file or any shard of a split one, a .safetensors file or shard (the JSON files of its folder are read,
  // too), or a folder with either.
  // Errors: notFound, io, corrupt (what, where, expected, actual), unsupported (format or element type not known).
  [[nodiscard]] static Result<std::unique_ptr<const ModelFile>> open(const std::filesystem::path& path);

  [[nodiscard]] FileFormat format() const { return m_format; }
  [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
  [[nodiscard]] std::size_t fileBytes() const { return m_fileBytes; }            // total size of the weight files
  [[nodiscard]] const Metadata& metadata() const { return m_metadata; }          // GGUF keys; empty for other formats
  [[nodiscard]] const HuggingFaceFiles& huggingFace() const { return m_files; }  // empty for GGUF
  [[nodiscard]] const std::vector<NamedTensor>& tensors() const { return m_tensors; }
  [[nodiscard]] const TensorView* find(std::string_view name) const;  // null if absent
  [[nodiscard]] const std::vector<std::string>& warnings() const { return m_warnings; }
  // Whether writing to `path` would change a file this model was read from: any shard, config.json and the like, by
  // whatever name or link. Of a folder: any file in it; also true if not all of it can be read.
  [[nodiscard]] bool reads(const std::filesystem::path& path) const;

 private:
  friend class ModelFileBuilder;  // used by the format readers (model_file_builder.h)
  ModelFile() = default;
  FileFormat m_format = FileFormat::gguf;
  std::filesystem::path m_path;
  std::size_t m_fileBytes = 0;
  std::vector<MappedFile> m_maps;
  std::vector<FileId> m_read;  // of all files, those that are not kept mapped included
  Metadata m_metadata;
  HuggingFaceFiles m_files;
  std::vector<NamedTensor> m_tensors;
  std::map<std::string, std::size_t, std::less<>> m_index;
  std::vector<std::string> m_warnings;
};

}  // namespace minerva::format
