#include "core/text/json/json_cursor.h"

#include "core/base/utf8.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace minerva::text {

void JsonCursor::skipSpace() {
  const auto isSpace = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (m_pos < m_text.size() && isSpace(m_text[m_pos])) ++m_pos;
}

char JsonCursor::peek() {
  skipSpace();
  return m_pos < m_text.size() ? m_text[m_pos] : '\0';
}

bool JsonCursor::failAt(std::string expected) {
  if (m_expected.empty()) m_expected = std::move(expected);
  return false;
}

Error JsonCursor::error() const {
  const std::string found = m_pos >= m_text.size() ? "the end of the text" : "'" + utf8::replaceBroken(m_text.substr(m_pos, 20)) + "'";
  const std::string file(m_file);
  return {ErrorKind::corrupt, file + " cannot be read", file + ", byte " + std::to_string(position()), m_expected, found, ""};
}

bool JsonCursor::take(char expected) {
  if (peek() != expected) return failAt(std::string("'") + expected + "'");
  ++m_pos;
  return true;
}

bool JsonCursor::next(char close, bool& first) {
  if (failed()) return false;
  const char c = peek();
  if (c == close) {
    ++m_pos;
    return false;
  }
  if (!first && !take(',')) return false;
  first = false;
  return true;
}

bool JsonCursor::string(std::string_view& out) {
  if (failed() || !take('"')) return failAt("a string");
  const std::size_t begin = m_pos;
  for (; m_pos < m_text.size(); ++m_pos) {
    const char c = m_text[m_pos];
    if (c == '"') {
      out = m_text.substr(begin, m_pos - begin);
      ++m_pos;
      return true;
    }
    if (c == '\\') {
      m_unescaped.assign(m_text.substr(begin, m_pos - begin));
      return escaped(out);
    }
  }
  return failAt("the end of a string");
}

// Reads the rest of a string whose first escape sequence is at m_pos.
bool JsonCursor::escaped(std::string_view& out) {
  while (m_pos < m_text.size()) {
    const char c = m_text[m_pos++];
    if (c == '"') {
      out = m_unescaped;
      return true;
    }
    if (c != '\\') {
      m_unescaped += c;
    } else if (!escape(m_unescaped)) {
      return false;
    }
  }
  return failAt("the end of a string");
}

bool JsonCursor::escape(std::string& out) {
  static constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
  const char c = m_pos < m_text.size() ? m_text[m_pos++] : '\0';
  if (c == 'u') return unicodeEscape(out);
  const std::size_t which = from.find(c);
  if (which == std::string_view::npos) return failAt("an escape sequence");
  out += to[which];
  return true;
}

bool JsonCursor::hexDigits(char32_t& unit) {
  unsigned value = 0;
  const std::string_view digits = m_text.substr(m_pos, 4);
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 4 || result.ec != std::errc() || result.ptr != digits.data() + 4) return failAt("four hexadecimal digits");
  m_pos += 4;
  unit = value;
  return true;
}

bool JsonCursor::unicodeEscape(std::string& out) {
  char32_t unit = 0, low = 0;
  if (!hexDigits(unit)) return false;
  if (unit >= 0xD800 && unit < 0xDC00) {
    if (m_text.substr(m_pos, 2) != "\\u") return failAt("the second half of a surrogate pair");
    m_pos += 2;
    if (!hexDigits(low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return failAt("the second half of a surrogate pair");
    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  } else if (unit >= 0xDC00 && unit < 0xE000) {
    return failAt("a complete surrogate pair");
  }
  utf8::append(out, unit);
  return true;
}

bool JsonCursor::integer(std::int64_t& out) {
  if (failed()) return false;
  skipSpace();
  const char* begin = m_text.data() + m_pos;
  const char* end = m_text.data() + m_text.size();
  const auto result = std::from_chars(begin, end, out);
  const bool fraction = result.ptr < end && (*result.ptr == '.' || *result.ptr == 'e' || *result.ptr == 'E');
  if (result.ec != std::errc() || fraction) return failAt("a 64-bit integer");
  m_pos += static_cast<std::size_t>(result.ptr - begin);
  return true;
}

bool JsonCursor::number(double& out) {
  if (failed()) return false;
  skipSpace();
  const char* begin = m_text.data() + m_pos;
  const char* end = m_text.data() + m_text.size();
  const auto result = std::from_chars(begin, end, out);
  const bool digits = begin < end && (*begin == '-' || (*begin >= '0' && *begin <= '9'));  // from_chars would also accept "nan" and "inf"
  if (!digits || result.ec != std::errc() || !std::isfinite(out)) return failAt("a number");
  m_pos += static_cast<std::size_t>(result.ptr - begin);
  return true;
}

bool JsonCursor::skip(std::string_view& raw) {
  if (failed()) return false;
  skipSpace();
  const std::size_t begin = m_pos;
  std::size_t depth = 0;
  while (m_pos < m_text.size()) {
    const char c = m_text[m_pos];
    if (c == '"') {
      for (++m_pos; m_pos < m_text.size() && m_text[m_pos] != '"'; ++m_pos)
        if (m_text[m_pos] == '\\') ++m_pos;
      if (m_pos >= m_text.size()) break;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) break;
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    }
    ++m_pos;
    if (depth == 0 && (c == '"' || c == '}' || c == ']')) break;
  }
  if (m_pos > m_text.size()) m_pos = m_text.size();
  if (depth != 0 || m_pos == begin) return failAt("a complete value");
  raw = m_text.substr(begin, m_pos - begin);
  return true;
}

}  // namespace minerva::text
