#include "core/text/pattern/regex.h"

#include <gtest/gtest.h>

#include <chrono>

namespace minerva::text {
namespace {

std::vector<std::string> found(std::string_view pattern, std::string_view text) {
  const auto regex = Regex::compile(pattern);
  EXPECT_TRUE(regex) << (regex ? "" : regex.error().message());
  std::vector<std::string> pieces;
  if (!regex) return pieces;
  for (const MatchRange& match : regex->matches(text)) pieces.emplace_back(text.substr(match.begin, match.end - match.begin));
  return pieces;
}
using Pieces = std::vector<std::string>;

TEST(Regex, readsOnigurumaSyntax) {
  EXPECT_EQ(found(R"(\h+)", "xyz12ffg"), (Pieces{"12ff"}));
  EXPECT_EQ(found(R"([\s]+)", "a \u3000b"), (Pieces{" \u3000"}));
  EXPECT_EQ(found(R"(\s)", "a\u180Eb"), Pieces{});
  EXPECT_EQ(found(R"([\p{L}&&[^\p{Han}]]+)", "ab中cd"), (Pieces{"ab", "cd"}));
  EXPECT_EQ(found(R"([^(\s|[.,!?…])]+)", "(ab.c)d e"), (Pieces{"ab", "c", "d", "e"}));
  EXPECT_EQ(found(R"([a[bc]]+)", "xabcx"), (Pieces{"abc"}));
  EXPECT_EQ(found(R"([^\S\n]+)", "a \t\nb"), (Pieces{" \t"}));
  EXPECT_EQ(found(R"(\w+)", "a_b-ñ1"), (Pieces{"a_b", "ñ1"}));
  EXPECT_EQ(found(R"(\u0061+)", "xaax"), (Pieces{"aa"}));
  EXPECT_EQ(found(R"([一-龥ࠀ-一가-퟿]+)", "a中b"), (Pieces{"中"}));
}

// Not the characters that are used with it: 、。「」ー are of no script.
TEST(Regex, aScriptHasItsOwnCharactersAlone) {
  EXPECT_EQ(found(R"([\p{Han}]+)", "你好。世界"), (Pieces{"你好", "世界"}));
  EXPECT_EQ(found(R"(\p{Katakana}+)", "「カー」"), Pieces{"カ"});
  EXPECT_EQ(found(R"(\p{Hiragana}+)", "ひ、らー"), (Pieces{"ひ", "ら"}));
  EXPECT_EQ(found(R"([^\p{Han}]+)", "你。好"), Pieces{"。"});
  EXPECT_EQ(found(R"(\P{Han}+)", "你。好"), Pieces{"。"});
  EXPECT_EQ(found(R"(\p{^Han}+)", "你。好"), Pieces{"。"});
  EXPECT_EQ(found(R"(\p{Lu}\p{L}\p{Any})", "xAb。"), Pieces{"Ab。"});
}

TEST(Regex, givesEmptyMatchesOnce) {
  const auto regex = Regex::compile(R"((?=(\d{3})+(?!\d)))");
  ASSERT_TRUE(regex);
  std::vector<std::size_t> places;
  for (const MatchRange& match : regex->matches("1234567")) {
    EXPECT_EQ(match.begin, match.end);
    places.push_back(match.begin);
  }
  EXPECT_EQ(places, (std::vector<std::size_t>{1, 4}));
}

TEST(Regex, brokenBytesAreSymbols) {
  EXPECT_EQ(found(R"([^\p{L}]+)",
                  "a\xFF\xFE"
                  "b"),
            (Pieces{"\xFF\xFE"}));
  EXPECT_EQ(found(R"(\p{So}+)",
                  "a\xE4\xB8"
                  "b"),
            (Pieces{"\xE4\xB8"}));
}

TEST(Regex, refusesWhatIsNoPattern) {
  for (const char* pattern : {"(((", "[", "a{2,1}", "\\p{Nonsense}", "(?<x"}) {
    const auto regex = Regex::compile(pattern);
    ASSERT_FALSE(regex) << pattern;
    EXPECT_EQ(regex.error().kind, ErrorKind::corrupt);
    EXPECT_NE(regex.error().message().find(pattern), std::string::npos) << regex.error().message();
  }
  EXPECT_FALSE(Regex::compile(std::string(100'000, 'a')));
}

TEST(Regex, exponentialPatternsEnd) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* pattern : {"(a+)+$", "(a|aa)+$", "(a*)*b", "(.*)*x", "((a?){30}){30}z"}) {
    const auto regex = Regex::compile(pattern);
    if (!regex) continue;  // refusing it as too large is fine, too
    (void)regex->matches(std::string(50'000, 'a') + "!");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace minerva::text
