#include "bench/reasoning_options.h"

namespace minerva::bench {

Result<text::ReasoningChoice> ReasoningAsked::of(const engine::ModelInfo& model) const {
  text::ReasoningChoice choice;
  if (!think.empty()) choice.on = think == "on";
  choice.effort = effort;
  MINERVA_TRY(text::checkReasoning(choice, model.reasoning));
  return choice;
}

std::vector<CLI::Option*> addReasoningOptions(CLI::App& options, ReasoningAsked& asked) {
  return {options.add_option("--think", asked.think, "Whether the model reasons before it answers (default: as its chat template has it)")
              ->check(CLI::IsMember({"on", "off"})),
          options.add_option("--reasoning-effort", asked.effort, "How much the model reasons: a word that its chat template knows")};
}

}  // namespace minerva::bench
