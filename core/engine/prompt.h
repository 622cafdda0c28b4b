// From a Request to the tokens to run: chat template, tokenizer, and what each of them took.
#pragma once

#include "core/engine/engine.h"
#include "core/text/channels.h"

#include <memory>
#include <optional>

namespace minerva::engine {

struct Prompt {
  std::string text;  // as the chat template rendered it; empty where there was none
  std::vector<TokenId> tokens;
  bool continuesText = false;  // the reply goes on with the prompt's own text (no chat turn begins)
  double templateMs = 0, tokenizeMs = 0;
};

// What a chat's reply shall go on from: the final message, an assistant's, where chat.continueFinalMessage is set. Its thoughts
// stand under "reasoning_content"; "reasoning_open": they are not over. The prompt is then that of the messages before it, and
// the text to the letter, with the model's own markers around thoughts: no template cuts or closes it.
[[nodiscard]] std::optional<text::ReplyStart> replyStart(const text::RenderRequest& chat);
// The messages before it, which the template is to make a prompt of.
[[nodiscard]] text::RenderRequest withoutReplyStart(const text::RenderRequest& chat);

// bos_token, eos_token, ... of the tokenizer, where the request does not bring its own.
void completeVariables(text::RenderRequest& request, const text::Tokenizer& tokenizer);

// tokenizer / chatTemplate may be null. Errors: invalidArgument (empty prompt, token out of range), unsupported (needs what the
// file lacks), and what rendering says.
[[nodiscard]] Result<Prompt> makePrompt(const Request& request, const text::Tokenizer* tokenizer, const text::ChatTemplate* chatTemplate,
                                        int vocabularySize);

// What of a model its prompts are made with. Immutable, thread-safe, cheap to copy; stays usable when the engine is gone.
struct PromptMaker {
  std::shared_ptr<const text::Tokenizer> tokenizer;        // null: the file has none that can be used
  std::shared_ptr<const text::ChatTemplate> chatTemplate;  // likewise
  int vocabularySize = 0;
  int contextLength = 0;  // chosen when the model was loaded

  // Errors: makePrompt's; invalidArgument where the request's options are out of range.
  [[nodiscard]] Result<Prompt> make(const Request& request) const;
};

}  // namespace minerva::engine
