// Byte pair encoding of one word: symbols from bytes or characters, then the earliest merge until none is left.
//
// Source: Sennrich et al. 2016, with ties and unknown characters as Hugging Face's tokenizers treat them. A word of n
// symbols costs O(n log n); short ones use a flat scan, which is faster there.
#pragma once

#include "core/text/bpe/merge_table.h"
#include "core/text/word_model/word_model.h"

#include <array>
#include <span>
#include <string>

namespace minerva::text {

struct BpeOptions {
  bool rawBytes = false;         // words are raw bytes and the vocabulary is written in GPT-2's byte alphabet
  bool wholeWordFirst = false;   // a word that is a token needs no merges (Llama 3's ignore_merges)
  bool byteFallback = false;     // an unknown character becomes its <0xNN> tokens, where all of them exist
  bool fuseUnknown = false;      // neighbouring unknown characters become one unknown token
  TokenId unknown = noToken;     // noToken: unknown characters vanish
  std::string continuingPrefix;  // written before every symbol but a word's first
  std::string endSuffix;         // written after a word's last symbol
};

class Bpe final : public WordModel {
 public:
  // vocabulary must outlive the model and not change.
  Bpe(const Vocabulary& vocabulary, MergeTable merges, BpeOptions options);
  void encode(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const override;

 private:
  void encodePart(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const;
  void encodeAnew(std::string_view word, std::vector<TokenId>& out) const;
  [[nodiscard]] TokenId wholeWord(std::string_view word) const;
  void splitToSymbols(std::string_view word, std::vector<TokenId>& symbols) const;
  void splitToCharacters(std::string_view word, std::vector<TokenId>& symbols) const;
  [[nodiscard]] TokenId characterToken(std::string_view character, bool first, bool last) const;
  [[nodiscard]] bool appendFallback(std::string_view character, std::vector<TokenId>& symbols) const;
  [[nodiscard]] bool noTokenSpansWordStart() const;

  const Vocabulary& m_vocabulary;
  MergeTable m_merges;
  BpeOptions m_options;
  std::array<TokenId, 256> m_bytes;  // token of a byte: of the byte alphabet, or <0xNN>
  std::array<TokenId, 128> m_ascii;  // token of an ASCII character (character mode)
  bool m_splitsAtWordStart = false;  // no merge crosses "x▁": words may be encoded one by one
};

// Merges `symbols` in place as far as the table goes.
void mergeSymbols(const MergeTable& merges, std::vector<TokenId>& symbols);

}  // namespace minerva::text
