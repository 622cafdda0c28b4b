// Folders of models of any size whose weights are holes: zeros that take no room on the disk. For tests of memory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace minerva::tests {

struct SparseShape {
  std::string family;  // of sparseFamilies()
  int layers = 2, hidden = 512, heads = 8, kvHeads = 4, headDim = 64, feedForward = 1024;
  int vocabulary = 32768, context = 1024;
  int experts = 8, expertsUsed = 2, expertSize = 256;
  std::string dtype = "BF16";
};

[[nodiscard]] std::vector<std::string> sparseFamilies();
// Those whose published folders hold matrices in another order than a plan multiplies by.
[[nodiscard]] std::vector<std::string> rearrangedFamilies();

// config.json and model.safetensors, no tokenizer. Returns the bytes of all weights.
std::size_t writeSparseFolder(const std::filesystem::path& folder, const SparseShape& shape);

}  // namespace minerva::tests
