// The one Tokenizer: added tokens out, normalize, cut into words, encode each word, control tokens around.
// What differs between models is in the parts.
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
  std::unique_ptr<Vocabulary> vocabulary = std::make_unique<Vocabulary>();  // stays where it is: the model refers to it
  AddedTokens added;
  std::unique_ptr<const Normalizer> normalizer;  // null: none
  PreTokenizer preTokenizer;
  std::unique_ptr<const WordModel> model;
  PostProcessor postProcessor;
  Decoder decoder;
  bool specialsAsWritten = true;             // control and user-defined tokens decode to their name (else the decoder sees them too)
  std::map<TokenId, std::string> decodedAs;  // tokens that decode as another text than their own (their normalized one)
  bool dropsSpaceUntilText = false;          // every token is the first until one gives text (else one token is)
  bool addsBos = false;
  SpecialTokens special;
  std::string description;
  std::vector<std::string> warnings;
};

// Immutable, thread-safe; the word cache serves one encode() at a time, the others do without.
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
  void appendToken(std::string& out, TokenId id, bool first) const;

  TokenizerParts m_parts;
  mutable std::mutex m_cacheMutex;
  mutable WordCache m_cache;
};

}  // namespace minerva::text
