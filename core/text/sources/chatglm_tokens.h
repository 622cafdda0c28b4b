// What ChatGLMTokenizer, the Python class of ChatGLM2 and ChatGLM3, adds to its tokenizer.model. No file of the folder says it.
#pragma once

#include "core/text/sources/tokenizer_sources.h"

namespace minerva::text {

// By tokenizer_config.json.
[[nodiscard]] bool isChatGlm(const TokenizerJsonContext& context);

struct ChatGlmTokens {
  std::vector<AddedToken> added;
  std::vector<TokenId> prefix;  // of every prompt
  std::vector<std::string> warnings;
};
// Adds the tokens to the vocabulary, behind its last. Errors: corrupt (one of them is in the vocabulary already).
[[nodiscard]] Result<ChatGlmTokens> chatGlmTokens(const TokenizerJsonContext& context, Vocabulary& vocabulary);

}  // namespace minerva::text
