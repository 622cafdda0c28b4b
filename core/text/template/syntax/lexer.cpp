#include "core/text/template/syntax/lexer.h"

#include "core/text/template/value/unicode.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace minerva::text::jinja {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::string normalizeNewlines(std::string_view source) {
  std::string result;
  result.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      result += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      result += source[i];
    }
  }
  if (!result.empty() && result.back() == '\n') result.pop_back();
  return result;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : m_source(normalizeNewlines(source)) {}

  std::vector<Token> run() {
    while (m_at < m_source.size()) root();
    add(TokenType::end, "", m_source.size());
    return std::move(m_tokens);
  }

 private:
  // Positions are requested in ascending order, so that one cursor counts every character once.
  Position positionOf(std::size_t offset) {
    for (; m_counted < offset && m_counted < m_source.size(); ++m_counted) {
      const auto byte = static_cast<unsigned char>(m_source[m_counted]);
      if (byte == '\n') {
        ++m_position.line;
        m_position.column = 1;
      } else if ((byte & 0xC0) != 0x80) {
        ++m_position.column;
      }
    }
    return m_position;
  }
  void add(TokenType type, std::string text, std::size_t offset) { m_tokens.push_back({type, std::move(text), positionOf(offset)}); }
  [[nodiscard]] bool startsWith(std::string_view text) const { return std::string_view(m_source).substr(m_at).starts_with(text); }
  void skipSpace() { m_at += unicode::spaceLength(std::string_view(m_source).substr(m_at)); }
  void skipNewline() {
    if (m_at < m_source.size() && m_source[m_at] == '\n') ++m_at;
  }
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return m_at + ahead < m_source.size() ? m_source[m_at + ahead] : '\0'; }

  // Adds the text before a tag. '-' strips all white space before the tag, lstrip_blocks the indentation if the tag is first
  // on its line.
  void addData(std::string_view text, char sign, bool variable, std::size_t offset) {
    if (sign == '-') {
      text = unicode::trimRight(text);
    } else if (sign != '+' && !variable) {
      const std::size_t lineStart = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
      if ((lineStart > 0 || m_lineStarting) && unicode::spaceLength(text.substr(lineStart)) == text.size() - lineStart)
        text = text.substr(0, lineStart);
    }
    if (!text.empty()) add(TokenType::data, std::string(text), offset);
  }

  void root() {
    const std::size_t start = m_at;
    std::size_t open = start;
    for (;; ++open) {
      open = m_source.find('{', open);
      if (open == std::string::npos || open + 1 >= m_source.size()) {
        add(TokenType::data, m_source.substr(start), start);
        m_at = m_source.size();
        return;
      }
      const char next = m_source[open + 1];
      if (next == '{' || next == '%' || next == '#') break;
    }
    const char type = m_source[open + 1];
    m_at = open + 2;
    const char sign = peek() == '-' || peek() == '+' ? peek() : '\0';
    if (sign) ++m_at;
    addData(std::string_view(m_source).substr(start, open - start), sign, type == '{', start);
    if (type == '#') {
      comment(open);
    } else if (type == '{') {
      add(TokenType::variableBegin, "", open);
      tag(false);
    } else if (!raw(open)) {
      add(TokenType::blockBegin, "", open);
      tag(true);
    }
    m_lineStarting = m_source[m_at - 1] == '\n';
  }

  void comment(std::size_t open) {
    const std::size_t close = m_source.find("#}", m_at);
    if (close == std::string::npos) raise("Missing end of comment tag", positionOf(open));
    const char sign = close > m_at ? m_source[close - 1] : '\0';
    m_at = close + 2;
    closeTag(sign);
  }

  // After the end of a block or comment: '-' skips white space, no sign skips one newline (trim_blocks), '+' skips nothing.
  void closeTag(char sign) {
    if (sign == '-') skipSpace();
    else if (sign != '+') skipNewline();
  }

  bool word(std::string_view text) {
    if (!startsWith(text)) return false;
    m_at += text.size();
    return true;
  }

  bool raw(std::size_t open) {
    const std::size_t back = m_at;
    skipSpace();
    if (word("raw")) {
      skipSpace();
      const bool strip = word("-%}");
      if (strip || word("%}")) {
        if (strip) skipSpace();
        m_lineStarting = m_source[m_at - 1] == '\n';
        rawBody(open);
        return true;
      }
    }
    m_at = back;
    return false;
  }

  void rawBody(std::size_t open) {
    const std::size_t start = m_at;
    for (std::size_t from = start;;) {
      const std::size_t tagAt = m_source.find("{%", from);
      if (tagAt == std::string::npos) raise("Missing end of raw directive", positionOf(open));
      m_at = tagAt + 2;
      const char sign = peek() == '-' || peek() == '+' ? peek() : '\0';
      if (sign) ++m_at;
      skipSpace();
      if (word("endraw")) {
        skipSpace();
        const char end = peek() == '-' || peek() == '+' ? peek() : '\0';
        if (end) ++m_at;
        if (word("%}")) {
          addData(std::string_view(m_source).substr(start, tagAt - start), sign, false, start);
          closeTag(end);
          return;
        }
      }
      from = tagAt + 2;
    }
  }

  bool closeVariable() {
    if (word("-}}")) {
      skipSpace();
      return true;
    }
    return word("}}");
  }
  bool closeBlock() {
    for (const char sign : {'-', '+', '\0'}) {
      const std::string text = (sign ? std::string(1, sign) : std::string()) + "%}";
      if (!word(text)) continue;
      closeTag(sign);
      return true;
    }
    return false;
  }

  void tag(bool block) {
    std::string open;  // the closing brackets still expected
    while (m_at < m_source.size()) {
      const std::size_t start = m_at;
      if (open.empty() && (block ? closeBlock() : closeVariable())) {
        add(block ? TokenType::blockEnd : TokenType::variableEnd, "", start);
        return;
      }
      skipSpace();
      if (m_at != start) continue;
      if (number() || name() || string()) continue;
      op(open);
    }
  }

  // Returns the end of a run of digits with single underscores between them.
  [[nodiscard]] std::size_t digitRun(std::size_t from) const {
    std::size_t at = from;
    while (at < m_source.size()) {
      if (isDigit(m_source[at])) ++at;
      else if (m_source[at] == '_' && at > from && at + 1 < m_source.size() && isDigit(m_source[at + 1])) ++at;
      else break;
    }
    return at;
  }
  void addNumber(TokenType type, std::size_t end) {
    std::string text = m_source.substr(m_at, end - m_at);
    std::erase(text, '_');
    add(type, std::move(text), m_at);
    m_at = end;
  }
  bool number() {
    if (!isDigit(peek())) return false;
    const bool afterDot = m_at > 0 && m_source[m_at - 1] == '.';
    std::size_t end = digitRun(m_at);
    if (!afterDot) {
      std::size_t real = end;
      if (real + 1 < m_source.size() && m_source[real] == '.' && isDigit(m_source[real + 1])) real = digitRun(real + 1);
      if (real < m_source.size() && (m_source[real] == 'e' || m_source[real] == 'E')) {
        std::size_t exponent = real + 1;
        if (exponent < m_source.size() && (m_source[exponent] == '+' || m_source[exponent] == '-')) ++exponent;
        if (exponent < m_source.size() && isDigit(m_source[exponent])) real = digitRun(exponent);
      }
      if (real != end) {
        addNumber(TokenType::real, real);
        return true;
      }
    }
    if (peek() == '0') end = prefixedNumber();
    addNumber(TokenType::integer, end);
    return true;
  }
  // Returns the end of 0x.., 0o.., 0b.., or of the zeros only: Jinja reads 007 as 00 and 7.
  [[nodiscard]] std::size_t prefixedNumber() const {
    const char base = static_cast<char>(std::tolower(static_cast<unsigned char>(peek(1))));
    const auto fits = [base](char c) {
      if (base == 'x') return std::isxdigit(static_cast<unsigned char>(c)) != 0;
      return base == 'o' ? c >= '0' && c <= '7' : base == 'b' && (c == '0' || c == '1');
    };
    if (base == 'x' || base == 'o' || base == 'b') {
      std::size_t at = m_at + 2;
      while (at < m_source.size() && (fits(m_source[at]) || (m_source[at] == '_' && at + 1 < m_source.size() && fits(m_source[at + 1]))))
        ++at;
      if (at > m_at + 2) return at;
    }
    std::size_t at = m_at + 1;
    while (at < m_source.size() && (m_source[at] == '0' || (m_source[at] == '_' && at + 1 < m_source.size() && m_source[at + 1] == '0')))
      ++at;
    return at;
  }

  bool name() {
    std::size_t end = m_at;
    while (end < m_source.size()) {
      const auto c = static_cast<unsigned char>(m_source[end]);
      if (c < 0x80) {
        if (!std::isalnum(c) && c != '_') break;
        ++end;
        continue;
      }
      std::size_t next = end;
      if (!unicode::isWordCharacter(unicode::decode(m_source, next))) break;
      end = next;
    }
    if (end == m_at) return false;
    add(TokenType::name, m_source.substr(m_at, end - m_at), m_at);
    m_at = end;
    return true;
  }

  bool string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    std::size_t end = m_at + 1;
    while (end < m_source.size() && m_source[end] != quote) end += m_source[end] == '\\' ? 2 : 1;
    if (end >= m_source.size()) raise(std::string("unexpected char ") + (quote == '"' ? "'\"'" : "\"'\""), positionOf(m_at));
    const Position position = positionOf(m_at);
    m_tokens.push_back({TokenType::string, unescape(m_at + 1, end, position), position});
    m_at = end + 1;
    return true;
  }

  std::string unescape(std::size_t from, std::size_t end, Position position) const {
    std::string result;
    while (from < end) {
      if (m_source[from] != '\\') {
        result += m_source[from++];
        continue;
      }
      ++from;
      escape(result, from, end, position);
    }
    return result;
  }
  void escape(std::string& result, std::size_t& from, std::size_t end, Position position) const {
    static constexpr std::string_view letters = "\\'\"abfnrtv";
    static constexpr std::string_view values = "\\'\"\a\b\f\n\r\t\v";
    const char c = m_source[from++];
    if (c == '\n') return;
    if (const auto index = letters.find(c); index != std::string_view::npos) {
      result += values[index];
    } else if (c >= '0' && c <= '7') {
      unsigned code = static_cast<unsigned>(c - '0');
      for (int i = 0; i < 2 && from < end && m_source[from] >= '0' && m_source[from] <= '7'; ++i)
        code = code * 8 + static_cast<unsigned>(m_source[from++] - '0');
      unicode::append(result, code);
    } else if (c == 'x' || c == 'u' || c == 'U') {
      const int digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      char32_t code = 0;
      for (int i = 0; i < digits; ++i, ++from) {
        if (from >= end || !std::isxdigit(static_cast<unsigned char>(m_source[from])))
          raise(std::string("truncated \\") + c + std::string(static_cast<std::size_t>(digits), 'X') + " escape", position);
        const int digit = std::tolower(static_cast<unsigned char>(m_source[from]));
        code = code * 16 + static_cast<char32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
      }
      if (code > 0x10FFFF) raise("illegal Unicode character", position);
      unicode::append(result, code);
    } else {
      result += '\\';
      result += c;
    }
  }

  void op(std::string& open) {
    static constexpr std::array<std::string_view, 27> operators = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                                                   "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                                                   ">",  "<",  "=",  ".",  ":",  "|",  ",", ";", ""};
    for (const std::string_view text : operators) {
      if (text.empty()) break;
      if (!startsWith(text)) continue;
      if (text == "{") open += '}';
      else if (text == "(") open += ')';
      else if (text == "[") open += ']';
      else if (text == "}" || text == ")" || text == "]") closeBracket(open, text[0]);
      add(TokenType::op, std::string(text), m_at);
      m_at += text.size();
      return;
    }
    std::size_t next = m_at;
    unicode::decode(m_source, next);
    raise("unexpected char '" + m_source.substr(m_at, next - m_at) + "'", positionOf(m_at));
  }
  void closeBracket(std::string& open, char bracket) {
    if (open.empty()) raise(std::string("unexpected '") + bracket + "'", positionOf(m_at));
    const char expected = open.back();
    open.pop_back();
    if (expected != bracket) raise(std::string("unexpected '") + bracket + "', expected '" + expected + "'", positionOf(m_at));
  }

  std::string m_source;
  std::size_t m_at = 0;
  std::size_t m_counted = 0;
  Position m_position{1, 1};
  bool m_lineStarting = true;
  std::vector<Token> m_tokens;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

std::string describe(const Token& token) {
  switch (token.type) {
    case TokenType::data: return "template data / text";
    case TokenType::variableBegin: return "begin of print statement";
    case TokenType::variableEnd: return "end of print statement";
    case TokenType::blockBegin: return "begin of statement block";
    case TokenType::blockEnd: return "end of statement block";
    case TokenType::end: return "end of template";
    case TokenType::string: return "string";
    case TokenType::integer: return "integer";
    case TokenType::real: return "float";
    case TokenType::name:
    case TokenType::op: return token.text;
  }
  return token.text;
}

}  // namespace minerva::text::jinja
