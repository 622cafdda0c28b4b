// Runs one oracle case on one device: largest difference of its logits from the reference for several chunk sizes of the
// prompts, and greedy tokens.
#pragma once

#include "core/backend/backend.h"
#include "tests/support/oracle.h"

#include <string>
#include <vector>

namespace minerva::tests {

struct WalkOptions {
  backend::Precision precision = backend::Precision::exact;
  std::vector<int> chunks{1 << 20, 7, 1};  // prompt tokens per step; each entry is a separate run
  std::size_t longestSingly = 64;          // prompts longer than this are not run token by token
};

struct WalkResult {
  double largest = 0;
  std::string where;              // position of the largest difference
  std::vector<double> positions;  // largest difference at each position compared
  bool mixture = false;           // a mixture-of-experts model
  // First step whose greedy token differs from the reference's; -1: none. Later steps are not comparable.
  int firstGreedyMismatch = -1;
  std::size_t greedySteps = 0;
};

[[nodiscard]] Result<WalkResult> walk(backend::Backend& backend, const OracleCase& c, const WalkOptions& options);

// Tolerances of design.md, part 5.
[[nodiscard]] double logitTolerance(const OracleCase& c, backend::Precision precision);
// Empty if within all tolerances, else the reason. In the default precision, a mixture of experts may pick the other of two
// nearly tied experts, which changes the logits of a position by more than rounding does; up to 2 is allowed, at one
// position in twenty at most. The walk in exact precision verifies the arithmetic itself.
[[nodiscard]] std::string verdict(const OracleCase& c, const WalkResult& result, backend::Precision precision);

}  // namespace minerva::tests
