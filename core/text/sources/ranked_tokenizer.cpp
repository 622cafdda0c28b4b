#include "core/text/sources/ranked_tokenizer.h"

#include "core/base/utf8.h"
#include "core/text/bpe/bpe.h"
#include "core/text/characters/byte_alphabet.h"
#include "core/text/normalizer/base64.h"
#include "core/text/sources/json_model.h"

#include <algorithm>

namespace minerva::text {

using nlohmann::json;

Result<std::monostate> RankedVocabulary::add(std::string_view base64, std::int64_t rank) {
  const auto bytes = decodeBase64(base64);
  if (!bytes || bytes->empty())
    return corruptRanks("the token of rank " + std::to_string(rank) + " is not in base64", "at least one byte", inQuotes(base64));
  if (rank < 0 || rank > highestTokenId - m_firstId)
    return corruptRanks("a token has an impossible rank", "0 to " + std::to_string(highestTokenId - m_firstId), std::to_string(rank));
  m_written.clear();
  appendWritten(m_written, *bytes);
  const auto id = static_cast<TokenId>(m_firstId + rank);
  if (vocabulary().has(id)) return corruptRanks("two tokens have the same rank", "one token per rank", std::to_string(rank));
  if (!vocabulary().add(id, m_written, TokenKind::normal))
    return corruptRanks("two tokens are the same", "every token once", inQuotes(*bytes) + " twice");
  ++m_ranks;
  return {};
}

Result<std::monostate> RankedVocabulary::addSpecial(AddedToken token) {
  const std::string id = std::to_string(token.id);
  if (token.text.empty() || token.text.size() > longestAddedToken)
    return corruptRanks("special token " + id + " has an impossible name", "1 to 1024 bytes", std::to_string(token.text.size()));
  if (vocabulary().has(token.id)) return corruptRanks("two special tokens have the same id", "one token per id", id);
  if (!vocabulary().add(token.id, token.text, TokenKind::control))
    return corruptRanks("two tokens are the same", "every token once", inQuotes(token.text) + " twice");
  m_added.push_back(std::move(token));
  return {};
}

json RankedVocabulary::written(bool wholeWordFirst) const {
  json vocab = json::object(), merges = json::array(), added = json::array();
  std::vector<std::pair<TokenId, TokenId>> pairs;
  for (std::size_t rank = 0; rank < m_ranks; ++rank) {
    const auto id = static_cast<TokenId>(m_firstId + static_cast<std::int64_t>(rank));
    const std::string_view text = vocabulary().text(id);
    vocab[std::string(text)] = static_cast<std::size_t>(id);
    if (text.size() > longestAddedToken) continue;  // as mergesFromScores() does: the loop is quadratic in the length
    pairs.clear();
    for (std::size_t cut = utf8::decode(text, 0).length; cut < text.size(); cut += utf8::decode(text, cut).length) {
      const TokenId left = vocabulary().find(text.substr(0, cut)), right = vocabulary().find(text.substr(cut));
      const auto isRanked = [&](TokenId part) { return part >= m_firstId && std::cmp_less(part - m_firstId, m_ranks); };
      if (isRanked(left) && isRanked(right)) pairs.emplace_back(left, right);
    }
    std::ranges::sort(pairs);
    for (const auto& [left, right] : pairs)
      merges.push_back(std::string(vocabulary().text(left)).append(" ").append(vocabulary().text(right)));
  }
  for (const AddedToken& token : m_added)
    added.push_back({{"id", static_cast<std::size_t>(token.id)}, {"content", token.text}, {"special", token.special}});
  const json split = {{"type", "Split"}, {"pattern", {{"Regex", m_pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
  const json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  return {{"added_tokens", std::move(added)},
          {"normalizer", m_nfc ? json{{"type", "NFC"}} : json()},
          {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}}},
          {"decoder", bytes},
          {"model", {{"type", "BPE"}, {"ignore_merges", wholeWordFirst}, {"vocab", std::move(vocab)}, {"merges", std::move(merges)}}}};
}

Result<TokenizerParts> RankedVocabulary::finish() {
  std::vector<double> scores(vocabulary().size(), 0);
  for (std::size_t rank = 0; rank < m_ranks; ++rank) {
    const std::size_t id = static_cast<std::size_t>(m_firstId) + rank;
    if (!vocabulary().has(static_cast<TokenId>(id)))
      return corruptRanks("a rank has no token", "every rank below " + std::to_string(m_ranks), "none of rank " + std::to_string(rank));
    scores[id] = -static_cast<double>(rank);
  }
  for (unsigned byte = 0; byte < 256; ++byte)
    if (vocabulary().find(byteToWritten(static_cast<std::uint8_t>(byte))) == noToken)
      return corruptRanks("a byte has no token", "all 256 bytes", "none for byte " + std::to_string(byte));
  const std::string_view patterns[] = {m_pattern};
  auto preTokenizer = PreTokenizer::fromPatterns(patterns);
  if (!preTokenizer) {
    preTokenizer.error().where = m_file + ", " + preTokenizer.error().where;
    return fail(std::move(preTokenizer.error()));
  }
  m_parts.preTokenizer = std::move(*preTokenizer);
  m_parts.preTokenizer.setLeavesBytes();
  if (m_nfc) m_parts.normalizer = makeNfc();
  for (const AddedToken& token : m_added) vocabulary().setKind(token.id, TokenKind::control);  // which nothing merges to
  BpeOptions options;
  options.rawBytes = true;
  options.wholeWordFirst = true;
  m_parts.model = std::make_unique<Bpe>(vocabulary(), mergesFromScores(vocabulary(), scores), options);
  m_parts.decoder = Decoder::byteLevel();
  for (const AddedToken& token : m_added)
    if (!token.special) vocabulary().setKind(token.id, TokenKind::userDefined);
  m_parts.added = AddedTokens(std::move(m_added), [](std::string_view text) { return std::string(text); });
  m_parts.description = "byte-level BPE (" + m_file + ")";
  return std::move(m_parts);
}

void setNamed(std::optional<TokenId>& id, const Vocabulary& vocabulary, std::string_view name) {
  const TokenId found = vocabulary.find(name);
  if (vocabulary.kind(found) == TokenKind::control) id = found;
}

}  // namespace minerva::text
