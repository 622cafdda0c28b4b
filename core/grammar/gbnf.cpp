#include "core/grammar/gbnf.h"

#include "core/base/utf8.h"
#include "core/grammar/limits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace minerva::grammar {
namespace {

bool isNameChar(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

class GbnfParser {
 public:
  explicit GbnfParser(std::string_view text) : m_text(text) {}

  Result<std::shared_ptr<const Grammar>> parse() {
    const RuleId root = ruleNamed("root");
    skipSpace(true);
    while (!atEnd()) MINERVA_TRY(parseRule());
    if (!m_rules.rules()[root].defined)
      return fail({.kind = ErrorKind::invalidArgument, .what = "The grammar has no rule named root", .where = "grammar"});
    return Grammar::compile(m_rules, root);
  }

 private:
  [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
  [[nodiscard]] char peek() const { return atEnd() ? '\0' : m_text[m_at]; }
  bool skip(std::string_view text) {
    if (!m_text.substr(m_at).starts_with(text)) return false;
    m_at += text.size();
    return true;
  }
  void skipSpace(bool newLines) {
    for (; !atEnd(); ++m_at) {
      if (peek() == '#')
        while (!atEnd() && peek() != '\n' && peek() != '\r') ++m_at;
      const bool newLine = peek() == '\n' || peek() == '\r';
      if (peek() != ' ' && peek() != '\t' && !(newLine && newLines)) return;
    }
  }
  // Alternatives may also stand on the next lines, each after its |.
  void skipSpaceToAlternative() {
    const std::size_t before = m_at;
    skipSpace(true);
    if (peek() != '|') m_at = before;
  }

  [[nodiscard]] std::unexpected<Error> wrong(const std::string& expected) const {
    const std::string_view before = m_text.substr(0, std::min(m_at, m_text.size()));
    const std::size_t line = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    std::string found = atEnd() ? "the end" : std::string(m_text.substr(m_at, m_text.substr(m_at, 24).find('\n')).substr(0, 24));
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The grammar cannot be read",
                 .where = "line " + std::to_string(1 + std::ranges::count(before, '\n')) + ", column " +
                          std::to_string(before.size() - line + 1) + " of the grammar",
                 .expected = expected,
                 .actual = utf8::replaceBroken(found)});
  }

  RuleId ruleNamed(std::string_view name) {
    const auto found = m_names.find(name);
    if (found != m_names.end()) return found->second;
    const RuleId made = m_rules.declare(std::string(name));
    m_names.emplace(name, made);
    return made;
  }
  [[nodiscard]] std::string_view takeName() {
    const std::size_t begin = m_at;
    while (isNameChar(peek())) ++m_at;
    return m_text.substr(begin, m_at - begin);
  }

  Result<void> parseRule() {
    const std::string_view name = takeName();
    if (name.empty()) return wrong("the name of a rule");
    skipSpace(false);
    if (!skip("::=")) return wrong("::=");
    const RuleId rule = ruleNamed(name);
    if (m_rules.rules().size() <= rule) return tooManyRules();
    if (m_rules.rules()[rule].defined) return wrong("each rule once; " + std::string(name) + " is defined before");
    skipSpace(true);
    MINERVA_ASSIGN(const NodeId body, parseChoice(0));
    if (!atEnd() && peek() != '\n' && peek() != '\r') return wrong("the end of the rule, on its line");
    m_rules.define(rule, body);
    skipSpace(true);
    return {};
  }

  [[nodiscard]] std::unexpected<Error> tooManyRules() const {
    return fail({.kind = ErrorKind::limit,
                 .what = "The grammar has too many rules",
                 .where = "grammar",
                 .expected = "at most " + std::to_string(limits::rules),
                 .actual = "more"});
  }

  Result<NodeId> parseChoice(int depth) {
    if (depth > limits::nesting) return wrong("at most " + std::to_string(limits::nesting) + " groups in one another");
    std::vector<NodeId> parts;
    for (;;) {
      MINERVA_ASSIGN(const NodeId part, parseSequence(depth));
      parts.push_back(part);
      skipSpaceToAlternative();
      if (!skip("|")) return m_rules.choice(parts);
      skipSpace(true);
    }
  }

  Result<NodeId> parseSequence(int depth) {
    std::vector<NodeId> parts;
    for (;;) {
      std::optional<NodeId> item;
      if (peek() == '"') {
        MINERVA_ASSIGN(item, parseLiteral());
      } else if (peek() == '[') {
        MINERVA_ASSIGN(item, parseClass());
      } else if (skip(".")) {
        item = m_rules.chars(CharSet::everything());
      } else if (skip("(")) {
        skipSpace(true);
        MINERVA_ASSIGN(item, parseChoice(depth + 1));
        skipSpace(true);
        if (!skip(")")) return wrong(")");
      } else if (isNameChar(peek())) {
        const RuleId rule = ruleNamed(takeName());
        if (m_rules.tooLarge()) return tooManyRules();
        item = m_rules.rule(rule);
      } else if (peek() == '<' || peek() == '!') {
        return wrong("text: this server's grammars cannot name tokens");
      } else {
        break;
      }
      MINERVA_ASSIGN(const NodeId repeated, parseRepetitions(*item, depth));
      parts.push_back(repeated);
      skipSpace(depth > 0);
    }
    return m_rules.sequence(parts);
  }

  Result<NodeId> parseRepetitions(NodeId item, int depth) {
    for (int times = 0;; ++times) {
      skipSpace(depth > 0);
      if (skip("*")) item = m_rules.repeat(item, 0, unlimited);
      else if (skip("+")) item = m_rules.repeat(item, 1, unlimited);
      else if (skip("?")) item = m_rules.optional(item);
      else if (peek() != '{') return item;
      else {
        MINERVA_ASSIGN(item, parseBounds(item));
      }
      if (times >= limits::nesting) return wrong("fewer repetitions of a repetition");
    }
  }

  Result<NodeId> parseBounds(NodeId item) {
    ++m_at;
    skipSpace(false);
    MINERVA_ASSIGN(const std::uint32_t least, parseNumber());
    skipSpace(false);
    std::uint32_t most = least;
    if (skip(",")) {
      skipSpace(false);
      most = unlimited;
      if (peek() != '}') {
        MINERVA_ASSIGN(most, parseNumber());
      }
      skipSpace(false);
    }
    if (!skip("}")) return wrong("}");
    if (most < least) return wrong("a repetition whose second number is not below the first, before this");
    return m_rules.repeat(item, least, most);
  }

  Result<std::uint32_t> parseNumber() {
    if (peek() < '0' || peek() > '9') return wrong("a number");
    std::uint64_t value = 0;
    for (; peek() >= '0' && peek() <= '9'; ++m_at) {
      value = value * 10 + static_cast<std::uint64_t>(peek() - '0');
      if (value > limits::most) return wrong("a number of at most " + std::to_string(limits::most));
    }
    return static_cast<std::uint32_t>(value);
  }

  Result<char32_t> parseHex(std::size_t digits) {
    char32_t value = 0;
    for (std::size_t i = 0; i < digits; ++i, ++m_at) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) return wrong(std::to_string(digits) + " hexadecimal digits");
      value = value * 16 + static_cast<char32_t>(digit);
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return wrong("a Unicode character before this");
    return value;
  }

  Result<char32_t> parseCharacter() {
    if (atEnd()) return wrong("a character");
    if (peek() != '\\') {
      const utf8::Decoded c = utf8::decode(m_text, m_at);
      if (!c.valid) return wrong("text in UTF-8");
      m_at += c.length;
      return c.codePoint;
    }
    ++m_at;
    const char kind = peek();
    ++m_at;
    switch (kind) {
      case 'x': return parseHex(2);
      case 'u': return parseHex(4);
      case 'U': return parseHex(8);
      case 't': return U'\t';
      case 'r': return U'\r';
      case 'n': return U'\n';
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-':
      case '^': return static_cast<char32_t>(kind);
      default: --m_at; return wrong("one of the escapes \\x \\u \\U \\t \\r \\n \\\\ \\\" \\[ \\] \\- \\^");
    }
  }

  Result<NodeId> parseLiteral() {
    ++m_at;
    std::string text;
    while (peek() != '"') {
      MINERVA_ASSIGN(const char32_t c, parseCharacter());
      utf8::append(text, c);
    }
    ++m_at;
    return m_rules.text(text);
  }

  Result<NodeId> parseClass() {
    ++m_at;
    const bool inverted = skip("^");
    CharSet set;
    for (std::size_t parts = 0; peek() != ']'; ++parts) {
      if (parts == limits::classParts) return wrong("at most " + std::to_string(limits::classParts) + " parts of a character class");
      MINERVA_ASSIGN(const char32_t first, parseCharacter());
      char32_t last = first;
      if (peek() == '-' && m_at + 1 < m_text.size() && m_text[m_at + 1] != ']') {
        ++m_at;
        MINERVA_ASSIGN(last, parseCharacter());
        if (last < first) return wrong("a range whose end is not below its beginning, before this");
      }
      set.add(first, last);
    }
    ++m_at;
    return m_rules.chars(inverted ? set.complement() : set);
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  Rules m_rules;
  std::map<std::string, RuleId, std::less<>> m_names;
};

}  // namespace

Result<std::shared_ptr<const Grammar>> parseGbnf(std::string_view text) {
  if (text.size() > limits::sourceBytes) {
    return fail({.kind = ErrorKind::limit,
                 .what = "The grammar is too long",
                 .where = "grammar",
                 .expected = "at most " + std::to_string(limits::sourceBytes) + " bytes",
                 .actual = std::to_string(text.size())});
  }
  return GbnfParser(text).parse();
}

}  // namespace minerva::grammar
