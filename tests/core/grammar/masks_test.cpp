// Masks of allowed tokens: the same as asking for each token alone, and what they cost.
#include "core/grammar/json_schema.h"
#include "core/grammar/matcher.h"
#include "tests/core/grammar/grammar_test.h"
#include "tests/core/text/shared_cases.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace minerva::grammar {
namespace {

// Single bytes, and pieces of JSON and of several scripts cut anywhere, as byte-level vocabularies have them.
std::vector<std::string> cutTokens(std::size_t count) {
  const std::string text =
      "{\"name\": \"Zo\xC3\xAB \xE6\x9D\xB1\xE4\xBA\xAC\", \"age\": 42, \"tags\": [\"a\\n\", \"\\u00e9\", true, false, null], \"n\": -1.5e+10}\n        "
      "  if (x == 0) return \xF0\x9F\x98\x80\xF0\x9F\x98\x81 2024-01-31T12:00:00Z \xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82 aaaaaaaaaaaaaaaaaaaaaaaaa";
  std::mt19937 random(7);
  std::vector<std::string> tokens;
  for (int b = 0; b < 256; ++b) tokens.emplace_back(1, static_cast<char>(b));
  while (tokens.size() < count) {
    const std::size_t at = random() % text.size(), length = 1 + random() % (random() % 8 == 0 ? 24 : 6);
    tokens.push_back(text.substr(at, length));
    if (random() % 6 == 0) tokens.back() += text.substr(random() % text.size(), 2);
  }
  tokens[300].clear();  // a control token
  tokens[301] = std::string(400, ' ');
  return tokens;
}

std::vector<GrammarPointer> severalGrammars() {
  std::vector<GrammarPointer> made{gbnf(R"(root ::= "\"" [^"\\]* "\"")"),
                                   gbnf(R"g(root ::= ("a" | [\u00e0-\u00ff] | [\U0001F600-\U0001F601])* " "?)g"),
                                   gbnf(R"g(root ::= item ("," item)*
item ::= "-"? [0-9]{1,4} | "(" root ")" | [a-f]{3,20} | "\n" [ \t]{0,12})g"),
                                   gbnf("root ::= .*")};
  for (const char* text :
       {R"(true)",
        R"({"type":"object","properties":{"name":{"type":"string","maxLength":12},"age":{"type":"integer","minimum":0,"maximum":150},)"
        R"("tags":{"type":"array","items":{"type":"string","minLength":3,"maxLength":40},"maxItems":3}},"required":["name"]})",
        R"({"type":"object","properties":{"d":{"type":"string","format":"date-time"}},"additionalProperties":{"type":"number"}})",
        R"({"type":"array","items":{"type":"string","pattern":"^[^x]{2,30}$"},"minItems":2})"}) {
    auto grammar = jsonSchemaGrammar(Json::parse(text), "schema");
    EXPECT_TRUE(grammar) << grammar.error().message();
    made.push_back(*grammar);
  }
  return made;
}

TEST(Masks, AreWhatEachTokenAloneWouldBe) {
  const std::vector<std::string> tokens = cutTokens(3000);
  const std::vector<std::int32_t> ends{3, 300};
  const auto vocabulary = std::make_shared<const Vocabulary>(tokens, ends);
  std::mt19937 random(11);
  std::size_t states = 0, allowed = 0;
  for (const GrammarPointer& grammar : severalGrammars()) {
    const auto tables = std::make_shared<Tables>(grammar, Vocabularies{vocabulary, vocabulary});
    for (int walk = 0; walk < 12; ++walk) {
      Matcher matcher(tables);
      for (int i = 0; i < 25; ++i, ++states) {
        const std::span<const std::uint64_t> bits = matcher.mask();
        const Mask mask(bits.begin(), bits.end());
        std::vector<std::int32_t> next;
        for (std::int32_t id = 0; id < static_cast<std::int32_t>(tokens.size()); ++id) {
          const std::string& bytes = tokens[static_cast<std::size_t>(id)];
          Matcher probe = matcher;
          const bool goesOn = !bytes.empty() && bytes.size() <= Vocabulary::longest && probe.accept(bytes);
          const bool ends_ = std::ranges::find(ends, id) != ends.end() && matcher.canEnd();
          ASSERT_EQ(has(mask, id), goesOn || ends_) << "token " << id << " \"" << bytes << "\", step " << i;
          if (goesOn) next.push_back(id);
        }
        allowed += next.size();
        if (next.empty()) break;
        ASSERT_TRUE(matcher.accept(tokens[static_cast<std::size_t>(next[random() % next.size()])]));
      }
    }
  }
  EXPECT_GT(states, 1000U);
  EXPECT_GT(allowed, 100'000U);
}

std::shared_ptr<const Vocabulary> wordsOf(std::string_view letters, std::size_t length) {
  std::mt19937 random(5);
  std::vector<std::string> tokens{"\"", "y\""};
  while (tokens.size() < 60'000) {
    std::string& word = tokens.emplace_back();
    while (word.size() < length) word += letters[random() % letters.size()];
  }
  return std::make_shared<const Vocabulary>(tokens, std::vector<std::int32_t>{});
}

// Each letter may be the one before the repetition, but only the smallest of the counts matters.
TEST(Masks, RepetitionsThatMayBeginAnywhereLoseNoToken) {
  const auto grammar = jsonSchemaGrammar(Json::parse(R"({"type":"string","pattern":"[a-z].{1,100}y"})"), "schema");
  ASSERT_TRUE(grammar);
  const auto vocabulary = wordsOf("ay ", 16);
  Matcher matcher(std::make_shared<Tables>(*grammar, Vocabularies{vocabulary, vocabulary}));
  ASSERT_TRUE(matcher.accept("\"hello hello "));
  const std::span<const std::uint64_t> mask = matcher.mask();
  EXPECT_FALSE(has(mask, 0));
  for (std::int32_t id = 1; id < 60'000; ++id) ASSERT_TRUE(has(mask, id)) << id;
  EXPECT_FALSE(matcher.tooAmbiguous());
}

// Such a mask allows nothing, rather than a part, and the states that were not reached are not taken as dead from then on.
TEST(Masks, ThatTakeTooMuchWorkSaySoAndLeaveNothingBehind) {
  const auto grammar = jsonSchemaGrammar(Json::parse(R"({"type":"string","pattern":"x.{50}$"})"), "schema");
  ASSERT_TRUE(grammar);
  const auto vocabulary = wordsOf("ax", 24);
  const auto tables = std::make_shared<Tables>(*grammar, Vocabularies{vocabulary, vocabulary});
  Matcher matcher(tables), other(tables);
  ASSERT_TRUE(matcher.accept("\"xaxxaxxxaxaxaxxxaxaxxax"));
  ASSERT_TRUE(other.accept("\"xaxxaxxxaxaxaxxxaxaxxax"));
  EXPECT_TRUE(std::ranges::all_of(matcher.mask(), [](std::uint64_t word) { return word == 0; }));
  EXPECT_TRUE(matcher.tooAmbiguous());
  EXPECT_FALSE(other.tooAmbiguous());
  std::mt19937 random(6);
  for (int i = 0; i < 1000; ++i) {
    std::string word(24, 'a');
    for (char& c : word) c = random() % 2 == 0 ? 'a' : 'x';
    Matcher probe = other;
    ASSERT_TRUE(probe.accept(word)) << word;
  }
}

// The first token of a text may have other bytes than the same one inside.
TEST(Masks, KnowTheFirstToken) {
  const std::vector<std::string> inside{" a", "a", "b"}, atStart{"a", "a", "b"};
  const Vocabularies both{std::make_shared<const Vocabulary>(inside, std::vector<std::int32_t>{}),
                          std::make_shared<const Vocabulary>(atStart, std::vector<std::int32_t>{})};
  Matcher matcher(std::make_shared<Tables>(gbnf(R"(root ::= "a" " a")"), both));
  EXPECT_TRUE(has(matcher.mask(true), 0));
  EXPECT_FALSE(has(matcher.mask(false), 0));
  ASSERT_TRUE(matcher.accept("a"));
  EXPECT_TRUE(has(matcher.mask(false), 0));
}

// More states than are kept: the tables are made anew, and nothing changes for the text.
TEST(Masks, OutliveTheStatesThatAreKept) {
  const std::vector<std::string> tokens{"a", "b", "ab"};
  const auto vocabulary = std::make_shared<const Vocabulary>(tokens, std::vector<std::int32_t>{});
  const auto tables = std::make_shared<Tables>(gbnf(R"g(root ::= ("a" | "b"){100000} "!")g"), Vocabularies{vocabulary, vocabulary});
  Matcher matcher(tables), other(tables);
  for (int i = 0; i < 50'000; ++i) ASSERT_TRUE(matcher.accept(i % 3 == 0 ? "ab" : i % 3 == 1 ? "a" : "bab")) << i;
  EXPECT_LT(tables->automaton().states(), 40'000U);
  EXPECT_TRUE(matcher.accept("a"));  // the last one
  EXPECT_FALSE(matcher.accept("a"));
  EXPECT_TRUE(matcher.accept("!"));
  EXPECT_TRUE(matcher.mustEnd());
  EXPECT_TRUE(other.accept("ab"));
}

// A realistic reply in tokens of a real vocabulary, each mask made for the first time.
TEST(Masks, CostLittleForALargeVocabulary) {
  using Clock = std::chrono::steady_clock;
  for (const char* name : {"qwen2", "o200k-harmony"}) {
    if (!std::filesystem::exists(text::cases::packedVocab(name))) GTEST_SKIP() << "no reference data";
    const auto vocab = text::cases::openVocab(name);
    ASSERT_TRUE(vocab.tokenizer);
    const text::Tokenizer& tokenizer = *vocab.tokenizer;
    std::vector<std::string> bytes(tokenizer.vocabularySize());
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (const auto id = static_cast<std::int32_t>(i); !tokenizer.isControl(id)) bytes[i] = tokenizer.piece(id);
    const auto begun = Clock::now();
    const auto vocabulary = std::make_shared<const Vocabulary>(bytes, tokenizer.special().endOfGeneration);
    const double buildMs = std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
    const Json schema = Json::parse(R"({"type":"object","properties":{"title":{"type":"string"},"summary":{"type":"string","maxLength":400},
      "year":{"type":"integer","minimum":1900,"maximum":2100},"score":{"type":"number"},"tags":{"type":"array","items":{"type":"string","pattern":"^[a-z-]+$"}},
      "author":{"type":"object","properties":{"name":{"type":"string","minLength":1},"born":{"type":"string","format":"date"}},"required":["name"]}},
      "required":["title","summary","year"]})");
    const auto grammar = jsonSchemaGrammar(schema, "schema");
    ASSERT_TRUE(grammar);
    const std::string reply =
        "{\n  \"title\": \"On the \xC3\x89lan of \\\"Tokens\\\" \xE6\x9D\xB1\xE4\xBA\xAC\",\n  \"summary\": \"A short text about grammars, trees and masks: how a "
        "reply can follow a schema without any loss of speed. It goes on for a while, so that there are enough different states.\",\n  \"year\": 2024,\n  "
        "\"score\": 0.875,\n  \"tags\": [\"grammar\", \"json-schema\", \"speed\"],\n  \"author\": {\"name\": \"Jos\xC3\xA9\", \"born\": \"1985-07-31\"}\n}";
    Matcher matcher(std::make_shared<Tables>(*grammar, Vocabularies{vocabulary, vocabulary}));
    std::vector<double> micros;
    for (const std::int32_t id : tokenizer.encode(reply, {false, false})) {
      const auto start = Clock::now();
      const auto mask = matcher.mask();
      ASSERT_TRUE(has(mask, id)) << tokenizer.piece(id);
      micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
      ASSERT_TRUE(matcher.accept(tokenizer.piece(id)));
    }
    EXPECT_TRUE(matcher.mustEnd());
    std::ranges::sort(micros);
    std::printf("%s: %zu tokens sorted in %.0f ms; %zu masks, median %.0f us, 90%% %.0f us, worst %.0f us\n", name, bytes.size(), buildMs,
                micros.size(), micros[micros.size() / 2], micros[micros.size() * 9 / 10], micros.back());
    EXPECT_LT(micros[micros.size() / 2], 20'000);
  }
}

}  // namespace
}  // namespace minerva::grammar
