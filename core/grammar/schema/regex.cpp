#include "core/grammar/schema/regex.h"

#include "core/base/utf8.h"
#include "core/grammar/limits.h"
#include "core/grammar/rules.h"
#include "core/grammar/schema/unicode_sets.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace minerva::grammar {
namespace {

using RegexKind = RegexNode::Kind;

class RegexParser {
 public:
  explicit RegexParser(std::string_view text) : m_text(text) {}

  Result<Regex> parse() {
    m_anyCase = skip("(?i)");
    MINERVA_ASSIGN(m_regex.root, parseChoice(0));
    if (m_at < m_text.size()) return wrong("what follows is not read");
    return std::move(m_regex);
  }

 private:
  [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
  bool skip(std::string_view text) {
    if (!m_text.substr(m_at).starts_with(text)) return false;
    m_at += text.size();
    return true;
  }
  [[nodiscard]] std::unexpected<Error> wrong(const char* why, ErrorKind kind = ErrorKind::invalidArgument) const {
    return fail({.kind = kind,
                 .what = std::string(kind == ErrorKind::unsupported ? "A pattern cannot be expressed as a grammar: "
                                                                    : "A pattern is not a regular expression: ") +
                         why,
                 .where = "",
                 .expected = "",
                 .actual = utf8::replaceBroken(m_text.substr(std::min(m_at, m_text.size()), 30))});
  }
  std::uint32_t add(RegexNode node) {
    node.asserts = node.kind >= RegexKind::start || std::ranges::any_of(node.parts, [&](auto part) { return m_regex.nodes[part].asserts; });
    m_regex.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(m_regex.nodes.size() - 1);
  }

  Result<std::uint32_t> parseChoice(int depth) {
    if (depth > limits::nesting) return wrong("too many groups in one another", ErrorKind::unsupported);
    std::vector<std::uint32_t> ways;
    do {
      MINERVA_ASSIGN(const std::uint32_t way, parseSequence(depth));
      ways.push_back(way);
    } while (skip("|"));
    return add({.kind = RegexKind::choice, .set = {}, .parts = std::move(ways)});
  }

  Result<std::uint32_t> parseSequence(int depth) {
    std::vector<std::uint32_t> parts;
    while (m_at < m_text.size() && peek() != '|' && peek() != ')') {
      MINERVA_ASSIGN(const std::uint32_t atom, parseAtom(depth));
      MINERVA_ASSIGN(const std::uint32_t repeated, parseQuantifier(atom));
      parts.push_back(repeated);
    }
    return add({.kind = RegexKind::sequence, .set = {}, .parts = std::move(parts)});
  }

  Result<std::uint32_t> parseAtom(int depth) {
    if (peek() == '*' || peek() == '+' || peek() == '?') return wrong("nothing to repeat");
    if (skip("^")) return add({.kind = RegexKind::start, .set = {}, .parts = {}});
    if (skip("$")) return add({.kind = RegexKind::end, .set = {}, .parts = {}});
    if (skip("(")) return parseGroup(depth);
    CharSet set;
    if (peek() == '[') {
      MINERVA_ASSIGN(set, parseClass());
    } else if (skip(".")) {
      set = CharSet::of("\n\r\u2028\u2029").complement();
    } else {
      MINERVA_ASSIGN(set, parseCharacter(false));
      if (m_anyCase) set = inAnyCase(std::move(set));
    }
    return add({.kind = RegexKind::chars, .set = std::move(set), .parts = {}});
  }
  Result<std::uint32_t> parseGroup(int depth) {
    const bool ahead = skip("?="), notAhead = !ahead && skip("?!"), before = m_anyCase;
    const bool anyCase = skip("?i:");
    m_anyCase = m_anyCase || anyCase;
    if (!ahead && !notAhead && !anyCase && skip("?") && !skip(":") && !skipGroupName())
      return wrong("a group that is not regular", ErrorKind::unsupported);
    MINERVA_ASSIGN(const std::uint32_t inner, parseChoice(depth + 1));
    m_anyCase = before;
    if (!skip(")")) return wrong("a group does not end");
    if (!ahead && !notAhead) return inner;
    return add({.kind = RegexKind::ahead, .set = {}, .parts = {inner}, .least = 0, .most = ahead ? 1U : 0U});
  }
  // (?<name>...), in Python (?P<name>...), but not (?<=...) and (?<!...).
  bool skipGroupName() {
    if (m_text.substr(m_at).starts_with("P<")) ++m_at;
    if (peek() != '<' || m_text.substr(m_at).starts_with("<=") || m_text.substr(m_at).starts_with("<!")) return false;
    const std::size_t end = m_text.find('>', m_at);
    if (end == std::string_view::npos) return false;
    m_at = end + 1;
    return true;
  }

  Result<std::uint32_t> parseQuantifier(std::uint32_t atom) {
    std::uint32_t least = 1, most = 1;
    const bool repeatable = m_regex.nodes[atom].kind < RegexKind::start;
    if (!repeatable && (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{')) return wrong("nothing to repeat");
    if (skip("*")) least = 0, most = unlimited;
    else if (skip("+")) most = unlimited;
    else if (skip("?")) least = 0;
    else if (peek() == '{') {
      ++m_at;
      const auto first = parseNumber();
      std::optional<std::uint32_t> second = first;
      if (skip(",")) second = peek() == '}' ? unlimited : parseNumber();
      if (!first || !second || *second < *first || !skip("}")) return wrong("a repetition {m,n} before this");
      least = *first;
      most = *second;
    } else {
      return atom;
    }
    (void)skip("?");  // lazy: the same texts
    if (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{') return wrong("a repetition of a repetition");
    return add({.kind = RegexKind::repeat, .set = {}, .parts = {atom}, .least = least, .most = most});
  }
  std::optional<std::uint32_t> parseNumber() {
    std::uint64_t value = 0;
    const std::size_t begin = m_at;
    for (; peek() >= '0' && peek() <= '9'; ++m_at)
      value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(peek() - '0'), unlimited - 1);
    if (begin == m_at) return std::nullopt;
    return static_cast<std::uint32_t>(value);
  }

  Result<CharSet> parseClass() {
    ++m_at;
    const bool inverted = skip("^");
    CharSet set;
    while (peek() != ']') {
      if (m_at >= m_text.size()) return wrong("a class does not end");
      MINERVA_ASSIGN(const CharSet first, parseCharacter(true));
      if (peek() != '-' || m_at + 1 >= m_text.size() || m_text[m_at + 1] == ']') {
        set.add(first);
        continue;
      }
      ++m_at;
      MINERVA_ASSIGN(const CharSet last, parseCharacter(true));
      const bool single = first.ranges().size() == 1 && last.ranges().size() == 1 && first.ranges()[0].first == first.ranges()[0].last &&
                          last.ranges()[0].first == last.ranges()[0].last;
      if (!single || last.ranges()[0].first < first.ranges()[0].first) return wrong("a range before this");
      set.add(first.ranges()[0].first, last.ranges()[0].first);
    }
    ++m_at;
    if (m_anyCase) set = inAnyCase(std::move(set));
    return inverted ? set.complement() : set;
  }

  // A character, or a class such as \d.
  Result<CharSet> parseCharacter(bool inClass) {
    if (peek() != '\\') {
      const utf8::Decoded c = utf8::decode(m_text, m_at);
      if (!c.valid) return wrong("bytes that are not UTF-8");
      m_at += c.length;
      return CharSet(c.codePoint, c.codePoint);
    }
    ++m_at;
    const char c = peek();
    static const CharSet digits{U'0', U'9'}, words = CharSet::of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
                                             spaces = CharSet::of(
                                                 " \t\n\r\f\v\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A"
                                                 "\u2028\u2029\u202F\u205F\u3000\uFEFF");
    static constexpr std::array<std::pair<char, char>, 5> controls{{{'t', '\t'}, {'n', '\n'}, {'r', '\r'}, {'f', '\f'}, {'v', '\v'}}};
    ++m_at;
    switch (c) {
      case 'd': return digits;
      case 'D': return digits.complement();
      case 'w': return words;
      case 'W': return words.complement();
      case 's': return spaces;
      case 'S': return spaces.complement();
      case 'x': return parseHex(2);
      case 'u': return parseHex(4);
      case 'p': return parseCategory();
      case 'P': {
        MINERVA_ASSIGN(const CharSet category, parseCategory());
        return category.complement();
      }
      default: break;
    }
    for (const auto& [name, control] : controls)
      if (c == name) return CharSet(static_cast<char32_t>(control), static_cast<char32_t>(control));
    if (c == 'b' && inClass) return CharSet(U'\b', U'\b');
    --m_at;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '\0';
    if (letter) return wrong("an escape that is not regular, or not known", ErrorKind::unsupported);
    const utf8::Decoded escaped = utf8::decode(m_text, m_at);
    m_at += escaped.length;
    return CharSet(escaped.codePoint, escaped.codePoint);
  }
  Result<CharSet> parseCategory() {
    const std::size_t end = m_text.find('}', m_at);
    if (peek() != '{' || end == std::string_view::npos) return wrong("a property in braces is missing");
    const auto set = charactersOfCategory(m_text.substr(m_at + 1, end - m_at - 1));
    if (!set) return wrong("a property of Unicode that is not a category", ErrorKind::unsupported);
    m_at = end + 1;
    return *set;
  }
  Result<CharSet> parseHex(std::size_t digits) {
    char32_t value = 0;
    for (std::size_t i = 0; i < digits; ++i, ++m_at) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) return wrong("hexadecimal digits are missing");
      value = value * 16 + static_cast<char32_t>(digit);
    }
    if (value >= 0xD800 && value <= 0xDFFF) return wrong("half a character (a surrogate)", ErrorKind::unsupported);
    return CharSet(value, value);
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  bool m_anyCase = false;  // (?i)
  Regex m_regex;
};

}  // namespace

Result<Regex> parseRegex(std::string_view pattern) {
  if (pattern.size() > limits::patternBytes) {
    return fail({.kind = ErrorKind::limit,
                 .what = "A pattern is too long",
                 .where = "",
                 .expected = "at most " + std::to_string(limits::patternBytes) + " bytes",
                 .actual = std::to_string(pattern.size())});
  }
  return RegexParser(pattern).parse();
}

}  // namespace minerva::grammar
