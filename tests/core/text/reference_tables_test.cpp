// Characters that Hugging Face's tokenizers 0.23.2 take from other versions of Unicode than the system's libraries; the numbers and texts
// are theirs.
#include "core/base/utf8.h"
#include "core/text/normalizer/normalizer.h"
#include "core/text/pre_tokenizer/pre_tokenizer.h"

#include <gtest/gtest.h>

namespace minerva::text {
namespace {

std::size_t countOfSplitters(const char* type) {
  const auto preTokenizer = PreTokenizer::fromJson({{"type", type}});
  EXPECT_TRUE(preTokenizer) << type;
  std::size_t count = 0;
  for (char32_t c = 0; preTokenizer && c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text = "a";
    utf8::append(text, c);
    text += 'a';
    Splitting splitting(text, true);
    preTokenizer->apply(splitting);
    count += splitting.pieces.size() > 1 ? 1 : 0;
  }
  return count;
}

TEST(ReferenceTables, punctuation) {
  EXPECT_EQ(countOfSplitters("Punctuation"), 726U);
  EXPECT_EQ(countOfSplitters("BertPreTokenizer"), 751U);
  EXPECT_EQ(countOfSplitters("WhitespaceSplit"), 25U);
}

std::string normalizedBy(const char* type, std::string text) {
  const auto normalizer = makeNormalizer({{"type", type}});
  EXPECT_TRUE(normalizer) << type;
  if (normalizer) (*normalizer)->apply(text);
  return text;
}

TEST(ReferenceTables, smallLetters) {
  EXPECT_EQ(normalizedBy("Lowercase", "\u1C89\uA7CB\uA7CC\uA7DA\uA7DC"), "\u1C8A\u0264\uA7CD\uA7DB\u019B");
  EXPECT_EQ(normalizedBy("Lowercase", "\U00010D50\U00010D65\U00016EA0"), "\U00010D70\U00010D85\U00016EBB");
}

TEST(ReferenceTables, marks) { EXPECT_EQ(normalizedBy("StripAccents", "a\u0301\u0363b\u0897\U00010D69"), "ab\u0897\U00010D69"); }

TEST(ReferenceTables, decompositions) {
  const std::string kept = "\u32FF\uA7F2\uAB69\U00010783\U0001E030\U0001F16C\U0001FBF3";
  EXPECT_EQ(normalizedBy("NFKC", kept), kept);
  EXPECT_EQ(normalizedBy("NFKD", kept), kept);
  EXPECT_EQ(normalizedBy("NFD", "\U00011938"), "\U00011938");
  EXPECT_EQ(normalizedBy("NFKC", "\u32FEﬁ"), "ヲfi");
}

}  // namespace
}  // namespace minerva::text
