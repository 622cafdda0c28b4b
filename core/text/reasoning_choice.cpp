#include "core/text/reasoning_choice.h"

#include <algorithm>

namespace minerva::text {
namespace {

bool knowsEffort(const ReasoningControls& controls, const std::string& effort) {
  return std::ranges::find(controls.efforts, effort) != controls.efforts.end();
}

std::string effortsOf(const ReasoningControls& controls) {
  std::string list;
  for (const std::string& effort : controls.efforts) list += (list.empty() ? "" : ", ") + effort;
  return list;
}

}  // namespace

nlohmann::ordered_json reasoningVariables(const ReasoningChoice& choice, const ReasoningControls& controls) {
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
  if (choice.on && controls.canSwitch) variables[controls.switchVariable] = *choice.on;
  const bool off = controls.canSwitch && choice.on == false;
  if (!off && knowsEffort(controls, choice.effort)) variables[controls.effortVariable] = choice.effort;
  return variables;
}

Result<void> checkReasoning(const ReasoningChoice& choice, const ReasoningControls& controls) {
  if (choice.on && !controls.canSwitch) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The model's chat template cannot turn reasoning on or off",
                 .where = "chat template",
                 .expected = "a variable such as enable_thinking",
                 .actual = controls.efforts.empty() ? "none" : "only efforts: " + effortsOf(controls)});
  }
  if (choice.effort.empty() || knowsEffort(controls, choice.effort)) return {};
  return fail({.kind = ErrorKind::unsupported,
               .what = controls.efforts.empty() ? "The model's chat template has no efforts of reasoning"
                                                : "The model's chat template does not know this effort of reasoning",
               .where = "chat template",
               .expected = controls.efforts.empty() ? "a variable such as reasoning_effort" : effortsOf(controls),
               .actual = controls.efforts.empty() ? "none" : choice.effort});
}

}  // namespace minerva::text
