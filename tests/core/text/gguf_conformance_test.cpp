// Every reference case of the GGUF vocabularies: encode, decode, stream.
#include "shared_cases.h"

#include "core/text/stream_decoder.h"

namespace minerva::text {
namespace {

using cases::Score;

class GgufConformance : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!cases::hasVocab(GetParam())) GTEST_SKIP() << "skipped: no ../shared/tokens/vocab/" << GetParam();
    m_vocab = cases::openVocab(GetParam());
    ASSERT_TRUE(m_vocab.tokenizer);
  }
  std::vector<nlohmann::json> rows(const char* folder) const {
    return cases::readRows(cases::tokens(std::string(folder) + "/" + GetParam() + ".jsonl"));
  }
  std::string label(const char* folder) const { return std::string(folder) + "/" + GetParam(); }
  const Tokenizer& tokenizer() const { return *m_vocab.tokenizer; }

 private:
  cases::Vocab m_vocab;
};

void scoreEncode(const Tokenizer& tokenizer, const std::vector<nlohmann::json>& rows, Score& score) {
  for (const auto& row : rows) {
    const EncodeOptions options{row.at("add_bos").get<bool>(), row.at("parse_special").get<bool>()};
    const auto ids = tokenizer.encode(row.at("text").get<std::string>(), options);
    score.count(ids == row.at("ids").get<std::vector<TokenId>>(), row, cases::show(ids));
  }
}

TEST_P(GgufConformance, tokenizes) {
  Score score(label("tokenize"));
  scoreEncode(tokenizer(), rows("tokenize"), score);
}

TEST_P(GgufConformance, tokenizesInvalidBytes) {
  Score score(label("tokenize-invalid"));
  for (const auto& row : rows("tokenize-invalid")) {
    const std::string bytes = cases::bytesOf(row, "bytes");
    const auto ids = tokenizer().encode(bytes, {row.at("add_bos").get<bool>(), row.at("parse_special").get<bool>()});
    const bool back = tokenizer().decode(ids, {false}) == bytes;
    score.count(back && ids == row.at("ids").get<std::vector<TokenId>>(), row,
                cases::show(ids) + (back ? "" : " and not the same bytes back"));
  }
}

TEST_P(GgufConformance, detokenizes) {
  Score score(label("detokenize"));
  for (const auto& row : rows("detokenize")) {
    const auto ids = row.at("ids").get<std::vector<TokenId>>();
    const std::string kept = tokenizer().decode(ids, {false}), skipped = tokenizer().decode(ids, {true});
    const bool hasSkip = row.contains("text_skip") || row.contains("text_skip_b64");
    score.count(kept == cases::bytesOf(row, "text") && (!hasSkip || skipped == cases::bytesOf(row, "text_skip")), row,
                kept + " / " + skipped);
  }
}

TEST_P(GgufConformance, streams) {
  Score score(label("stream"));
  for (const auto& row : rows("stream")) {
    StreamDecoder decoder(tokenizer());
    std::vector<std::string> pieces;
    for (const TokenId id : row.at("ids").get<std::vector<TokenId>>()) pieces.push_back(decoder.push(id));
    const std::string rest = decoder.flush();
    score.count(pieces == row.at("pieces").get<std::vector<std::string>>() && rest == row.at("flush").get<std::string>(), row,
                nlohmann::json(pieces).dump() + " + " + rest);
  }
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, GgufConformance,
                         ::testing::Values("gpt-2", "llama-bpe", "llama-spm", "phi-3", "qwen2", "o200k-harmony"), [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(GgufNormalization, qwen2IsComposedFirst) {
  if (!cases::hasVocab("qwen2")) GTEST_SKIP() << "skipped: no ../shared/tokens/vocab/qwen2";
  const cases::Vocab vocab = cases::openVocab("qwen2");
  ASSERT_TRUE(vocab.tokenizer);
  Score score("tokenize-nfc/qwen2");
  scoreEncode(*vocab.tokenizer, cases::readRows(cases::tokens("tokenize-nfc/qwen2.jsonl")), score);
}

}  // namespace
}  // namespace minerva::text
