// Probabilities of tokens in OpenAI's two forms, of chats and of completions, and in Ollama's.
#pragma once

#include "core/engine/events.h"
#include "core/serve/parse_json.h"

#include <cstddef>
#include <vector>

namespace minerva::serve {

struct TokenProbability {
  engine::TokenId token = 0;
  engine::Logprobs logprobs;
  std::size_t offset = 0;  // of its text in the reply's, in characters
};

// Null without any.
[[nodiscard]] Json chatLogprobs(const std::vector<TokenProbability>& tokens, const text::Tokenizer& tokenizer);
[[nodiscard]] Json ollamaLogprobs(const std::vector<TokenProbability>& tokens, const text::Tokenizer& tokenizer);
[[nodiscard]] Json textLogprobs(const std::vector<TokenProbability>& tokens, const text::Tokenizer& tokenizer);

}  // namespace minerva::serve
