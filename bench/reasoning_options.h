// --think and --reasoning-effort: what is asked of a model that reasons.
#pragma once

#include "bench/verb.h"
#include "core/engine/engine.h"

#include <string>
#include <vector>

namespace minerva::bench {

struct ReasoningAsked {
  std::string think;  // "on", "off"; empty: as the model's chat template has it
  std::string effort;

  // Error: unsupported, if the model's chat template does not know what is asked.
  [[nodiscard]] Result<text::ReasoningChoice> of(const engine::ModelInfo& model) const;
};

// Returns the options added.
std::vector<CLI::Option*> addReasoningOptions(CLI::App& options, ReasoningAsked& asked);

}  // namespace minerva::bench
