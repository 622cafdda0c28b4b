// Text to token ids and back, exactly as the model's own tokenizer does it.
//
// Immutable after construction, thread-safe. One implementation a model kind (bpe, sentencepiece-style bpe, ...);
// createTokenizer() picks it from GGUF metadata or tokenizer.json. Input is bytes: invalid UTF-8 is encoded as itself
// (byte tokens) and comes back unchanged.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

using TokenId = std::int32_t;

struct EncodeOptions {
  bool addSpecial = true;     // BOS / EOS as the model's own post-processing adds them
  bool parseSpecial = false;  // control tokens written in the text become those tokens (else plain text)
};

struct DecodeOptions {
  bool skipSpecial = false;  // leave control tokens out
};

// Ids the engine and templates need. Absent where the model names none.
struct SpecialTokens {
  std::optional<TokenId> bos, eos, unknown, pad;
  std::vector<TokenId> endOfGeneration;  // every token that ends a reply: eos, <|eot_id|>, <|im_end|>, <end_of_turn>, ...
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  [[nodiscard]] virtual std::vector<TokenId> encode(std::string_view text, EncodeOptions options) const = 0;
  // Two texts in one sequence, as the model's own template for pairs joins them (without one: a, then b).
  [[nodiscard]] virtual std::vector<TokenId> encodePair(std::string_view a, std::string_view b, EncodeOptions options) const {
    std::vector<TokenId> ids = encode(a, options);
    const std::vector<TokenId> second = encode(b, {false, options.parseSpecial});
    ids.insert(ids.end(), second.begin(), second.end());
    return ids;
  }
  // Exact bytes, no clean-up of spaces. Ids outside the vocabulary give nothing.
  [[nodiscard]] virtual std::string decode(std::span<const TokenId> ids, DecodeOptions options) const = 0;

  // The bytes one token adds in the middle of a text; control tokens give their name.
  [[nodiscard]] virtual std::string piece(TokenId id) const = 0;
  // The bytes of the very first token of a decoded text (sentencepiece kinds drop one leading space).
  [[nodiscard]] virtual std::string firstPiece(TokenId id) const { return piece(id); }
  // True: as long as a text is empty, the next token counts as its first. False: only one does.
  [[nodiscard]] virtual bool dropsSpaceUntilText() const { return false; }

  [[nodiscard]] virtual std::size_t vocabularySize() const = 0;
  [[nodiscard]] virtual bool isControl(TokenId id) const = 0;
  [[nodiscard]] virtual std::optional<TokenId> find(std::string_view token) const = 0;  // by its written name
  [[nodiscard]] virtual const SpecialTokens& special() const = 0;
  [[nodiscard]] virtual bool addsBos() const = 0;
  // What was odd in the file but could be lived with, one sentence each: to be shown with the model's own warnings.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  // "byte-level BPE (llama-bpe)", for the inspect page.
  [[nodiscard]] virtual std::string description() const = 0;
};

// From an opened model. Errors: notFound (no tokenizer in the file), corrupt, unsupported (kind or pre-tokenizer, named).
[[nodiscard]] Result<std::unique_ptr<const Tokenizer>> createTokenizer(const format::ModelFile& file);
// From the bytes of a tokenizer.model (sentencepiece) alone: adds no BOS of its own accord.
[[nodiscard]] Result<std::unique_ptr<const Tokenizer>> createTokenizerFromSentencePiece(std::string_view tokenizerModel,
                                                                                        const nlohmann::json& tokenizerConfig);
// From the text of a tokenizer.json alone. tokenizerConfig may be null (discarded/empty).
[[nodiscard]] Result<std::unique_ptr<const Tokenizer>> createTokenizerFromJson(std::string_view tokenizerJson,
                                                                               const nlohmann::json& tokenizerConfig);

}  // namespace minerva::text
