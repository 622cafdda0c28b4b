// Builds the parts of a tokenizer, one function per source. createTokenizer() chooses.
#pragma once

#include "core/text/pipeline/pipeline_tokenizer.h"

namespace minerva::text {

// From GGUF's tokenizer.ggml.* keys. Errors: notFound, corrupt, unsupported; `where` names the key.
[[nodiscard]] Result<TokenizerParts> tokenizerFromGguf(const format::Metadata& metadata);

// The other JSON files of the model's folder. Those absent are null or not objects.
struct TokenizerJsonContext {
  const nlohmann::json& tokenizerConfig;
  const nlohmann::json& modelConfig;
  const nlohmann::json& generationConfig;
  std::string_view chatTemplate = {};  // empty: none
};
// Control tokens that are added if tokenizer_config.json does not say.
struct AddedByDefault {
  bool bos = false, eos = false;
};
// Sets special, addsBos and, if there is no template, the post-processor. The vocabulary must be complete.
void readConfiguredSpecials(const TokenizerJsonContext& context, AddedByDefault defaults, TokenizerParts& parts);

// Tokens beyond a vocabulary, and tokens of it turned into special ones: added_tokens_decoder of tokenizer_config.json, such as
// {"32000": {"content": "<|im_start|>", "special": true, ...}}. Adds them to the vocabulary.
[[nodiscard]] Result<std::vector<AddedToken>> configuredTokens(const nlohmann::json& tokenizerConfig, Vocabulary& vocabulary);

// From the bytes of a tokenizer.model; added_tokens_decoder of tokenizer_config.json adds tokens. Errors: corrupt,
// unsupported, limit.
[[nodiscard]] Result<TokenizerParts> tokenizerFromSentencePiece(std::string_view bytes, const TokenizerJsonContext& context);

// From the text of a tekken.json (Mistral) or a tiktoken.model (Kimi, Moonlight; its special tokens are in added_tokens_decoder).
// Errors: corrupt, unsupported (a tiktoken.model of another family), limit.
[[nodiscard]] Result<TokenizerParts> tokenizerFromTekken(std::string_view text, const TokenizerJsonContext& context);
[[nodiscard]] Result<TokenizerParts> tokenizerFromTiktoken(std::string_view text, const TokenizerJsonContext& context);

// From the text of a tokenizer.json. Errors: corrupt (with the byte offset), unsupported, limit.
[[nodiscard]] Result<TokenizerParts> tokenizerFromJson(std::string_view text, const TokenizerJsonContext& context);

}  // namespace minerva::text
