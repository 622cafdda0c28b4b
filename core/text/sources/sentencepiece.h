// A sentencepiece model (tokenizer.model, GGUF's "t5") as data, and the tokenizer made from it.
//
// Source: sentencepiece 0.2's own processor decides what is right; bytes that are no UTF-8 pass through unchanged, where it
// writes U+FFFD. Control symbols in a text become tokens only where parseSpecial is asked for (sentencepiece never does).
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
  bool escapesSpace = true;    // " " is written "▁"
  bool spaceIsSuffix = false;  // the dummy prefix stands at the end instead
  bool byteFallback = false;
  bool singlePrecision = true;  // scores are added in float
  TokenId unknown = noToken;
  std::string unknownSurface = " \xE2\x81\x87 ";  // what the unknown token decodes to
};

// The parts but for post-processor and special ids. added: tokens beyond the model's own symbols, with their flags; the
// vocabulary holds them already. Errors: limit (a token too long).
[[nodiscard]] Result<TokenizerParts> sentencePieceParts(SentencePieceModel model, std::vector<AddedToken> added = {});

// From the bytes of a tokenizer.model. Errors: corrupt (with the byte), unsupported (kind, named), limit.
[[nodiscard]] Result<SentencePieceModel> readSentencePieceModel(std::string_view bytes);

}  // namespace minerva::text
