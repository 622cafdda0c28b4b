#include "core/text/pre_tokenizer/scanners.h"

#include "core/text/pre_tokenizer/scanner_reader.h"
#include "core/text/pre_tokenizer/scanners_runs.h"

#include <algorithm>
#include <limits>

namespace minerva::text {
namespace {

using namespace scanning;

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

// The pattern families of Llama 3 and Qwen 2; letters are \p{L}, or \p{L} and \p{M}.
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
constexpr CategoryMask headLetter = unicode::upper | unicode::title | anyCaseLetter;  // called U below
constexpr CategoryMask tailLetter = unicode::lower | anyCaseLetter;                   // called W below

// Matches U*W+ at start; returns start if there is no match. Greedy U* backtracks to the last of its characters that is also
// in W.
std::size_t matchHeadsThenTails(const Reader& reader, std::size_t start) {
  std::size_t end = start, afterLastBoth = start;
  for (Reader::Character c = reader.at(end); c.is(headLetter); c = reader.at(end)) {
    end += c.length;
    if (c.is(anyCaseLetter)) afterLastBoth = end;
  }
  const std::size_t tails = reader.skip(end, tailLetter);
  return tails > end ? tails : afterLastBoth;
}

// Matches U+W* at start; returns start if there is no match.
std::size_t matchHeads(const Reader& reader, std::size_t start) {
  const std::size_t heads = reader.skip(start, headLetter);
  return heads == start ? start : reader.skip(heads, tailLetter);
}

// The two word alternatives of o200k, each with and without one character before the letters. Returns pos if neither
// matches.
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
  if (const std::size_t word = matchCasedWord(reader, pos); word > pos) return contractions ? word + reader.contraction<true>(word) : word;
  const Reader::Character c = reader.at(pos);
  if (c.is(unicode::number)) return reader.skipAtMost(pos, unicode::number, digits);
  const bool spaced = text[pos] == ' ' && reader.at(pos + 1).is(wordSymbols);
  if (!spaced && !c.is(wordSymbols)) return reader.spaceOrLines(pos);
  std::size_t end = reader.skip(pos + c.length, wordSymbols);
  while (reader.isLineEnd(end) || reader.byte(end) == '/') ++end;
  return end;
}

// Splits into groups of at most `digits` numbers and the text between them.
template <int digits>
std::size_t scanNumbers(std::string_view text, std::size_t pos) {
  const Reader reader(text);
  const std::size_t end = reader.skipAtMost(pos, unicode::number, digits);
  return end > pos ? end : reader.skip(pos, ~unicode::number);
}

constexpr auto llama3Scanner = scanLlama3<3, unicode::letter>;

// Some publishers write the same split differently, so a scanner can have several patterns.
constexpr KnownPattern patternTable[] = {
    {patterns::gpt2, scanGpt2},
    {patterns::llama3, llama3Scanner},
    {patterns::cl100k, llama3Scanner},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)",
     llama3Scanner},
    {patterns::qwen2, scanLlama3<1, unicode::letter>},
    {patterns::qwen35, scanLlama3<1, unicode::letter | unicode::mark>},
    {patterns::o200k, scanO200k<3, true>},
    {patterns::tekken, scanO200k<1, false>},
    {patterns::digit, scanNumbers<1>},
    {patterns::digits3, scanNumbers<3>},
    {patterns::lineEnd, scanLineEnds},
    {patterns::threeDigits, scanThreeDigits},
    {patterns::numbers, scanNumberRuns},
    {patterns::cjk, scanCjk},
    {patterns::kana, scanKana},
    {patterns::falconPunctuation, scanFalconPunctuation},
    {patterns::plainPunctuation, scanPlainPunctuation},
    {patterns::deepseekLetters, scanDeepseekLetters},
    {patterns::deepseekCasedLetters, scanDeepseekCasedLetters},
    {patterns::deepseekPunctuation, scanDeepseekPunctuation},
    {patterns::deepseekSymbols, scanDeepseekSymbols},
    {patterns::spaceAtEnd, scanSpaceAtEnd},
    {patterns::deepseek3Words, scanDeepseek3},
    {patterns::spark25Words, scanSpark25},
    {patterns::miniCpm5Words, scanLlama3<std::numeric_limits<int>::max(), unicode::letter>},
    {patterns::groupedNumbers, scanGroupedNumbers},
    {patterns::groupedWords, scanGroupedWords},
};

}  // namespace

std::span<const KnownPattern> knownPatterns() { return patternTable; }

Scanner scannerFor(std::string_view pattern) {
  const auto* row =
      std::find_if(std::begin(patternTable), std::end(patternTable), [&](const KnownPattern& known) { return known.pattern == pattern; });
  return row == std::end(patternTable) ? nullptr : row->scanner;
}

}  // namespace minerva::text
