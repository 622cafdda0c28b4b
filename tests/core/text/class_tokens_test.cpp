// Folders whose tokens and prefixes only a Python class states: what these classes give (tests/data/text, made by make_class_tokens.py).
#include "ranked_files.h"
#include "shared_cases.h"

#include "core/format/model_file_builder.h"
#include "core/text/template/chat_template.h"
#include "core/text/vocabulary/vocabulary.h"

#include <unistd.h>

namespace minerva::text {
namespace {

using nlohmann::json;
using Made = Result<std::unique_ptr<const Tokenizer>>;

std::filesystem::path classData(const std::string& name) { return std::filesystem::path(MINERVA_TEST_DATA) / "text" / name; }
std::string refusalOf(const Made& made) { return made ? "accepted" : made.error().message(); }

Made fromPieces(const json& config) {
  static const std::string bytes = cases::readFile(classData("class-tokens.model"));
  format::ModelFileBuilder builder(format::FileFormat::safetensors, "folder");
  builder.huggingFace().tokenizerModel = bytes;
  builder.huggingFace().tokenizerConfig = config;
  return createTokenizer(*builder.finish());
}

Made fromRanks(const std::string& ranks, const json& config, std::string_view format::HuggingFaceFiles::*file) {
  format::ModelFileBuilder builder(format::FileFormat::safetensors, "folder");
  builder.huggingFace().*file = ranks;
  builder.huggingFace().tokenizerConfig = config;
  return createTokenizer(*builder.finish());
}

TEST(ClassTokens, piecesGiveWhatTheClassGives) {
  cases::Score score("folders with tokenizer.model alone");
  for (const json& folder : json::parse(cases::readFile(classData("class-tokens.json")))) {
    const Made tokenizer = fromPieces(folder.at("tokenizer_config"));
    ASSERT_TRUE(tokenizer) << folder.at("family") << ": " << refusalOf(tokenizer);
    EXPECT_TRUE((*tokenizer)->warnings().empty()) << folder.at("family");
    for (const json& row : folder.at("cases")) {
      const auto ids =
          (*tokenizer)->encode(row.at("text").get<std::string>(), {row.at("add_special").get<bool>(), row.at("parse_special").get<bool>()});
      score.count(ids == row.at("ids").get<std::vector<TokenId>>(), {{"family", folder.at("family")}, {"row", row}}, cases::show(ids));
    }
  }
}

json named(const char* family) {
  for (const json& folder : json::parse(cases::readFile(classData("class-tokens.json"))))
    if (folder.at("family") == family) return folder.at("tokenizer_config");
  return {};
}

// InternLM2: names for ids whose pieces were kept free.
TEST(ClassTokens, aConfiguredNameReplacesThePiece) {
  json config = named("internlm2");
  const Made tokenizer = fromPieces(config);
  ASSERT_TRUE(tokenizer) << refusalOf(tokenizer);
  const Tokenizer& t = **tokenizer;
  EXPECT_EQ(t.find("<|im_start|>"), 327);
  EXPECT_EQ(t.find("[UNUSED_TOKEN_146]"), std::nullopt);
  EXPECT_EQ(t.find("[UNUSED_TOKEN_142]"), 323);
  EXPECT_TRUE(t.isControl(326));
  EXPECT_EQ(t.piece(326), "<|im_end|>");
  EXPECT_EQ(t.special().endOfGeneration, (std::vector<TokenId>{2, 326}));
  for (const char* kept : {"[UNUSED_TOKEN_142]", "[UNUSED_TOKEN_146]"})
    EXPECT_GT(t.encode(kept, {.addSpecial = false, .parseSpecial = true}).size(), 5u) << kept;
  config["added_tokens_decoder"]["327"]["content"] = "user";
  EXPECT_NE(refusalOf(fromPieces(config)).find("added token 327 contradicts the vocabulary"), std::string::npos)
      << refusalOf(fromPieces(config));
}

TEST(ClassTokens, chatGlm3HasRolesThatEndAReply) {
  const Made third = fromPieces(named("chatglm3")), second = fromPieces(named("chatglm2"));
  ASSERT_TRUE(third && second);
  const Tokenizer& t = **third;
  const TokenId sop = 331, user = 334;
  EXPECT_EQ(t.find("<|user|>"), user);
  EXPECT_EQ(t.special().endOfGeneration, (std::vector<TokenId>{2, 334, 336}));
  EXPECT_FALSE(t.addsBos());
  const auto prompt = t.encode("[gMASK]sop<|user|>\n hello", {.addSpecial = false, .parseSpecial = true});
  EXPECT_EQ(std::vector<TokenId>(prompt.begin(), prompt.begin() + 3), (std::vector<TokenId>{329, sop, user}));
  for (const char* text : {"sopa", "a sop", "sop", "[gMASK] sop"}) {
    const auto word = t.encode(text, {.addSpecial = false, .parseSpecial = true});
    EXPECT_EQ(std::ranges::find(word, sop), word.end()) << text;
  }
  EXPECT_EQ((*second)->find("<|user|>"), std::nullopt);
  EXPECT_EQ((*second)->find("eop"), 332);
  EXPECT_EQ((*second)->special().endOfGeneration, std::vector<TokenId>{2});
}

TEST(ClassTokens, aChatGlmOfNoNameIsWarnedOf) {
  const Made tokenizer = fromPieces({{"tokenizer_class", "ChatGLMTokenizer"}});
  ASSERT_TRUE(tokenizer) << refusalOf(tokenizer);
  ASSERT_EQ((*tokenizer)->warnings().size(), 1u);
  EXPECT_NE((*tokenizer)->warnings()[0].find("ChatGLM2 or ChatGLM3"), std::string::npos);
  EXPECT_EQ((*tokenizer)->find("<|observation|>"), 336);
}

// GLM-4's tokenizer.model and Qwen 1's qwen.tiktoken.
TEST(ClassTokens, ranksGiveWhatTheClassGives) {
  const json file = json::parse(cases::readFile(classData("class-ranks.json")));
  const std::string ranks = tiktokenModel(ranked(file.at("tokens").get<std::vector<std::string>>()));
  const Made glm = fromRanks(ranks, {{"tokenizer_class", "ChatGLM4Tokenizer"}}, &format::HuggingFaceFiles::tokenizerModel);
  const Made qwen = fromRanks(ranks, {{"tokenizer_class", "QWenTokenizer"}}, &format::HuggingFaceFiles::qwenTiktoken);
  ASSERT_TRUE(glm) << refusalOf(glm);
  ASSERT_TRUE(qwen) << refusalOf(qwen);
  cases::Score score("folders with ranks alone");
  for (const json& row : file.at("cases")) {
    const Tokenizer& tokenizer = row.at("class") == "QWenTokenizer" ? **qwen : **glm;
    const auto ids =
        tokenizer.encode(row.at("text").get<std::string>(), {.addSpecial = true, .parseSpecial = row.at("parse_special").get<bool>()});
    score.count(ids == row.at("ids").get<std::vector<TokenId>>(), row, cases::show(ids));
  }
  EXPECT_EQ((*glm)->special().eos, (*glm)->find("<|endoftext|>"));
  EXPECT_EQ((*glm)->vocabularySize(), 256u + 13 + 14);
  EXPECT_EQ((*qwen)->vocabularySize(), 256u + 13 + 208);
  EXPECT_EQ((*qwen)->special().endOfGeneration, (std::vector<TokenId>{269, 270, 271}));
}

TEST(ClassTokens, ranksOfAnUnknownClassAreRefused) {
  const std::string ranks = tiktokenModel(ranked({}));
  const auto model = &format::HuggingFaceFiles::tokenizerModel;
  EXPECT_NE(refusalOf(fromRanks(ranks, {{"tokenizer_class", "LlamaTokenizer"}}, model))
                .find("it is not known how this tokenizer.model splits text"),
            std::string::npos);
  EXPECT_NE(refusalOf(fromRanks(ranks, json(), model)).find("found nothing"), std::string::npos);
  const json taken = {{"tokenizer_class", "ChatGLM4Tokenizer"},
                      {"added_tokens_decoder", {{"65", {{"content", "<sop>"}, {"special", true}}}}}};
  EXPECT_NE(refusalOf(fromRanks(ranks, taken, model)).find("has the id of a rank"), std::string::npos)
      << refusalOf(fromRanks(ranks, taken, model));
}

// Qwen 1: a folder with neither tokenizer.json nor a template.
TEST(ClassTokens, aFolderWithQwenTiktokenAloneCanBeChattedWith) {
  const auto folder = std::filesystem::temp_directory_path() / ("minerva-qwen-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "qwen.tiktoken") << tiktokenModel(ranked({"he"}));
  std::ofstream(folder / "tokenizer_config.json") << R"({"tokenizer_class": "QWenTokenizer"})";
  std::ofstream(folder / "config.json") << R"({"architectures": ["QWenLMHeadModel"], "model_type": "qwen"})";
  std::ofstream(folder / "model.safetensors", std::ios::binary) << std::string("\2\0\0\0\0\0\0\0{}", 10);
  const auto model = format::ModelFile::open(folder);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(model) << model.error().message();
  const Made tokenizer = createTokenizer(**model);
  ASSERT_TRUE(tokenizer) << refusalOf(tokenizer);
  const auto chat = chatTemplateFor(**model, **tokenizer);
  ASSERT_TRUE(chat) << chat.error().message();
  EXPECT_EQ(chat->fallbackName(), "qwen");
  RenderRequest request;
  request.messages = nlohmann::ordered_json::parse(R"([{"role": "user", "content": "Hi"}])");
  const auto prompt = chat->render(request);
  ASSERT_TRUE(prompt) << prompt.error().message();
  EXPECT_EQ(*prompt, "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ClassTokens, aFolderOfChatGlmWithoutATemplateIsAskedInItsForm) {
  const auto asked = [](const char* family) {
    static const std::string bytes = cases::readFile(classData("class-tokens.model"));
    format::ModelFileBuilder builder(format::FileFormat::safetensors, "folder");
    builder.huggingFace().tokenizerModel = bytes;
    builder.huggingFace().tokenizerConfig = named(family);
    const auto file = builder.finish();
    const auto tokenizer = createTokenizer(*file);
    const auto chat = chatTemplateFor(*file, **tokenizer);
    RenderRequest request;
    request.messages = nlohmann::ordered_json::parse(R"([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"}, {"role": "user", "content": "Who?"}])");
    const auto prompt = chat->render(request);
    return prompt ? *prompt : prompt.error().message();
  };
  EXPECT_EQ(asked("chatglm3"), "<|system|>\n Be brief.<|user|>\n Hi<|assistant|>\n Hello<|user|>\n Who?<|assistant|>");
  EXPECT_EQ(asked("chatglm2"), "Be brief.\n\n[Round 1]\n\n问：Hi\n\n答：Hello\n\n[Round 2]\n\n问：Who?\n\n答：");
}

TEST(Vocabulary, aRenamedTokenIsFoundByItsNewTextAlone) {
  Vocabulary vocabulary;
  for (TokenId id = 0; id < 40; ++id) ASSERT_TRUE(vocabulary.add(id, "t" + std::to_string(id), TokenKind::normal));
  EXPECT_FALSE(vocabulary.rename(40, "new")) << "no such token";
  EXPECT_FALSE(vocabulary.rename(3, "t4")) << "another token's text";
  EXPECT_TRUE(vocabulary.rename(3, "t3"));
  for (TokenId id = 0; id < 40; ++id) ASSERT_TRUE(vocabulary.rename(id, "n" + std::to_string(id)));
  for (TokenId id = 40; id < 200; ++id) ASSERT_TRUE(vocabulary.add(id, "t" + std::to_string(id), TokenKind::normal));
  EXPECT_EQ(vocabulary.find("t3"), noToken);
  EXPECT_EQ(vocabulary.find("n39"), 39);
  EXPECT_EQ(vocabulary.text(39), "n39");
  EXPECT_EQ(vocabulary.find("t199"), 199);
  EXPECT_EQ(vocabulary.count(), 200u);
  EXPECT_TRUE(vocabulary.add(200, "t3", TokenKind::normal)) << "the old text is free";
  EXPECT_EQ(vocabulary.find("t3"), 200);
}

}  // namespace
}  // namespace minerva::text
