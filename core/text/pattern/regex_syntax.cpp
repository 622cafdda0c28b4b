#include "core/base/utf8.h"
#include "core/text/pattern/properties.h"
#include "core/text/pattern/regex.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace minerva::text {
namespace {

constexpr int deepestClass = 32;

bool isHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool isDecimalDigit(char c) { return c >= '0' && c <= '9'; }

// {2}, {2,}, {,3} or {2,3}.
struct Interval {
  std::size_t length = 0;  // of its text; 0: there is none
  std::string_view least, most;
  bool exact = false;
};

Interval intervalAt(std::string_view text) {
  std::size_t pos = 1;
  const auto digits = [&] {
    const std::size_t begin = pos;
    while (pos < text.size() && isDecimalDigit(text[pos])) ++pos;
    return text.substr(begin, pos - begin);
  };
  Interval found;
  found.least = digits();
  found.exact = pos < text.size() && text[pos] != ',';
  if (found.exact) {
    found.most = found.least;
  } else {
    ++pos;
    found.most = digits();
  }
  const bool closed = pos < text.size() && text[pos] == '}';
  if (closed && (!found.least.empty() || !found.most.empty())) found.length = pos + 1;
  return found;
}

class Translator {
 public:
  explicit Translator(std::string_view pattern) : m_pattern(pattern) {}

  Result<std::string> run() {
    while (m_pos < m_pattern.size() && m_problem.empty()) step();
    if (!m_problem.empty()) return fail({ErrorKind::corrupt, "", "character " + std::to_string(m_problemAt), "", m_problem, ""});
    return std::move(m_out);
  }

 private:
  void step() {
    const char c = m_pattern[m_pos];
    if (c == '{') return interval();
    if (c == '(') return group();
    if (c != '*' && c != '+' && c != '?') m_atom = m_out.size();
    if (c == ')' && !m_groups.empty()) {
      m_atom = m_groups.back();
      m_groups.pop_back();
    }
    if (c == '\\') {
      m_out += escape(false);
    } else if (c == '[') {
      ++m_pos;
      m_out += characterClass(0);
    } else {
      m_out += c;
      ++m_pos;
    }
  }

  // In Ruby, (?m) is what PCRE2 calls (?s), whose (?m) always holds there.
  void group() {
    m_groups.push_back(m_out.size());
    m_out += '(';
    ++m_pos;
    const std::size_t end = m_pattern.find_first_not_of("imx-", m_pos + 1);
    if (!rest().starts_with('?') || end == std::string_view::npos || (m_pattern[end] != ')' && m_pattern[end] != ':')) return;
    for (; m_pos < end; ++m_pos) m_out += m_pattern[m_pos] == 'm' ? 's' : m_pattern[m_pos];
  }

  // A sign after an interval repeats what the interval repeats, except for that of {2,3}?, which takes as little as it can.
  void interval() {
    const Interval found = intervalAt(rest());
    if (found.length == 0) {
      m_atom = m_out.size();
      m_out += "\\{";
      ++m_pos;
      return;
    }
    m_out.append("{").append(found.least.empty() ? "0" : found.least);
    if (!found.exact) m_out.append(",").append(found.most);
    m_out += '}';
    m_pos += found.length;
    const char next = rest().empty() ? '\0' : rest().front();
    if (next == '+' || (next == '?' && found.exact)) m_out.insert(m_atom, "(?:").append(")");
  }

  // Translates one escape sequence. inClass: to members for use inside brackets; not for sets that need brackets of their own.
  std::string escape(bool inClass) {
    if (m_pos + 1 >= m_pattern.size()) {
      ++m_pos;
      return "\\";
    }
    if (const auto set = setAt(inClass)) return inClass ? set->members : (set->inverted ? "[^" : "[") + set->members + "]";
    if (byteAt(m_pos) >= 0x80) return bytes();
    const char c = m_pattern[m_pos + 1];
    m_pos += 2;
    if (!inClass && (c == 'b' || c == 'B')) return wordBoundary(c == 'b');
    if (c == 'v') return "\\x0B";  // to PCRE2 all line ends
    if (c == 'Q' || c == 'E') return {c};
    if ((c == 'p' || c == 'P') && !rest().starts_with('{')) return {c};
    if (std::string_view("xpPgkoN").find(c) != std::string_view::npos && rest().starts_with('{'))
      return std::string{'\\', c}.append(braces());
    if (c == 'u' && m_pos + 4 <= m_pattern.size() && m_pattern[m_pos] != '{') {
      const std::string_view digits = m_pattern.substr(m_pos, 4);
      m_pos += 4;
      return "\\x{" + std::string(digits) + "}";
    }
    return {'\\', c};
  }

  // What follows up to the closing brace.
  std::string_view braces() {
    const std::string_view text = rest().substr(0, rest().find('}') + 1);
    m_pos += text.size();
    return text;
  }

  // Reads the escape sequence of a set of characters; otherwise reads nothing.
  std::optional<CharacterSet> setAt(bool inBrackets) {
    const char c = m_pattern[m_pos + 1];
    if (CharacterSet set = shorthandNamed(c, inBrackets); !set.members.empty()) {
      m_pos += 2;
      return set;
    }
    const std::size_t end = m_pattern.find('}', m_pos);
    if ((c != 'p' && c != 'P') || end == std::string_view::npos || m_pattern[m_pos + 2] != '{') return std::nullopt;
    std::string_view name = m_pattern.substr(m_pos + 3, end - m_pos - 3);
    const bool inverted = name.starts_with('^');
    if (inverted) name.remove_prefix(1);
    auto set = propertyNamed(name);
    if (!set) return std::nullopt;
    set->inverted = set->inverted != (inverted != (c == 'P'));
    m_pos = end + 1;
    return set;
  }

  // The byte of \xC3 or \303, -1 if there is none at pos.
  [[nodiscard]] int byteAt(std::size_t pos) const {
    const std::string_view text = m_pattern.substr(std::min(pos, m_pattern.size()), 4);
    if (text.size() < 4 || text[0] != '\\') return -1;
    if (text[1] == 'x' && isHexDigit(text[2]) && isHexDigit(text[3])) return std::stoi(std::string(text.substr(2)), nullptr, 16);
    const bool isOctal = text[1] >= '0' && text[1] <= '3' && text[2] >= '0' && text[2] <= '7' && text[3] >= '0' && text[3] <= '7';
    return isOctal ? std::stoi(std::string(text.substr(1)), nullptr, 8) : -1;
  }

  // A character that is written as the bytes of its UTF-8.
  std::string bytes() {
    std::string written;
    const std::size_t begin = m_pos;
    for (int byte = byteAt(m_pos); byte >= 0x80 && written.size() < 4; byte = byteAt(m_pos)) {
      written += static_cast<char>(byte);
      m_pos += 4;
      if (const utf8::Decoded decoded = utf8::decode(written, 0); decoded.valid) return characterInPattern(decoded.codePoint);
    }
    report(begin, "bytes that are no character of UTF-8: " + std::string(m_pattern.substr(begin, m_pos - begin)));
    return {};
  }

  // PCRE2's own \b knows fewer word characters.
  static std::string wordBoundary(bool wanted) {
    const std::string word = "[" + shorthandNamed('w', false).members + "]";
    const std::string after = "(?<=" + word + ")", notAfter = "(?<!" + word + ")", before = "(?=" + word + ")",
                      notBefore = "(?!" + word + ")";
    return "(?:" + after + (wanted ? notBefore : before) + "|" + notAfter + (wanted ? before : notBefore) + ")";
  }

  // Parses a class after its opening bracket. Returns an expression that matches one character.
  std::string characterClass(int depth) {
    const bool negated = m_pos < m_pattern.size() && m_pattern[m_pos] == '^';
    if (negated) ++m_pos;
    bool plain = true;
    std::string only = classUnion(depth, plain);
    std::vector<std::string> operands{plain ? "[" + only + "]" : only};  // operands of &&, each an expression that matches one character
    while (m_pattern.substr(m_pos, 2) == "&&") {
      m_pos += 2;
      bool operandPlain = true;
      std::string operand = classUnion(depth, operandPlain);
      operands.push_back(operandPlain ? "[" + operand + "]" : std::move(operand));
    }
    plain = plain && operands.size() == 1;
    if (m_pos < m_pattern.size()) ++m_pos;  // the closing bracket
    else m_unclosed = true;
    if (m_unclosed) return "[";  // PCRE2 then reports the error
    if (plain) return (negated ? "[^" : "[") + only + "]";
    const std::string one = operands.size() == 1 ? operands[0] : intersection(operands);
    return negated ? "(?:(?!" + one + ")(?s:.))" : one;
  }

  static std::string intersection(const std::vector<std::string>& operands) {
    std::string out = "(?:";
    for (std::size_t i = 1; i < operands.size(); ++i) out += "(?=" + operands[i] + ")";
    return out + operands[0] + ")";
  }

  // Parses members up to "]" or "&&". plain: they can be put inside brackets; otherwise the result is a complete expression.
  std::string classUnion(int depth, bool& plain) {
    std::string members;
    std::vector<std::string> others;
    const auto add = [&](const CharacterSet& set) {
      if (set.inverted) others.push_back("[^" + set.members + "]");
      else members += set.members;
    };
    bool first = true;
    while (m_pos < m_pattern.size()) {
      const char c = m_pattern[m_pos];
      if ((c == ']' && !first) || m_pattern.substr(m_pos, 2) == "&&") break;
      first = false;
      if (c == '\\' && m_pos + 1 < m_pattern.size()) {
        if (const auto set = setAt(true)) add(*set);
        else members += escape(true);
      } else if (const auto set = c == '[' ? posixClass() : std::nullopt) {
        add(*set);
      } else if (c == '[' && depth < deepestClass) {
        ++m_pos;
        others.push_back(characterClass(depth + 1));
      } else {
        members += c == '[' || c == ']' ? std::string{'\\', c} : std::string{c};
        ++m_pos;
      }
    }
    plain = others.empty();
    if (plain) return members;
    std::string out = "(?:";
    if (!members.empty()) out += "[" + members + "]|";
    for (std::size_t i = 0; i < others.size(); ++i) out += (i == 0 ? "" : "|") + others[i];
    return out + ")";
  }

  // [:alpha:] or [:^alpha:]; otherwise reads nothing.
  std::optional<CharacterSet> posixClass() {
    const std::size_t end = m_pattern.find(":]", m_pos);
    if (end == std::string_view::npos || !rest().starts_with("[:")) return std::nullopt;
    std::string_view name = m_pattern.substr(m_pos + 2, end - m_pos - 2);
    const bool inverted = name.starts_with('^');
    if (inverted) name.remove_prefix(1);
    auto set = posixClassNamed(name);
    if (!set) return std::nullopt;
    set->inverted = set->inverted != inverted;
    m_pos = end + 2;
    return set;
  }

  [[nodiscard]] std::string_view rest() const { return m_pattern.substr(std::min(m_pos, m_pattern.size())); }
  void report(std::size_t at, std::string problem) {
    if (m_problem.empty()) {
      m_problem = std::move(problem);
      m_problemAt = at;
    }
  }

  std::string_view m_pattern;
  std::size_t m_pos = 0;
  std::string m_out;
  std::size_t m_atom = 0;             // where in m_out what a sign repeats begins
  std::vector<std::size_t> m_groups;  // where in m_out the open groups begin
  bool m_unclosed = false;
  std::string m_problem;
  std::size_t m_problemAt = 0;
};

}  // namespace

Result<std::string> toPcre2Syntax(std::string_view onigurumaPattern) { return Translator(onigurumaPattern).run(); }

}  // namespace minerva::text
