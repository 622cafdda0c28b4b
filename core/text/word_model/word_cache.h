// A cache of encoded words: a direct-mapped table with one cache line per entry. Holds only short words with few tokens;
// others are encoded each time. Not thread-safe: the tokenizer uses it in one encode() at a time.
#pragma once

#include "core/text/vocabulary/vocabulary.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace minerva::text {

class WordCache {
 public:
  static constexpr std::size_t longestWord = 30;
  static constexpr std::size_t mostTokens = 8;

  // Appends the tokens of a cached word and returns true; returns false if the word is not cached.
  [[nodiscard]] bool lookUp(std::string_view word, std::uint64_t hash, std::vector<TokenId>& out) const {
    if (!m_entries || word.size() > longestWord) return false;
    const Entry& entry = m_entries[hash & mask];
    if (entry.length != word.size() || std::memcmp(entry.word.data(), word.data(), word.size()) != 0) return false;
    out.insert(out.end(), entry.tokens.data(), entry.tokens.data() + entry.count);
    return true;
  }

  void remember(std::string_view word, std::uint64_t hash, const TokenId* tokens, std::size_t count) {
    if (word.empty() || word.size() > longestWord || count > mostTokens) return;
    if (!m_entries) m_entries = std::make_unique<Entry[]>(mask + 1);
    Entry& entry = m_entries[hash & mask];
    entry.length = static_cast<std::uint8_t>(word.size());
    entry.count = static_cast<std::uint8_t>(count);
    std::memcpy(entry.word.data(), word.data(), word.size());
    std::memcpy(entry.tokens.data(), tokens, count * sizeof(TokenId));
  }

 private:
  struct alignas(64) Entry {
    std::uint8_t length = 0;
    std::uint8_t count = 0;
    std::array<char, longestWord> word;
    std::array<TokenId, mostTokens> tokens;
  };
  static constexpr std::size_t mask = (1u << 15) - 1;  // 32768 entries: 2 MiB
  std::unique_ptr<Entry[]> m_entries;
};

}  // namespace minerva::text
