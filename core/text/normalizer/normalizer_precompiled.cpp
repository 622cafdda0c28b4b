// The Precompiled normalizer of tokenizer.json: applies sentencepiece's rules like Hugging Face's tokenizers, to whole
// graphemes if they are short.
#include "core/base/utf8.h"
#include "core/text/json/json_fields.h"
#include "core/text/normalizer/base64.h"
#include "core/text/normalizer/character_map.h"
#include "core/text/normalizer/normalizer.h"

#include <utf8proc.h>

namespace minerva::text {
namespace {

constexpr std::size_t longestGrapheme = 5;  // bytes; longer graphemes are processed character by character

class Precompiled final : public Normalizer {
 public:
  explicit Precompiled(CharacterMap rules) : m_rules(std::move(rules)) {}

  void apply(std::string& text) const override {
    const std::string_view whole = text;
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    for (std::size_t pos = 0; pos < whole.size();) {
      const std::string_view grapheme = whole.substr(pos, graphemeLength(whole, pos));
      pos += grapheme.size();
      if (grapheme.size() > longestGrapheme || !replace(grapheme, out)) appendCharacters(grapheme, out);
    }
    text = std::move(out);
  }

 private:
  static std::size_t graphemeLength(std::string_view text, std::size_t pos) {
    utf8::Decoded c = utf8::decode(text, pos);
    std::size_t end = pos + c.length;
    utf8proc_int32_t state = 0;
    while (end < text.size() && c.valid) {
      const utf8::Decoded next = utf8::decode(text, end);
      if (!next.valid || utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(c.codePoint),
                                                          static_cast<utf8proc_int32_t>(next.codePoint), &state))
        break;
      end += next.length;
      c = next;
    }
    return end - pos;
  }
  // The rule that matches at the start of the chunk replaces the whole chunk.
  bool replace(std::string_view chunk, std::string& out) const {
    const auto rule = m_rules.shortestAt(chunk);
    if (rule) out += rule->replacement;
    return rule.has_value();
  }
  void appendCharacters(std::string_view grapheme, std::string& out) const {
    for (std::size_t pos = 0; pos < grapheme.size();) {
      const std::string_view character = grapheme.substr(pos, utf8::decode(grapheme, pos).length);
      pos += character.size();
      if (!replace(character, out)) out += character;
    }
  }
  CharacterMap m_rules;
};

}  // namespace

Result<std::unique_ptr<const Normalizer>> makePrecompiled(const nlohmann::json& json) {
  const std::string name = "normalizer 'Precompiled'";
  MINERVA_ASSIGN(const std::string encoded, stringFieldOr(json, "precompiled_charsmap", "", name));
  const auto bytes = decodeBase64(encoded);
  if (!bytes) return fail(fieldError(name, "precompiled_charsmap", "base64", &json["precompiled_charsmap"]));
  MINERVA_ASSIGN(CharacterMap rules, CharacterMap::fromBytes(*bytes));
  return std::make_unique<Precompiled>(std::move(rules));
}

}  // namespace minerva::text
