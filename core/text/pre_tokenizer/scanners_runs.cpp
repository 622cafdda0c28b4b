#include "core/text/pre_tokenizer/scanners_runs.h"

#include "core/text/pre_tokenizer/scanner_reader.h"

namespace minerva::text {
namespace {

using namespace scanning;

// A test of one character by its code point and category.
using Test = bool (*)(char32_t c, CategoryMask mask);

struct Character {
  char32_t codePoint = 0;
  CategoryMask mask = 0;  // 0 at the end of the text
  std::uint32_t length = 0;
};

Character characterAt(std::string_view text, std::size_t pos) {
  if (pos >= text.size()) return {};
  const Masks& known = masks();
  const auto byte = static_cast<unsigned char>(text[pos]);
  if (byte < 0x80) return {byte, known.ascii[byte], 1};
  const utf8::Decoded decoded = utf8::decodeBeyondAscii(text, pos);
  return {decoded.codePoint, unicode::maskOf(known.table, decoded.codePoint), decoded.length};
}

template <Test test, bool wanted = true>
std::size_t skipWhile(std::string_view text, std::size_t pos) {
  for (Character c = characterAt(text, pos); c.mask != 0 && test(c.codePoint, c.mask) == wanted; c = characterAt(text, pos))
    pos += c.length;
  return pos;
}

// [class]+: returns the end of the run at pos, or of the text up to the next run.
template <Test test>
std::size_t scanRuns(std::string_view text, std::size_t pos) {
  const std::size_t run = skipWhile<test>(text, pos);
  return run > pos ? run : skipWhile<test, false>(text, pos);
}

// Returns the end of a match at pos, or pos if there is none.
using Match = std::size_t (*)(std::string_view text, std::size_t pos);

// Returns the end of a match at pos, or the start of the next match.
template <Match match>
std::size_t scanMatches(std::string_view text, std::size_t pos) {
  if (const std::size_t end = match(text, pos); end > pos) return end;
  do pos += utf8::decode(text, pos).length;
  while (pos < text.size() && match(text, pos) == pos);
  return pos;
}

// \s?[class]+
template <Test test>
std::size_t matchSpacedRun(std::string_view text, std::size_t pos) {
  const Character c = characterAt(text, pos);
  if ((c.mask & unicode::space) != 0) {
    const std::size_t inner = pos + c.length;
    if (const std::size_t end = skipWhile<test>(text, inner); end > inner) return end;
  }
  return skipWhile<test>(text, pos);
}

// \s+$, where $ also matches at a line end.
std::size_t matchSpaceAtEnd(std::string_view text, std::size_t pos) {
  const std::size_t end = Reader(text).skip(pos, unicode::space);
  if (end == pos || end == text.size()) return end;
  const std::size_t line = text.substr(pos, end - pos).rfind('\n');
  return line == std::string_view::npos ? pos : pos + line;
}

std::size_t matchThreeDigits(std::string_view text, std::size_t pos) {
  if (text.size() - pos < 3) return pos;
  for (std::size_t i = pos; i < pos + 3; ++i)
    if (text[i] < '0' || text[i] > '9') return pos;
  return pos + 3;
}

bool isAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isCjk(char32_t c, CategoryMask) { return (c >= 0x800 && c <= 0x9FA5) || (c >= 0xAC00 && c <= 0xD7FF); }
bool isKana(char32_t c, CategoryMask) { return (c >= 0x4E00 && c <= 0x9FA5) || (c >= 0x3040 && c <= 0x30FF); }
bool isNumber(char32_t, CategoryMask mask) { return (mask & unicode::number) != 0; }
bool isLetter(char32_t, CategoryMask mask) { return (mask & unicode::letter) != 0; }
bool isCasedLetter(char32_t, CategoryMask mask) { return (mask & (unicode::upper | unicode::lower | unicode::title)) != 0; }
bool isPunctuation(char32_t, CategoryMask mask) { return (mask & unicode::punctuation) != 0; }
bool isPlainPunctuation(char32_t c, CategoryMask mask) {
  return isPunctuation(c, mask) || c == '$' || c == '+' || c == '<' || c == '=' || c == '>' || c == '^' || c == '~' || c == '|';
}
bool isFalconPunctuation(char32_t c, CategoryMask mask) { return isPlainPunctuation(c, mask) || c == '`'; }
bool isDeepseekSymbol(char32_t c, CategoryMask) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '~') || (c >= 0xFF01 && c <= 0xFF0F) || (c >= 0xFF1A && c <= 0xFF5E) ||
         (c >= 0x2018 && c <= 0x201F) || (c >= 0x3000 && c <= 0x3002);
}

// DeepSeek V3's words. withLines: symbols take the line ends after them along, and so does white space; otherwise every line end
// is a piece of its own (Spark 2.5).
template <bool withLines>
std::size_t matchDeepseek3(std::string_view text, std::size_t pos) {
  constexpr CategoryMask lettersAndMarks = unicode::letter | unicode::mark, symbols = unicode::punctuation | unicode::symbol;
  const Reader reader(text);
  const Reader::Character c = reader.at(pos);
  if (static_cast<unsigned char>(text[pos]) < 0x80 && c.is(symbols) && isAsciiLetter(reader.byte(pos + 1))) {
    std::size_t end = pos + 1;
    while (isAsciiLetter(reader.byte(end))) ++end;
    return end;
  }
  const Reader::Character next = reader.at(pos + c.length);
  const bool prefix = !c.is(unicode::letter | symbols) && !reader.isLineEnd(pos);
  if (prefix && next.is(lettersAndMarks)) return reader.skip(pos + c.length + next.length, lettersAndMarks);
  if (c.is(lettersAndMarks)) return reader.skip(pos + c.length, lettersAndMarks);
  if (c.is(symbols) || (text[pos] == ' ' && next.is(symbols))) {
    std::size_t end = reader.skip(pos + c.length, symbols);
    while (withLines && reader.isLineEnd(end)) ++end;
    return end;
  }
  if (!withLines && reader.isLineEnd(pos)) return pos + 1;
  if (!c.is(unicode::space)) return pos;
  return withLines ? reader.spaceOrLines(pos) : reader.space(pos);
}

}  // namespace

std::size_t scanLineEnds(std::string_view text, std::size_t pos) {
  if (text[pos] == '\r' || text[pos] == '\n') return pos + 1;
  return std::min(text.size(), text.find_first_of("\r\n", pos));
}
std::size_t scanThreeDigits(std::string_view text, std::size_t pos) { return scanMatches<matchThreeDigits>(text, pos); }
std::size_t scanNumberRuns(std::string_view text, std::size_t pos) { return scanRuns<isNumber>(text, pos); }
std::size_t scanCjk(std::string_view text, std::size_t pos) { return scanRuns<isCjk>(text, pos); }
std::size_t scanKana(std::string_view text, std::size_t pos) { return scanRuns<isKana>(text, pos); }
std::size_t scanFalconPunctuation(std::string_view text, std::size_t pos) { return scanRuns<isFalconPunctuation>(text, pos); }
std::size_t scanPlainPunctuation(std::string_view text, std::size_t pos) { return scanRuns<isPlainPunctuation>(text, pos); }
std::size_t scanDeepseekLetters(std::string_view text, std::size_t pos) { return scanMatches<matchSpacedRun<isLetter>>(text, pos); }
std::size_t scanDeepseekCasedLetters(std::string_view text, std::size_t pos) {
  return scanMatches<matchSpacedRun<isCasedLetter>>(text, pos);
}
std::size_t scanDeepseekPunctuation(std::string_view text, std::size_t pos) {
  return scanMatches<matchSpacedRun<isPunctuation>>(text, pos);
}
std::size_t scanDeepseekSymbols(std::string_view text, std::size_t pos) { return scanMatches<matchSpacedRun<isDeepseekSymbol>>(text, pos); }
// A run of white space that does not match at its start does not match anywhere inside.
std::size_t scanSpaceAtEnd(std::string_view text, std::size_t pos) {
  if (const std::size_t end = matchSpaceAtEnd(text, pos); end > pos) return end;
  const Reader reader(text);
  do pos = reader.skip(reader.skip(pos, unicode::space), ~unicode::space);
  while (pos < text.size() && matchSpaceAtEnd(text, pos) == pos);
  return pos;
}
std::size_t scanDeepseek3(std::string_view text, std::size_t pos) { return scanMatches<matchDeepseek3<true>>(text, pos); }
std::size_t scanSpark25(std::string_view text, std::size_t pos) { return scanMatches<matchDeepseek3<false>>(text, pos); }

}  // namespace minerva::text
