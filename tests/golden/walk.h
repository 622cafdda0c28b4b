// One oracle case on one device: how far its logits lie from the reference's over several ways to cut the prompts, and greedy
// tokens.
#pragma once

#include "core/backend/backend.h"
#include "tests/support/oracle.h"

#include <string>
#include <vector>

namespace minerva::tests {

struct WalkOptions {
  backend::Precision precision = backend::Precision::exact;
  std::vector<int> chunks{1 << 20, 7, 1};  // prompt tokens a step; each is a run of its own
  std::size_t longestSingly = 64;          // prompts longer than this are not run token by token
};

struct WalkResult {
  double largest = 0;
  std::string where;              // of the largest
  std::vector<double> positions;  // the largest of each position compared
  bool mixture = false;           // of experts
  // Step at which the greedy continuation left the reference's; -1: never. Steps behind it mean nothing.
  int firstGreedyMismatch = -1;
  std::size_t greedySteps = 0;
};

[[nodiscard]] Result<WalkResult> walk(backend::Backend& backend, const OracleCase& c, const WalkOptions& options);

// design.md part 5.
[[nodiscard]] double logitTolerance(const OracleCase& c, backend::Precision precision);
// Empty: within all tolerances. In the default precision a mixture of experts may choose another of two nearly tied experts, which
// moves the logits of a position by more than rounding does: by up to 2, at one position in twenty at most. Its arithmetic is
// what the exact walk proves.
[[nodiscard]] std::string verdict(const OracleCase& c, const WalkResult& result, backend::Precision precision);

}  // namespace minerva::tests
