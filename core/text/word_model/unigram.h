// Unigram: of all ways to cut a text into tokens, the one with the highest sum of scores.
//
// Source: Kudo 2018; ties, unknown characters and the order of additions as Hugging Face's tokenizers (double) and
// sentencepiece (float) have them. Time is proportional to the text times the longest token. Sums are carried over the
// whole text as the references carry them, so that even ties that only rounding decides come out the same.
#pragma once

#include "core/text/vocabulary/token_trie.h"
#include "core/text/word_model/word_model.h"

#include <array>
#include <span>

namespace minerva::text {

struct UnigramOptions {
  TokenId unknown = noToken;     // noToken: unknown characters vanish
  double unknownScore = 0;       // of one unknown character
  bool byteFallback = false;     // unknown text becomes its <0xNN> tokens, where all of them exist
  bool singlePrecision = false;  // add in float, as sentencepiece does
};

class Unigram final : public WordModel {
 public:
  static constexpr std::size_t longestToken = 1024;  // bytes; every place of a text may be compared with so many

  // scores: one an id, NaN for tokens that are never chosen. The vocabulary must outlive the model and not change; no
  // token with a score may be longer than longestToken.
  Unigram(const Vocabulary& vocabulary, std::span<const double> scores, UnigramOptions options);
  void encode(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const override;

 private:
  template <class Score>
  class Search;
  void emitUnknown(std::string_view text, std::vector<TokenId>& out) const;

  const Vocabulary& m_vocabulary;
  TokenTrie m_trie;  // values are ids
  std::vector<double> m_scores;
  std::vector<float> m_singleScores;
  UnigramOptions m_options;
  std::array<TokenId, 256> m_bytes;
};

}  // namespace minerva::text
