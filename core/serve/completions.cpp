// POST /v1/completions: a prompt, or several, as text or as token ids, continued without a chat template.
#include "core/serve/completion.h"
#include "core/serve/fields.h"
#include "core/serve/suffix_field.h"
#include "core/serve/token_fields.h"

namespace minerva::serve {

Result<Reply> answerText(Context& context, const Call& call) {
  Completion completion{.chat = false, .callsAsText = true};
  engine::Request request;
  MINERVA_TRY(readCompletion(call.body, context, completion, request));
  MINERVA_TRY(refuseField(call.body, "echo"));
  const auto most = static_cast<std::int64_t>(completion.choicesPerPrompt);  // best_of: of more, the best ones are to be chosen
  MINERVA_TRY(integerField(call.body, "best_of", most, most));
  const Json* prompt = present(call.body, "prompt");
  if (prompt == nullptr) return wrongField("prompt", "text, token ids, or an array of these", "none");
  const bool several = prompt->is_array() && !areTokens(*prompt);
  if (several && (prompt->empty() || prompt->size() > context.options.limits.choices))
    return wrongField("prompt", "1 to " + std::to_string(context.options.limits.choices) + " prompts", std::to_string(prompt->size()));
  for (const Json& one : several ? *prompt : Json::array({*prompt})) {
    MINERVA_TRY(readPrompt(one, request));
    MINERVA_TRY(readSuffix(call.body, context, request));
    MINERVA_TRY(addPrompt(context.options.limits, request, completion));
  }
  return answerCompletion(context, call, std::move(completion));
}

}  // namespace minerva::serve
