// tool_choice: whether the model may, must or must not call a tool, and which.
#pragma once

#include "core/serve/parse_json.h"

#include <optional>
#include <string>
#include <vector>

namespace minerva::serve {

struct ToolChoice {
  enum class Mode { automatic, none, required } mode = Mode::automatic;
  std::optional<std::vector<std::string>> names{};  // of the tools that may be called; none: all
  bool hidesOthers = false;                         // the model is not told of the other ones
  [[nodiscard]] bool allows(const std::string& name) const;
};

// "auto", "none", "required" ("any", as Mistral has it), a function, or OpenAI's allowed_tools. Errors: invalidArgument.
[[nodiscard]] Result<ToolChoice> readToolChoice(const Json& body);
// Those of the tools that the model is told of; null if that is none.
[[nodiscard]] Json toolsToShow(const Json& tools, const ToolChoice& choice);

}  // namespace minerva::serve
