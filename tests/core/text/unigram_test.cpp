// Unigram against its definition: the segmentation with the best sum of scores, found by trying all.
#include "core/text/word_model/unigram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace minerva::text {
namespace {

using Ids = std::vector<TokenId>;

struct Model {
  Vocabulary vocabulary;
  std::vector<double> scores;
  void add(std::string_view text, double score, TokenKind kind = TokenKind::normal) {
    ASSERT_TRUE(vocabulary.add(static_cast<TokenId>(scores.size()), text, kind));
    scores.push_back(score);
  }
  [[nodiscard]] Ids encode(std::string_view text, UnigramOptions options = {}) const {
    Ids out;
    Unigram(vocabulary, scores, options).encode(text, out, nullptr);
    return out;
  }
};

// The best sum over all segmentations into tokens; -inf if there is none.
double bestSum(const Model& model, std::string_view text) {
  if (text.empty()) return 0;
  double best = -HUGE_VAL;
  for (std::size_t length = 1; length <= text.size(); ++length) {
    const TokenId id = model.vocabulary.find(text.substr(0, length));
    if (id != noToken) best = std::max(best, model.scores[static_cast<std::size_t>(id)] + bestSum(model, text.substr(length)));
  }
  return best;
}

TEST(Unigram, findsTheBestSum) {
  std::mt19937 random(9);
  for (int round = 0; round < 300; ++round) {
    Model model;
    for (const char* letter : {"a", "b", "c"}) model.add(letter, -static_cast<double>(random() % 100) / 7 - 1);
    for (int i = 0; i < 25; ++i) {
      std::string token;
      for (std::size_t n = 2 + random() % 3; n > 0; --n) token += static_cast<char>('a' + random() % 3);
      if (model.vocabulary.find(token) == noToken) model.add(token, -static_cast<double>(random() % 100) / 7 - 1);
    }
    std::string text;
    for (std::size_t n = random() % 14; n > 0; --n) text += static_cast<char>('a' + random() % 3);
    double sum = 0;
    std::string spelled;
    for (const TokenId id : model.encode(text)) {
      sum += model.scores[static_cast<std::size_t>(id)];
      spelled += model.vocabulary.text(id);
    }
    ASSERT_EQ(spelled, text);
    ASSERT_NEAR(sum, bestSum(model, text), 1e-9) << text;
  }
}

TEST(Unigram, unknownTextIsOneTokenOrItsBytes) {
  Model model;
  model.add("?", NAN, TokenKind::unknown);
  model.add("a", -1);
  model.add("<0xC3>", NAN, TokenKind::byte);
  model.add("<0xA9>", NAN, TokenKind::byte);
  EXPECT_EQ(model.encode("aéxa", {.unknownScore = -20}), (Ids{1, 1}));
  EXPECT_EQ(model.encode("aéxa", {.unknown = 0, .unknownScore = -20}), (Ids{1, 0, 1}));
  EXPECT_EQ(model.encode("aéa", {.unknown = 0, .unknownScore = -20, .byteFallback = true}), (Ids{1, 2, 3, 1}));
  EXPECT_EQ(model.encode("aéxa", {.unknown = 0, .unknownScore = -20, .byteFallback = true}), (Ids{1, 0, 1}));  // no <0x78>
  EXPECT_EQ(model.encode("\xC3\xC3", {.unknown = 0, .unknownScore = -20, .byteFallback = true}), (Ids{2, 2}));
  EXPECT_EQ(model.encode("\xE4\xB8", {.unknown = 0, .unknownScore = -20}), (Ids{0}));
}

// A text without any position through which all paths pass, and one with many.
TEST(Unigram, longTextsTakeLinearTime) {
  Model model;
  model.add("a", -2);
  model.add("aa", -3);
  model.add("aaaaaaa", -4);
  model.add(" ", -1);
  const std::string text(1'000'003, 'a');
  EXPECT_EQ(model.encode(text).size(), 1'000'003u / 7 + 2);  // the remaining 4 letters are two pairs
  std::string words;
  for (int i = 0; i < 200'000; ++i) words += "aa ";
  EXPECT_EQ(model.encode(words, {.singlePrecision = true}).size(), 400'000u);
}

}  // namespace
}  // namespace minerva::text
