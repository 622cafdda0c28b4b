// Interface for models that convert one pre-tokenized word into tokens: BPE, Unigram, WordPiece, WordLevel.
#pragma once

#include "core/text/vocabulary/vocabulary.h"
#include "core/text/word_model/word_cache.h"

#include <string_view>
#include <vector>

namespace minerva::text {

// Immutable after construction, thread-safe.
class WordModel {
 public:
  virtual ~WordModel() = default;
  // Appends the tokens of a word (any bytes). cache may be null.
  virtual void encode(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const = 0;
};

}  // namespace minerva::text
