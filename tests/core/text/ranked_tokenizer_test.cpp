// tekken.json and tiktoken.model: GPT-2's vocabulary written in this form gives GPT-2's ids; small ones are merged by hand.
#include "ranked_files.h"
#include "shared_cases.h"

#include "core/format/model_file_builder.h"
#include "core/text/characters/byte_alphabet.h"
#include "core/text/pre_tokenizer/scanners.h"
#include "core/text/ranked_vocabulary.h"
#include "core/text/template/chat_template.h"

#include <unistd.h>

namespace minerva::text {
namespace {

using nlohmann::json;

Result<std::unique_ptr<const Tokenizer>> tokenizerOf(const std::string& tekkenText, const std::string& tiktokenText = "",
                                                     const json& config = json()) {
  format::ModelFileBuilder builder(format::FileFormat::safetensors, "folder");
  builder.huggingFace().tekken = tekkenText;
  builder.huggingFace().tiktokenModel = tiktokenText;
  builder.huggingFace().tokenizerConfig = config;
  return createTokenizer(*builder.finish());
}

std::string errorOf(const Result<std::unique_ptr<const Tokenizer>>& made) { return made ? "accepted" : made.error().message(); }

// As many tokens as a real one, and more than its models have: these are cut off.
TEST(RankedTokenizer, gpt2AsTekkenGivesItsIds) {
  constexpr TokenId specials = 10;
  const auto vocab = cases::openVocab("gpt-2");
  ASSERT_TRUE(vocab.tokenizer);
  std::vector<std::string> ranks;
  for (TokenId id = 0; id < 50256; ++id) ranks.push_back(vocab.tokenizer->piece(id));
  json file = tekkenFile(ranks, specials, patterns::gpt2);
  for (const char* text : {"Hello world", " supercalifragilistic"})
    file["vocab"].push_back({{"rank", file["vocab"].size()}, {"token_bytes", toBase64(text)}, {"token_str", text}});
  const auto tokenizer = tokenizerOf(file.dump());
  ASSERT_TRUE(tokenizer) << errorOf(tokenizer);
  EXPECT_EQ((*tokenizer)->vocabularySize(), 50266u);
  cases::Score score("gpt-2 as tekken.json");
  for (const auto& row : cases::readRows(cases::tokens("tokenize/gpt-2.jsonl"))) {
    auto ids = row.at("ids").get<std::vector<TokenId>>();
    if (row.at("parse_special").get<bool>()) continue;
    for (TokenId& id : ids) id += specials;
    const auto text = row.at("text").get<std::string>();
    const auto got = (*tokenizer)->encode(text, {.addSpecial = false, .parseSpecial = false});
    score.count(got == ids && (*tokenizer)->decode(ids, {}) == text, row, cases::show(got));
  }
}

TEST(RankedTokenizer, tekkensSpecialTokensComeFirst) {
  const auto tokenizer = tokenizerOf(tekkenFile(ranked({"he", "ll", "hell", "lo", " w"}), 8, patterns::tekken).dump());
  ASSERT_TRUE(tokenizer) << errorOf(tokenizer);
  const Tokenizer& t = **tokenizer;
  EXPECT_EQ(t.vocabularySize(), 8u + 256 + 5);
  EXPECT_EQ(t.find("[INST]"), 3);
  EXPECT_EQ(t.find("<SPECIAL_7>"), 7);
  EXPECT_EQ(t.special().bos, 1);
  EXPECT_EQ(t.special().eos, 2);
  EXPECT_TRUE(t.addsBos());
  // "he" (264) has the lowest rank, then "ll" (265), then both together (266).
  EXPECT_EQ(t.encode("[INST]hello w\xFF</s>", {.addSpecial = true, .parseSpecial = true}),
            (std::vector<TokenId>{1, 3, 266, 8 + 'o', 268, 8 + 255, 2}));
  EXPECT_EQ(t.encode("<s>", {.addSpecial = false, .parseSpecial = false}), (std::vector<TokenId>{8 + '<', 8 + 's', 8 + '>'}));
  EXPECT_EQ(t.decode(std::vector<TokenId>{1, 3, 266, 8 + 'o', 268, 2}, {.skipSpecial = true}), "hello w");
  EXPECT_EQ(t.decode(std::vector<TokenId>{1, 3, 266}, {}), "<s>[INST]hell");
}

TEST(RankedTokenizer, aTekkenWithoutNamesHasThoseOfTheFirstVersions) {
  json file = tekkenFile(ranked({}), 30, patterns::tekken);
  file.erase("special_tokens");
  const auto tokenizer = tokenizerOf(file.dump());
  ASSERT_TRUE(tokenizer) << errorOf(tokenizer);
  EXPECT_EQ((*tokenizer)->find("[TOOL_CALLS]"), 9);
  EXPECT_EQ((*tokenizer)->find("<pad>"), 11);
  EXPECT_EQ((*tokenizer)->find("[TOOL_CONTENT]"), 19);
  EXPECT_EQ((*tokenizer)->find("<SPECIAL_20>"), 20);
}

// Kimi splits runs of Han characters from other letters, and has 256 special tokens behind its ranks.
TEST(RankedTokenizer, kimisRanksAndNames) {
  // clang-format off
  const json config = {{"tokenizer_class", "TikTokenTokenizer"}, {"bos_token", "[BOS]"}, {"eos_token", "[EOS]"},
                       {"added_tokens_decoder", {{"263", {{"content", "[BOS]"}, {"special", true}}},
                                                 {"264", {{"content", "[EOS]"}, {"special", true}}},
                                                 {"266", {{"content", "<|im_end|>"}, {"special", true}}},
                                                 {"267", {{"content", "<think>"}, {"special", false}}}}}};
  // clang-format on
  const auto tokenizer = tokenizerOf("", tiktokenModel(ranked({"he", "ll", "hell", "lo", " world", "\xE4\xB8", "<think"})), config);
  ASSERT_TRUE(tokenizer) << errorOf(tokenizer);
  const Tokenizer& t = **tokenizer;
  EXPECT_EQ(t.vocabularySize(), 263u + 256);
  EXPECT_EQ(t.find("<|reserved_token_265|>"), 265);
  EXPECT_EQ(t.find("<|reserved_token_518|>"), 518);
  EXPECT_EQ(t.special().bos, 263);
  EXPECT_EQ(t.special().eos, 264);
  EXPECT_FALSE(t.addsBos());
  EXPECT_TRUE(t.isControl(266));
  EXPECT_FALSE(t.isControl(267));
  // " world" is a token that no merges make. The Han characters are a word of their own: "a" does not join them.
  EXPECT_EQ(t.encode("hello worlda\xE4\xB8\xAD<|im_end|>", {.addSpecial = true, .parseSpecial = true}),
            (std::vector<TokenId>{258, 'o', ' ', 'w', 'o', 'r', 'l', 'd', 'a', 261, 0xAD, 266}));
  EXPECT_EQ(t.encode("hello world", {}), (std::vector<TokenId>{258, 'o', 260}));
  EXPECT_EQ(t.encode("<think>lo", {.addSpecial = true, .parseSpecial = false}), (std::vector<TokenId>{267, 259}));
}

// Lowest rank first, of one token the parts of lowest rank; of tokens beyond any real length none, as when the file itself is read.
TEST(RankedTokenizer, mergesAreAllPairsThatMakeAToken) {
  const std::string file =
      tekkenFile(ranked({"aa", "aaa", "b ", std::string(1000, 'a'), std::string(2000, 'a')}), 8, patterns::tekken).dump();
  format::HuggingFaceFiles files;
  files.tekken = file;
  const auto made = tokenizerJsonOfRanks(files);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ((*made)["model"]["merges"], (json{"a a", "a aa", "aa a", "b \u0120"}));
  EXPECT_EQ((*made)["model"]["vocab"].size(), 261u);
  EXPECT_EQ((*made)["model"]["vocab"]["aaa"], 8 + 257);
  EXPECT_EQ((*made)["added_tokens"][3], (json{{"id", 3}, {"content", "[INST]"}, {"special", true}}));
}

TEST(RankedTokenizer, damagedOnesAreRefused) {
  const std::vector<std::string> bytes = ranked({});
  const json good = tekkenFile(ranked({"he"}), 8, patterns::tekken);
  const auto damaged = [&](const char* pointer, const json& value) {
    json file = good;
    file[json::json_pointer(pointer)] = value;
    return errorOf(tokenizerOf(file.dump()));
  };
  EXPECT_NE(damaged("/vocab/3/token_bytes", "?").find("the token of rank 3 is not in base64"), std::string::npos);
  EXPECT_NE(damaged("/vocab/3/rank", 4).find("two tokens have the same rank"), std::string::npos);
  EXPECT_NE(damaged("/vocab/3/token_bytes", "aGU=").find("two tokens are the same"), std::string::npos);
  EXPECT_NE(damaged("/vocab/3/rank", -1).find("a token has an impossible rank"), std::string::npos);
  EXPECT_NE(damaged("/vocab/3", "x").find("tekken.json, byte"), std::string::npos);
  EXPECT_NE(damaged("/config/default_vocab_size", 1000).find("expected 992 tokens, found 257"), std::string::npos);
  EXPECT_NE(damaged("/config/default_num_special_tokens", 1u << 31).find("no usable 'default_num_special_tokens'"), std::string::npos);
  json many = good;
  many["config"].update({{"default_vocab_size", 4'000'000}, {"default_num_special_tokens", 3'000'000}});
  EXPECT_NE(errorOf(tokenizerOf(many.dump())).find("expected 0 to 65536, found 3000000"), std::string::npos);
  EXPECT_NE(damaged("/config", json::array()).find("no usable 'default_vocab_size'"), std::string::npos);
  EXPECT_NE(damaged("/config/pattern", "(").find("tekken.json"), std::string::npos);
  EXPECT_NE(damaged("/special_tokens/1/rank", 8).find("ranks below 8"), std::string::npos);
  EXPECT_NE(damaged("/special_tokens/1/token_str", "<unk>").find("two tokens are the same"), std::string::npos);
  EXPECT_NE(errorOf(tokenizerOf("[]")).find("tekken.json cannot be read"), std::string::npos);

  EXPECT_NE(errorOf(tokenizerOf("", "AA== 0\nAQ==\n")).find("line 2 is not a token and its rank"), std::string::npos);
  EXPECT_NE(errorOf(tokenizerOf("", "AA== 1\n")).find("none of rank 0"), std::string::npos);
  EXPECT_NE(errorOf(tokenizerOf("", "AA== 0\n")).find("none for byte 1"), std::string::npos);
  EXPECT_NE(errorOf(tokenizerOf("", tiktokenModel(bytes), {{"tokenizer_class", "HYTokenizer"}})).find("'HYTokenizer'"), std::string::npos);
}

// A folder of Mistral's without tokenizer.json and without a template.
TEST(RankedTokenizer, aFolderWithTekkenAloneCanBeChattedWith) {
  const auto folder = std::filesystem::temp_directory_path() / ("minerva-tekken-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  json file = tekkenFile(ranked({"he"}), 20, patterns::tekken);
  for (const char* name : {"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"})
    file["special_tokens"].push_back({{"rank", file["special_tokens"].size()}, {"token_str", name}, {"is_control", true}});
  std::ofstream(folder / "tekken.json") << file;
  std::ofstream(folder / "config.json") << R"({"architectures": ["MistralForCausalLM"], "eos_token_id": 2})";
  std::ofstream(folder / "model.safetensors", std::ios::binary) << std::string("\2\0\0\0\0\0\0\0{}", 10);
  const auto model = format::ModelFile::open(folder);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(model) << model.error().message();
  const auto tokenizer = createTokenizer(**model);
  ASSERT_TRUE(tokenizer) << errorOf(tokenizer);
  const auto chat = chatTemplateFor(**model, **tokenizer);
  ASSERT_TRUE(chat) << chat.error().message();
  EXPECT_EQ(chat->fallbackName(), "mistral");
  RenderRequest request;
  request.messages = nlohmann::ordered_json::parse(R"([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"},
      {"role": "assistant", "content": "Hello"}, {"role": "user", "content": "Who?"}])");
  request.variables = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  const auto prompt = chat->render(request);
  ASSERT_TRUE(prompt) << prompt.error().message();
  EXPECT_EQ(*prompt, "[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]Hi[/INST]Hello</s>[INST]Who?[/INST]");
  const auto ids = (*tokenizer)->encode(*prompt, {.addSpecial = true, .parseSpecial = true});
  EXPECT_EQ(std::vector<TokenId>(ids.begin(), ids.begin() + 4), (std::vector<TokenId>{1, 5, 20 + 'B', 20 + 'e'}));
}

}  // namespace
}  // namespace minerva::text
