// WordPiece and whole-word models, which only look up words and pieces. Source: Hugging Face's tokenizers.
#pragma once

#include "core/text/word_model/word_model.h"

#include <string>

namespace minerva::text {

struct WordPieceOptions {
  TokenId unknown = noToken;            // for words that cannot be composed of pieces; noToken: drop them
  std::string firstPrefix;              // prefix of a word's first piece
  std::string continuingPrefix = "##";  // prefix of every other piece
  std::size_t longestWord = 100;        // in characters; longer words are unknown
};

// Greedy: the longest token at the start of the word, then of the remainder.
class WordPiece final : public WordModel {
 public:
  // vocabulary must outlive the model and must not change.
  WordPiece(const Vocabulary& vocabulary, WordPieceOptions options) : m_vocabulary(vocabulary), m_options(std::move(options)) {}
  void encode(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const override;

 private:
  [[nodiscard]] bool spell(std::string_view word, std::vector<TokenId>& out) const;
  const Vocabulary& m_vocabulary;
  WordPieceOptions m_options;
};

class WordLevel final : public WordModel {
 public:
  WordLevel(const Vocabulary& vocabulary, TokenId unknown) : m_vocabulary(vocabulary), m_unknown(unknown) {}
  void encode(std::string_view word, std::vector<TokenId>& out, WordCache*) const override {
    const TokenId id = m_vocabulary.findWord(word);
    if (id != noToken || m_unknown != noToken) out.push_back(id != noToken ? id : m_unknown);
  }

 private:
  const Vocabulary& m_vocabulary;
  TokenId m_unknown;
};

}  // namespace minerva::text
