// POST /v1/completions: a prompt, or several, as text or as token ids, continued without a chat template.
#include "core/serve/completion.h"
#include "core/serve/fields.h"

#include <algorithm>
#include <limits>

namespace minerva::serve {
namespace {

bool isTokens(const Json& value) {
  return value.is_array() && !value.empty() && std::ranges::all_of(value, [](const Json& one) { return one.is_number_integer(); });
}

Result<void> setPrompt(const Json& value, engine::Request& request) {
  request.prompt.clear();
  request.tokens.clear();
  if (value.is_string()) {
    request.prompt = value.get<std::string>();
    return {};
  }
  if (!isTokens(value)) return wrongField("prompt", "text, token ids, or an array of these", value.type_name());
  for (const Json& one : value) {
    const double id = one.get<double>();
    if (id < 0 || id > std::numeric_limits<engine::TokenId>::max()) return wrongField("prompt", "token ids of the vocabulary", one.dump());
    request.tokens.push_back(one.get<engine::TokenId>());
  }
  return {};
}

}  // namespace

Result<Reply> answerText(Context& context, const Call& call) {
  Completion completion{.chat = false, .callsAsText = true};
  engine::Request request;
  MINERVA_TRY(readCompletion(call.body, context, completion, request));
  for (const char* field : {"echo", "suffix"}) MINERVA_TRY(refuseField(call.body, field));
  const auto most = static_cast<std::int64_t>(completion.choicesPerPrompt);  // best_of: of more, the best ones are to be chosen
  MINERVA_TRY(integerField(call.body, "best_of", most, most));
  const Json* prompt = present(call.body, "prompt");
  if (prompt == nullptr) return wrongField("prompt", "text, token ids, or an array of these", "none");
  const bool several = prompt->is_array() && !isTokens(*prompt);
  if (several && (prompt->empty() || prompt->size() > context.options.limits.choices))
    return wrongField("prompt", "1 to " + std::to_string(context.options.limits.choices) + " prompts", std::to_string(prompt->size()));
  for (const Json& one : several ? *prompt : Json::array({*prompt})) {
    MINERVA_TRY(setPrompt(one, request));
    MINERVA_TRY(addPrompt(context.options.limits, request, completion));
  }
  return answerCompletion(context, call, std::move(completion));
}

}  // namespace minerva::serve
