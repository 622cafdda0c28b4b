// Added tokens of tokenizer.json. The expected ids are those of Hugging Face's tokenizers 0.23.2, unless a comment says otherwise; for
// text in which control tokens are plain text, those of the same file without its special tokens.
#include "core/text/tokenizer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace minerva::text {
namespace {

using Ids = std::vector<TokenId>;

// fields: the members "model" and "added_tokens".
std::unique_ptr<const Tokenizer> made(const std::string& fields) {
  auto tokenizer = createTokenizerFromJson(R"({"pre_tokenizer":{"type":"WhitespaceSplit"},)" + fields + "}", nlohmann::json());
  EXPECT_TRUE(tokenizer) << (tokenizer ? "" : tokenizer.error().message());
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

// With control tokens as plain text, and read.
struct BothWays {
  Ids plain, read;
  bool operator==(const BothWays&) const = default;
};
BothWays bothWays(const Tokenizer& tokenizer, std::string_view text) {
  return {tokenizer.encode(text, {false, false}), tokenizer.encode(text, {false, true})};
}
void PrintTo(const BothWays& ids, std::ostream* out) { *out << nlohmann::json(ids.plain) << " and " << nlohmann::json(ids.read); }

TEST(AddedTokens, areNotInTheVocabularyOfWholeWords) {
  const auto tokenizer = made(R"("model":{"type":"WordLevel","vocab":{"[UNK]":0,"a":1,"b":2},"unk_token":"[UNK]"},"added_tokens":[
    {"id":3,"content":"tool","special":false,"single_word":true,"normalized":false},{"id":4,"content":"<end>","special":true}])");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(bothWays(*tokenizer, "a <end> b"), (BothWays{{1, 0, 2}, {1, 4, 2}}));
  EXPECT_EQ(bothWays(*tokenizer, "atool tool <end>"), (BothWays{{0, 3, 0}, {0, 3, 4}}));
}

TEST(AddedTokens, areNotInTheVocabularyOfBpe) {
  const auto words = made(R"("model":{"type":"BPE","vocab":{"<":0,"e":1,"n":2,"d":3,">":4,"a":5},"merges":[],"ignore_merges":true},
    "added_tokens":[{"id":6,"content":"<end>","special":true},{"id":7,"content":"a<","special":true}])");
  ASSERT_TRUE(words);
  EXPECT_EQ(bothWays(*words, "a <end> d"), (BothWays{{5, 0, 1, 2, 3, 4, 3}, {5, 6, 3}}));
  EXPECT_EQ(bothWays(*words, "a< <end>"), (BothWays{{5, 0, 0, 1, 2, 3, 4}, {7, 6}}));
  const auto characters = made(R"("model":{"type":"BPE","vocab":{"[UNK]":0,"a":1,"b":2},"merges":[],"unk_token":"[UNK]"},
    "added_tokens":[{"id":3,"content":"ß","special":true},{"id":4,"content":"c","special":true}])");
  ASSERT_TRUE(characters);
  EXPECT_EQ(bothWays(*characters, "aßb c"), (BothWays{{1, 0, 2, 0}, {1, 3, 2, 4}}));
}

TEST(AddedTokens, areNotInTheVocabularyOfWordPieces) {
  const auto tokenizer = made(R"("model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1,"##b":2,"<":3,"##end>":4},"unk_token":"[UNK]",
    "continuing_subword_prefix":"##","max_input_chars_per_word":100},
    "added_tokens":[{"id":5,"content":"<end>","special":true},{"id":6,"content":"##c","special":true}])");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(bothWays(*tokenizer, "a <end> ab"), (BothWays{{1, 3, 4, 1, 2}, {1, 5, 1, 2}}));
  EXPECT_EQ(bothWays(*tokenizer, "ac <endc"), (BothWays{{0, 0}, {0, 0}}));
}

// Control tokens that are in the model's vocabulary as well. Hugging Face's library makes them out of plain text; here a user's text
// never becomes one, unless it is a single character that could not be written otherwise.
TEST(AddedTokens, plainTextIsNoControlTokenOfTheVocabulary) {
  const auto words = made(R"("model":{"type":"WordLevel","vocab":{"[UNK]":0,"a":1,"<end>":2},"unk_token":"[UNK]"},
    "added_tokens":[{"id":2,"content":"<end>","special":true}])");
  const auto pieces = made(R"("model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1,"<end>":2,"<":3,"##end>":4},"unk_token":"[UNK]"},
    "added_tokens":[{"id":2,"content":"<end>","special":true}])");
  const auto merged = made(R"("model":{"type":"BPE","ignore_merges":true,
    "vocab":{"<":0,"e":1,"n":2,"d":3,">":4,"en":5,"end":6,"<end":7,"<end>":8,"<end>e":9},
    "merges":["e n","en d","< end","<end >","<end> e"]},
    "added_tokens":[{"id":8,"content":"<end>","special":true},{"id":4,"content":">","special":true}])");
  const auto unigram = made(R"("model":{"type":"Unigram","unk_id":0,
    "vocab":[["<unk>",0],["</s>",0],["<",-3],["/",-3],["s",-3],[">",-3],["a",-2],["\u0001",-2]]},
    "added_tokens":[{"id":0,"content":"<unk>","special":true},{"id":1,"content":"</s>","special":true},
      {"id":7,"content":"\u0001","special":true}])");
  ASSERT_TRUE(words && pieces && merged && unigram);
  EXPECT_EQ(bothWays(*words, "a <end>"), (BothWays{{1, 0}, {1, 2}}));
  EXPECT_EQ(bothWays(*pieces, "a <end>"), (BothWays{{1, 3, 4}, {1, 2}}));
  EXPECT_EQ(bothWays(*merged, "<end> end"), (BothWays{{7, 4, 6}, {8, 6}}));
  EXPECT_EQ(merged->encode("<end>e", {false, false}), Ids{9});
  EXPECT_EQ(bothWays(*unigram, "</s> a <unk> / \u0001"), (BothWays{{2, 3, 4, 5, 6, 0, 3, 7}, {1, 6, 0, 3, 7}}));
}

// The id in the file only counts where the vocabulary has gaps and the next number is taken.
TEST(AddedTokens, areNumberedByTheVocabulary) {
  const std::string model = R"("model":{"type":"WordLevel","unk_token":"[UNK]","vocab":{"[UNK]":0,"a":1,"b":)";
  const auto others = made(model + R"(2}},"added_tokens":[{"id":7,"content":"<s>","special":true},{"id":9,"content":"b"},
    {"id":3,"content":"c"},{"id":1,"content":"d"},{"id":5,"content":""}])");
  const auto gaps = made(model + R"(5}},"added_tokens":[{"id":6,"content":"<s>","special":true},{"id":7,"content":"c"}])");
  const auto twice = made(model + R"(2}},"added_tokens":[{"id":3,"content":"<s>","special":true},
    {"id":4,"content":"<s>","rstrip":true},{"id":5,"content":"q"}])");
  ASSERT_TRUE(others && gaps && twice);
  EXPECT_EQ(others->encode("a <s> b c d", {false, true}), (Ids{1, 3, 2, 4, 5}));
  ASSERT_EQ(others->warnings().size(), 1U);
  EXPECT_NE(others->warnings()[0].find("'<s>' has the id 3, not 7"), std::string::npos) << others->warnings()[0];
  EXPECT_EQ(gaps->encode("a <s> b c", {false, true}), (Ids{1, 3, 5, 4}));
  EXPECT_EQ(twice->encode("a <s> b q", {false, true}), (Ids{1, 3, 2, 4}));
  EXPECT_EQ(twice->decode(Ids{1, 3, 2, 4}, {true}), "a b q");
  const auto taken = made(model + R"(3}},"added_tokens":[{"id":4,"content":"c"}])");  // ours alone: Hugging Face's gives b and c the id 3
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->encode("a b c", {false, true}), (Ids{1, 3, 4}));
}

// "  " and a line end are tokens too, and are found within the white space that <s> strips.
TEST(AddedTokens, areFoundInWhatOthersStrip) {
  const auto made = createTokenizerFromJson(R"({"model":{"type":"BPE","vocab":{"a":0,"b":1," ":2,"\n":3},"merges":[]},"added_tokens":[
    {"id":4,"content":"<s>","special":true,"rstrip":true},{"id":5,"content":"  ","normalized":false},
    {"id":3,"content":"\n","normalized":false}]})",
                                            nlohmann::json());
  ASSERT_TRUE(made) << made.error().message();
  const std::pair<std::string_view, Ids> rows[] = {
      {"a<s>  b", {0, 4, 5, 1}},      {"a<s>   b", {0, 4, 5, 2, 1}},
      {"a<s>    b", {0, 4, 5, 5, 1}}, {"a<s>     b", {0, 4, 5, 5, 2, 1}},
      {"a<s> \n b", {0, 4, 3, 2, 1}}, {"a<s>  \n  b", {0, 4, 5, 3, 5, 1}},
      {"a  <s>   ", {0, 5, 4, 5, 2}}, {"<s>\n\n<s>  <s>b", {4, 3, 3, 4, 5, 4, 1}},
  };
  for (const auto& [text, ids] : rows) EXPECT_EQ((*made)->encode(text, {false, true}), ids) << text;
}

}  // namespace
}  // namespace minerva::text
