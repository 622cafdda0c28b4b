// The options of BERT's tokenizer in tokenizer_config.json, as Transformers applies them (tests/data/text/bert-options.py).
#include "core/text/tokenizer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <set>

namespace minerva::text {
namespace {

TEST(BertOptions, AreThoseOfTransformers) {
  const std::filesystem::path data = MINERVA_TEST_DATA;
  std::ifstream in(data / "text" / "bert-options.json"), words(data / "convert" / "bert" / "hf" / "tokenizer.json");
  const auto all = nlohmann::json::parse(in);
  auto tokenizerJson = nlohmann::json::parse(words);
  std::set<std::string> different;
  for (const auto& one : all["cases"]) {
    SCOPED_TRACE(one["config"].dump() + (one["lowercase"] == true ? ", lowercase" : ""));
    tokenizerJson["normalizer"]["lowercase"] = one["lowercase"];
    const auto tokenizer = createTokenizerFromJson(tokenizerJson.dump(), one["config"]);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message();
    for (std::size_t i = 0; i < all["texts"].size(); ++i) {
      const std::string text = all["texts"][i];
      EXPECT_EQ((*tokenizer)->encode(text, {}), one["ids"][i].get<std::vector<TokenId>>()) << text;
    }
    different.insert(one["ids"].dump());
  }
  EXPECT_EQ(all["cases"].size(), 48U);
  EXPECT_GE(different.size(), 4U);  // the options matter to these texts
}

}  // namespace
}  // namespace minerva::text
