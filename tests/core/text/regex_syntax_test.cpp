// What Oniguruma's patterns mean otherwise than PCRE2's. The expected matches and numbers are those of Hugging Face's tokenizers 0.23.2,
// which have Oniguruma 6.9 with Unicode 16.
#include "core/base/utf8.h"
#include "core/text/characters/unicode.h"
#include "core/text/pattern/regex.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::text {
namespace {

using Pieces = std::vector<std::string>;

Pieces piecesOf(std::string_view pattern, std::string_view text) {
  const auto regex = Regex::compile(pattern);
  EXPECT_TRUE(regex) << (regex ? "" : regex.error().message());
  Pieces pieces;
  if (!regex) return pieces;
  for (const MatchRange& match : regex->matches(text))
    if (match.end > match.begin) pieces.emplace_back(text.substr(match.begin, match.end - match.begin));
  return pieces;
}

struct SyntaxCase {
  const char* pattern;
  std::string_view text;
  Pieces pieces;
};

TEST(RegexSyntax, isRubys) {
  const SyntaxCase rows[] = {
      {R"((?m)a.b)", "a\nb", {"a\nb"}},
      {R"((?m:a.)b)", "a\nb", {"a\nb"}},
      {R"((?mi:A.b))", "a\nb", {"a\nb"}},
      {R"((?m)(?-m:a.b))", "a\nb", {}},
      {R"(xa{,2}y)", "xy xaay xaaay", {"xy", "xaay"}},
      {R"(a{2,})", "a aaa", {"aaa"}},
      {R"(a{,})", "aa a{,}", {"a{,}"}},
      {R"(a{x})", "a{x}", {"a{x}"}},
      {R"(a{,n})", "a{,n}", {"a{,n}"}},
      {R"(a{3}+)", "aaaaaaa", {"aaaaaa"}},
      {R"((?:ab){2}+)", "abababab", {"abababab"}},
      {R"([ab]{1,2}+c)", "ababac", {"ababac"}},
      {R"((a|b){2}?c)", "abc c bc", {"abc", "c", "c"}},
      {R"(a{2}?)", "aaaa", {"aa", "aa"}},
      {R"(xa{1,2}?)", "xaa", {"xa"}},
      {R"(\p{N}{1,3}+)", "12345", {"12345"}},
      {R"(\xC3\xA9)", "é Ã©", {"é"}},
      {R"([\xC3\xA9x]+)", "éx Ã©", {"éx"}},
      {R"(\303\251)", "é", {"é"}},
      {R"(\x{E9})", "é", {"é"}},
      {R"(\x41[\x{42}-\x{44}]+)", "ABCé", {"ABC"}},
      {R"(\pL+)", "ab pL", {"pL"}},
      {R"([\pL]+)", "ab pL", {"pL"}},
      {R"(\v+)", "\x0B\n", {"\x0B"}},
      {R"([\v]+)", "\x0B\n", {"\x0B"}},
      {R"(\QxE)", "QxE", {"QxE"}},
      {R"(a.b)", "a\nb", {}},
  };
  for (const SyntaxCase& row : rows) EXPECT_EQ(piecesOf(row.pattern, row.text), row.pieces) << row.pattern;
}

TEST(RegexSyntax, setsAreOnigurumas) {
  const SyntaxCase rows[] = {
      {R"([[:^alpha:]]+)", "ab12", {"12"}},
      {R"([^[:alpha:]]+)", "ab12", {"12"}},
      {R"([[:punct:]]+)", "a$+€.", {"$+€."}},
      {R"(\p{Punct}+)", "a$+€.", {"."}},
      {R"([[:alpha:]]+)", "Ⓐ1aⅣ", {"Ⓐ", "aⅣ"}},
      {R"(\w+)", "Ⓐ1\U0001F170\uFE0F x", {"Ⓐ1\U0001F170\uFE0F", "x"}},
      {R"(\bⒶ)", "Ⓐ aⒶ", {"Ⓐ"}},
      {R"(\p{Letter}+)", "ab1", {"ab"}},
      {R"(\p{ decimal-number }+)", "ab12", {"12"}},
      {R"(\P{Letter}+)", "ab12", {"12"}},
      {R"([^\P{Letter}]+)", "ab12", {"ab"}},
      {R"(\p{Han}+)", "\U0002EBF0a中", {"\U0002EBF0", "中"}},
      {R"(\p{L}+)", "a\U00010D50\U0002EBF0", {"a\U00010D50\U0002EBF0"}},
      {R"([^\p{L}]+)", "a\U00010D501", {"1"}},
      {R"(\p{Cn})", "\U00010D50\u0378", {"\u0378"}},
      {R"(\d+)", "1\U00010D40a", {"1\U00010D40"}},
      {R"(\p{Garay}+)", "a\U00010D50", {"\U00010D50"}},
      {R"(\p{Cased_Letter}+)", "aB1", {"aB"}},
  };
  for (const SyntaxCase& row : rows) EXPECT_EQ(piecesOf(row.pattern, row.text), row.pieces) << row.pattern;
}

TEST(RegexSyntax, bytesThatAreNoCharacterAreRefused) {
  for (const char* pattern : {R"(a\xE9)", R"([\xC3])", R"(\xC3\x41)", R"(\377\376)"}) {
    const auto regex = Regex::compile(pattern);
    ASSERT_FALSE(regex) << pattern;
    EXPECT_EQ(regex.error().kind, ErrorKind::corrupt);
    EXPECT_NE(regex.error().message().find("no character of UTF-8"), std::string::npos) << regex.error().message();
  }
}

// Every character, each followed by one that no set of these contains.
const std::string& everyCharacter() {
  static const std::string text = [] {
    std::string made;
    for (char32_t c = 0; c < 0x110000; ++c) {
      if (c >= 0xD800 && c < 0xE000) continue;
      utf8::append(made, c);
      made += '\x01';
    }
    return made;
  }();
  return text;
}

// In characters.
std::size_t sizeOf(const std::string& set) {
  std::size_t size = 0;
  for (const std::string& piece : piecesOf(set + "+", everyCharacter()))
    size += static_cast<std::size_t>(std::ranges::count_if(piece, [](char c) { return (c & 0xC0) != 0x80; }));
  return size;
}

TEST(RegexSyntax, setsAreOfUnicode16) {
  const std::pair<const char*, std::size_t> rows[] = {
      {R"(\p{Lu})", 1858},
      {R"(\p{Ll})", 2258},
      {R"(\p{Lt})", 31},
      {R"(\p{Lm})", 404},
      {R"(\p{Lo})", 136477},
      {R"(\p{Mc})", 468},
      {R"(\p{Me})", 13},
      {R"(\p{Nd})", 760},
      {R"(\p{Nl})", 236},
      {R"(\p{No})", 915},
      {R"(\p{Pc})", 10},
      {R"(\p{Pd})", 27},
      {R"(\p{Ps})", 79},
      {R"(\p{Pe})", 77},
      {R"(\p{Pi})", 12},
      {R"(\p{Pf})", 10},
      {R"(\p{Po})", 640},
      {R"(\p{Sm})", 950},
      {R"(\p{Sc})", 63},
      {R"(\p{Sk})", 125},
      {R"(\p{So})", 7376},
      {R"(\p{Zs})", 17},
      {R"(\p{Cf})", 170},
      {R"(\p{Co})", 137468},
      {R"(\p{Cn})", 819533},
      {R"(\p{L})", 141028},
      {R"(\p{N})", 1911},
      {R"(\p{Z})", 19},
      {R"(\p{Han})", 99030},
      {R"(\p{Greek})", 518},
      {R"(\p{Garay})", 69},
      {R"(\w)", 144671},
      {R"([\w])", 144665},
      {R"(\s)", 25},
      {R"(\d)", 760},
      {R"([[:alpha:]])", 142759},
      {R"([[:alnum:]])", 143519},
      {R"([[:blank:]])", 18},
      {R"([[:digit:]])", 760},
      {R"([[:graph:]])", 292447},
      {R"([[:lower:]])", 2569},
      {R"([[:print:]])", 292464},
      {R"([[:punct:]])", 9369},
      {R"([[:upper:]])", 1978},
      {R"([[:word:]])", 144665},
      {R"([[:xdigit:]])", 22},
  };
  for (const auto& [set, size] : rows) EXPECT_EQ(sizeOf(set), size) << set;
}

// The scanners' table has the same characters.
TEST(RegexSyntax, categoriesAreThoseOfTheScanners) {
  const std::pair<const char*, unicode::CategoryMask> rows[] = {
      {R"(\p{L})", unicode::letter}, {R"(\p{M})", unicode::mark},   {R"(\p{N})", unicode::number}, {R"(\p{P})", unicode::punctuation},
      {R"(\p{S})", unicode::symbol}, {R"(\p{Lu})", unicode::upper}, {R"(\p{Ll})", unicode::lower}, {R"(\p{Nd})", unicode::decimal},
  };
  for (const auto& [set, mask] : rows) {
    for (const std::string& piece : piecesOf(set, everyCharacter()))
      ASSERT_TRUE(unicode::is(utf8::decode(piece, 0).codePoint, mask))
          << set << " U+" << std::hex << static_cast<unsigned>(utf8::decode(piece, 0).codePoint);
    std::size_t size = 0;
    for (char32_t c = 0; c < 0x110000; ++c) size += (c < 0xD800 || c >= 0xE000) && unicode::is(c, mask) ? 1 : 0;
    EXPECT_EQ(sizeOf(set), size) << set;
  }
}

}  // namespace
}  // namespace minerva::text
