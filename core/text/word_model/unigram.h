// Unigram: splits a text into the tokens with the highest sum of scores.
//
// Source: Kudo 2018; ties, unknown characters and the order of additions match Hugging Face's tokenizers (double) and
// sentencepiece (float). Time is O(length of the text * length of the longest token). As in the references, sums accumulate
// over the whole text, so that even ties decided by rounding have the same result.
#pragma once

#include "core/text/vocabulary/token_trie.h"
#include "core/text/word_model/word_model.h"

#include <array>
#include <span>

namespace minerva::text {

struct UnigramOptions {
  TokenId unknown = noToken;     // noToken: unknown characters are dropped
  double unknownScore = 0;       // score of one unknown character
  bool byteFallback = false;     // unknown text is encoded as <0xNN> tokens if all of them exist
  bool singlePrecision = false;  // accumulate in float like sentencepiece
};

class Unigram final : public WordModel {
 public:
  static constexpr std::size_t longestToken = 1024;  // bytes; bounds the bytes compared per position of a text

  // scores: one per id, NaN for tokens that are never chosen. The vocabulary must outlive the model and must not change.
  // Tokens with a score must not be longer than longestToken.
  Unigram(const Vocabulary& vocabulary, std::span<const double> scores, UnigramOptions options);
  void encode(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const override;

 private:
  template <class Score>
  class Search;
  void emitUnknown(std::string_view text, std::vector<TokenId>& out) const;

  const Vocabulary& m_vocabulary;
  TokenTrie m_trie;  // values are token ids
  std::vector<double> m_scores;
  std::vector<float> m_singleScores;
  UnigramOptions m_options;
  std::array<TokenId, 256> m_bytes;
};

}  // namespace minerva::text
