#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/text/pattern/regex.h"

#include <pcre2.h>

#include <algorithm>
#include <vector>

namespace minerva::text {
namespace {

// Members of the shorthand classes, for use inside brackets.
constexpr std::string_view spaceMembers = R"(\x09-\x0D\x20\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
constexpr std::string_view wordMembers = R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc})";
// Oniguruma has these numbers (², ³, ¹, fractions) as word characters outside brackets only.
constexpr std::string_view wordMembersOutside = R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE})";
constexpr std::string_view hexMembers = "0-9a-fA-F";
constexpr int deepestClass = 32;

std::string_view membersOf(char shorthand) {
  switch (shorthand) {
    case 's':
    case 'S': return spaceMembers;
    case 'w':
    case 'W': return wordMembers;
    case 'h':
    case 'H': return hexMembers;
    default: return {};
  }
}
bool isNegatedShorthand(char c) { return c == 'S' || c == 'W' || c == 'H'; }

// A script's name by itself means, to PCRE2 from 10.40 on, also the characters that are used with it, such as the full stop of Chinese with
// Han; "sc:" before it means those of the script alone. Older versions know neither.
bool isScript(std::string_view name) {
  const bool isName = std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; });
  if (!isName) return false;
  const std::string pattern = "\\p{sc:" + std::string(name) + "}";
  int code = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* const made = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF, &code, &offset, nullptr);
  pcre2_code_free(made);
  return made != nullptr;
}

class Translator {
 public:
  explicit Translator(std::string_view pattern) : m_pattern(pattern) {}

  std::string run() {
    std::string out;
    while (m_pos < m_pattern.size()) {
      const char c = m_pattern[m_pos];
      if (c == '\\') {
        out += escape(false);
      } else if (c == '[') {
        ++m_pos;
        out += characterClass(0);
      } else {
        out += c;
        ++m_pos;
      }
    }
    return out;
  }

 private:
  // Translates one escape sequence. inClass: to members for use inside brackets; not for negated shorthands.
  std::string escape(bool inClass) {
    if (m_pos + 1 >= m_pattern.size()) {
      ++m_pos;
      return "\\";
    }
    const char c = m_pattern[m_pos + 1];
    m_pos += 2;
    if (!inClass && (c == 'b' || c == 'B')) return wordBoundary(c == 'b');
    if (std::string_view members = membersOf(c); !members.empty()) {
      if (inClass) return std::string(members);
      if (c == 'w' || c == 'W') members = wordMembersOutside;
      return (isNegatedShorthand(c) ? "[^" : "[") + std::string(members) + "]";
    }
    if (c == 'p' || c == 'P') return property(c);
    if (c == 'u' && m_pos + 4 <= m_pattern.size() && m_pattern[m_pos] != '{') {
      const std::string_view digits = m_pattern.substr(m_pos, 4);
      m_pos += 4;
      return "\\x{" + std::string(digits) + "}";
    }
    return {'\\', c};
  }

  // After \p or \P.
  std::string property(char letter) {
    std::string out{'\\', letter};
    const std::size_t end = m_pattern.find('}', m_pos);
    if (end == std::string_view::npos || m_pattern[m_pos] != '{') return out;
    const bool inverted = m_pattern.substr(m_pos + 1).starts_with('^');
    const std::size_t begin = m_pos + (inverted ? 2 : 1);
    const std::string_view name = m_pattern.substr(begin, end - begin);
    out += (inverted ? "{^" : "{") + std::string(isScript(name) ? "sc:" : "") + std::string(name) + "}";
    m_pos = end + 1;
    return out;
  }

  // PCRE2's own \b knows fewer word characters.
  static std::string wordBoundary(bool wanted) {
    const std::string word = "[" + std::string(wordMembersOutside) + "]";
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
    bool first = true;
    while (m_pos < m_pattern.size()) {
      const char c = m_pattern[m_pos];
      if ((c == ']' && !first) || m_pattern.substr(m_pos, 2) == "&&") break;
      first = false;
      if (c == '\\' && m_pos + 1 < m_pattern.size() && isNegatedShorthand(m_pattern[m_pos + 1])) {
        others.push_back(escape(false));
      } else if (c == '\\') {
        members += escape(true);
      } else if (c == '[' && m_pattern.substr(m_pos, 2) == "[:") {
        members += posixName();
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

  std::string posixName() {
    const std::size_t end = m_pattern.find(":]", m_pos);
    if (end == std::string_view::npos) {
      ++m_pos;
      return "\\[";
    }
    std::string name(m_pattern.substr(m_pos, end + 2 - m_pos));
    m_pos = end + 2;
    return name;
  }

  std::string_view m_pattern;
  std::size_t m_pos = 0;
  bool m_unclosed = false;
};

}  // namespace

std::string toPcre2Syntax(std::string_view onigurumaPattern) { return Translator(onigurumaPattern).run(); }

}  // namespace minerva::text
