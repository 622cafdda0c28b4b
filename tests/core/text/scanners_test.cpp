// Hand-written scanners against PCRE2 with the pattern that each replaces.
#include "core/text/pre_tokenizer/scanners.h"

#include "core/base/utf8.h"
#include "core/text/characters/unicode.h"
#include "core/text/pattern/regex.h"

#include <gtest/gtest.h>

#include <random>

namespace minerva::text {
namespace {

std::vector<std::string> byScanner(Scanner scan, std::string_view text) {
  std::vector<std::string> pieces;
  for (std::size_t pos = 0; pos < text.size();) {
    const std::size_t end = scan(text, pos);
    EXPECT_GT(end, pos);
    pieces.emplace_back(text.substr(pos, end - pos));
    pos = end;
  }
  return pieces;
}

std::vector<std::string> byRegex(const Regex& regex, std::string_view text) {
  std::vector<std::string> pieces;
  std::size_t done = 0;
  for (const MatchRange& match : regex.matches(text)) {
    if (match.begin > done) pieces.emplace_back(text.substr(done, match.begin - done));
    pieces.emplace_back(text.substr(match.begin, match.end - match.begin));
    done = match.end;
  }
  if (done < text.size()) pieces.emplace_back(text.substr(done));
  return pieces;
}

// Characters that matter to one of the patterns, and invalid bytes.
std::string randomText(std::mt19937& random) {
  static const std::vector<std::string> alphabet =
      {"a",      "b",      "Z",          "Q",          "s",          "S",          "t",          "ll",        "VE",     "re",
       "m",      "d",      "'",          "'s",         "'LL",        "ſ",          "'ſ",         " ",         " ",      "  ",
       "\n",     "\r\n",   "\r",         "\t",         "\u0085",     "\u00A0",     "\u3000",     "1",         "23",     "456",
       "²",      "Ⅻ",      "٣",          "é",          "É",          "ß",          "ǅ",          "ʰ",         "中",     "文",
       "あ",     "ß",      "م",          "◌́",          "\u0301",     "\u20DD",     "ิ",           "!",         "/",      "//",
       ".",      ",",      "$",          "+",          "_",          "-",          "€",          "😀",         "\u200D", "\u200B",
       "\u180E", "\uFEFF", "\uFFFD",     "\x01",       "\xFF",       "\xC3",       "\xE4\xB8",   "\xF0\x9F",  "一",     "龥",
       "龦",     "ぁ",     "ー",         "\u3041",     "\u0800",     "\u07FF",     "가",         "\uD7FF",    "！",     "／",
       "０",     "～",     "‘",          "‟",          "。",         "〃",         "~",          "`",         "|",      "^",
       "0",      "999",    "\U00010D50", "\U00010D70", "\U00010D40", "\U00010D69", "\U00010D6E", "\U0002EBF0"};  // of Unicode 15.1 and 16
  std::string text;
  const std::size_t length = random() % 14;
  for (std::size_t i = 0; i < length; ++i) text += alphabet[random() % alphabet.size()];
  return text;
}

TEST(Scanners, cutAsPcre2Does) {
  for (const KnownPattern& known : knownPatterns()) {
    const auto regex = Regex::compile(known.pattern);
    ASSERT_TRUE(regex) << regex.error().message();
    std::mt19937 random(7);
    for (int round = 0; round < 20'000; ++round) {
      const std::string text = randomText(random);
      ASSERT_EQ(byScanner(known.scanner, text), byRegex(*regex, text)) << known.pattern << "\n[" << text << "]";
    }
  }
}

// Every character of the first two planes, next to letters and before digits.
TEST(Scanners, classifyEveryCharacterAsPcre2Does) {
  const auto assigned = Regex::compile(R"(\A\P{Cn}\z)");
  ASSERT_TRUE(assigned);
  for (const std::string_view pattern : {patterns::gpt2, patterns::llama3, patterns::qwen35, patterns::o200k}) {
    const auto regex = Regex::compile(pattern);
    ASSERT_TRUE(regex);
    int compared = 0;
    for (char32_t c = 0x20; c < 0x20000; c += 1 + (c > 0x3400 ? 13 : 0)) {
      std::string character;
      utf8::append(character, c);
      if ((c >= 0xD800 && c < 0xE000) || unicode::maskOf(c) == unicode::bit(0) || assigned->matches(character).empty()) continue;
      ++compared;
      const std::string text = "a" + character + "B " + character + character + "1";
      ASSERT_EQ(byScanner(scannerFor(pattern), text), byRegex(*regex, text)) << pattern << " U+" << std::hex << static_cast<unsigned>(c);
    }
    EXPECT_GT(compared, 5000);
  }
}

}  // namespace
}  // namespace minerva::text
