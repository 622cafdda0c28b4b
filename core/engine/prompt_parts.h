// Maps the tokens of a prompt to its messages. Pure functions; thread-safe.
//
// A message's part includes the text that the template writes before it ("<|im_start|>user\n") and after it. To find out
// how much of the text between two messages closes the first, the conversation is also rendered up to that message.
#pragma once

#include "core/engine/engine.h"
#include "core/engine/prompt.h"

#include <vector>

namespace minerva::engine {

struct PromptPart {
  int message = -1;  // index in chat.messages; -1: template text before the first or after the last message
  int tokens = 0;
};

// In prompt order; the parts cover all tokens of the prompt. Messages that the template omits have no part. A token
// shared by two parts belongs to the first. If the template rewrites messages beyond recognition, there is a single part.
[[nodiscard]] std::vector<PromptPart> promptParts(const Request& request, const Prompt& prompt, const text::Tokenizer& tokenizer,
                                                  const text::ChatTemplate& chatTemplate);

// Byte offset of each token in the text it was made from; empty if tokens and text do not match (a normalizing
// tokenizer).
[[nodiscard]] std::vector<std::size_t> tokenStarts(const std::string& text, std::span<const TokenId> tokens,
                                                   const text::Tokenizer& tokenizer);

}  // namespace minerva::engine
