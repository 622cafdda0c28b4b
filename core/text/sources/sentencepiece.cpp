#include "core/text/sources/sentencepiece.h"

#include "core/base/utf8.h"
#include "core/text/bpe/bpe.h"
#include "core/text/characters/space_mark.h"
#include "core/text/word_model/unigram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minerva::text {
namespace {

constexpr double unknownPenalty = 10;  // as in sentencepiece: an unknown character scores this much below the rarest token

// sentencepiece's Normalizer in one pass: rules, removal of extra spaces, the dummy prefix, "▁" for " ".
class SentencePieceNormalizer final : public Normalizer {
 public:
  SentencePieceNormalizer(const SentencePieceModel& model, TokenTrie userDefined)
      : m_rules(model.normalization),
        m_userDefined(std::move(userDefined)),
        m_space(model.escapesSpace ? spaceMark : " "),
        m_trims(model.removesExtraSpace),
        m_prefix(model.addsDummyPrefix && !model.spaceIsSuffix),
        m_suffix(model.addsDummyPrefix && model.spaceIsSuffix) {}

  void apply(std::string& text) const override {
    std::size_t pos = 0;
    while (m_trims && pos < text.size()) {
      const Step step = at(text, pos);
      if (step.text != " ") break;
      pos += step.length;
    }
    std::string out;
    if (pos < text.size()) {
      out.reserve(text.size() + text.size() / 4 + 8);
      write(text, pos, out);
    }
    text = std::move(out);
  }

 private:
  struct Step {
    std::string_view text;
    std::size_t length = 0;
  };
  // Normalizes the text at pos: a user-defined symbol is kept, else the longest rule applies, else the character is kept.
  [[nodiscard]] Step at(std::string_view text, std::size_t pos) const {
    if (m_userDefined.startsWith(static_cast<unsigned char>(text[pos])))
      if (const TokenTrie::Match match = m_userDefined.longestAt(text, pos); match.length > 0)
        return {text.substr(pos, match.length), match.length};
    if (const auto rule = m_rules.longestAt(text, pos)) return {rule->replacement, rule->length};
    const std::size_t length = utf8::decode(text, pos).length;
    return {text.substr(pos, length), length};
  }

  void write(std::string_view text, std::size_t pos, std::string& out) const {
    if (m_prefix) out += m_space;
    bool afterSpace = m_trims;
    while (pos < text.size()) {
      Step step = at(text, pos);
      pos += step.length;
      while (afterSpace && step.text.starts_with(' ')) step.text.remove_prefix(1);
      if (step.text.empty()) continue;
      for (const char c : step.text) {
        if (c == ' ') out += m_space;
        else out += c;
      }
      afterSpace = m_trims && step.text.ends_with(' ');
    }
    while (m_trims && out.ends_with(m_space)) out.resize(out.size() - m_space.size());
    if (m_suffix) out += m_space;
  }

  CharacterMap m_rules;
  TokenTrie m_userDefined;
  std::string m_space;
  bool m_trims, m_prefix, m_suffix;
};

std::unique_ptr<const Normalizer> normalizerOf(const SentencePieceModel& model) {
  std::vector<std::pair<std::string, std::int32_t>> symbols;
  for (TokenId id = 0; static_cast<std::size_t>(id) < model.vocabulary->size(); ++id)
    if (model.vocabulary->kind(id) == TokenKind::userDefined) symbols.emplace_back(model.vocabulary->text(id), id);
  return std::make_unique<SentencePieceNormalizer>(model, TokenTrie(std::move(symbols)));
}

// Control symbols are matched in the original text, user-defined symbols (BPE only) in the normalized text.
AddedTokens addedTokensOf(const SentencePieceModel& model, std::vector<AddedToken> added) {
  std::vector<bool> listed(model.vocabulary->size());
  for (const AddedToken& token : added) listed[static_cast<std::size_t>(token.id)] = true;
  for (TokenId id = 0; static_cast<std::size_t>(id) < model.vocabulary->size(); ++id) {
    const TokenKind kind = model.vocabulary->kind(id);
    if (listed[static_cast<std::size_t>(id)]) continue;
    AddedToken token{id, std::string(model.vocabulary->text(id))};
    token.special = kind == TokenKind::control || kind == TokenKind::unknown;
    token.normalized = kind == TokenKind::userDefined && model.kind == SentencePieceModel::Kind::bpe;
    if (token.special || token.normalized) added.push_back(std::move(token));
  }
  return AddedTokens(std::move(added), [](std::string_view text) { return std::string(text); });
}

// Scores by id for Unigram: user-defined symbols win by their length; control, byte and unused tokens are never chosen.
std::unique_ptr<const WordModel> unigramOf(const SentencePieceModel& model) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (TokenId id = 0; static_cast<std::size_t>(id) < model.vocabulary->size(); ++id) {
    if (model.vocabulary->kind(id) != TokenKind::normal) continue;
    lowest = std::min(lowest, model.scores[static_cast<std::size_t>(id)]);
    highest = std::max(highest, model.scores[static_cast<std::size_t>(id)]);
  }
  if (lowest > highest) lowest = highest = 0;
  std::vector<double> scores(model.vocabulary->size(), std::numeric_limits<double>::quiet_NaN());
  for (TokenId id = 0; static_cast<std::size_t>(id) < scores.size(); ++id) {
    const auto at = static_cast<std::size_t>(id);
    const TokenKind kind = model.vocabulary->kind(id);
    if (kind == TokenKind::normal) scores[at] = model.scores[at];
    if (kind == TokenKind::userDefined) scores[at] = static_cast<double>(model.vocabulary->text(id).size()) * highest - 0.1;
  }
  UnigramOptions options;
  options.unknown = model.unknown;
  options.unknownScore = lowest - unknownPenalty;
  options.byteFallback = model.byteFallback;
  options.singlePrecision = model.singlePrecision;
  return std::make_unique<Unigram>(*model.vocabulary, scores, options);
}

std::unique_ptr<const WordModel> bpeOf(const SentencePieceModel& model) {
  BpeOptions options;
  options.byteFallback = model.byteFallback;
  options.fuseUnknown = true;
  options.unusedInParts = true;
  options.unknown = model.unknown;
  return std::make_unique<Bpe>(*model.vocabulary, mergesFromScores(*model.vocabulary, model.scores), options);
}

}  // namespace

Result<TokenizerParts> sentencePieceParts(SentencePieceModel model, std::vector<AddedToken> added) {
  for (TokenId id = 0; static_cast<std::size_t>(id) < model.vocabulary->size(); ++id) {
    const std::size_t length = model.vocabulary->text(id).size();
    if (length <= Unigram::longestToken) continue;
    return fail({ErrorKind::limit, "token " + std::to_string(id) + " is too long", "", "at most 1024 bytes", std::to_string(length), ""});
  }
  const bool unigram = model.kind == SentencePieceModel::Kind::unigram;
  TokenizerParts parts;
  parts.normalizer = normalizerOf(model);
  parts.added = addedTokensOf(model, std::move(added));
  parts.decoder = Decoder::sentencePiece(model.addsDummyPrefix || model.removesExtraSpace);
  parts.specialsAsWritten = false;  // user-defined symbols made of "▁" decode to spaces
  parts.dropsSpaceUntilText = model.removesExtraSpace;
  parts.model = unigram ? unigramOf(model) : bpeOf(model);
  if (model.unknown != noToken) {
    parts.decodedAs[model.unknown] = model.unknownSurface;
    parts.special.unknown = model.unknown;
  }
  parts.description = unigram ? "SentencePiece Unigram" : "SentencePiece BPE";
  parts.vocabulary = std::move(model.vocabulary);
  return parts;
}

}  // namespace minerva::text
