// What the tests of conversions share: converting, and judging the result by logits, tensors and tokens.
#pragma once

#include "core/convert/convert.h"
#include "core/format/model_file.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace minerva::convert {

using File = std::unique_ptr<const format::ModelFile>;

inline const std::filesystem::path golden = std::filesystem::path(MINERVA_TEST_DATA) / "golden";
inline const std::filesystem::path oracle = std::filesystem::path(MINERVA_SHARED_DIR) / "oracle";

[[nodiscard]] File openModel(const std::filesystem::path& path);
[[nodiscard]] Result<ConvertReport> convertFile(const std::filesystem::path& in, const std::filesystem::path& out, const std::string& type);

// Largest difference from a reference's logits over all its prompts, in exact precision.
[[nodiscard]] double distance(const std::filesystem::path& model, const std::filesystem::path& reference);
// The same between two models, over some tokens.
[[nodiscard]] double distanceBetween(const std::filesystem::path& a, const std::filesystem::path& b);

// FNV-1a over the name, the type and the bytes (of MLX: scales and biases, too) of every tensor, in the order of the names.
[[nodiscard]] std::uint64_t hashOf(const format::ModelFile& file);

void expectSameTokenizer(const format::ModelFile& a, const format::ModelFile& b);

// Copies a folder of golden/models, most of which have no tokenizer, and puts one of as many tokens beside it.
void copyWithTokenizer(const std::filesystem::path& from, const std::filesystem::path& to);

// A folder of random weights in F32 (norms near 1), and the tokenizer of a golden folder, of 320 tokens.
struct FolderTensor {
  std::string name;
  std::vector<int> shape;
};
void writeFolder(const std::filesystem::path& folder, const nlohmann::json& config, const std::vector<FolderTensor>& tensors);

}  // namespace minerva::convert
