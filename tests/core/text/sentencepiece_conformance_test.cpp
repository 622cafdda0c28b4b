// Every reference case of the tokenizer.model files, made with SentencePiece.
#include "shared_cases.h"

#include "core/base/utf8.h"
#include "core/text/stream_decoder.h"

namespace minerva::text {
namespace {

class SentencePieceConformance : public ::testing::TestWithParam<const char*> {};

std::string streamed(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  StreamDecoder decoder(tokenizer, false);
  std::string text;
  for (const TokenId id : ids) text += decoder.push(id);
  return text + decoder.flush();
}

TEST_P(SentencePieceConformance, agrees) {
  const auto folder = cases::tokens("spm");
  const std::string name = GetParam();
  const std::string bytes = cases::readFile(folder / "files" / (name + ".model"));
  const auto tokenizer = createTokenizerFromSentencePiece(bytes, nlohmann::json());
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  cases::Score score("spm/" + name);
  for (const auto& row : cases::readRows(folder / "cases" / (name + ".jsonl"))) {
    const auto ids = row.at("ids").get<std::vector<TokenId>>();
    const auto got = row.contains("text") ? (*tokenizer)->encode(row.at("text").get<std::string>(), {true, false}) : ids;
    const std::string decoded = (*tokenizer)->decode(ids, {false});
    const auto expected = row.at("decoded").get<std::string>();
    const bool right = got == ids && utf8::replaceBroken(decoded) == expected && streamed(**tokenizer, ids) == expected;
    score.count(right, row, cases::show(got) + "\n  decoded " + decoded + "\n  streamed " + streamed(**tokenizer, ids));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, SentencePieceConformance, ::testing::Values("unigram-nmt", "bpe-nfkc", "bpe-bytes"), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace minerva::text
