// A sentencepiece model (tokenizer.model, GGUF's "t5") as data, and the tokenizer made from it.
//
// The processor of sentencepiece 0.2 is the reference, with two differences: invalid UTF-8 passes through unchanged, where
// sentencepiece writes U+FFFD, and control symbols in a text become tokens if parseSpecial is set (in sentencepiece never).
#pragma once

#include "core/text/bpe/merge_table.h"
#include "core/text/normalizer/character_map.h"
#include "core/text/pipeline/pipeline_tokenizer.h"

namespace minerva::text {

struct SentencePieceModel {
  enum class Kind { unigram, bpe } kind = Kind::unigram;
  std::unique_ptr<Vocabulary> vocabulary = std::make_unique<Vocabulary>();
  std::vector<double> scores;  // by id
  CharacterMap normalization;
  bool addsDummyPrefix = true;
  bool removesExtraSpace = true;
  bool escapesSpace = true;    // " " is replaced by "▁"
  bool spaceIsSuffix = false;  // the dummy prefix is appended to the text instead
  bool byteFallback = false;
  bool singlePrecision = true;  // scores are accumulated in float
  TokenId unknown = noToken;
  std::string unknownSurface = " \xE2\x81\x87 ";  // what the unknown token decodes to
};

// Creates all parts except the post-processor and special ids other than unknown. added: tokens beyond the model's own
// symbols, with their flags; they must already be in the vocabulary. Errors: limit (a token is too long).
[[nodiscard]] Result<TokenizerParts> sentencePieceParts(SentencePieceModel model, std::vector<AddedToken> added = {});

// Parses a tokenizer.model. Errors: corrupt (with the byte offset), unsupported (names the kind), limit.
[[nodiscard]] Result<SentencePieceModel> readSentencePieceModel(std::string_view bytes);

}  // namespace minerva::text
