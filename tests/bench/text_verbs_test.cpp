// tokenize, detokenize and render: single texts and one per line.
#include "tests/bench/bench_process.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

namespace minerva::tests {
namespace {

using nlohmann::json;
const std::string huggingFace = (goldenLlama / "hf").string();
const std::string tokenizerJson = (goldenLlama / "hf" / "tokenizer.json").string();

std::string listedJson(const json& ids) {
  std::string text;
  for (const auto& id : ids) text += (text.empty() ? "" : ",") + std::to_string(id.get<int>());
  return text;
}

TEST(TextVerbs, BytesComeBackFromTheirIds) {
  const std::string bytes = "It's 12 o'clock.\n\n\tStraße 你好 \xF0\x9F\x98\x80 \xFF\xC3 end  ";
  const Outcome ids = bench({"tokenize", huggingFace, "--no-bos"}, bytes);
  ASSERT_EQ(ids.code, 0) << ids.err;
  ASSERT_TRUE(ids.json().is_array());
  EXPECT_GT(ids.json().size(), 5U);
  const Outcome back = bench({"detokenize", huggingFace, listedJson(ids.json())});
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(back.out, bytes);
}

TEST(TextVerbs, AnIdOutsideTheVocabularyIsTold) {
  for (const char* id : {"999999", "5,-1"}) {
    const Outcome outcome = bench({"detokenize", huggingFace, id});
    EXPECT_EQ(outcome.code, 1) << id;
    EXPECT_NE(outcome.err.find("not in the vocabulary"), std::string::npos) << outcome.err;
  }
  const Outcome lines = bench({"detokenize", huggingFace, "--jsonl"}, "{\"ids\": [5, 999999]}\n{\"ids\": [5]}\n");
  ASSERT_EQ(lines.lines().size(), 2U) << lines.err;
  EXPECT_TRUE(lines.lines()[0].contains("error"));
  EXPECT_TRUE(lines.lines()[1].contains("bytes_b64"));
}

TEST(TextVerbs, ATokenizerAloneIsEnough) {
  const Outcome folder = bench({"tokenize", huggingFace}, "Hello there");
  const Outcome alone = bench({"tokenize", tokenizerJson}, "Hello there");
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(alone.out, folder.out);
}

TEST(TextVerbs, LinesAreAnsweredInOrderAndABadOneIsAnErrorOfItsOwn) {
  const std::string requests = R"({"text": "one two", "add_bos": false}
not json
{"bytes_b64": "b25lIHR3bw==", "add_special_tokens": false}
{"text": 5}
{"bytes_b64": "*"}
{}
{"text": "", "add_bos": false}
)";
  const Outcome outcome = bench({"tokenize", huggingFace, "--jsonl"}, requests);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto lines = outcome.lines();
  ASSERT_EQ(lines.size(), 7U);
  ASSERT_TRUE(lines[0].contains("ids")) << lines[0];
  EXPECT_EQ(lines[0]["ids"], lines[2]["ids"]);
  for (const int i : {1, 3, 4, 5}) EXPECT_TRUE(lines[static_cast<std::size_t>(i)].contains("error")) << i;
  EXPECT_EQ(lines[6]["ids"], json::array());

  const Outcome back = bench({"detokenize", huggingFace, "--jsonl"}, json{{"ids", lines[0]["ids"]}}.dump() + "\n{\"ids\": \"x\"}\n");
  ASSERT_EQ(back.lines().size(), 2U) << back.err;
  EXPECT_EQ(back.lines()[0]["bytes_b64"], "b25lIHR3bw==");
  EXPECT_TRUE(back.lines()[1].contains("error"));
}

TEST(TextVerbs, RendersATemplateFile) {
  const TemporaryFolder folder;
  const auto path = folder.write(
      "t.jinja",
      "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}\n{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}{{ extra }}");
  const json request = {
      {"messages", {{{"role", "user"}, {"content", " Hi "}}}}, {"add_generation_prompt", true}, {"variables", {{"extra", "!"}}}};
  const Outcome outcome = bench({"render", "--template", path.string()}, request.dump());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "<user>Hi\n<assistant>!");
}

TEST(TextVerbs, RendersLinesWhichMayBringTheirTemplate) {
  const Outcome outcome = bench({"render", "--jsonl"}, R"({"template": "{{ messages | length }}", "messages": [1, 2]}
{"template": "{{ 1 +", "messages": []}
{"messages": []}
)");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto lines = outcome.lines();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["text"], "2");
  EXPECT_NE(lines[1]["error"].get<std::string>().find("line 1"), std::string::npos) << lines[1];
  EXPECT_TRUE(lines[2].contains("error"));
}

TEST(TextVerbs, AModelsOwnTemplateSeesItsTokens) {
  const Outcome outcome =
      bench({"render", huggingFace}, R"({"messages": [{"role": "user", "content": "Ping"}], "add_generation_prompt": true})");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Ping"), std::string::npos);
}

}  // namespace
}  // namespace minerva::tests
