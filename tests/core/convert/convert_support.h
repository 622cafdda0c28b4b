// Helpers for conversion tests: converting, and comparing the result by logits, tensors and tokens.
#pragma once

#include "core/convert/convert.h"
#include "core/format/model_file.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace minerva::convert {

using File = std::unique_ptr<const format::ModelFile>;

inline const std::filesystem::path golden = std::filesystem::path(MINERVA_TEST_DATA) / "golden";
inline const std::filesystem::path oracle = std::filesystem::path(MINERVA_SHARED_DIR) / "oracle";

[[nodiscard]] File openModel(const std::filesystem::path& path);
[[nodiscard]] Result<ConvertReport> convertFile(const std::filesystem::path& in, const std::filesystem::path& out, const std::string& type);

// Largest difference from the reference's logits over all its prompts, in exact precision.
[[nodiscard]] double distance(const std::filesystem::path& model, const std::filesystem::path& reference);
// The same between two models, over a few tokens.
[[nodiscard]] double distanceBetween(const std::filesystem::path& a, const std::filesystem::path& b);

// FNV-1a over the name, type and bytes (for MLX also scales and biases) of every tensor, in the order of the names.
[[nodiscard]] std::uint64_t hashOf(const format::ModelFile& file);

void expectSameTokenizer(const format::ModelFile& a, const format::ModelFile& b);

// Converts every folder of an oracle to F32 and expects the reference's logits and the same tokens. refused: cases that cannot be
// converted, with words of the error. Returns how many were converted.
[[nodiscard]] int expectFoldersBecomeTheSame(const std::filesystem::path& oracle, const std::map<std::string, std::string>& refused);

// Copies a folder of golden/models, most of which have no tokenizer, and adds one with matching vocabulary size.
void copyWithTokenizer(const std::filesystem::path& from, const std::filesystem::path& to);

// A folder of random F32 weights (norms near 1) with the tokenizer of a golden folder, which has 320 tokens.
struct FolderTensor {
  std::string name;
  std::vector<int> shape;
};
void writeFolder(const std::filesystem::path& folder, const nlohmann::json& config, const std::vector<FolderTensor>& tensors);

}  // namespace minerva::convert
