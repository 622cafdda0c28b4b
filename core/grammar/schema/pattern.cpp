#include "core/grammar/schema/pattern.h"

#include "core/base/utf8.h"
#include "core/grammar/limits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace minerva::grammar {
namespace {

constexpr std::uint64_t endlessLength = unlimited;

std::uint64_t times(std::uint64_t length, std::uint64_t count) {
  if (length == 0 || count == 0) return 0;
  return length >= endlessLength || count >= endlessLength ? endlessLength : std::min(endlessLength, length * count);
}

class PatternParser {
 public:
  PatternParser(Rules& rules, JsonText& json, std::string_view text) : m_rules(rules), m_json(json), m_text(text) {}

  Result<PatternNode> parse() {
    std::vector<PatternNode> ways;
    do {
      const bool fromStart = skip("^");
      MINERVA_ASSIGN(PatternNode way, parseSequence(0));
      const bool toEnd = skip("$");
      const PatternNode any{m_rules.repeat(m_json.character(), 0, unlimited), 0, unlimited};
      std::vector<PatternNode> parts{way};
      if (!fromStart) parts.insert(parts.begin(), any);
      if (!toEnd) parts.push_back(any);
      ways.push_back(sequence(parts));
    } while (skip("|"));
    if (m_at < m_text.size()) return wrong("what follows is not read");
    return choice(ways);
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
  PatternNode sequence(const std::vector<PatternNode>& parts) {
    PatternNode out;
    std::vector<NodeId> nodes;
    for (const PatternNode& part : parts) {
      nodes.push_back(part.node);
      out.least = std::min(endlessLength, out.least + part.least);
      out.most = std::min(endlessLength, out.most + part.most);
    }
    out.node = m_rules.sequence(nodes);
    return out;
  }
  PatternNode choice(const std::vector<PatternNode>& ways) {
    PatternNode out{0, endlessLength, 0};
    std::vector<NodeId> nodes;
    for (const PatternNode& way : ways) {
      nodes.push_back(way.node);
      out.least = std::min(out.least, way.least);
      out.most = std::max(out.most, way.most);
    }
    out.node = m_rules.choice(nodes);
    return out;
  }

  Result<PatternNode> parseChoice(int depth) {
    if (depth > limits::nesting) return wrong("too many groups in one another", ErrorKind::unsupported);
    std::vector<PatternNode> ways;
    do {
      MINERVA_ASSIGN(const PatternNode way, parseSequence(depth));
      ways.push_back(way);
    } while (skip("|"));
    return choice(ways);
  }

  Result<PatternNode> parseSequence(int depth) {
    std::vector<PatternNode> parts;
    while (m_at < m_text.size() && peek() != '|' && peek() != ')') {
      const bool lastAnchor = peek() == '$' && depth == 0 && (m_at + 1 == m_text.size() || m_text[m_at + 1] == '|');
      if (lastAnchor) break;
      MINERVA_ASSIGN(const PatternNode atom, parseAtom(depth));
      MINERVA_ASSIGN(const PatternNode repeated, parseQuantifier(atom));
      parts.push_back(repeated);
    }
    return sequence(parts);
  }

  Result<PatternNode> parseAtom(int depth) {
    if (peek() == '^' || peek() == '$') return wrong("an anchor inside", ErrorKind::unsupported);
    if (peek() == '*' || peek() == '+' || peek() == '?') return wrong("nothing to repeat");
    if (skip("(")) {
      if (skip("?") && !skip(":") && !skipGroupName()) return wrong("a group that is not regular", ErrorKind::unsupported);
      MINERVA_ASSIGN(const PatternNode inner, parseChoice(depth + 1));
      if (!skip(")")) return wrong("a group does not end");
      return inner;
    }
    CharSet set;
    if (peek() == '[') {
      MINERVA_ASSIGN(set, parseClass());
    } else if (skip(".")) {
      set = CharSet::of("\n\r\u2028\u2029").complement();
    } else {
      MINERVA_ASSIGN(set, parseCharacter(false));
    }
    const auto node = m_json.characterOf(set);
    if (!node) return wrong("a character that is not written in JSON before this", ErrorKind::unsupported);
    return PatternNode{*node, 1, 1};
  }
  // (?<name>...), but not (?<=...) and (?<!...).
  bool skipGroupName() {
    if (peek() != '<' || m_text.substr(m_at).starts_with("<=") || m_text.substr(m_at).starts_with("<!")) return false;
    const std::size_t end = m_text.find('>', m_at);
    if (end == std::string_view::npos) return false;
    m_at = end + 1;
    return true;
  }

  Result<PatternNode> parseQuantifier(PatternNode atom) {
    std::uint32_t least = 1, most = 1;
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
    return PatternNode{m_rules.repeat(atom.node, least, most), times(atom.least, least), times(atom.most, most)};
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

  Rules& m_rules;
  JsonText& m_json;
  std::string_view m_text;
  std::size_t m_at = 0;
};

// Part of the texts that have the format: none that any validator would refuse.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> formats{{
    {"date", R"(^[12]\d{3}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))$)"},
    {"time", R"(^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$)"},
    {"date-time",
     R"(^[12]\d{3}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$)"},
    {"duration", R"(^P(\d{1,4}[YMWD]|T\d{1,4}[HMS])$)"},
    {"uuid", R"(^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$)"},
    {"uuid4", R"(^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$)"},
    {"email", R"(^[A-Za-z0-9]{1,20}([._+-][A-Za-z0-9]{1,20}){0,2}@([A-Za-z0-9]{1,30}(-[A-Za-z0-9]{1,30})?\.){1,3}[A-Za-z]{2,12}$)"},
    {"ipv4", R"(^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$)"},
    {"ipvanyaddress", R"(^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$)"},
    {"ipv6", R"(^([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$)"},
    {"uri", R"(^https?://([A-Za-z0-9]{1,30}(-[A-Za-z0-9]{1,30})?\.){1,3}[A-Za-z]{2,12}(:\d{1,4})?(/[A-Za-z0-9._~-]{0,60}){0,8}$)"},
}};

}  // namespace

Result<PatternNode> patternNode(Rules& rules, JsonText& json, std::string_view pattern) {
  if (pattern.size() > limits::patternBytes) {
    return fail({.kind = ErrorKind::limit,
                 .what = "A pattern is too long",
                 .where = "",
                 .expected = "at most " + std::to_string(limits::patternBytes) + " bytes",
                 .actual = std::to_string(pattern.size())});
  }
  return PatternParser(rules, json, pattern).parse();
}

std::string_view patternOfFormat(std::string_view format) {
  const auto* const found = std::ranges::find(formats, format, &std::pair<std::string_view, std::string_view>::first);
  return found == formats.end() ? std::string_view() : found->second;
}

}  // namespace minerva::grammar
