// The only implementation of Tokenizer: extracts added tokens, normalizes, splits into words, encodes each word and adds
// control tokens. Models differ only in the parts.
#pragma once

#include "core/text/normalizer/normalizer.h"
#include "core/text/pipeline/added_tokens.h"
#include "core/text/pipeline/decoder.h"
#include "core/text/pipeline/post_processor.h"
#include "core/text/pre_tokenizer/pre_tokenizer.h"
#include "core/text/word_model/word_model.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace minerva::text {

struct TokenizerParts {
  std::unique_ptr<Vocabulary> vocabulary = std::make_unique<Vocabulary>();  // on the heap because the model keeps a reference to it
  AddedTokens added;
  std::unique_ptr<const Normalizer> normalizer;  // null: no normalization
  PreTokenizer preTokenizer;
  std::unique_ptr<const WordModel> model;
  PostProcessor postProcessor;
  Decoder decoder;
  bool specialsAsWritten = true;             // control and user-defined tokens decode to their names (else through the decoder)
  std::map<TokenId, std::string> decodedAs;  // tokens that decode to another text than their own (their normalized form)
  bool dropsSpaceUntilText = false;          // every token counts as the first until some text was decoded (else only one does)
  bool addsBos = false;
  SpecialTokens special;
  std::string description;
  std::vector<std::string> warnings;
};

// Immutable, thread-safe. The word cache is used by one encode() at a time; concurrent calls run without it.
class PipelineTokenizer final : public Tokenizer {
 public:
  explicit PipelineTokenizer(TokenizerParts parts) : m_parts(std::move(parts)) {}

  [[nodiscard]] std::vector<TokenId> encode(std::string_view text, EncodeOptions options) const override;
  [[nodiscard]] std::vector<TokenId> encodePair(std::string_view a, std::string_view b, EncodeOptions options) const override;
  [[nodiscard]] std::string decode(std::span<const TokenId> ids, DecodeOptions options) const override;
  [[nodiscard]] std::string piece(TokenId id) const override;
  [[nodiscard]] std::string firstPiece(TokenId id) const override;
  [[nodiscard]] bool dropsSpaceUntilText() const override { return m_parts.dropsSpaceUntilText; }
  [[nodiscard]] std::size_t vocabularySize() const override { return m_parts.vocabulary->size(); }
  [[nodiscard]] bool isControl(TokenId id) const override;
  [[nodiscard]] std::optional<TokenId> find(std::string_view token) const override;
  [[nodiscard]] const SpecialTokens& special() const override { return m_parts.special; }
  [[nodiscard]] bool addsBos() const override { return m_parts.addsBos; }
  [[nodiscard]] std::vector<std::string> warnings() const override { return m_parts.warnings; }
  [[nodiscard]] std::string description() const override { return m_parts.description; }

 private:
  void encodeWhole(std::string_view text, bool parseSpecial, std::vector<TokenId>& out) const;
  void encodeText(std::string_view text, bool atStart, bool parseSpecial, std::vector<TokenId>& out, WordCache* cache) const;
  void encodeWords(std::string_view text, bool atStart, std::vector<TokenId>& out, WordCache* cache) const;
  void appendToken(std::string& out, TokenId id, Decoder::Place place) const;

  TokenizerParts m_parts;
  mutable std::mutex m_cacheMutex;
  mutable WordCache m_cache;
};

}  // namespace minerva::text
