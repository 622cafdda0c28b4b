// Maps ids to token texts and texts to ids. Owns the texts. Filled once; then safe to read from any thread.
#pragma once

#include "core/text/tokenizer.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

// Numbered as in GGUF's tokenizer.ggml.token_type; absent: the id is not assigned.
enum class TokenKind : std::uint8_t { absent = 0, normal = 1, unknown = 2, control = 3, userDefined = 4, unused = 5, byte = 6 };

inline constexpr TokenId noToken = -1;
inline constexpr TokenId highestTokenId = (1 << 22) - 1;  // Minerva's own limit, against malicious files

// A fast hash for short strings; not resistant to deliberate collisions.
[[nodiscard]] inline std::uint64_t hashOf(std::string_view text) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15ull;
  const char* bytes = text.data();
  std::size_t left = text.size();
  std::uint64_t hash = left * factor;
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * factor;
    hash ^= hash >> 29;
  };
  const auto load = [](const char* from, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, count);
    return word;
  };
  for (; left >= 8; left -= 8, bytes += 8) mix(load(bytes, 8));
  if (left >= 4) {
    mix(load(bytes, 4) | load(bytes + left - 4, 4) << 32);
  } else if (left > 0) {
    mix(load(bytes, 1) | load(bytes + left / 2, 1) << 8 | load(bytes + left - 1, 1) << 16);
  }
  hash *= factor;
  return hash ^ hash >> 32;
}

class Vocabulary {
 public:
  void reserve(std::size_t tokens, std::size_t bytes);
  // Returns false if the id is out of range or already has another text, if the text already has another id, or if all texts
  // together exceed 4 GiB.
  [[nodiscard]] bool add(TokenId id, std::string_view text, TokenKind kind);
  // Gives an assigned id another text; the old one is found no more. Returns false if the text already has another id, or as add().
  [[nodiscard]] bool rename(TokenId id, std::string_view text);
  void setKind(TokenId id, TokenKind kind) { m_tokens[static_cast<std::size_t>(id)].kind = kind; }
  // An added token that is not in the model's own vocabulary: findWord() and findSymbol() do not find it.
  void setBesideModel(TokenId id) { m_tokens[static_cast<std::size_t>(id)].besideModel = true; }

  [[nodiscard]] std::size_t size() const { return m_tokens.size(); }
  [[nodiscard]] std::size_t count() const { return m_used; }  // less than size() if some ids are not assigned
  [[nodiscard]] bool has(TokenId id) const { return kind(id) != TokenKind::absent; }
  [[nodiscard]] TokenKind kind(TokenId id) const {
    return id < 0 || static_cast<std::size_t>(id) >= size() ? TokenKind::absent : m_tokens[static_cast<std::size_t>(id)].kind;
  }
  // Empty if the id is not assigned. Valid until the next add().
  [[nodiscard]] std::string_view text(TokenId id) const;
  // Returns noToken if there is no token with this text.
  [[nodiscard]] TokenId find(std::string_view text) const;
  // For word models: a token of the model's own vocabulary that plain text may become, so no control token.
  [[nodiscard]] TokenId findWord(std::string_view text) const;
  // For word models: a character or byte that words are composed of. It may be a control token, because there is no other way to write it.
  [[nodiscard]] TokenId findSymbol(std::string_view text) const;
  // The byte token "<0xNN>", or noToken.
  [[nodiscard]] TokenId findByte(std::uint8_t byte) const;

 private:
  struct Token {
    std::uint32_t offset = 0, length = 0;
    TokenKind kind = TokenKind::absent;
    bool besideModel = false;
  };
  struct Slot {
    std::uint32_t hash = 0;
    TokenId id = noToken;
  };
  void grow(std::size_t slots);
  // The slot for a text that is not in the table yet; null if it is there.
  [[nodiscard]] Slot* newSlot(std::string_view text);
  [[nodiscard]] bool fits(std::string_view text) const { return m_texts.size() + text.size() <= UINT32_MAX; }
  [[nodiscard]] std::string_view textOf(const Token& token) const { return std::string_view(m_texts).substr(token.offset, token.length); }

  std::string m_texts;
  std::vector<Token> m_tokens;
  // Open addressing, a power of two, at most half full. The slot of a text that was renamed stays, and no text equals its token's.
  std::vector<Slot> m_slots;
  std::size_t m_filled = 0;
  std::size_t m_used = 0;
};

}  // namespace minerva::text
