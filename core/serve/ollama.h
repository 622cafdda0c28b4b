// Requests of Ollama's interface in terms of the others, and the lines of its replies.
#pragma once

#include "core/serve/generation.h"

namespace minerva::serve {

// Sampling and length from `options`, thinking from `think`, the reply's form from `format`. Errors: invalidArgument, unsupported,
// notFound.
[[nodiscard]] Result<void> readOllama(const Json& body, const Context& context, engine::Request& request);

// A request without a prompt is for the model to be loaded, or to be let go. True: the field has nothing.
[[nodiscard]] bool isBlank(const Json& body, const char* field);
[[nodiscard]] Result<Reply> answerOllamaLoad(Context& context, const Call& call, bool chat);

// keep_alive 0: a model of a shelf leaves when its users, this request too, are done. Error: notFound.
[[nodiscard]] Result<void> letGoIfAsked(const Context& context, const Json& body);

struct OllamaStyle {
  bool chat = true;         // a message, or a text called "response"
  bool callsAsText = true;  // as in Generation::How
};
// Runs one request; lines of JSON unless the body says "stream": false.
[[nodiscard]] Result<Reply> answerOllama(Context& context, const Call& call, engine::Request request, const OllamaStyle& style);

}  // namespace minerva::serve
