// Model folders of any size whose weights are file holes: zeros that take no disk space. For memory tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace minerva::tests {

struct SparseShape {
  std::string family;  // one of sparseFamilies()
  int layers = 0;      // 0: as few as have one of every kind
  int hidden = 512, heads = 8, kvHeads = 4, headDim = 64, feedForward = 1024;
  int vocabulary = 0;  // 0: such that embedding and head have 25 million elements
  int context = 1024;
  int experts = 8, expertsUsed = 2, expertSize = 256;
  std::string dtype = "BF16";
};

// All a test can be given; their folders are described in sparse_families.cpp.
[[nodiscard]] std::vector<std::string> sparseFamilies();
// Families whose published folders store matrices in a layout that has to be rearranged for a plan.
[[nodiscard]] std::vector<std::string> rearrangedFamilies();

// Writes config.json and model.safetensors, but no tokenizer. Returns the size of all weights in bytes.
std::size_t writeSparseFolder(const std::filesystem::path& folder, const SparseShape& shape);

}  // namespace minerva::tests
