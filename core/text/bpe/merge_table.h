// The merges of a BPE model: a hash table from a pair of token ids to rank and result. Filled once; then safe to read from
// any thread.
#pragma once

#include "core/text/vocabulary/vocabulary.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace minerva::text {

struct Merge {
  TokenId left = noToken, right = noToken;
  std::uint32_t rank = UINT32_MAX;  // the lowest is merged first
  TokenId result = noToken;
};

class MergeTable {
 public:
  void reserve(std::size_t merges) {
    const std::size_t slots = std::bit_ceil(merges * 2 + 16);
    if (slots > m_slots.size()) grow(slots);
  }
  // A pair added twice keeps its last rank, as in Hugging Face's tokenizers.
  void add(const Merge& merge) {
    if ((m_used + 1) * 2 > m_slots.size()) grow(std::max<std::size_t>(32, m_slots.size() * 2));
    Merge& slot = m_slots[place(merge.left, merge.right)];
    m_used += slot.left == noToken ? 1 : 0;
    slot = merge;
  }
  // Returns null if the pair does not merge.
  [[nodiscard]] const Merge* find(TokenId left, TokenId right) const {
    if (m_slots.empty()) return nullptr;
    const Merge& slot = m_slots[place(left, right)];
    return slot.left == noToken ? nullptr : &slot;
  }
  [[nodiscard]] std::size_t size() const { return m_used; }
  // Every merge, among empty slots, whose `left` is noToken.
  [[nodiscard]] std::span<const Merge> slots() const { return m_slots; }

 private:
  [[nodiscard]] std::size_t place(TokenId left, TokenId right) const {
    std::uint64_t key = static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
    key *= 0x9E3779B97F4A7C15ull;
    std::size_t at = (key ^ key >> 32) & (m_slots.size() - 1);
    while (m_slots[at].left != noToken && (m_slots[at].left != left || m_slots[at].right != right)) at = (at + 1) & (m_slots.size() - 1);
    return at;
  }
  void grow(std::size_t slots) {
    std::vector<Merge> old(slots);
    old.swap(m_slots);
    for (const Merge& merge : old)
      if (merge.left != noToken) m_slots[place(merge.left, merge.right)] = merge;
  }

  std::vector<Merge> m_slots;  // open addressing, at most half full
  std::size_t m_used = 0;
};

// SentencePiece's BPE has scores instead of merges: two adjacent symbols may merge if together they are a token, highest
// score first.
[[nodiscard]] MergeTable mergesFromScores(const Vocabulary& vocabulary, const std::vector<double>& scores);

}  // namespace minerva::text
