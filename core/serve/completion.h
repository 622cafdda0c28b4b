// What /v1/chat/completions and /v1/completions have in common: the fields beside the prompt, and the reply, whole or streamed.
#pragma once

#include "core/serve/generation.h"
#include "core/serve/route.h"

#include <string>
#include <vector>

namespace minerva::serve {

struct Completion {
  bool chat = true;
  bool stream = false, includeUsage = false;
  bool callsAsText = false, oneCall = false;   // as in Generation::How
  const text::Tokenizer* tokenizer = nullptr;  // if the reply has probabilities of tokens
  text::ChannelFormat channels{};              // of a chat with them
  std::size_t choicesPerPrompt = 1;
  std::vector<engine::Request> requests{};  // prompts by choices
};

// Sampling, length, stop strings, n, stream: all but the prompt. `request` becomes the pattern for every choice. Errors:
// invalidArgument, unsupported, notFound (another model).
[[nodiscard]] Result<void> readCompletion(const Json& body, const Context& context, Completion& out, engine::Request& request);
// Adds a prompt with its choices, whose seeds follow one another.
[[nodiscard]] Result<void> addPrompt(const Limits& limits, const engine::Request& request, Completion& out);
// The times of a reply under the names that llama-server gives them.
[[nodiscard]] Json timingsJson(const Usage& usage);
// How the reply is read from the engine's events.
[[nodiscard]] Generation::How howOf(const Context& context, const Call& call, const Completion& completion);
[[nodiscard]] Result<Reply> answerCompletion(Context& context, const Call& call, Completion completion);
// The reply of a generation that has begun.
[[nodiscard]] Result<Reply> replyWith(std::unique_ptr<Generation> generation, const Completion& completion, const std::string& model);

}  // namespace minerva::serve
