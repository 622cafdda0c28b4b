#include "core/engine/constraint.h"

#include <algorithm>
#include <string>

namespace minerva::engine {

ConstraintTokens::ConstraintTokens(std::shared_ptr<const text::Tokenizer> tokenizer, std::vector<TokenId> ends, int vocabularySize)
    : m_tokenizer(std::move(tokenizer)), m_ends(std::move(ends)), m_size(static_cast<std::size_t>(vocabularySize)) {}

const grammar::Vocabularies& ConstraintTokens::get() {
  std::call_once(m_once, [this] { make(); });
  return m_vocabularies;
}

const grammar::Mask& ConstraintTokens::allButEnds() {
  (void)get();
  return m_allButEnds;
}

void ConstraintTokens::make() {
  std::vector<std::string> inside(m_size), atStart(m_size);
  const std::size_t known = std::min(m_size, m_tokenizer->vocabularySize());
  const text::SpecialTokens& special = m_tokenizer->special();
  for (std::size_t i = 0; i < known; ++i) {
    const auto id = static_cast<TokenId>(i);
    const bool named = special.bos == id || special.eos == id || special.unknown == id || special.pad == id;
    if (named || m_tokenizer->isControl(id) || std::ranges::find(m_ends, id) != m_ends.end()) continue;
    inside[i] = m_tokenizer->piece(id);
    atStart[i] = m_tokenizer->firstPiece(id);
  }
  m_vocabularies.inside = std::make_shared<const grammar::Vocabulary>(inside, m_ends);
  m_vocabularies.atStart = inside == atStart ? m_vocabularies.inside : std::make_shared<const grammar::Vocabulary>(atStart, m_ends);
  m_allButEnds.assign(m_vocabularies.inside->words(), ~std::uint64_t{0});
  for (const TokenId id : m_vocabularies.inside->ends())
    m_allButEnds[static_cast<std::size_t>(id) / 64] &= ~(std::uint64_t{1} << (static_cast<std::size_t>(id) % 64));
}

std::shared_ptr<grammar::Tables> ConstraintTables::of(const std::shared_ptr<const grammar::Grammar>& grammar) {
  constexpr std::size_t most = 4;
  std::erase_if(m_entries, [](const Entry& entry) { return entry.tables->full(); });
  const auto found = std::ranges::find(m_entries, grammar, &Entry::grammar);
  if (found != m_entries.end()) return found->tables;
  if (m_entries.size() >= most) m_entries.erase(m_entries.begin());
  m_entries.push_back({grammar, std::make_shared<grammar::Tables>(grammar, m_tokens->get())});
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
