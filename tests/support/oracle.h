// The oracle's cases (models with exact logits) in ../shared/oracle, and the few copied to tests/data/golden, which has the
// same layout.
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
  std::filesystem::path reference;   // folder of p<i>.tokens and p<i>.logits
  std::vector<std::int32_t> greedy;  // greedy continuation of prompt p1
  std::vector<double> margins;       // top-1 minus top-2 logit at each greedy step (a single value for all steps if only that is known)
  double llamaCppMaxDifference = 0;  // 0: unknown
  [[nodiscard]] double marginAt(std::size_t step) const { return margins.empty() ? 0 : margins[std::min(step, margins.size() - 1)]; }
};

struct OraclePrompt {
  std::vector<std::int32_t> tokens;
  std::vector<float> logits;  // [tokens, vocabulary]
};

// Every case of root/manifest.json; empty if there is no manifest.
[[nodiscard]] std::vector<OracleCase> oracleCases(const std::filesystem::path& root);
[[nodiscard]] Result<std::vector<OraclePrompt>> oraclePrompts(const std::filesystem::path& reference);

// Cases of these families for which this build reads the format and every element type.
[[nodiscard]] std::vector<OracleCase> supportedCases(const std::vector<OracleCase>& all, const std::vector<std::string>& families);

}  // namespace minerva::tests
