// Our own small tokenizers (tests/data/text, made by make_cases.py) against the results of Hugging Face's tokenizers.
#include "shared_cases.h"

#include "core/base/utf8.h"
#include "core/format/model_file_builder.h"
#include "core/text/pipeline/pipeline_tokenizer.h"
#include "core/text/sources/tokenizer_sources.h"
#include "core/text/stream_decoder.h"

#include <random>
#include <thread>

namespace minerva::text {
namespace {

std::filesystem::path data(const std::string& name) { return std::filesystem::path(MINERVA_TEST_DATA) / "text" / name; }

std::unique_ptr<const Tokenizer> open(const std::string& name) {
  auto tokenizer = createTokenizerFromJson(cases::readFile(data(name + ".json")), nlohmann::json());
  EXPECT_TRUE(tokenizer) << (tokenizer ? "" : tokenizer.error().message());
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

class OwnData : public ::testing::TestWithParam<const char*> {};

TEST_P(OwnData, agreesWithHuggingFace) {
  const auto tokenizer = open(GetParam());
  ASSERT_TRUE(tokenizer);
  cases::Score score(GetParam());
  for (const auto& row : cases::readRows(data(std::string(GetParam()) + ".jsonl"))) {
    const auto ids = tokenizer->encode(row.at("text").get<std::string>(),
                                       {row.at("add_special_tokens").get<bool>(), row.at("parse_special").get<bool>()});
    const bool right = ids == row.at("ids").get<std::vector<TokenId>>() &&
                       utf8::replaceBroken(tokenizer->decode(ids, {false})) == row.at("decoded").get<std::string>() &&
                       utf8::replaceBroken(tokenizer->decode(ids, {true})) == row.at("decoded_skip").get<std::string>();
    score.count(right, row, cases::show(ids) + tokenizer->decode(ids, {false}));
  }
}

std::string randomBytes(std::mt19937& random) {
  static const std::vector<std::string> words = {"the", " ships", "Müller", "\xFF", "\xC3",     "\xE4\xB8",   "中",
                                                 "🚀",   "\n",     " ",      "7",    "\x00\x01", "<|im_end|>", "aaaa"};
  std::string bytes;
  const std::size_t length = random() % 40;
  for (std::size_t i = 0; i < length; ++i) {
    if (random() % 2 == 0) bytes += static_cast<char>(random() % 256);
    else bytes += words[random() % words.size()];
  }
  return bytes;
}

// Without a normalizer that changes text, decoding restores every byte. (byte-level.json normalizes to NFC, so it restores
// only stable texts.)
TEST(OwnDataProperties, everyByteComesBack) {
  const auto tokenizer = open("sentencepiece-like");
  ASSERT_TRUE(tokenizer);
  std::mt19937 random(11);
  for (int round = 0; round < 20'000; ++round) {
    const std::string bytes = randomBytes(random);
    if (bytes.find("\xE2\x96\x81") != std::string::npos) continue;  // the space mark decodes to a space
    ASSERT_EQ(tokenizer->decode(tokenizer->encode(bytes, {false, false}), {false}), bytes);
  }
}

TEST(OwnDataProperties, everyByteComesBackAtByteLevel) {
  auto json = nlohmann::json::parse(cases::readFile(data("byte-level.json")));
  json["normalizer"] = nullptr;
  const auto tokenizer = createTokenizerFromJson(json.dump(), nlohmann::json());
  ASSERT_TRUE(tokenizer);
  std::mt19937 random(12);
  for (int round = 0; round < 20'000; ++round) {
    const std::string bytes = randomBytes(random);
    ASSERT_EQ((*tokenizer)->decode((*tokenizer)->encode(bytes, {false, false}), {false}), bytes);
  }
}

TEST_P(OwnData, streamGivesWhatDecodeGives) {
  const auto tokenizer = open(GetParam());
  ASSERT_TRUE(tokenizer);
  std::mt19937 random(13);
  for (int round = 0; round < 5'000; ++round) {
    std::vector<TokenId> ids;
    for (std::size_t i = random() % 30; i > 0; --i) ids.push_back(static_cast<TokenId>(random() % (tokenizer->vocabularySize() + 2)) - 1);
    if (!ids.empty() && tokenizer->find("<0x20>") == ids[0]) ids.erase(ids.begin());  // a literal space, not the one that starts a word
    for (const bool skip : {false, true}) {
      StreamDecoder decoder(*tokenizer, skip);
      std::string shown;
      for (const TokenId id : ids) {
        const std::string piece = decoder.push(id);
        EXPECT_TRUE(utf8::isValid(piece));
        shown += piece;
      }
      shown += decoder.flush();
      EXPECT_EQ(decoder.flush(), "");
      ASSERT_EQ(shown, utf8::replaceBroken(tokenizer->decode(ids, {skip}))) << cases::show(ids);
    }
  }
}

TEST_P(OwnData, threadsAgree) {
  const auto tokenizer = open(GetParam());
  ASSERT_TRUE(tokenizer);
  const std::string text = cases::readFile(data("make_cases.py"));
  const auto expected = tokenizer->encode(text, {true, true});
  std::vector<std::vector<TokenId>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) result = tokenizer->encode(text, {true, true});
    });
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

INSTANTIATE_TEST_SUITE_P(Files, OwnData, ::testing::Values("byte-level", "sentencepiece-like", "unigram"),
                         [](const auto& info) { return std::string(info.param).substr(0, 4); });

// The same model as a tokenizer.model, read by our own parser.
TEST(OwnDataSentencePiece, agreesWithTokenizerJson) {
  const auto tokenizer = createTokenizerFromSentencePiece(cases::readFile(data("unigram.model")), nlohmann::json());
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  EXPECT_FALSE((*tokenizer)->addsBos());
  EXPECT_EQ((*tokenizer)->special().eos, 2);
  cases::Score score("unigram.model");
  for (const auto& row : cases::readRows(data("unigram.jsonl"))) {
    if (row.contains("json_only") || row.at("add_special_tokens").get<bool>()) continue;
    auto expected = row.at("ids").get<std::vector<TokenId>>();
    const auto ids = (*tokenizer)->encode(row.at("text").get<std::string>(), {true, row.at("parse_special").get<bool>()});
    const bool known = std::find(expected.begin(), expected.end(), 0) == expected.end();
    score.count(ids == expected && (!known || (*tokenizer)->decode(ids, {}) == row.at("decoded").get<std::string>()), row,
                cases::show(ids) + (*tokenizer)->decode(ids, {}));
  }
}

// Files next to the model are used as in Transformers: added tokens, and BOS or EOS as configured.
TEST(OwnDataSentencePiece, readsWhatStandsBeside) {
  const nlohmann::json config =
      nlohmann::json::parse(R"({"add_bos_token": true, "add_eos_token": false, "bos_token": "<s>", "eos_token": "<|im_end|>",
    "added_tokens_decoder": {"220": {"content": "<|im_end|>", "special": true}, "221": {"content": "<tool>", "special": false}}})");
  const auto tokenizer = createTokenizerFromSentencePiece(cases::readFile(data("unigram.model")), config);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  const TokenId end = *(*tokenizer)->find("<|im_end|>");
  EXPECT_EQ((*tokenizer)->special().eos, end);
  const auto ids = (*tokenizer)->encode("a<tool><|im_end|>", {true, true});
  ASSERT_GE(ids.size(), 4u);
  EXPECT_EQ(ids.front(), 1);
  EXPECT_EQ(ids.back(), end);
  EXPECT_EQ(ids[ids.size() - 2], *(*tokenizer)->find("<tool>"));
  EXPECT_TRUE((*tokenizer)->isControl(end));
  EXPECT_NE((*tokenizer)->encode("<|im_end|>", {false, false}).back(), end);
  const auto far = nlohmann::json::parse(R"({"added_tokens_decoder": {"4000000": {"content": "x"}}})");
  EXPECT_FALSE(createTokenizerFromSentencePiece(cases::readFile(data("unigram.model")), far));
}

TEST(OwnDataSpecials, areFound) {
  const nlohmann::json config = {{"bos_token", "<|im_start|>"}, {"eos_token", {{"content", "<|im_end|>"}}}, {"pad_token", "<|absent|>"}};
  const auto tokenizer = createTokenizerFromJson(cases::readFile(data("byte-level.json")), config);
  ASSERT_TRUE(tokenizer);
  const SpecialTokens& special = (*tokenizer)->special();
  EXPECT_EQ(special.bos, 1);
  EXPECT_EQ(special.eos, 2);
  EXPECT_FALSE(special.pad);
  EXPECT_EQ(special.endOfGeneration, (std::vector<TokenId>{0, 2}));  // <|endoftext|>, <|im_end|>
  EXPECT_TRUE((*tokenizer)->addsBos());
  EXPECT_EQ((*tokenizer)->warnings().size(), 1u);
  EXPECT_TRUE((*tokenizer)->isControl(1));
  EXPECT_FALSE((*tokenizer)->isControl(*(*tokenizer)->find("<tool>")));
  EXPECT_EQ((*tokenizer)->piece(1), "<|im_start|>");
  EXPECT_EQ((*tokenizer)->piece(100'000), "");
  EXPECT_FALSE((*tokenizer)->find("no such token"));
}

// Minitron: a token that has another meaning elsewhere.
TEST(OwnDataSpecials, whatATemplateWritesBetweenTurnsEndsAReply) {
  auto json = nlohmann::json::parse(cases::readFile(data("byte-level.json")));
  json["added_tokens"].push_back({{"id", 422}, {"content", "<extra_id_1>"}, {"special", true}});
  const std::string text = json.dump();
  const auto ends = [&](const std::string& chatTemplate) {
    format::ModelFileBuilder builder(format::FileFormat::safetensors, "folder");
    builder.huggingFace().tokenizerJson = text;
    builder.huggingFace().tokenizerConfig = {{"eos_token", "<|im_end|>"}};
    builder.huggingFace().chatTemplate = chatTemplate;
    const auto tokenizer = createTokenizer(*builder.finish());
    EXPECT_TRUE(tokenizer) << (tokenizer ? "" : tokenizer.error().message());
    return tokenizer ? (*tokenizer)->special().endOfGeneration : std::vector<TokenId>();
  };
  EXPECT_EQ(ends("{{ '<extra_id_1>User\\n' }}"), (std::vector<TokenId>{0, 2, 422}));
  EXPECT_EQ(ends("{{ '<|im_start|>' }}"), (std::vector<TokenId>{0, 2}));
}

TEST(OwnDataSpecials, configAddsBosWithoutTemplate) {
  auto json = nlohmann::json::parse(cases::readFile(data("byte-level.json")));
  json["post_processor"] = nullptr;
  const nlohmann::json config = {{"bos_token", "<|im_start|>"}, {"add_bos_token", true}};
  const auto tokenizer = createTokenizerFromJson(json.dump(), config);
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ((*tokenizer)->encode("", {true, false}), (std::vector<TokenId>{1}));
  EXPECT_EQ((*tokenizer)->encode("", {false, false}), std::vector<TokenId>{});
}

}  // namespace
}  // namespace minerva::text
