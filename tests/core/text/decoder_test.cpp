// Decoders of tokenizer.json. The expected texts are those of Hugging Face's tokenizers 0.23.2.
#include "core/text/stream_decoder.h"
#include "core/text/tokenizer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace minerva::text {
namespace {

std::unique_ptr<const Tokenizer> decodedBy(const std::string& decoder) {
  auto tokenizer = createTokenizerFromJson(
      R"({"model":{"type":"BPE","merges":[],"vocab":{"hello</w>":0,"wor":1,"ld</w>":2,"a</w>b</w>":3," ":4,"x":5,"</w>":6,"▁a":7}},)"
      R"("added_tokens":[{"id":8,"content":"<s>","special":true}],"decoder":)" +
          decoder + "}",
      nlohmann::json());
  EXPECT_TRUE(tokenizer) << (tokenizer ? "" : tokenizer.error().message());
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

using Tokens = std::vector<TokenId>;

std::string shownWhileStreamed(const Tokenizer& tokenizer, const Tokens& ids) {
  StreamDecoder decoder(tokenizer);
  std::string text;
  for (const TokenId id : ids) text += decoder.push(id);
  return text + decoder.flush();
}

struct DecodedCase {
  Tokens ids;
  std::string text;
};

// Only the last token's suffix is no space; a space that a token consists of stays.
TEST(Decoders, wordsEndWithASuffix) {
  const DecodedCase rows[] = {
      {{0, 1, 2}, "hello world"}, {{0, 1}, "hello wor"},   {{0, 4}, "hello  "},  {{3}, "ab"},
      {{0, 3}, "hello ab"},       {{5, 6}, "x"},           {{7, 5, 7}, "▁ax▁a"}, {{4, 5, 4}, " x "},
      {{0, 2, 4}, "hello ld  "},  {{0, 2, 8}, "hello ld"}, {{8, 0, 8}, "hello"},
  };
  const auto tokenizer = decodedBy(R"({"type":"BPEDecoder","suffix":"</w>"})");
  ASSERT_TRUE(tokenizer);
  for (const DecodedCase& row : rows) EXPECT_EQ(tokenizer->decode(row.ids, {true}), row.text);
  EXPECT_EQ(shownWhileStreamed(*tokenizer, {0, 1, 2, 0}), "hello world hello ");  // what follows is not known while a reply is streamed
}

TEST(Decoders, joinedTextIsOneToken) {
  const std::pair<const char*, std::vector<DecodedCase>> decoders[] = {
      {R"({"type":"BPEDecoder","suffix":"</w>"})",
       {{{0, 1, 2}, "helloworld"}, {{0, 4}, "hello "}, {{0, 3}, "helloab"}, {{0, 2, 4}, "hellold "}}},
      {R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true})", {{{7, 5, 7}, "axa"}, {{0, 4}, "hello</w> "}}},
      {R"({"type":"WordPiece","prefix":"##","cleanup":true})", {{{0, 1, 2}, "hello</w>world</w>"}, {{4, 5, 4}, " x "}}},
  };
  for (const auto& [decoder, rows] : decoders) {
    const auto tokenizer = decodedBy(R"({"type":"Sequence","decoders":[{"type":"Fuse"},)" + std::string(decoder) + "]}");
    ASSERT_TRUE(tokenizer);
    for (const DecodedCase& row : rows) {
      EXPECT_EQ(tokenizer->decode(row.ids, {true}), row.text) << decoder;
      EXPECT_EQ(shownWhileStreamed(*tokenizer, row.ids), row.text) << decoder;
    }
  }
}

// A stream strips the start alone.
TEST(Decoders, bothEndsAreStripped) {
  const auto tokenizer = decodedBy(R"({"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":1}]})");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->decode(Tokens{4, 5, 4}, {true}), "x");
  EXPECT_EQ(tokenizer->decode(Tokens{0, 2, 4}, {true}), "hello</w>ld</w>");
  EXPECT_EQ(shownWhileStreamed(*tokenizer, {4, 5, 4, 5}), "x x");
  EXPECT_EQ(tokenizer->decode(Tokens{4, 5, 4, 5}, {true}), "x x");
}

}  // namespace
}  // namespace minerva::text
