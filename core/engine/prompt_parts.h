// Which tokens of a prompt belong to which of its messages. Pure functions; thread-safe.
//
// A message's part begins with what the template writes before it ("<|im_start|>user\n") and ends with what it writes after
// it. How much of what stands between two messages closes the first is seen from the conversation rendered up to there.
#pragma once

#include "core/engine/engine.h"
#include "core/engine/prompt.h"

#include <vector>

namespace minerva::engine {

struct PromptPart {
  int message = -1;  // index in chat.messages; -1: the template's own, before the first or after the last message
  int tokens = 0;
};

// In the prompt's order; the tokens of all parts are the prompt's. A message that the template leaves out has none. A token
// that two parts share belongs to the first. Where a template rewrites messages beyond recognition, one part has everything.
[[nodiscard]] std::vector<PromptPart> promptParts(const Request& request, const Prompt& prompt, const text::Tokenizer& tokenizer,
                                                  const text::ChatTemplate& chatTemplate);

// Where each token begins in the text it was made from; empty where tokens and text differ (a tokenizer that normalizes).
[[nodiscard]] std::vector<std::size_t> tokenStarts(const std::string& text, std::span<const TokenId> tokens,
                                                   const text::Tokenizer& tokenizer);

}  // namespace minerva::engine
