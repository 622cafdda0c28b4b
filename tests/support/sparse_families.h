// What a published folder of each family holds: the keys of config.json and the names and sizes of its tensors, in one plain form a
// family. Data only, written to disk by sparse_model.cpp. Dense families are in sparse_families.cpp.
//
// Sizes are sums of letters with a factor: "q+2k". v vocabulary, h hidden size, n heads, g key/value heads, d size of a head, q all
// query heads, k all key/value heads, f feed-forward, c context, e experts, u experts used, x size of an expert.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace minerva::tests {

enum class Parts {
  weight,      // .weight
  both,        // .weight and .bias, with as many elements as the weight has rows
  transposed,  // .weight and .bias, with as many elements as the weight has columns
  bare,        // the name as it is
};
// A bit for each layer; the last one stands for all further layers too.
enum class In : unsigned {
  everyLayer = ~0U,
  firstLayer = 1,
  secondLayer = 2,
  thirdLayer = 4,
  fourthLayer = 8,
  otherLayers = ~1U,
  oddLayers = 0x55555555,  // the first, the third, ...
  evenLayers = 0xAAAAAAAA,
};

// '#' is the number of the layer, '@' that of the expert; a leading '.' stands for "model.layers.#.".
struct StoredTensor {
  std::string_view name, sizes;  // sizes: one expression a dimension
  Parts parts = Parts::weight;
  In in = In::everyLayer;
};

struct StoredFamily {
  std::string_view name, modelType;
  std::vector<std::span<const StoredTensor>> tensors{};
  std::vector<std::pair<std::string_view, std::string_view>> sizes{};  // key of config.json, or path "/a/b", and expression
  std::string_view config = "{}";                                      // its other keys, beside those of most families
  bool tied = false;                                                   // the embedding is the head
  int layers = 2;                                                      // for one of every kind
  bool pools = false;                                                  // it makes vectors of texts
};

[[nodiscard]] const std::vector<StoredFamily>& storedFamilies();

// Parts of that list.
[[nodiscard]] std::vector<StoredFamily> olderFamilies();        // sparse_families_older.cpp: dense ones of before 2025
[[nodiscard]] std::vector<StoredFamily> mixturesOfExperts();    // sparse_families_experts.cpp
[[nodiscard]] std::vector<StoredFamily> mixturesWithWindows();  // sparse_families_windows.cpp
[[nodiscard]] std::vector<StoredFamily> hybridFamilies();       // sparse_families_hybrid.cpp
[[nodiscard]] std::vector<StoredFamily> textEncoders();         // sparse_families_encoders.cpp

}  // namespace minerva::tests
