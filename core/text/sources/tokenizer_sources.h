// Where a tokenizer's parts come from, one function a source. createTokenizer() picks.
#pragma once

#include "core/text/pipeline/pipeline_tokenizer.h"

namespace minerva::text {

// From GGUF's tokenizer.ggml.* keys. Errors: notFound, corrupt, unsupported; `where` names the key.
[[nodiscard]] Result<TokenizerParts> tokenizerFromGguf(const format::Metadata& metadata);

// What stands beside tokenizer.json. Null or not objects where absent.
struct TokenizerJsonContext {
  const nlohmann::json& tokenizerConfig;
  const nlohmann::json& modelConfig;
  const nlohmann::json& generationConfig;
};
// Which control tokens are added where tokenizer_config.json does not say.
struct AddedByDefault {
  bool bos = false, eos = false;
};
// Sets special, addsBos and, where there is no template, the post-processor. The vocabulary must be complete.
void readConfiguredSpecials(const TokenizerJsonContext& context, AddedByDefault defaults, TokenizerParts& parts);

// From the bytes of a tokenizer.model; tokenizer_config.json's added_tokens_decoder adds tokens. Errors as above.
[[nodiscard]] Result<TokenizerParts> tokenizerFromSentencePiece(std::string_view bytes, const TokenizerJsonContext& context);

// From the text of tokenizer.json. Errors: corrupt (with the byte), unsupported, limit.
[[nodiscard]] Result<TokenizerParts> tokenizerFromJson(std::string_view text, const TokenizerJsonContext& context);

}  // namespace minerva::text
