#include "core/text/vocabulary/vocabulary.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace minerva::text {

void Vocabulary::reserve(std::size_t tokens, std::size_t bytes) {
  m_tokens.reserve(tokens);
  m_texts.reserve(bytes);
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(64, tokens * 2));
  if (slots > m_slots.size()) grow(slots);
}

void Vocabulary::grow(std::size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(m_slots);
  const std::size_t mask = slots - 1;
  for (const Slot& slot : old) {
    if (slot.id == noToken) continue;
    std::size_t at = slot.hash & mask;
    while (m_slots[at].id != noToken) at = (at + 1) & mask;
    m_slots[at] = slot;
  }
}

Vocabulary::Slot* Vocabulary::newSlot(std::string_view text) {
  if ((m_filled + 1) * 2 > m_slots.size()) grow(std::max<std::size_t>(64, m_slots.size() * 2));
  const auto hash = static_cast<std::uint32_t>(hashOf(text));
  const std::size_t mask = m_slots.size() - 1;
  std::size_t at = hash & mask;
  for (; m_slots[at].id != noToken; at = (at + 1) & mask)
    if (m_slots[at].hash == hash && textOf(m_tokens[static_cast<std::size_t>(m_slots[at].id)]) == text) return nullptr;
  m_slots[at].hash = hash;
  return &m_slots[at];
}

bool Vocabulary::add(TokenId id, std::string_view text, TokenKind kind) {
  if (id < 0 || id > highestTokenId || !fits(text)) return false;
  if (has(id)) return textOf(m_tokens[static_cast<std::size_t>(id)]) == text;
  Slot* slot = newSlot(text);
  if (slot == nullptr) return false;
  if (static_cast<std::size_t>(id) >= m_tokens.size()) m_tokens.resize(static_cast<std::size_t>(id) + 1);
  m_tokens[static_cast<std::size_t>(id)] = {static_cast<std::uint32_t>(m_texts.size()), static_cast<std::uint32_t>(text.size()), kind,
                                            false};
  m_texts += text;
  slot->id = id;
  ++m_filled;
  ++m_used;
  return true;
}

bool Vocabulary::rename(TokenId id, std::string_view text) {
  if (!has(id) || !fits(text)) return false;
  Token& token = m_tokens[static_cast<std::size_t>(id)];
  if (textOf(token) == text) return true;
  Slot* slot = newSlot(text);
  if (slot == nullptr) return false;
  token.offset = static_cast<std::uint32_t>(m_texts.size());
  token.length = static_cast<std::uint32_t>(text.size());
  m_texts += text;
  slot->id = id;
  ++m_filled;
  return true;
}

std::string_view Vocabulary::text(TokenId id) const {
  return has(id) ? textOf(m_tokens[static_cast<std::size_t>(id)]) : std::string_view();
}

TokenId Vocabulary::find(std::string_view text) const {
  if (m_slots.empty()) return noToken;
  const auto hash = static_cast<std::uint32_t>(hashOf(text));
  const std::size_t mask = m_slots.size() - 1;
  for (std::size_t at = hash & mask; m_slots[at].id != noToken; at = (at + 1) & mask)
    if (m_slots[at].hash == hash && textOf(m_tokens[static_cast<std::size_t>(m_slots[at].id)]) == text) return m_slots[at].id;
  return noToken;
}

TokenId Vocabulary::findSymbol(std::string_view text) const {
  const TokenId id = find(text);
  return id != noToken && m_tokens[static_cast<std::size_t>(id)].besideModel ? noToken : id;
}

TokenId Vocabulary::findWord(std::string_view text) const {
  const TokenId id = findSymbol(text);
  return kind(id) == TokenKind::control ? noToken : id;
}

TokenId Vocabulary::findByte(std::uint8_t byte) const {
  char name[8];
  std::snprintf(name, sizeof name, "<0x%02X>", byte);
  return findSymbol(name);
}

}  // namespace minerva::text
