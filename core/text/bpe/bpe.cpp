#include "core/text/bpe/bpe.h"

#include "core/base/utf8.h"
#include "core/text/characters/byte_alphabet.h"
#include "core/text/characters/space_mark.h"

#include <algorithm>

namespace minerva::text {
namespace {

constexpr std::size_t flatScanLimit = 48;  // symbols; above this the heap was measured to be faster

// For few symbols: repeatedly scan for the lowest rank and merge it.
void mergeByScan(const MergeTable& merges, std::vector<TokenId>& symbols) {
  std::array<const Merge*, flatScanLimit> pairs;
  std::size_t count = symbols.size();
  for (std::size_t i = 0; i + 1 < count; ++i) pairs[i] = merges.find(symbols[i], symbols[i + 1]);
  while (count > 1) {
    std::size_t best = 0;
    std::uint32_t rank = UINT32_MAX;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (pairs[i] != nullptr && pairs[i]->rank < rank) {
        rank = pairs[i]->rank;
        best = i;
      }
    }
    if (rank == UINT32_MAX) break;
    symbols[best] = pairs[best]->result;
    std::copy(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 2, symbols.begin() + static_cast<std::ptrdiff_t>(count),
              symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    std::copy(pairs.begin() + best + 1, pairs.begin() + (count - 1), pairs.begin() + best);
    --count;
    if (best > 0) pairs[best - 1] = merges.find(symbols[best - 1], symbols[best]);
    if (best + 1 < count) pairs[best] = merges.find(symbols[best], symbols[best + 1]);
  }
  symbols.resize(count);
}

// For many symbols: a linked list, and a heap whose candidates may be stale.
class HeapMerger {
 public:
  HeapMerger(const MergeTable& merges, std::vector<TokenId>& symbols) : m_merges(merges), m_symbols(symbols) {
    const std::size_t count = symbols.size();
    m_next.resize(count);
    m_previous.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      m_next[i] = static_cast<std::uint32_t>(i + 1);
      m_previous[i] = static_cast<std::uint32_t>(i) - 1;
      if (i + 1 < count) addCandidate(i, i + 1, false);
    }
    std::make_heap(m_heap.begin(), m_heap.end());
  }

  void run() {
    while (!m_heap.empty()) {
      std::pop_heap(m_heap.begin(), m_heap.end());
      const Candidate top = m_heap.back();
      m_heap.pop_back();
      apply(top);
    }
    std::erase(m_symbols, gone);
  }

 private:
  static constexpr TokenId gone = -2;
  struct Candidate {
    std::uint32_t rank;
    std::uint32_t position;
    const Merge* merge;
    // A std heap has its greatest element on top, so the lowest rank, then the leftmost position, compares greatest.
    bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : position > other.position; }
  };

  void addCandidate(std::size_t left, std::size_t right, bool sift) {
    const Merge* merge = m_merges.find(m_symbols[left], m_symbols[right]);
    if (merge == nullptr) return;
    m_heap.push_back({merge->rank, static_cast<std::uint32_t>(left), merge});
    if (sift) std::push_heap(m_heap.begin(), m_heap.end());
  }

  void apply(const Candidate& candidate) {
    const std::size_t left = candidate.position;
    const std::size_t right = m_next[left];
    const bool stale = right >= m_symbols.size() || m_symbols[left] != candidate.merge->left || m_symbols[right] != candidate.merge->right;
    if (stale) return;
    m_symbols[left] = candidate.merge->result;
    m_symbols[right] = gone;
    const std::size_t after = m_next[right];
    m_next[left] = static_cast<std::uint32_t>(after);
    if (after < m_symbols.size()) {
      m_previous[after] = static_cast<std::uint32_t>(left);
      addCandidate(left, after, true);
    }
    if (left > 0) addCandidate(m_previous[left], left, true);
  }

  const MergeTable& m_merges;
  std::vector<TokenId>& m_symbols;
  std::vector<std::uint32_t> m_next, m_previous;
  std::vector<Candidate> m_heap;
};

bool endsWithMark(std::string_view text) { return text.ends_with(spaceMark); }

}  // namespace

void mergeSymbols(const MergeTable& merges, std::vector<TokenId>& symbols) {
  if (symbols.size() < 2) return;
  if (symbols.size() <= flatScanLimit) {
    mergeByScan(merges, symbols);
  } else {
    HeapMerger(merges, symbols).run();
  }
}

Bpe::Bpe(const Vocabulary& vocabulary, MergeTable merges, BpeOptions options)
    : m_vocabulary(vocabulary), m_merges(std::move(merges)), m_options(std::move(options)) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    m_bytes[byte] = m_options.rawBytes ? vocabulary.findSymbol(byteToWritten(static_cast<std::uint8_t>(byte)))
                                       : vocabulary.findByte(static_cast<std::uint8_t>(byte));
    if (byte >= m_ascii.size()) continue;
    const char character = static_cast<char>(byte);
    m_ascii[byte] = vocabulary.findSymbol(std::string_view(&character, 1));
  }
  collectParts();
  m_splitsAtWordStart = !m_options.rawBytes && !m_options.wholeWordFirst && m_options.continuingPrefix.empty() &&
                        m_options.endSuffix.empty() && vocabulary.find(spaceMark) != noToken && noTokenSpansWordStart();
}

void Bpe::collectParts() {
  for (const Merge& merge : m_merges.slots()) {
    if (merge.left == noToken) continue;
    const TokenKind kind = m_vocabulary.kind(merge.result);
    const bool inParts = kind == TokenKind::control || kind == TokenKind::absent || (kind == TokenKind::unused && m_options.unusedInParts);
    if (!inParts) continue;
    // The parts of a token are shorter than it is, or they would never end. An absent one has no text; its merge joins its parts' texts.
    const std::size_t longest = std::max(m_vocabulary.text(merge.left).size(), m_vocabulary.text(merge.right).size());
    if (kind == TokenKind::absent || longest < m_vocabulary.text(merge.result).size())
      m_parts.try_emplace(merge.result, merge.left, merge.right);
  }
}

bool Bpe::noTokenSpansWordStart() const {
  for (const auto& [token, parts] : m_parts)
    if (!m_vocabulary.has(token)) return false;  // its text is not known here
  for (TokenId id = 0; static_cast<std::size_t>(id) < m_vocabulary.size(); ++id) {
    const std::string_view text = m_vocabulary.text(id);
    const TokenKind kind = m_vocabulary.kind(id);
    if (kind != TokenKind::normal && kind != TokenKind::userDefined && kind != TokenKind::unused) continue;
    for (std::size_t at = text.find(spaceMark, 1); at != std::string_view::npos; at = text.find(spaceMark, at + 1))
      if (!endsWithMark(text.substr(0, at))) return false;
  }
  return true;
}

void Bpe::encode(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const {
  if (!m_splitsAtWordStart) return encodePart(word, out, cache);
  std::size_t start = 0;
  for (std::size_t at = word.find(spaceMark, 1); at != std::string_view::npos; at = word.find(spaceMark, at + 1)) {
    if (endsWithMark(word.substr(0, at))) continue;
    encodePart(word.substr(start, at - start), out, cache);
    start = at;
  }
  if (start < word.size()) encodePart(word.substr(start), out, cache);
}

void Bpe::encodePart(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const {
  if (cache == nullptr || word.size() > WordCache::longestWord) return encodeAnew(word, out);
  const std::uint64_t hash = hashOf(word);
  if (cache->lookUp(word, hash, out)) return;
  const std::size_t before = out.size();
  encodeAnew(word, out);
  cache->remember(word, hash, out.data() + before, out.size() - before);
}

TokenId Bpe::wholeWord(std::string_view word) const {
  if (!m_options.wholeWordFirst) return noToken;
  if (!m_options.rawBytes) return m_vocabulary.findWord(word);
  std::string written;
  appendWritten(written, word);
  return m_vocabulary.findWord(written);
}

void Bpe::encodeAnew(std::string_view word, std::vector<TokenId>& out) const {
  if (const TokenId whole = wholeWord(word); whole != noToken) return out.push_back(whole);
  std::vector<TokenId> symbols;
  symbols.reserve(word.size());
  splitToSymbols(word, symbols);
  mergeSymbols(m_merges, symbols);
  if (m_parts.empty()) {
    out.insert(out.end(), symbols.begin(), symbols.end());
  } else {
    for (const TokenId symbol : symbols) appendPlain(symbol, out);
  }
}

// A token that text never becomes is given as its parts, which are shorter.
void Bpe::appendPlain(TokenId symbol, std::vector<TokenId>& out) const {
  const auto parts = m_parts.find(symbol);
  if (parts == m_parts.end()) return out.push_back(symbol);
  appendPlain(parts->second.first, out);
  appendPlain(parts->second.second, out);
}

void Bpe::splitToSymbols(std::string_view word, std::vector<TokenId>& symbols) const {
  if (!m_options.rawBytes || !m_options.continuingPrefix.empty() || !m_options.endSuffix.empty()) return splitToCharacters(word, symbols);
  for (const char byte : word) {
    const TokenId token = m_bytes[static_cast<unsigned char>(byte)];
    if (token == noToken) {  // rare: the vocabulary lacks some bytes; splitToCharacters() handles unknown characters
      symbols.clear();
      return splitToCharacters(word, symbols);
    }
    symbols.push_back(token);
  }
}

TokenId Bpe::characterToken(std::string_view character, bool first, bool last) const {
  const bool plain = m_options.continuingPrefix.empty() && m_options.endSuffix.empty();
  if (plain && character.size() == 1 && static_cast<unsigned char>(character[0]) < 0x80)
    return m_ascii[static_cast<unsigned char>(character[0])];
  return m_vocabulary.findSymbol(plain ? character : affixed(character, first, last));
}

std::string Bpe::affixed(std::string_view character, bool first, bool last) const {
  return (first ? "" : m_options.continuingPrefix) + std::string(character) + (last ? m_options.endSuffix : "");
}

bool Bpe::appendFallback(std::string_view symbol, std::vector<TokenId>& symbols) const {
  if (!m_options.byteFallback || m_options.rawBytes) return false;
  for (const char byte : symbol)
    if (m_bytes[static_cast<unsigned char>(byte)] == noToken) return false;
  for (const char byte : symbol) symbols.push_back(m_bytes[static_cast<unsigned char>(byte)]);
  return true;
}

void Bpe::splitToCharacters(std::string_view word, std::vector<TokenId>& symbols) const {
  std::string written;
  if (m_options.rawBytes) {
    appendWritten(written, word);
    word = written;
  }
  bool unknownBefore = false;
  for (std::size_t pos = 0; pos < word.size();) {
    const utf8::Decoded decoded = utf8::decode(word, pos);
    const std::string_view character = word.substr(pos, decoded.length);
    const bool first = pos == 0, last = pos + decoded.length == word.size();
    const TokenId token = decoded.valid ? characterToken(character, first, last) : noToken;
    pos += decoded.length;
    if (token != noToken) {
      symbols.push_back(token);
      unknownBefore = false;
    } else if (!appendFallback(affixed(character, first, last), symbols) && m_options.unknown != noToken) {
      if (!unknownBefore || !m_options.fuseUnknown) symbols.push_back(m_options.unknown);
      unknownBefore = true;
    }
  }
}

}  // namespace minerva::text
