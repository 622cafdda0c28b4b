// Tokens that tokenizer_config.json adds to a vocabulary.
#include "core/text/json/json_fields.h"
#include "core/text/sources/tokenizer_sources.h"

#include <charconv>

namespace minerva::text {
namespace {

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

}  // namespace

Result<std::vector<AddedToken>> configuredTokens(const nlohmann::json& tokenizerConfig, Vocabulary& vocabulary) {
  std::vector<AddedToken> added;
  const nlohmann::json tokens =
      tokenizerConfig.is_object() ? tokenizerConfig.value("added_tokens_decoder", nlohmann::json()) : nlohmann::json();
  if (!tokens.is_object()) return added;
  const std::string name = "added token";
  for (const auto& [key, entry] : tokens.items()) {
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
    // Families that keep ids free for later have named them by this file alone: the vocabulary's own text is a placeholder.
    const bool named = vocabulary.has(token.id) ? vocabulary.rename(token.id, token.text) : vocabulary.add(token.id, token.text, kind);
    if (!named)
      return fail({ErrorKind::corrupt, "added token " + key + " contradicts the vocabulary", "tokenizer_config.json, added_tokens_decoder",
                   "a text of its own", "'" + token.text.substr(0, 60) + "', which is another token", ""});
    vocabulary.setKind(token.id, kind);
    added.push_back(std::move(token));
  }
  return added;
}

}  // namespace minerva::text
