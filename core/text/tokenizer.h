// Converts text to token ids and back, exactly as the model's own tokenizer does.
//
// Immutable after construction, thread-safe. createTokenizer() assembles it from GGUF metadata, tokenizer.json, a
// sentencepiece model or a vocabulary with ranks. Input may be any bytes: invalid UTF-8 is encoded with byte tokens and decodes to the same
// bytes.
#pragma once

#include "core/base/error.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::format {
class ModelFile;
}

namespace minerva::text {

using TokenId = std::int32_t;

struct EncodeOptions {
  bool addSpecial = true;     // BOS / EOS as added by the model's post-processor
  bool parseSpecial = false;  // control tokens spelled out in the text are encoded as those tokens (otherwise as plain text)
};

struct DecodeOptions {
  bool skipSpecial = false;  // omit control tokens
};

// Ids that the engine and chat templates need; nullopt if the model does not define them.
struct SpecialTokens {
  std::optional<TokenId> bos, eos, unknown, pad;
  std::vector<TokenId> endOfGeneration;  // all tokens that end a reply: eos, <|eot_id|>, <|im_end|>, <end_of_turn>, ...
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  [[nodiscard]] virtual std::vector<TokenId> encode(std::string_view text, EncodeOptions options) const = 0;
  // Encodes two texts as one sequence, joined by the model's pair template (without one: a followed by b).
  [[nodiscard]] virtual std::vector<TokenId> encodePair(std::string_view a, std::string_view b, EncodeOptions options) const {
    std::vector<TokenId> ids = encode(a, options);
    const std::vector<TokenId> second = encode(b, {false, options.parseSpecial});
    ids.insert(ids.end(), second.begin(), second.end());
    return ids;
  }
  // Returns the exact bytes, without cleaning up spaces. Ids outside the vocabulary are ignored.
  [[nodiscard]] virtual std::string decode(std::span<const TokenId> ids, DecodeOptions options) const = 0;

  // The bytes of a token in the middle of a text; for control tokens their name.
  [[nodiscard]] virtual std::string piece(TokenId id) const = 0;
  // The bytes of a token at the start of a text (SentencePiece tokenizers drop one leading space).
  [[nodiscard]] virtual std::string firstPiece(TokenId id) const { return piece(id); }
  // True: every token counts as the first until some text has been decoded. False: only the first token does.
  [[nodiscard]] virtual bool dropsSpaceUntilText() const { return false; }

  [[nodiscard]] virtual std::size_t vocabularySize() const = 0;
  [[nodiscard]] virtual bool isControl(TokenId id) const = 0;
  [[nodiscard]] virtual std::optional<TokenId> find(std::string_view token) const = 0;  // by its text in the vocabulary
  [[nodiscard]] virtual const SpecialTokens& special() const = 0;
  [[nodiscard]] virtual bool addsBos() const = 0;
  // Tolerated oddities of the tokenizer's files, one sentence each, to be shown with the model's other warnings.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  // For the inspect page, such as "byte-level BPE (llama-bpe)".
  [[nodiscard]] virtual std::string description() const = 0;
};

// Creates the tokenizer of an opened model. Errors: notFound (no tokenizer in the file), corrupt, unsupported (names the
// unknown kind or pre-tokenizer).
[[nodiscard]] Result<std::unique_ptr<const Tokenizer>> createTokenizer(const format::ModelFile& file);
// From the bytes of a tokenizer.model (sentencepiece) alone. BOS or EOS are only added if tokenizerConfig is an object.
[[nodiscard]] Result<std::unique_ptr<const Tokenizer>> createTokenizerFromSentencePiece(std::string_view tokenizerModel,
                                                                                        const nlohmann::json& tokenizerConfig);
// From the text of a tokenizer.json alone. tokenizerConfig may be null (discarded) or empty.
[[nodiscard]] Result<std::unique_ptr<const Tokenizer>> createTokenizerFromJson(std::string_view tokenizerJson,
                                                                               const nlohmann::json& tokenizerConfig);

}  // namespace minerva::text
