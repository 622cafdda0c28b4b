// Prompts for what is between two texts, in each form that a vocabulary may tell of.
#include "core/text/infill.h"
#include "named_tokens.h"
#include "shared_cases.h"

namespace minerva::text {
namespace {

// The tokens by their names, joined.
std::string infillText(const std::vector<std::string>& names, std::string_view before, std::string_view after) {
  const NamedTokens tokenizer(names);
  const auto ids = infillPrompt(tokenizer, before, after);
  EXPECT_EQ(ids.has_value(), canInfill(tokenizer));
  return ids ? tokenizer.decode(*ids, {}) : "(none)";
}

TEST(Infill, IsWrittenInTheFormOfTheVocabulary) {
  EXPECT_EQ(infillText({"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"}, "a = ", "\nb"),
            "<|fim_prefix|>a = <|fim_suffix|>\nb<|fim_middle|>");
  EXPECT_EQ(infillText({"<fim_middle>", "<fim_suffix>", "<fim_prefix>"}, "a", "b"), "<fim_prefix>a<fim_suffix>b<fim_middle>");
  EXPECT_EQ(infillText({"<｜fim▁hole｜>", "<｜fim▁begin｜>", "<｜fim▁end｜>"}, "a", "b"), "<｜fim▁begin｜>a<｜fim▁hole｜>b<｜fim▁end｜>");
  EXPECT_EQ(infillText({"[PREFIX]", "[SUFFIX]", "[MIDDLE]"}, "a", "b"), "[SUFFIX]b[PREFIX]a");
  EXPECT_EQ(infillText({"<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"}, "a", "b"), "<[fim-suffix]>b<[fim-prefix]>a<[fim-middle]>");
  EXPECT_EQ(infillText({"<|fim_prefix|>", "<|fim_suffix|>"}, "a", "b"), "(none)") << "one is missing";
  EXPECT_EQ(infillText({"<|im_start|>"}, "a", "b"), "(none)");
  EXPECT_EQ(infillText({"[PREFIX]", "[SUFFIX]"}, "", "b"), "[SUFFIX]b[PREFIX]") << "at the beginning of a file";
}

}  // namespace
}  // namespace minerva::text
