// Builds the parts of a tokenizer, one function per source. createTokenizer() chooses.
#pragma once

#include "core/format/model_file.h"
#include "core/text/pipeline/pipeline_tokenizer.h"

#include <nlohmann/json.hpp>

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
// {"32000": {"content": "<|im_start|>", "special": true, ...}}. Adds them to the vocabulary, or gives the ids it has these texts.
[[nodiscard]] Result<std::vector<AddedToken>> configuredTokens(const nlohmann::json& tokenizerConfig, Vocabulary& vocabulary);

// From the bytes of a tokenizer.model; added_tokens_decoder of tokenizer_config.json adds tokens. Errors: corrupt,
// unsupported, limit.
[[nodiscard]] Result<TokenizerParts> tokenizerFromSentencePiece(std::string_view bytes, const TokenizerJsonContext& context);

// From the text of a tekken.json (Mistral). Errors: corrupt, unsupported, limit.
[[nodiscard]] Result<TokenizerParts> tokenizerFromTekken(std::string_view text, const TokenizerJsonContext& context);

// From lines of tokens in base64 and ranks: tiktoken.model (Kimi, Moonlight), qwen.tiktoken (Qwen 1) or a tokenizer.model that
// isRankList() (GLM-4). How they split text and which tokens follow is known by tokenizer_class. Errors: corrupt, unsupported (a class that
// is not known), limit.
[[nodiscard]] bool isRankList(std::string_view text);
[[nodiscard]] Result<TokenizerParts> tokenizerFromTiktoken(std::string_view text, const TokenizerJsonContext& context);
[[nodiscard]] Result<TokenizerParts> tokenizerFromQwenTiktoken(std::string_view text, const TokenizerJsonContext& context);
[[nodiscard]] Result<TokenizerParts> tokenizerFromRankedModel(std::string_view text, const TokenizerJsonContext& context);

// From the text of a tokenizer.json. Errors: corrupt (with the byte offset), unsupported, limit.
[[nodiscard]] Result<TokenizerParts> tokenizerFromJson(std::string_view text, const TokenizerJsonContext& context);

}  // namespace minerva::text
