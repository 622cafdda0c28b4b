// Turns a Request into tokens (chat template, tokenizer) and measures the time of each step.
#pragma once

#include "core/engine/constraint.h"
#include "core/engine/engine.h"
#include "core/text/channels.h"

#include <memory>
#include <optional>

namespace minerva::engine {

// `where` of the error of a prompt that is longer than the context.
inline constexpr const char* contextField = "context";

struct Prompt {
  std::string text;  // the rendered chat template; empty without one
  std::vector<TokenId> tokens;
  bool continuesText = false;  // the reply continues the prompt's text (no chat turn begins)
  double templateMs = 0, tokenizeMs = 0;
};

// The reply text to continue from: the final assistant message, if chat.continueFinalMessage is set. Its reasoning is in
// "reasoning_content"; "reasoning_open" means the reasoning has not ended. The prompt is then rendered from the messages
// before it, followed by this text verbatim with the model's reasoning markers, so that no template truncates or closes
// it.
[[nodiscard]] std::optional<text::ReplyStart> replyStart(const text::RenderRequest& chat);
// The chat without that message; the template renders this part. A reply that has reasoning is continued with reasoning turned on,
// whatever the request asks of new replies.
[[nodiscard]] text::RenderRequest withoutReplyStart(const text::RenderRequest& chat);

// Adds bos_token, eos_token, ... of the tokenizer unless the request defines them.
void completeVariables(text::RenderRequest& request, const text::Tokenizer& tokenizer);

// tokenizer and chatTemplate may be null. Errors: invalidArgument (empty prompt, token out of range), unsupported (needs
// a missing tokenizer or template), and those of rendering.
[[nodiscard]] Result<Prompt> makePrompt(const Request& request, const text::Tokenizer* tokenizer, const text::ChatTemplate* chatTemplate,
                                        int vocabularySize);

// The parts of a model needed to make prompts. Immutable, thread-safe, cheap to copy; remains usable after the engine is
// gone.
struct PromptMaker {
  std::shared_ptr<const text::Tokenizer> tokenizer;        // null if the file has no usable one
  std::shared_ptr<const text::ChatTemplate> chatTemplate;  // null if the file has no usable one
  int vocabularySize = 0;
  int contextLength = 0;                                    // chosen at load
  std::shared_ptr<ConstraintTokens> constraintTokens = {};  // null without a tokenizer

  // Errors: those of makePrompt; invalidArgument if the request's options are out of range.
  [[nodiscard]] Result<Prompt> make(const Request& request) const;
};

}  // namespace minerva::engine
