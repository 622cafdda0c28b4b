// Ollama's /api/chat and /api/generate.
#include "core/engine/prompt.h"
#include "core/serve/chat_messages.h"
#include "core/serve/fields.h"
#include "core/serve/ollama.h"
#include "core/serve/refusal.h"
#include "core/serve/suffix_field.h"
#include "core/serve/tool_schemas.h"

#include <algorithm>
#include <ranges>

namespace minerva::serve {
namespace {

// The messages without those that are older than the one at `from`, but for the system's.
Json messagesSince(const Json& messages, std::size_t from) {
  Json out = Json::array();
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (i >= from || messages[i]["role"] == "system") out.push_back(messages[i]);
  return out;
}

// Leaves out the oldest turns of the user, with all that answers them, until the context holds the prompt. False: it does not hold the
// last one alone.
bool dropOldestTurns(const ServedModel& model, engine::Request& request) {
  const Json messages = request.chat.messages;
  std::vector<std::size_t> turns;
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (messages[i]["role"] == "user") turns.push_back(i);
  const auto isTooLong = [&](std::size_t from) {
    request.chat.messages = messagesSince(messages, from);
    const auto prompt = engine::makePrompt(request, model.tokenizer(), model.chatTemplate(), model.info().vocabulary);
    return !prompt || static_cast<int>(prompt->tokens.size()) >= model.info().contextLength;
  };
  const auto first = std::ranges::partition_point(turns, isTooLong);
  if (first == turns.end()) return false;
  request.chat.messages = messagesSince(messages, *first);
  return true;
}

}  // namespace

Result<Reply> answerOllamaChat(Context& context, const Call& call) {
  if (isBlank(call.body, "messages")) return answerOllamaLoad(context, call, true);
  engine::Request request;
  MINERVA_TRY(readOllama(call.body, context, request));
  MINERVA_ASSIGN(request.chat.messages, readMessages(call.body, context.engine->messageStyle()));
  MINERVA_ASSIGN(request.chat.continueFinalMessage, continuesFinalMessage(call.body, request.chat.messages));
  MINERVA_ASSIGN(request.chat.tools, readTools(call.body));
  MINERVA_TRY(checkToolSchemas(request.chat.tools, context.grammars));
  const bool callsAsText = request.chat.tools.is_null();
  const OllamaStyle style{.chat = true, .callsAsText = callsAsText};
  MINERVA_ASSIGN(const auto truncates, boolField(call.body, "truncate"));
  Result<Reply> made = answerOllama(context, call, request, style);
  if (made || !truncates.value_or(true) || !refusalOf(made.error()).overflow || !dropOldestTurns(*context.engine, request)) return made;
  return answerOllama(context, call, std::move(request), style);
}

// The prompt is a message of the user, unless "raw" asks for plain text, or a suffix for what is before that.
Result<Reply> answerOllamaGenerate(Context& context, const Call& call) {
  const bool infills = !isBlank(call.body, "suffix");
  if (isBlank(call.body, "prompt") && !infills) return answerOllamaLoad(context, call, false);
  engine::Request request;
  MINERVA_TRY(readOllama(call.body, context, request));
  MINERVA_ASSIGN(const auto raw, boolField(call.body, "raw"));
  MINERVA_ASSIGN(const auto prompt, stringField(call.body, "prompt"));
  MINERVA_ASSIGN(const auto system, stringField(call.body, "system"));
  if (raw.value_or(false) || infills) {
    request.prompt = prompt.value_or("");
    MINERVA_TRY(readSuffix(call.body, context, request));
  } else {
    if (system && !system->empty()) request.chat.messages.push_back({{"role", "system"}, {"content", *system}});
    request.chat.messages.push_back({{"role", "user"}, {"content", *prompt}});
  }
  return answerOllama(context, call, std::move(request), {.chat = false, .callsAsText = true});
}

}  // namespace minerva::serve
