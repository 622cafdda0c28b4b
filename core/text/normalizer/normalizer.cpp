#include "core/text/normalizer/normalizer.h"

#include "core/base/utf8.h"
#include "core/text/characters/byte_alphabet.h"
#include "core/text/characters/space_mark.h"
#include "core/text/characters/unicode.h"
#include "core/text/pattern/pattern.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

namespace minerva::text {
namespace {

using NormalizerPtr = std::unique_ptr<const Normalizer>;

// Rewrites all valid characters: `rewrite(codePoint, bytes, out)` appends the replacement of one.
template <class Rewrite>
void rewriteCharacters(std::string& text, Rewrite rewrite) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size();) {
    const utf8::Decoded decoded = utf8::decode(text, pos);
    const std::string_view bytes = std::string_view(text).substr(pos, decoded.length);
    if (decoded.valid) {
      rewrite(decoded.codePoint, bytes, out);
    } else {
      out += bytes;
    }
    pos += decoded.length;
  }
  text = std::move(out);
}

// Characters that libutf8proc decomposes and Hugging Face's library does not, whose tables are of Unicode 11.
constexpr char32_t keptWhole[][2] = {{0x32FF, 0x32FF},   {0xA7F2, 0xA7F4},   {0xAB69, 0xAB69},   {0x10781, 0x107BA},
                                     {0x11938, 0x11938}, {0x1E030, 0x1E06D}, {0x1F16C, 0x1F16C}, {0x1FBF0, 0x1FBF9}};

// NFC, NFD, NFKC, NFKD. Only ranges that the form may change are passed to libutf8proc.
class UnicodeForm final : public Normalizer {
 public:
  UnicodeForm(int options, bool onlyWhereNfcMatters)
      : m_options(static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE)), m_nfc(onlyWhereNfcMatters) {}

  void apply(std::string& text) const override {
    std::string out;
    std::size_t copied = 0, previous = 0;  // previous: start of the character before pos
    for (std::size_t pos = 0; pos < text.size();) {
      const utf8::Decoded decoded = utf8::decode(text, pos);
      if (!mayChange(decoded)) {
        previous = pos;
        pos += decoded.length;
        continue;
      }
      const bool attach = pos > 0 && utf8::decode(text, previous).valid && previous >= copied;
      const std::size_t begin = attach ? previous : pos;
      while (pos < text.size()) {
        const utf8::Decoded next = utf8::decode(text, pos);
        if (!mayChange(next)) break;
        previous = pos;
        pos += next.length;
      }
      out.append(text, copied, begin - copied);
      appendForm(std::string_view(text).substr(begin, pos - begin), out);
      copied = pos;
    }
    if (copied == 0) return;
    out.append(text, copied);
    text = std::move(out);
  }

 private:
  [[nodiscard]] bool mayChange(const utf8::Decoded& decoded) const {
    if (decoded.codePoint < 0x80 || !decoded.valid) return false;
    if (m_nfc && !unicode::nfcMayChange(unicode::table(), decoded.codePoint)) return false;
    return std::ranges::none_of(keptWhole,
                                [&](const auto& range) { return decoded.codePoint >= range[0] && decoded.codePoint <= range[1]; });
  }
  // utf8proc_map() would take the square of the number of marks that follow one another to order them.
  void appendForm(std::string_view stretch, std::string& out) const {
    std::vector<utf8proc_int32_t> points;
    points.reserve(stretch.size());
    for (std::size_t pos = 0; pos < stretch.size();) {
      const utf8::Decoded decoded = utf8::decode(stretch, pos);
      pos += decoded.length;
      appendDecomposed(decoded.codePoint, points);
    }
    const auto classOf = [](utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; };
    const auto isMark = [&](utf8proc_int32_t c) { return classOf(c) != 0; };
    for (auto begin = std::ranges::find_if(points, isMark); begin != points.end();) {
      const auto end = std::find_if_not(begin, points.end(), isMark);
      std::ranges::stable_sort(begin, end, {}, classOf);
      begin = std::find_if(end, points.end(), isMark);
    }
    const utf8proc_ssize_t count = utf8proc_normalize_utf32(points.data(), static_cast<utf8proc_ssize_t>(points.size()), m_options);
    if (count < 0) out += stretch;
    for (utf8proc_ssize_t i = 0; i < count; ++i) utf8::append(out, static_cast<char32_t>(points[static_cast<std::size_t>(i)]));
  }
  void appendDecomposed(char32_t c, std::vector<utf8proc_int32_t>& points) const {
    std::array<utf8proc_int32_t, 32> parts{};  // the longest one has 18
    int boundary = 0;
    const utf8proc_ssize_t count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts.data(),
                                                           static_cast<utf8proc_ssize_t>(parts.size()), m_options, &boundary);
    points.insert(points.end(), parts.begin(), parts.begin() + std::clamp<utf8proc_ssize_t>(count, 0, parts.size()));
  }
  utf8proc_option_t m_options;
  bool m_nfc;
};

// Capitals of Unicode 15 and later, whose small letters libutf8proc may not know, but Hugging Face's library does.
struct LaterCapitals {
  char32_t first, last, small;
};
constexpr LaterCapitals laterCapitals[] = {
    {0x1C89, 0x1C89, 0x1C8A}, {0xA7CB, 0xA7CB, 0x264},  {0xA7CC, 0xA7CC, 0xA7CD}, {0xA7CE, 0xA7CE, 0xA7CF},    {0xA7D2, 0xA7D2, 0xA7D3},
    {0xA7D4, 0xA7D4, 0xA7D5}, {0xA7DA, 0xA7DA, 0xA7DB}, {0xA7DC, 0xA7DC, 0x19B},  {0x10D50, 0x10D65, 0x10D70}, {0x16EA0, 0x16EB8, 0x16EBB},
};

char32_t lowercase(char32_t c) {
  for (const LaterCapitals& row : laterCapitals)
    if (c >= row.first && c <= row.last) return row.small + (c - row.first);
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

class Lowercase final : public Normalizer {
 public:
  void apply(std::string& text) const override {
    rewriteCharacters(text, [](char32_t c, std::string_view, std::string& out) {
      if (c == 0x130) {  // the only character whose full lowercase mapping has two characters
        out += "i̇";
      } else {
        utf8::append(out, lowercase(c));
      }
    });
  }
};

// By libutf8proc's own categories: Hugging Face's library has tables that are older still, and leaves the marks of later versions.
class StripAccents final : public Normalizer {
 public:
  explicit StripAccents(unicode::CategoryMask marks = unicode::mark) : m_marks(marks) {}
  void apply(std::string& text) const override {
    rewriteCharacters(text, [this](char32_t c, std::string_view bytes, std::string& out) {
      if ((unicode::bit(utf8proc_category(static_cast<utf8proc_int32_t>(c))) & m_marks) == 0) out += bytes;
    });
  }

 private:
  unicode::CategoryMask m_marks;
};

// SentencePiece's "nmt" rule set: removes control characters and replaces unusual spaces by a space.
class Nmt final : public Normalizer {
 public:
  void apply(std::string& text) const override {
    rewriteCharacters(text, [](char32_t c, std::string_view bytes, std::string& out) {
      const bool vanishes = (c >= 1 && c <= 8) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
      const bool isSpace = c == 9 || c == 10 || c == 12 || c == 13 || c == 0x1680 || (c >= 0x200B && c <= 0x200F) || c == 0x2028 ||
                           c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
      if (!vanishes) out += isSpace ? std::string_view(" ") : bytes;
    });
  }
};

class ByteLevelNormalizer final : public Normalizer {
 public:
  void apply(std::string& text) const override {
    std::string out;
    appendWritten(out, text);
    text = std::move(out);
  }
};

class Strip final : public Normalizer {
 public:
  Strip(bool left, bool right) : m_left(left), m_right(right) {}
  void apply(std::string& text) const override {
    std::size_t begin = 0, end = text.size();
    while (m_left && begin < end) {
      const utf8::Decoded c = utf8::decode(text, begin);
      if (!unicode::is(c.codePoint, unicode::space)) break;
      begin += c.length;
    }
    while (m_right && end > begin) {
      const utf8::Decoded c = utf8::decodeBefore(text, end);
      if (!unicode::is(c.codePoint, unicode::space)) break;
      end -= c.length;
    }
    text = text.substr(begin, end - begin);
  }

 private:
  bool m_left, m_right;
};

class Prepend final : public Normalizer {
 public:
  explicit Prepend(std::string prefix) : m_prefix(std::move(prefix)) {}
  void apply(std::string& text) const override {
    if (!text.empty()) text.insert(0, m_prefix);
  }

 private:
  std::string m_prefix;
};

class Replace final : public Normalizer {
 public:
  Replace(Pattern pattern, std::string content) : m_pattern(std::move(pattern)), m_content(std::move(content)) {}
  void apply(std::string& text) const override { text = m_pattern.replaceAll(text, m_content); }

 private:
  Pattern m_pattern;
  std::string m_content;
};

class SpaceMarker final : public Normalizer {
 public:
  explicit SpaceMarker(bool prepend) : m_prepend(prepend) {}
  void apply(std::string& text) const override {
    if (text.empty()) return;
    std::string out;
    out.reserve(text.size() + text.size() / 2 + spaceMark.size());
    if (m_prepend) out += spaceMark;
    std::size_t done = 0;
    for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', done)) {
      out.append(text, done, at - done).append(spaceMark);
      done = at + 1;
    }
    text = std::move(out.append(text, done));
  }

 private:
  bool m_prepend;
};

class Sequence final : public Normalizer {
 public:
  explicit Sequence(std::vector<NormalizerPtr> steps) : m_steps(std::move(steps)) {}
  void apply(std::string& text) const override {
    for (const NormalizerPtr& step : m_steps) step->apply(text);
  }

 private:
  std::vector<NormalizerPtr> m_steps;
};

Result<NormalizerPtr> make(const nlohmann::json& json, int depth);

Result<NormalizerPtr> makeSequence(const nlohmann::json& json, int depth) {
  MINERVA_ASSIGN(const nlohmann::json* members, arrayField(json, "normalizers", "normalizer 'Sequence'"));
  std::vector<NormalizerPtr> steps;
  for (const nlohmann::json& member : *members) {
    MINERVA_ASSIGN(NormalizerPtr step, make(member, depth + 1));
    if (step) steps.push_back(std::move(step));
  }
  if (steps.empty()) return nullptr;
  return std::make_unique<Sequence>(std::move(steps));
}

Result<NormalizerPtr> makeReplace(const nlohmann::json& json, int) {
  MINERVA_ASSIGN(Pattern pattern, Pattern::fromJson(json, "normalizer 'Replace'"));
  MINERVA_ASSIGN(std::string content, stringField(json, "content", "normalizer 'Replace'"));
  return std::make_unique<Replace>(std::move(pattern), std::move(content));
}

Result<NormalizerPtr> makeBert(const nlohmann::json& json, int) {
  MINERVA_ASSIGN(std::vector<NormalizerPtr> steps, makeBertSteps(json));
  return std::make_unique<Sequence>(std::move(steps));
}

Result<NormalizerPtr> makeRules(const nlohmann::json& json, int) { return makePrecompiled(json); }

Result<NormalizerPtr> makePrepend(const nlohmann::json& json, int) {
  MINERVA_ASSIGN(std::string prefix, stringField(json, "prepend", "normalizer 'Prepend'"));
  return std::make_unique<Prepend>(std::move(prefix));
}

Result<NormalizerPtr> makeStrip(const nlohmann::json& json, int) {
  MINERVA_ASSIGN(const bool left, boolFieldOr(json, "strip_left", true, "normalizer 'Strip'"));
  MINERVA_ASSIGN(const bool right, boolFieldOr(json, "strip_right", true, "normalizer 'Strip'"));
  return std::make_unique<Strip>(left, right);
}

template <class Type>
Result<NormalizerPtr> makePlain(const nlohmann::json&, int) {
  return std::make_unique<Type>();
}

template <int options>
Result<NormalizerPtr> makeForm(const nlohmann::json&, int) {
  return std::make_unique<UnicodeForm>(options, options == UTF8PROC_COMPOSE);
}

struct NormalizerRow {
  std::string_view type;
  Result<NormalizerPtr> (*make)(const nlohmann::json&, int depth);
};
constexpr NormalizerRow normalizers[] = {
    {"Sequence", makeSequence},
    {"NFC", makeForm<UTF8PROC_COMPOSE>},
    {"NFD", makeForm<UTF8PROC_DECOMPOSE>},
    {"NFKC", makeForm<UTF8PROC_COMPOSE | UTF8PROC_COMPAT>},
    {"NFKD", makeForm<UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT>},
    {"Replace", makeReplace},
    {"Prepend", makePrepend},
    {"Strip", makeStrip},
    {"StripAccents", makePlain<StripAccents>},
    {"Lowercase", makePlain<Lowercase>},
    {"Nmt", makePlain<Nmt>},
    {"ByteLevel", makePlain<ByteLevelNormalizer>},
    {"Precompiled", makeRules},
    {"BertNormalizer", makeBert},
};

Result<NormalizerPtr> make(const nlohmann::json& json, int depth) {
  if (json.is_null()) return nullptr;
  if (depth > deepestNesting)
    return fail({ErrorKind::limit, "the tokenizer's normalizers are nested too deeply", "tokenizer.json", "at most 16 levels", "", ""});
  MINERVA_ASSIGN(const std::string type, stringField(json, "type", "normalizer"));
  std::string known;
  for (const NormalizerRow& row : normalizers) {
    if (row.type == type) return row.make(json, depth);
    known += (known.empty() ? "" : ", ") + std::string(row.type);
  }
  return fail({ErrorKind::unsupported, "normalizer '" + type + "' is not known", "tokenizer.json", known, type, ""});
}

}  // namespace

Result<NormalizerPtr> makeNormalizer(const nlohmann::json& json) { return make(json, 0); }
NormalizerPtr makeNfc() { return std::make_unique<UnicodeForm>(UTF8PROC_COMPOSE, true); }
NormalizerPtr makeNonspacingMarksStripper() { return std::make_unique<StripAccents>(unicode::bit(UTF8PROC_CATEGORY_MN)); }
NormalizerPtr makeSpaceMarker(bool prepend) { return std::make_unique<SpaceMarker>(prepend); }

}  // namespace minerva::text
