// Shared by the hand-written scanners: reads characters of a text and their categories.
#pragma once

#include "core/text/characters/unicode.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace minerva::text::scanning {

using unicode::CategoryMask;

struct Masks {
  const unicode::Table& table = unicode::table();
  std::array<CategoryMask, 128> ascii;
  Masks() {
    for (char32_t c = 0; c < 128; ++c) ascii[c] = unicode::maskOf(table, c);
  }
};
inline const Masks& masks() {
  static const Masks made;
  return made;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : m_text(text), m_masks(masks()) {}

  [[nodiscard]] bool atEnd(std::size_t pos) const { return pos >= m_text.size(); }
  [[nodiscard]] char byte(std::size_t pos) const { return pos < m_text.size() ? m_text[pos] : '\0'; }

  struct Character {
    CategoryMask mask = 0;  // 0 at the end of the text
    std::uint32_t length = 0;
    [[nodiscard]] bool is(CategoryMask wanted) const { return (mask & wanted) != 0; }
  };
  [[nodiscard]] Character at(std::size_t pos) const {
    if (pos >= m_text.size()) return {};
    const auto byte = static_cast<unsigned char>(m_text[pos]);
    if (byte < 0x80) return {m_masks.ascii[byte], 1};
    const utf8::Decoded decoded = utf8::decodeBeyondAscii(m_text, pos);
    return {unicode::maskOf(m_masks.table, decoded.codePoint), decoded.length};
  }
  // Returns the end of the run of characters in the mask.
  [[nodiscard]] std::size_t skip(std::size_t pos, CategoryMask mask) const {
    while (true) {
      const Character c = at(pos);
      if (!c.is(mask)) return pos;
      pos += c.length;
    }
  }
  [[nodiscard]] std::size_t skipAtMost(std::size_t pos, CategoryMask mask, int count) const {
    for (; count > 0; --count) {
      const Character c = at(pos);
      if (!c.is(mask)) break;
      pos += c.length;
    }
    return pos;
  }
  [[nodiscard]] bool isLineEnd(std::size_t pos) const { return byte(pos) == '\r' || byte(pos) == '\n'; }

  // Length of 's 't 're 've 'm 'll 'd at pos, 0 if there is none. anyCase: ignores case (the long s folds to s).
  template <bool anyCase>
  [[nodiscard]] std::size_t contraction(std::size_t pos) const {
    if (byte(pos) != '\'') return 0;
    const char first = fold<anyCase>(byte(pos + 1));
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
    if (anyCase && m_text.substr(pos + 1, 2) == "ſ") return 3;
    const char second = fold<anyCase>(byte(pos + 2));
    const bool two = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l');
    return two ? 3 : 0;
  }

  // \s+(?!\S)|\s+ at white space: the end of the run, excluding its last character if other text follows.
  [[nodiscard]] std::size_t space(std::size_t pos) const {
    std::size_t last = pos, end = pos;
    for (Character c = at(pos); c.is(unicode::space); c = at(end)) {
      last = end;
      end += c.length;
    }
    return atEnd(end) || last == pos ? end : last;
  }
  // \s*[\r\n]+|\s+(?!\S)|\s+ at white space: ends after the last line end of the run if it has one.
  [[nodiscard]] std::size_t spaceOrLines(std::size_t pos) const {
    std::size_t last = pos, end = pos, lineEnd = pos;
    for (Character c = at(pos); c.is(unicode::space); c = at(end)) {
      last = end;
      end += c.length;
      if (isLineEnd(last)) lineEnd = end;
    }
    if (lineEnd > pos) return lineEnd;
    return atEnd(end) || last == pos ? end : last;
  }

 private:
  template <bool anyCase>
  static char fold(char c) {
    return anyCase && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  }
  std::string_view m_text;
  const Masks& m_masks;
};

}  // namespace minerva::text::scanning
