// From token texts back to bytes: tokenizer.json's decoders, and the two GGUF needs.
//
// Steps before the texts are joined see one token each; steps after see the whole. Bytes stay exact: where Hugging Face
// puts U+FFFD for broken ones, here they come as they are. Immutable, thread-safe.
#pragma once

#include "core/text/pattern/pattern.h"

#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

class Decoder {
 public:
  // JSON null: tokens joined by spaces, as tokenizers does. Errors: corrupt, unsupported (type named), limit.
  [[nodiscard]] static Result<Decoder> fromJson(const nlohmann::json& json);
  [[nodiscard]] static Decoder byteLevel();
  [[nodiscard]] static Decoder sentencePiece(bool dropsFirstSpace);

  // Appends what one token gives before joining. first: nothing was decoded before it.
  void appendToken(std::string& out, std::string_view token, bool first) const;
  // What joining does to the whole; wholeText false: to a piece from the middle.
  void finish(std::string& text, bool wholeText) const;

 private:
  enum class Kind { byteAlphabet, metaspace, spaceMark, byteFallback, replace, strip, wordPiece, wordEnd };
  struct Step {
    Kind kind;
    std::string content;              // metaspace: what stands for a space; strip: the character; replace: what comes instead;
                                      // wordPiece: the prefix of a piece that goes on a word; wordEnd: the suffix of a word
    std::vector<Pattern> pattern;     // replace: exactly one
    std::size_t start = 0, stop = 0;  // strip: at most so many at either end
    bool dropsFirst = false;          // metaspace: every mark of the first token vanishes; spaceMark: its leading one;
                                      // wordPiece: spaces before punctuation vanish
  };
  [[nodiscard]] Result<std::monostate> add(const nlohmann::json& json, int depth);
  [[nodiscard]] Result<std::monostate> addReplace(const nlohmann::json& json);
  [[nodiscard]] Result<std::monostate> addMetaspace(const nlohmann::json& json);
  [[nodiscard]] Result<std::monostate> addStrip(const nlohmann::json& json);
  [[nodiscard]] Result<std::monostate> addWordPiece(const nlohmann::json& json);
  void push(Step step) { (m_fused ? m_whole : m_single).push_back(std::move(step)); }
  static void apply(const Step& step, std::string& text, bool first, bool wholeText);

  std::vector<Step> m_single, m_whole;
  bool m_fused = false;
  bool m_joinsBySpace = false;
  bool m_trimsLastSpace = false;  // the last word's end gives no space
};

}  // namespace minerva::text
