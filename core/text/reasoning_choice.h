// What a request asks of a model that reasons: on, off, and how much. Each chat template takes it in variables of its own.
#pragma once

#include "core/base/error.h"
#include "core/text/reasoning_controls.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace minerva::text {

struct ReasoningChoice {
  std::optional<bool> on;  // nullopt: as the template has it
  std::string effort;      // one of ReasoningControls::efforts; empty, or a word that is not: as the template has it
  friend bool operator==(const ReasoningChoice&, const ReasoningChoice&) = default;
};

// The variables in which a template with these controls takes the choice. What it has no control for is left out, and so is the
// effort of reasoning that is off.
[[nodiscard]] nlohmann::ordered_json reasoningVariables(const ReasoningChoice& choice, const ReasoningControls& controls);

// Whether a template with these controls can do what is asked. Error: unsupported, with what it can do.
[[nodiscard]] Result<void> checkReasoning(const ReasoningChoice& choice, const ReasoningControls& controls);

}  // namespace minerva::text
