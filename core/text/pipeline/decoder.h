// Converts token texts back to bytes: the decoders of tokenizer.json, and the two that GGUF needs.
//
// Steps before joining process one token each; later steps process the whole text. Bytes are exact: where Hugging Face
// substitutes U+FFFD for invalid ones, they are returned unchanged. Immutable, thread-safe.
#pragma once

#include "core/text/pattern/pattern.h"

#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

class Decoder {
 public:
  // JSON null: tokens are joined by spaces, as Hugging Face's tokenizers do. Errors: corrupt, unsupported (names the type),
  // limit.
  [[nodiscard]] static Result<Decoder> fromJson(const nlohmann::json& json);
  [[nodiscard]] static Decoder byteLevel();
  [[nodiscard]] static Decoder sentencePiece(bool dropsFirstSpace);

  // Where something stands in its text.
  struct Place {
    bool first = false, last = false;
  };
  // Appends the text of one token before joining. first: nothing was decoded before it.
  void appendToken(std::string& out, std::string_view token, Place place) const;
  // Applies the steps that follow joining to a part of a text, or to all of it.
  void finish(std::string& text, Place part) const;

 private:
  enum class Kind { byteAlphabet, metaspace, spaceMark, byteFallback, replace, strip, wordPiece, wordEnd };
  struct Step {
    Kind kind;
    std::string content;              // metaspace, spaceMark: the mark for a space; strip: the character to remove; replace: the
                                      // replacement; wordPiece: the prefix of continuation pieces; wordEnd: the suffix of a word
    std::vector<Pattern> pattern;     // replace: exactly one
    std::size_t start = 0, stop = 0;  // strip: maximum number of characters removed at either end
    bool dropsFirst = false;          // metaspace: remove all marks of the first token; spaceMark: remove its leading mark; wordPiece:
                                      // remove spaces before punctuation
  };
  [[nodiscard]] Result<std::monostate> add(const nlohmann::json& json, int depth);
  [[nodiscard]] Result<std::monostate> addReplace(const nlohmann::json& json);
  [[nodiscard]] Result<std::monostate> addMetaspace(const nlohmann::json& json);
  [[nodiscard]] Result<std::monostate> addStrip(const nlohmann::json& json);
  [[nodiscard]] Result<std::monostate> addWordPiece(const nlohmann::json& json);
  void push(Step step) { (m_fused ? m_whole : m_single).push_back(std::move(step)); }
  // strips: at which ends of the text.
  static void apply(const Step& step, std::string& text, Place token, Place strips);

  std::vector<Step> m_single, m_whole;
  bool m_fused = false;
  bool m_joinsBySpace = false;
};

}  // namespace minerva::text
