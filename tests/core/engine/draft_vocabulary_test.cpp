// A draft model is used only where its token ids mean the same text.
#include "core/engine/draft_vocabulary.h"

#include <gtest/gtest.h>

namespace minerva::engine {
namespace {

using text::TokenId;

// Tokens whose names begin with '<' are special.
class WordTokens : public text::Tokenizer {
 public:
  explicit WordTokens(std::vector<std::string> tokens) : m_tokens(std::move(tokens)) {}
  std::vector<TokenId> encode(std::string_view, text::EncodeOptions) const override { return {}; }
  std::string decode(std::span<const TokenId>, text::DecodeOptions) const override { return {}; }
  std::string piece(TokenId id) const override { return m_tokens[static_cast<std::size_t>(id)]; }
  std::size_t vocabularySize() const override { return m_tokens.size(); }
  bool isControl(TokenId id) const override { return piece(id).starts_with('<'); }
  std::optional<TokenId> find(std::string_view) const override { return std::nullopt; }
  const text::SpecialTokens& special() const override { return m_special; }
  bool addsBos() const override { return false; }
  std::string description() const override { return {}; }

 private:
  std::vector<std::string> m_tokens;
  text::SpecialTokens m_special;
};

const WordTokens words({"<s>", "a", "b", " ab", "\xC3"});

Result<void> compared(const WordTokens& draft) { return checkSameVocabulary(&words, &draft, "draft.gguf"); }

TEST(DraftVocabulary, TheSameTextForEveryId) {
  EXPECT_TRUE(compared(words));
  EXPECT_TRUE(compared(WordTokens({"<s>", "a", "b", " ab", "\xC3", "<pad>", "<pad1>"}))) << "padded";
  EXPECT_TRUE(compared(WordTokens({"<s>", "a", "b"}))) << "it has fewer";
  EXPECT_TRUE(compared(WordTokens({"<bos>", "a", "b", " ab", "\xC3"}))) << "a special token has no text";
}

TEST(DraftVocabulary, TheFirstIdThatDiffersIsNamed) {
  const Result<void> last = compared(WordTokens({"<s>", "a", "b", " ab", "\xC2"}));
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(last.error().where, "draft.gguf");
  EXPECT_EQ(last.error().expected, "token 4 = \"\xEF\xBF\xBD\"") << "a part of a character";
  const Result<void> first = compared(WordTokens({"<s>", "A", "B", " ab", "\xC3"}));
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().expected, "token 1 = \"a\"");
  EXPECT_EQ(first.error().actual, "\"A\"");
}

TEST(DraftVocabulary, SpecialTokensAreNoText) {
  const Result<void> text = compared(WordTokens({"s", "a", "b"}));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().expected, "token 0 = \"<s>\" (special)");
  EXPECT_EQ(text.error().actual, "\"s\"");
  EXPECT_FALSE(compared(WordTokens({"<s>", "<a>", "b"})));
}

TEST(DraftVocabulary, WithoutATokenizerNothingCanBeCompared) {
  const Result<void> none = checkSameVocabulary(&words, nullptr, "draft.gguf");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().actual, "no usable tokenizer in the draft model");
  EXPECT_FALSE(checkSameVocabulary(nullptr, &words, "draft.gguf"));
}

}  // namespace
}  // namespace minerva::engine
