// Creates a tokenizer from a tokenizer.model and the JSON files next to it.
#include "core/text/json/json_fields.h"
#include "core/text/sources/sentencepiece.h"
#include "core/text/sources/tokenizer_sources.h"

#include <charconv>

namespace minerva::text {
namespace {

using nlohmann::json;

std::optional<TokenId> controlSymbol(const Vocabulary& vocabulary, std::string_view name) {
  const TokenId id = vocabulary.find(name);
  return vocabulary.kind(id) == TokenKind::control ? std::optional(id) : std::nullopt;
}

Result<TokenId> addedId(const std::string& key, const Vocabulary& vocabulary) {
  TokenId id = noToken;
  const auto parsed = std::from_chars(key.data(), key.data() + key.size(), id);
  // Ids normally continue where the vocabulary ends. A distant id would only be noticed much later, as a missing embedding.
  const auto highest = static_cast<TokenId>(std::min<std::size_t>(vocabulary.size() + 65536, static_cast<std::size_t>(highestTokenId)));
  if (parsed.ec != std::errc() || parsed.ptr != key.data() + key.size() || id < 0 || id > highest)
    return fail({ErrorKind::corrupt, "an added token has an impossible id", "tokenizer_config.json, added_tokens_decoder",
                 "0 to " + std::to_string(highest), key.substr(0, 40), ""});
  return id;
}

// Tokens beyond the pieces, and pieces turned into special tokens: {"32000": {"content": "<|im_start|>", "special": true,
// ...}}.
Result<std::vector<AddedToken>> configuredTokens(const json& config, Vocabulary& vocabulary) {
  std::vector<AddedToken> added;
  if (!config.is_object() || !config.contains("added_tokens_decoder") || !config["added_tokens_decoder"].is_object()) return added;
  const std::string name = "added token";
  for (const auto& [key, entry] : config["added_tokens_decoder"].items()) {
    AddedToken token;
    MINERVA_ASSIGN(token.id, addedId(key, vocabulary));
    MINERVA_ASSIGN(token.text, stringField(entry, "content", name));
    MINERVA_ASSIGN(token.special, boolFieldOr(entry, "special", false, name));
    MINERVA_ASSIGN(token.singleWord, boolFieldOr(entry, "single_word", false, name));
    MINERVA_ASSIGN(token.stripsLeft, boolFieldOr(entry, "lstrip", false, name));
    MINERVA_ASSIGN(token.stripsRight, boolFieldOr(entry, "rstrip", false, name));
    if (token.text.empty() || token.text.size() > 1024) return fail(fieldError(name, "content", "1 to 1024 bytes", &entry));
    if (vocabulary.has(token.id) && vocabulary.text(token.id) == token.text && vocabulary.kind(token.id) != TokenKind::normal) continue;
    const TokenKind kind = token.special ? TokenKind::control : TokenKind::userDefined;
    if (!vocabulary.add(token.id, token.text, kind))
      return fail({ErrorKind::corrupt, "added token " + key + " contradicts the vocabulary", "tokenizer_config.json, added_tokens_decoder",
                   "one text per id", "'" + token.text.substr(0, 60) + "'", ""});
    vocabulary.setKind(token.id, kind);
    added.push_back(std::move(token));
  }
  return added;
}

}  // namespace

Result<TokenizerParts> tokenizerFromSentencePiece(std::string_view bytes, const TokenizerJsonContext& context) {
  MINERVA_ASSIGN(SentencePieceModel model, readSentencePieceModel(bytes));
  MINERVA_ASSIGN(std::vector<AddedToken> added, configuredTokens(context.tokenizerConfig, *model.vocabulary));
  model.scores.resize(model.vocabulary->size(), 0);
  const bool bpe = model.kind == SentencePieceModel::Kind::bpe;
  MINERVA_ASSIGN(TokenizerParts parts, sentencePieceParts(std::move(model), std::move(added)));
  parts.special.bos = controlSymbol(*parts.vocabulary, "<s>");
  if (!parts.special.bos) parts.special.bos = controlSymbol(*parts.vocabulary, "<bos>");
  parts.special.eos = controlSymbol(*parts.vocabulary, "</s>");
  if (!parts.special.eos) parts.special.eos = controlSymbol(*parts.vocabulary, "<eos>");
  parts.special.pad = controlSymbol(*parts.vocabulary, "<pad>");
  // Transformers' classes for these models (Llama, T5) add BOS or EOS by default; sentencepiece itself adds neither.
  const bool inFolder = context.tokenizerConfig.is_object() || context.modelConfig.is_object();
  readConfiguredSpecials(context, {inFolder && bpe, inFolder && !bpe}, parts);
  return parts;
}

}  // namespace minerva::text
