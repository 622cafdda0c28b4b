// Ollama's /api/chat and /api/generate.
#include "core/serve/chat_messages.h"
#include "core/serve/fields.h"
#include "core/serve/ollama.h"
#include "core/serve/suffix_field.h"

namespace minerva::serve {

Result<Reply> answerOllamaChat(Context& context, const Call& call) {
  if (isBlank(call.body, "messages")) return answerOllamaLoad(context, call, true);
  engine::Request request;
  MINERVA_TRY(readOllama(call.body, context, request));
  MINERVA_ASSIGN(request.chat.messages, readMessages(call.body, context.engine->messageStyle()));
  MINERVA_ASSIGN(request.chat.continueFinalMessage, continuesFinalMessage(call.body, request.chat.messages));
  MINERVA_ASSIGN(request.chat.tools, readTools(call.body));
  const bool callsAsText = request.chat.tools.is_null();
  return answerOllama(context, call, std::move(request), {.chat = true, .callsAsText = callsAsText});
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
