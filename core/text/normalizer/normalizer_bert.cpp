// BertNormalizer of tokenizer.json: removes control characters, pads ideographs with spaces, strips accents and lowercases;
// each step is optional.
#include "core/base/utf8.h"
#include "core/text/characters/unicode.h"
#include "core/text/json/json_fields.h"
#include "core/text/normalizer/normalizer.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace minerva::text {
namespace {

constexpr unicode::CategoryMask unseen = unicode::bit(26) | unicode::bit(27) | unicode::bit(28) | unicode::bit(29);  // Cc Cf Cs Co

bool isIdeograph(char32_t c) {
  static constexpr char32_t ranges[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
                                           {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  for (const auto& range : ranges)
    if (c >= range[0] && c <= range[1]) return true;
  return false;
}

class BertCharacters final : public Normalizer {
 public:
  BertCharacters(bool cleans, bool padsIdeographs) : m_cleans(cleans), m_pads(padsIdeographs) {}
  void apply(std::string& text) const override {
    std::string out;
    out.reserve(text.size());
    for (std::size_t pos = 0; pos < text.size();) {
      const utf8::Decoded c = utf8::decode(text, pos);
      const std::string_view bytes = std::string_view(text).substr(pos, c.length);
      pos += c.length;
      if (c.valid) {
        rewrite(c.codePoint, bytes, out);
      } else {
        out += bytes;
      }
    }
    text = std::move(out);
  }

 private:
  void rewrite(char32_t c, std::string_view bytes, std::string& out) const {
    const bool space = unicode::is(c, unicode::space);
    if (m_cleans && (c == 0 || c == utf8::replacement || (!space && unicode::is(c, unseen)) || c == 0x0B || c == 0x0C || c == 0x85)) return;
    if (m_cleans && space) {
      out += ' ';
    } else if (m_pads && isIdeograph(c)) {
      out.append(" ").append(bytes).append(" ");
    } else {
      out += bytes;
    }
  }
  bool m_cleans, m_pads;
};

}  // namespace

Result<std::vector<std::unique_ptr<const Normalizer>>> makeBertSteps(const nlohmann::json& json) {
  const std::string name = "normalizer 'BertNormalizer'";
  MINERVA_ASSIGN(const bool cleans, boolFieldOr(json, "clean_text", true, name));
  MINERVA_ASSIGN(const bool ideographs, boolFieldOr(json, "handle_chinese_chars", true, name));
  MINERVA_ASSIGN(const bool lowers, boolFieldOr(json, "lowercase", true, name));
  MINERVA_ASSIGN(const bool strips, boolFieldOr(json, "strip_accents", lowers, name));
  std::vector<std::unique_ptr<const Normalizer>> steps;
  steps.push_back(std::make_unique<BertCharacters>(cleans, ideographs));
  if (strips) {
    MINERVA_ASSIGN(auto decomposed, makeNormalizer({{"type", "NFD"}}));
    steps.push_back(std::move(decomposed));
    steps.push_back(makeNonspacingMarksStripper());
  }
  if (lowers) {
    MINERVA_ASSIGN(auto lower, makeNormalizer({{"type", "Lowercase"}}));
    steps.push_back(std::move(lower));
  }
  return steps;
}

nlohmann::json configuredNormalizer(nlohmann::json normalizer, const nlohmann::json& tokenizerConfig) {
  constexpr std::array<std::string_view, 4> classes{"BertTokenizer", "BertTokenizerFast", "DistilBertTokenizer", "DistilBertTokenizerFast"};
  if (!normalizer.is_object() || normalizer.value("type", nlohmann::json()) != "BertNormalizer" || !tokenizerConfig.is_object())
    return normalizer;
  const nlohmann::json name = tokenizerConfig.value("tokenizer_class", nlohmann::json());
  if (!name.is_string() || std::ranges::find(classes, name.get_ref<const std::string&>()) == classes.end()) return normalizer;
  const auto asked = [&](const char* key, const nlohmann::json& otherwise) {
    const nlohmann::json value = tokenizerConfig.value(key, nlohmann::json());
    return value.is_boolean() ? value : otherwise;
  };
  normalizer["clean_text"] = true;
  normalizer["handle_chinese_chars"] = asked("tokenize_chinese_chars", true);
  normalizer["lowercase"] = asked("do_lower_case", true);
  normalizer["strip_accents"] = asked("strip_accents", nullptr);
  return normalizer;
}

}  // namespace minerva::text
