// Byte pair encoding of one word: starts with bytes or characters and applies the merge of lowest rank until none is left.
//
// Source: Sennrich et al. 2016; ties and unknown characters match Hugging Face's tokenizers. O(n log n) for n symbols; short
// words use a flat scan, which is faster for them.
#pragma once

#include "core/text/bpe/merge_table.h"
#include "core/text/word_model/word_model.h"

#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace minerva::text {

struct BpeOptions {
  bool rawBytes = false;         // words are raw bytes; the vocabulary is written in GPT-2's byte alphabet
  bool wholeWordFirst = false;   // a word that is a token is not merged (ignore_merges of Llama 3)
  bool byteFallback = false;     // an unknown symbol, prefix and suffix included, is encoded as <0xNN> tokens if all of them exist
  bool fuseUnknown = false;      // adjacent unknown characters become one unknown token
  bool unusedInParts = false;    // an unused token that was merged is given as what it was merged from
  TokenId unknown = noToken;     // noToken: unknown characters are dropped
  std::string continuingPrefix;  // prefix of every symbol except a word's first
  std::string endSuffix;         // suffix of a word's last symbol
};

class Bpe final : public WordModel {
 public:
  // vocabulary must outlive the model and must not change. The result of a merge may be an id that the vocabulary does not have: it is
  // merged further, and given as what it was merged from where that ends.
  Bpe(const Vocabulary& vocabulary, MergeTable merges, BpeOptions options);
  void encode(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const override;

 private:
  void collectParts();
  void encodePart(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const;
  void encodeAnew(std::string_view word, std::vector<TokenId>& out) const;
  void appendPlain(TokenId symbol, std::vector<TokenId>& out) const;
  [[nodiscard]] TokenId wholeWord(std::string_view word) const;
  void splitToSymbols(std::string_view word, std::vector<TokenId>& symbols) const;
  void splitToCharacters(std::string_view word, std::vector<TokenId>& symbols) const;
  [[nodiscard]] TokenId characterToken(std::string_view character, bool first, bool last) const;
  // With the prefix and the suffix that its place in the word asks for.
  [[nodiscard]] std::string affixed(std::string_view character, bool first, bool last) const;
  [[nodiscard]] bool appendFallback(std::string_view symbol, std::vector<TokenId>& symbols) const;
  [[nodiscard]] bool noTokenSpansWordStart() const;

  const Vocabulary& m_vocabulary;
  MergeTable m_merges;
  BpeOptions m_options;
  std::map<TokenId, std::pair<TokenId, TokenId>> m_parts;  // what tokens are merged from that text never becomes, such as control tokens
  std::array<TokenId, 256> m_bytes;                        // token of each byte: in the byte alphabet, or <0xNN>
  std::array<TokenId, 128> m_ascii;                        // token of each ASCII character (character mode)
  bool m_splitsAtWordStart = false;                        // no merge crosses "x▁", so words can be encoded (and cached) one by one
};

// Applies merges to `symbols` in place until none is left.
void mergeSymbols(const MergeTable& merges, std::vector<TokenId>& symbols);

}  // namespace minerva::text
