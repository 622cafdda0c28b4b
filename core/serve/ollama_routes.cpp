// Ollama's /api/chat, /api/generate, /api/tags and /api/version.
#include "core/serve/chat_messages.h"
#include "core/serve/fields.h"
#include "core/serve/ollama.h"

namespace minerva::serve {

Result<Reply> answerOllamaVersion(Context&, const Call&) { return Reply{.body = R"({"version":")" MINERVA_VERSION R"(-minerva"})"}; }

Result<Reply> answerOllamaTags(Context& context, const Call&) {
  Json models = Json::array();
  for (const ModelShelf::Listed& listed : modelsOf(context)) {
    Json model{{"name", listed.name}, {"model", listed.name}, {"modified_at", "1970-01-01T00:00:00Z"}, {"digest", ""}};
    if (listed.text) {
      const engine::ModelInfo& info = *listed.text;
      model["size"] = info.fileBytes;
      model["details"] = {{"format", name(info.format)},
                          {"family", info.family},
                          {"families", Json::array({info.family})},
                          {"parameter_size", std::to_string(info.parameters / 1'000'000) + "M"},
                          {"quantization_level", info.typeName}};
    } else if (listed.other) {
      model["size"] = listed.other->fileBytes;
      model["details"] = {{"family", listed.other->family}};
    }
    models.push_back(std::move(model));
  }
  return Reply{.body = written({{"models", std::move(models)}})};
}

Result<Reply> answerOllamaChat(Context& context, const Call& call) {
  if (isBlank(call.body, "messages")) return answerOllamaLoad(context, call, true);
  engine::Request request;
  MINERVA_TRY(readOllama(call.body, context, request));
  MINERVA_ASSIGN(request.chat.messages, readMessages(call.body, context.engine->messageStyle()));
  MINERVA_ASSIGN(request.chat.tools, readTools(call.body));
  const bool callsAsText = request.chat.tools.is_null();
  return answerOllama(context, call, std::move(request), {.chat = true, .callsAsText = callsAsText});
}

// The prompt is a message of the user, unless "raw" asks for plain text.
Result<Reply> answerOllamaGenerate(Context& context, const Call& call) {
  if (isBlank(call.body, "prompt")) return answerOllamaLoad(context, call, false);
  engine::Request request;
  MINERVA_TRY(readOllama(call.body, context, request));
  MINERVA_ASSIGN(const auto raw, boolField(call.body, "raw"));
  MINERVA_ASSIGN(const auto prompt, stringField(call.body, "prompt"));
  MINERVA_ASSIGN(const auto system, stringField(call.body, "system"));
  if (raw.value_or(false)) {
    request.prompt = *prompt;
  } else {
    if (system && !system->empty()) request.chat.messages.push_back({{"role", "system"}, {"content", *system}});
    request.chat.messages.push_back({{"role", "user"}, {"content", *prompt}});
  }
  return answerOllama(context, call, std::move(request), {.chat = false, .callsAsText = true});
}

}  // namespace minerva::serve
