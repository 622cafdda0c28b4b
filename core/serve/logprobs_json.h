// Probabilities of tokens in OpenAI's two forms: of chats, and of completions.
#pragma once

#include "core/engine/events.h"
#include "core/serve/parse_json.h"

#include <vector>

namespace minerva::serve {

struct TokenProbability {
  engine::TokenId token = 0;
  engine::Logprobs logprobs;
};

// Control tokens (markers, the end of the turn) are left out: they are no part of the text. Null without any.
[[nodiscard]] Json chatLogprobs(const std::vector<TokenProbability>& tokens, const text::Tokenizer& tokenizer);
// offset: of the first token in the reply's text, in bytes.
[[nodiscard]] Json textLogprobs(const std::vector<TokenProbability>& tokens, const text::Tokenizer& tokenizer, std::size_t offset);

}  // namespace minerva::serve
