// Scanners that group the digits of a number in threes, counted from its end: "1234567" is "1", "234", "567".
#include "core/text/pre_tokenizer/scanner_reader.h"
#include "core/text/pre_tokenizer/scanners_runs.h"

namespace minerva::text {
namespace {

using namespace scanning;

// Whether the character that ends at pos is in the mask.
bool endsWith(const Reader& reader, std::size_t pos, CategoryMask mask) {
  for (std::size_t length = 1; length <= 4 && length <= pos; ++length)
    if (const Reader::Character c = reader.at(pos - length); c.length == length) return c.is(mask);
  return false;
}

// The end of the group at pos, in a run of digits that is to be grouped. Only the first group looks at the whole run.
std::size_t endOfGroup(const Reader& reader, std::size_t pos, CategoryMask digits) {
  if (endsWith(reader, pos, digits)) return reader.skipAtMost(pos, digits, 3);
  int count = 0;
  for (std::size_t end = pos; reader.at(end).is(digits); end += reader.at(end).length) count = (count + 1) % 3;
  return reader.skipAtMost(pos, digits, count == 0 ? 3 : count);
}

// Oniguruma's \b, as in regex_syntax.cpp: joiners are no word characters; ², ³, ¹ and the fractions of Latin-1 are word characters, other
// such numbers are not.
bool wordFollows(std::string_view text, std::size_t pos) {
  if (pos >= text.size()) return false;
  const char32_t c = utf8::decode(text, pos).codePoint;
  constexpr CategoryMask members = unicode::letter | unicode::mark | unicode::decimal | unicode::letterNumber | unicode::connector;
  return unicode::is(c, members) || c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0xBC && c <= 0xBE);
}

}  // namespace

std::size_t scanGroupedNumbers(std::string_view text, std::size_t pos) {
  const Reader reader(text);
  if (!reader.at(pos).is(unicode::number)) return reader.skip(pos, ~unicode::number);
  return endOfGroup(reader, pos, unicode::number);
}

// Digits that a letter follows are not grouped: they belong to the text between the numbers.
std::size_t scanGroupedWords(std::string_view text, std::size_t pos) {
  const Reader reader(text);
  for (std::size_t begin = pos; begin < text.size();) {
    const std::size_t end = reader.skip(begin, unicode::decimal);
    if (end > begin && !wordFollows(text, end)) return begin > pos ? begin : endOfGroup(reader, pos, unicode::decimal);
    begin = reader.skip(end, ~unicode::decimal);
  }
  return text.size();
}

}  // namespace minerva::text
