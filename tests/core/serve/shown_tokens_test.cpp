// Probabilities belong to the tokens whose text the answer has, wherever text was held back or never shown.
#include "core/serve/shown_tokens.h"

#include "core/engine/stop_matcher.h"
#include "core/text/stream_decoder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace minerva::serve {
namespace {

// tests/data/text/byte-level.json, whose tokens are bytes and a few words, and these as tokens of their own.
std::unique_ptr<const text::Tokenizer> bytesAnd(const std::vector<const char*>& markers) {
  std::ifstream file(std::filesystem::path(MINERVA_TEST_DATA) / "text/byte-level.json", std::ios::binary);
  auto json = nlohmann::ordered_json::parse(std::string{std::istreambuf_iterator<char>(file), {}});
  int id = 1000;
  for (const char* name : markers)
    json["added_tokens"].push_back({{"id", id++}, {"content", name}, {"special", true}, {"normalized", false}});
  auto tokenizer = text::createTokenizerFromJson(json.dump(), nlohmann::json());
  EXPECT_TRUE(tokenizer) << (tokenizer ? "" : tokenizer.error().message());
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

struct Told {
  std::string answer;
  std::vector<TokenProbability> tokens;
  std::string ofTokens;  // the bytes of these, one after the other
};

// A reply token by token, as core/engine/sequence.cpp shows it.
Told told(const text::Tokenizer& tokenizer, const char* templateSource, const std::string& reply, std::vector<std::string> stops = {},
          bool callsAsText = false) {
  const text::ChannelFormat format = text::channelFormatFor(tokenizer, templateSource);
  text::ChannelSplitter splitter(format, tokenizer, {});
  engine::StopMatcher stop(std::move(stops));
  text::StreamDecoder decoder(tokenizer);
  ShownTokens shown(tokenizer, format);
  Told out;
  const auto take = [&](const std::string& text) {
    out.answer += text;
    for (TokenProbability& token : shown.take(text)) out.tokens.push_back(std::move(token));
  };
  const auto show = [&](const text::ReplyParts& parts) {
    shown.pass(parts.reasoning);
    if (callsAsText) take(parts.toolCall);
    else shown.pass(parts.toolCall);
    take(parts.answer);
  };
  for (const text::TokenId id : tokenizer.encode(reply, {false, true})) {
    if (stop.matched()) break;
    shown.add(id, {});
    if (format.isMarker(id)) {
      text::ReplyParts parts = splitter.text(stop.flush());
      show(parts += splitter.marker(id));
    } else {
      show(splitter.text(stop.push(decoder.push(id))));
    }
  }
  std::string held = stop.push(decoder.flush());
  held += stop.flush();
  text::ReplyParts rest = splitter.text(held);
  show(rest += splitter.flush());
  for (const TokenProbability& token : out.tokens) out.ofTokens += tokenizer.piece(token.token);
  return out;
}

void expectAnswer(const text::Tokenizer& tokenizer, const Told& got, const std::string& answer) {
  EXPECT_EQ(got.answer, answer);
  EXPECT_EQ(got.ofTokens, answer);
  std::size_t offset = 0;
  for (const TokenProbability& token : got.tokens) {
    EXPECT_EQ(token.offset, offset) << answer;
    for (const char c : tokenizer.piece(token.token)) offset += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;  // characters
  }
}

TEST(ShownTokens, AreTheAnswersAlone) {
  const auto words = bytesAnd({}), pair = bytesAnd({"<think>", "</think>"});
  const auto harmony = bytesAnd({"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>", "<|call|>", "<|constrain|>"});
  const std::string call = "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": \"<tool\"}}\n</tool_call>";
  struct Case {
    const text::Tokenizer& tokenizer;
    const char* templateSource;
    std::string reply, answer;
  };
  for (const auto& [tokenizer, templateSource, reply, answer] : {
           Case{*words, "", "Hello, Müller! 😀", "Hello, Müller! 😀"},
           Case{*words, "", "<think>\nA < b, </thin air.\n</think>\n\nthis is < it", "this is < it"},
           Case{*pair, "", "<think>\nA < b\n</think>\n\nthink so", "think so"},
           Case{*words, "<answer></answer>", "<think>\nA\n</think>\n<answer>\nans < it\n</answer>", "ans < it"},
           Case{*words, "<tool_call>", "I call.\n" + call, "I call.\n"},
           Case{*words, "<tool_call>", "I do not: <tool_call>no JSON</tool_call>.", "I do not: <tool_call>no JSON</tool_call>."},
           Case{*harmony, "",
                "<|channel|>analysis<|message|>a final<|end|><|start|>assistant<|channel|>final<|message|>a final f<|return|>",
                "a final f"},
       }) {
    expectAnswer(tokenizer, told(tokenizer, templateSource, reply), answer);
  }
  expectAnswer(*words, told(*words, "<tool_call>", "I call.\n" + call, {}, true), "I call.\n" + call);
}

TEST(ShownTokens, EndBeforeAStopString) {
  const auto words = bytesAnd({});
  for (const auto& [reply, answer] : {std::pair{"one two STOP three", "one two "}, std::pair{"one S ST STO", "one S ST STO"}}) {
    expectAnswer(*words, told(*words, "", reply, {"STOP"}), answer);
  }
}

// The text has U+FFFD in place of the byte.
TEST(ShownTokens, BytesThatAreNoCharactersAreTokensToo) {
  const auto words = bytesAnd({});
  const Told got = told(*words, "", "a\xff\xe2\x82z\xe2");
  EXPECT_EQ(got.answer, "a\uFFFD\uFFFDz\uFFFD");
  EXPECT_EQ(got.ofTokens, "a\xff\xe2\x82z\xe2");
}

}  // namespace
}  // namespace minerva::serve
