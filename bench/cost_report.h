// Tables and JSON of predicted speeds.
#pragma once

#include "bench/cost_estimate.h"
#include "core/speed/json.h"

namespace minerva::bench {

struct CostFacts {
  std::string model;
  const model::Plan& plan;
  CostTask task;
  bool byOp = false;  // also by kind of op
};

// Errors: as countStep().
[[nodiscard]] Result<speed::Json> costJson(const CostFacts& facts, const std::vector<CardEstimate>& cards);
[[nodiscard]] Result<std::string> costMarkdown(const CostFacts& facts, const std::vector<CardEstimate>& cards);

// A published result, and what is predicted for llama.cpp there.
struct AnchorFit {
  Anchor anchor;
  double decode = 0, prefill = 0;
};
[[nodiscard]] speed::Json anchorsJson(const std::vector<AnchorFit>& fits);
[[nodiscard]] std::string anchorsMarkdown(const std::vector<AnchorFit>& fits);

}  // namespace minerva::bench
