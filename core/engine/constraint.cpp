#include "core/engine/constraint.h"

#include <algorithm>
#include <string>

namespace minerva::engine {

namespace {

constexpr char markerSign = '\x01';

bool contains(const std::vector<TokenId>& ids, TokenId id) { return std::ranges::find(ids, id) != ids.end(); }

}  // namespace

std::vector<TokenId> callMarkers(const text::ChannelFormat& format) {
  if (!format.isHarmony()) return format.callTokens;
  const text::ChannelFormat::Harmony& harmony = format.harmony;
  std::vector<TokenId> ids{harmony.start, harmony.channel, harmony.message, harmony.end, harmony.constrain};
  std::erase(ids, text::ChannelFormat::noTokenId);
  return ids;
}

std::string markedForCalls(std::string_view text, const text::ChannelFormat& format, const text::Tokenizer& tokenizer) {
  std::string marked(text);
  for (const TokenId id : callMarkers(format)) {
    const std::string marker = tokenizer.piece(id);
    for (std::size_t at = marked.find(marker); at != std::string::npos; at = marked.find(marker, at + 1 + marker.size()))
      marked.insert(at, 1, markerSign);
  }
  return marked;
}

ConstraintTokens::ConstraintTokens(std::shared_ptr<const text::Tokenizer> tokenizer, std::vector<TokenId> ends, int vocabularySize,
                                   std::vector<TokenId> markers)
    : m_tokenizer(std::move(tokenizer)),
      m_ends(std::move(ends)),
      m_markers(std::move(markers)),
      m_size(static_cast<std::size_t>(vocabularySize)) {}

const grammar::Vocabularies& ConstraintTokens::get(bool isCall) {
  std::call_once(m_once, [this] {
    m_vocabularies = made(false);
    m_allButEnds.assign(m_vocabularies.inside->words(), ~std::uint64_t{0});
    for (const TokenId id : m_vocabularies.inside->ends())
      m_allButEnds[static_cast<std::size_t>(id) / 64] &= ~(std::uint64_t{1} << (static_cast<std::size_t>(id) % 64));
  });
  if (!isCall || m_markers.empty()) return m_vocabularies;
  std::call_once(m_onceForCalls, [this] { m_forCalls = made(true); });
  return m_forCalls;
}

const grammar::Mask& ConstraintTokens::allButEnds() {
  (void)get();
  return m_allButEnds;
}

bool ConstraintTokens::isMarker(TokenId token) const { return contains(m_markers, token) && !contains(m_ends, token); }

bool ConstraintTokens::isPartOfTexts(TokenId token, bool isCall) const {
  if (isCall && isMarker(token)) return true;
  const text::SpecialTokens& special = m_tokenizer->special();
  const bool named = special.bos == token || special.eos == token || special.unknown == token || special.pad == token;
  if (named || m_tokenizer->isControl(token) || contains(m_ends, token)) return false;
  return !isCall || m_markers.empty() || m_tokenizer->piece(token).find(markerSign) == std::string::npos;
}

std::string ConstraintTokens::textOf(TokenId token, bool atStart, bool isCall) const {
  if (isCall && isMarker(token)) return markerSign + m_tokenizer->piece(token);
  return atStart ? m_tokenizer->firstPiece(token) : m_tokenizer->piece(token);
}

grammar::Vocabularies ConstraintTokens::made(bool isCall) const {
  std::vector<std::string> inside(m_size), atStart(m_size);
  const std::size_t known = std::min(m_size, m_tokenizer->vocabularySize());
  for (std::size_t i = 0; i < known; ++i) {
    const auto id = static_cast<TokenId>(i);
    if (!isPartOfTexts(id, isCall)) continue;
    inside[i] = textOf(id, false, isCall);
    atStart[i] = textOf(id, true, isCall);
  }
  grammar::Vocabularies vocabularies;
  vocabularies.inside = std::make_shared<const grammar::Vocabulary>(inside, m_ends);
  vocabularies.atStart = inside == atStart ? vocabularies.inside : std::make_shared<const grammar::Vocabulary>(atStart, m_ends);
  return vocabularies;
}

std::shared_ptr<grammar::Tables> ConstraintTables::of(const std::shared_ptr<const grammar::Grammar>& grammar, bool isCall) {
  constexpr std::size_t most = 4;
  std::erase_if(m_entries, [](const Entry& entry) { return entry.tables->full(); });
  const auto found = std::ranges::find(m_entries, grammar, &Entry::grammar);
  if (found != m_entries.end()) return found->tables;
  if (m_entries.size() >= most) m_entries.erase(m_entries.begin());
  m_entries.push_back({grammar, std::make_shared<grammar::Tables>(grammar, m_tokens->get(isCall))});
  return m_entries.back().tables;
}

std::span<const std::uint64_t> ReplyConstraint::allowed(ReplyPhase phase, bool atStart) {
  if (phase == ReplyPhase::calls) return {};
  if (phase == ReplyPhase::beforeText) return m_tokens.allButEnds();
  const std::span<const std::uint64_t> mask = m_matcher.mask(atStart);
  if (m_began || m_first.empty()) return mask;
  m_mask.assign(mask.begin(), mask.end());
  for (const TokenId id : m_first) grammar::add(m_mask, id);
  return m_mask;
}

bool ReplyConstraint::beginsSomethingElse(TokenId token) const { return !m_began && std::ranges::find(m_first, token) != m_first.end(); }

bool ReplyConstraint::accept(std::string_view bytes) {
  m_began = m_began || !bytes.empty();
  return m_matcher.accept(bytes);
}

}  // namespace minerva::engine
