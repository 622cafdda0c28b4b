// The oracle's cases (models with exact logits): ../shared/oracle and the few copied to tests/data/golden, same layout.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace minerva::tests {

struct OracleCase {
  std::string id, family, format, type;
  std::filesystem::path model;       // file or folder
  std::filesystem::path reference;   // p<i>.tokens, p<i>.logits
  std::vector<std::int32_t> greedy;  // continuation of prompt p1
  std::vector<double> margins;       // top-1 minus top-2 at each of these steps (one for all where only that is known)
  double llamaCppMaxDifference = 0;  // 0: not known
  [[nodiscard]] double marginAt(std::size_t step) const { return margins.empty() ? 0 : margins[std::min(step, margins.size() - 1)]; }
};

struct OraclePrompt {
  std::vector<std::int32_t> tokens;
  std::vector<float> logits;  // [tokens, vocabulary]
};

// Every case of root/manifest.json; empty where there is none.
[[nodiscard]] std::vector<OracleCase> oracleCases(const std::filesystem::path& root);
[[nodiscard]] Result<std::vector<OraclePrompt>> oraclePrompts(const std::filesystem::path& reference);

// Cases of these families whose format and every element type this build reads.
[[nodiscard]] std::vector<OracleCase> supportedCases(const std::vector<OracleCase>& all, const std::vector<std::string>& families);

}  // namespace minerva::tests
