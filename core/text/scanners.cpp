#include "core/text/scanners.h"

#include "core/text/unicode.h"

#include <algorithm>
#include <array>

namespace minerva::text {
namespace {

using unicode::CategoryMask;

struct Masks {
  const unicode::Table& table = unicode::table();
  std::array<CategoryMask, 128> ascii;
  Masks() {
    for (char32_t c = 0; c < 128; ++c) ascii[c] = unicode::maskOf(table, c);
  }
};
const Masks& masks() {
  static const Masks made;
  return made;
}

// A text and what its characters are.
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
  // Past the run of characters in the mask.
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

  // Length of 's 't 're 've 'm 'll 'd at pos, in any case where asked (the long s folds to s); 0: none.
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

  // \s+(?!\S)|\s+ at white space: the run, without its last character where something else follows.
  [[nodiscard]] std::size_t space(std::size_t pos) const {
    std::size_t last = pos, end = pos;
    for (Character c = at(pos); c.is(unicode::space); c = at(end)) {
      last = end;
      end += c.length;
    }
    return atEnd(end) || last == pos ? end : last;
  }
  // \s*[\r\n]+|\s+(?!\S)|\s+ at white space: up to the last line end of the run, if it has one.
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

constexpr CategoryMask wordSymbols = ~(unicode::space | unicode::letter | unicode::number);  // [^\s\p{L}\p{N}]

std::size_t scanGpt2(std::string_view text, std::size_t pos) {
  const Reader reader(text);
  if (const std::size_t length = reader.contraction<false>(pos); length != 0) return pos + length;
  Reader::Character c = reader.at(pos);
  std::size_t start = pos;
  if (text[pos] == ' ') {
    const Reader::Character next = reader.at(pos + 1);
    if (next.mask == 0 || next.is(unicode::space)) return reader.space(pos);
    c = next;
    ++start;
  }
  for (const CategoryMask mask : {unicode::letter, unicode::number, wordSymbols})
    if (c.is(mask)) return reader.skip(start + c.length, mask);
  return reader.space(pos);
}

// The families of Llama 3 and Qwen 2: letters are \p{L}, or \p{L} and \p{M}.
template <int digits, CategoryMask letters>
std::size_t scanLlama3(std::string_view text, std::size_t pos) {
  constexpr CategoryMask symbols = ~(unicode::space | unicode::number | unicode::letter | letters);
  const Reader reader(text);
  if (const std::size_t length = reader.contraction<true>(pos); length != 0) return pos + length;
  const Reader::Character c = reader.at(pos);
  if (c.is(letters)) return reader.skip(pos + c.length, letters);
  if (c.is(unicode::number)) return reader.skipAtMost(pos, unicode::number, digits);
  const Reader::Character next = reader.at(pos + c.length);
  if (next.is(letters) && !reader.isLineEnd(pos)) return reader.skip(pos + c.length + next.length, letters);
  const bool spaced = text[pos] == ' ' && next.is(symbols);
  if (!spaced && !c.is(symbols)) return reader.spaceOrLines(pos);
  std::size_t end = reader.skip(pos + c.length, symbols);
  while (reader.isLineEnd(end)) ++end;
  return end;
}

constexpr CategoryMask anyCaseLetter = unicode::modifierLetter | unicode::otherLetter | unicode::mark;
constexpr CategoryMask headLetter = unicode::upper | unicode::title | anyCaseLetter;  // U in the notes below
constexpr CategoryMask tailLetter = unicode::lower | anyCaseLetter;                   // W

// U*W+ from start; start itself where it does not match. Greedy U* gives back only to its last character that is also W.
std::size_t matchHeadsThenTails(const Reader& reader, std::size_t start) {
  std::size_t end = start, afterLastBoth = start;
  for (Reader::Character c = reader.at(end); c.is(headLetter); c = reader.at(end)) {
    end += c.length;
    if (c.is(anyCaseLetter)) afterLastBoth = end;
  }
  const std::size_t tails = reader.skip(end, tailLetter);
  return tails > end ? tails : afterLastBoth;
}

// U+W* from start, or start.
std::size_t matchHeads(const Reader& reader, std::size_t start) {
  const std::size_t heads = reader.skip(start, headLetter);
  return heads == start ? start : reader.skip(heads, tailLetter);
}

// The two word alternatives of o200k, each with and without one character before the letters. pos: no match.
std::size_t matchCasedWord(const Reader& reader, std::size_t pos) {
  const Reader::Character c = reader.at(pos);
  const bool prefix = !c.is(unicode::letter | unicode::number) && !reader.isLineEnd(pos);
  if (!prefix && !c.is(unicode::letter)) return pos;
  const std::size_t inner = pos + c.length;
  for (const auto match : {matchHeadsThenTails, matchHeads}) {
    if (prefix)
      if (const std::size_t end = match(reader, inner); end > inner) return end;
    if (const std::size_t end = match(reader, pos); end > pos) return end;
  }
  return pos;
}

template <int digits, bool contractions>
std::size_t scanO200k(std::string_view text, std::size_t pos) {
  const Reader reader(text);
  if (const std::size_t word = matchCasedWord(reader, pos); word > pos)
    return contractions ? word + reader.contraction<true>(word) : word;
  const Reader::Character c = reader.at(pos);
  if (c.is(unicode::number)) return reader.skipAtMost(pos, unicode::number, digits);
  const bool spaced = text[pos] == ' ' && reader.at(pos + 1).is(wordSymbols);
  if (!spaced && !c.is(wordSymbols)) return reader.spaceOrLines(pos);
  std::size_t end = reader.skip(pos + c.length, wordSymbols);
  while (reader.isLineEnd(end) || reader.byte(end) == '/') ++end;
  return end;
}

// Numbers, at most so many together; what is between them is one piece.
template <int digits>
std::size_t scanNumbers(std::string_view text, std::size_t pos) {
  const Reader reader(text);
  const std::size_t end = reader.skipAtMost(pos, unicode::number, digits);
  return end > pos ? end : reader.skip(pos, ~unicode::number);
}

constexpr auto llama3Scanner = scanLlama3<3, unicode::letter>;

// How other publishers write what is the same split.
constexpr KnownPattern table[] = {
    {patterns::gpt2, scanGpt2},
    {patterns::llama3, llama3Scanner},
    {patterns::cl100k, llama3Scanner},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)", llama3Scanner},
    {patterns::qwen2, scanLlama3<1, unicode::letter>},
    {patterns::qwen35, scanLlama3<1, unicode::letter | unicode::mark>},
    {patterns::o200k, scanO200k<3, true>},
    {patterns::tekken, scanO200k<1, false>},
    {patterns::digit, scanNumbers<1>},
    {patterns::digits3, scanNumbers<3>},
};

}  // namespace

std::span<const KnownPattern> knownPatterns() { return table; }

Scanner scannerFor(std::string_view pattern) {
  const auto* row = std::find_if(std::begin(table), std::end(table), [&](const KnownPattern& known) { return known.pattern == pattern; });
  return row == std::end(table) ? nullptr : row->scanner;
}

}  // namespace minerva::text
