// A reply passed through Sequence token by token: the events, and the channel of each.
#include "core/engine/sequence.h"
#include "core/text/channels.h"
#include "tests/core/text/named_tokens.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace minerva::engine {
namespace {

// tests/data/text/byte-level.json and the tokens of the harmony format.
std::unique_ptr<const text::Tokenizer> harmonyTokenizer() {
  std::ifstream file(std::filesystem::path(MINERVA_TEST_DATA) / "text/byte-level.json", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  auto json = nlohmann::ordered_json::parse(bytes);
  int id = 1000;
  for (const char* name : {"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>", "<|call|>", "<|constrain|>"})
    json["added_tokens"].push_back({{"id", id++}, {"content", name}, {"special", true}, {"normalized", false}});
  auto tokenizer = text::createTokenizerFromJson(json.dump(), nlohmann::json());
  EXPECT_TRUE(tokenizer) << (tokenizer ? "" : tokenizer.error().message());
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

struct Heard {
  std::string answer, reasoning, toolCall;
  std::vector<text::ToolCall> calls;
  std::vector<text::CallPiece> pieces;
  std::optional<Finished> finished;
};

class ReplyChannels : public ::testing::Test {
 protected:
  void SetUp() override {
    m_tokenizer = harmonyTokenizer();
    ASSERT_TRUE(m_tokenizer);
    m_format = text::channelFormatFor(*m_tokenizer, "");
    m_ends = m_tokenizer->special().endOfGeneration;
  }

  // Runs a sequence whose model replies with `reply`.
  Heard run(const std::string& prompt, const std::string& reply, Request request) {
    Heard heard;
    const Emit emit = [&](RequestId, auto body) {
      if (const auto* token = std::get_if<TokenEvent>(&body)) {
        const std::size_t before = heard.answer.size();
        heard.answer += token->text;
        heard.reasoning += token->reasoning;
        heard.toolCall += token->toolCall;
        heard.calls.insert(heard.calls.end(), token->calls.begin(), token->calls.end());
        for (const text::CallPiece& piece : token->callPieces) heard.pieces.emplace_back(piece).place += before;
      }
      if (auto* finished = std::get_if<Finished>(&body)) heard.finished = std::move(*finished);
    };
    Prompt made;
    made.tokens = m_tokenizer->encode(prompt, {false, true});
    request.sampling.temperature = 0;
    Arrival arrival;
    arrival.request = std::move(request);
    arrival.time = Clock::now();
    SequenceModel model;
    model.tokenizer = m_tokenizer.get();
    model.endOfTurn = m_ends;
    model.contextLength = 4096;
    model.channels = &m_format;
    Sequence sequence(std::move(arrival), std::move(made), Assignment{}, model, emit);
    for (const TokenId token : m_tokenizer->encode(reply, {false, true})) {
      if (sequence.finished()) break;
      std::vector<float> logits(m_tokenizer->vocabularySize(), 0.0f);
      logits[static_cast<std::size_t>(token)] = 10;
      const RowLogits row{.best = std::nullopt, .all = logits};
      EXPECT_FALSE(sequence.sample({&row, 1}).has_value());
      EXPECT_TRUE(sequence.take());
    }
    if (!sequence.finished()) sequence.finish(FinishReason::length);
    return heard;
  }

  static Request chat() {
    Request request;
    request.chat.messages.push_back({{"role", "user"}, {"content", "Hi"}});
    return request;
  }

  std::unique_ptr<const text::Tokenizer> m_tokenizer;
  text::ChannelFormat m_format;
  std::vector<TokenId> m_ends;
};

constexpr const char* prompt = "<|start|>user<|message|>Hi<|end|><|start|>assistant";
constexpr const char* reply =
    "<|channel|>analysis<|message|>Greet the Müller.<|end|><|start|>assistant<|channel|>final<|message|>Hello, Müller!<|return|> never";

TEST_F(ReplyChannels, AreApartAndTheEndIsReturn) {
  const Heard heard = run(prompt, reply, chat());
  EXPECT_EQ(heard.reasoning, "Greet the Müller.");
  EXPECT_EQ(heard.answer, "Hello, Müller!");
  EXPECT_EQ(heard.toolCall, "");
  ASSERT_TRUE(heard.finished);
  EXPECT_EQ(heard.finished->reason, FinishReason::endOfTurn);
  EXPECT_GT(heard.finished->timings.reasoningTokens, 5);
  EXPECT_LT(heard.finished->timings.reasoningTokens, heard.finished->timings.generatedTokens);
}

TEST_F(ReplyChannels, ACallOfAToolEndsTheReply) {
  const Heard heard = run(prompt, "<|channel|>commentary to=functions.now<|constrain|>json<|message|>{}<|call|> never", chat());
  EXPECT_EQ(heard.toolCall, "{}");
  EXPECT_EQ(heard.answer + heard.reasoning, "");
  EXPECT_EQ(heard.finished->reason, FinishReason::endOfTurn);
  ASSERT_EQ(heard.finished->callsTail.size(), 1u);  // the token that ends the call ends the reply
  EXPECT_EQ(heard.finished->callsTail[0].name, "now");
}

// Markers in plain text, with characters that several tokens make up.
TEST_F(ReplyChannels, CallsComeWithTheTokenThatEndsThem) {
  std::ifstream file(std::filesystem::path(MINERVA_TEST_DATA) / "text/byte-level.json", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  auto tokenizer = text::createTokenizerFromJson(bytes, nlohmann::json());
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  m_tokenizer = std::move(*tokenizer);
  m_format = text::channelFormatFor(*m_tokenizer, "<tool_call>");
  const Heard heard =
      run("Hi", "I ask Müller.\n<tool_call>\n{\"name\": \"ask\", \"arguments\": {\"who\": \"Müller\"}}\n</tool_call>", chat());
  EXPECT_EQ(heard.answer, "I ask Müller.\n");
  ASSERT_EQ(heard.calls.size(), 1u);
  EXPECT_EQ(text::plainText(heard.calls[0]), "ask\nwho: \"Müller\"");
  EXPECT_TRUE(heard.finished->callsTail.empty());
  // A syntax without quotes: the tool's schema tells that this is no number.
  Request request = chat();
  request.chat.tools = nlohmann::ordered_json::parse(
      R"([{"type":"function","function":{"name":"ask","parameters":{"properties":{"zip":{"type":"string"}}}}}])");
  const std::string qwen = "<tool_call><function=ask><parameter=zip>12345</parameter></function>";
  EXPECT_EQ(text::plainText(run("Hi", qwen + "</tool_call>.", request).calls.at(0)), "ask\nzip: \"12345\"");
  EXPECT_EQ(text::plainText(run("Hi", qwen, request).finished->callsTail.at(0)), "ask\nzip: \"12345\"");
}

// Its last tags may be missing; those of a reply that was cut off are no call.
TEST_F(ReplyChannels, TheModelsOwnEndClosesACall) {
  m_format = text::channelFormatFor(text::NamedTokens({}), "<tool_call>");
  const std::string call = "<tool_call>\n<function=ask>\n<parameter=who>\nMe\n</parameter>\n";
  const Heard ended = run("Hi", call + "<|return|>", chat());
  EXPECT_EQ(ended.finished->reason, FinishReason::endOfTurn);
  ASSERT_EQ(ended.finished->callsTail.size(), 1u);
  EXPECT_EQ(text::plainText(ended.finished->callsTail[0]), "ask\nwho: \"Me\"");
  const Heard cut = run("Hi", call, chat());
  EXPECT_EQ(cut.finished->reason, FinishReason::length);
  EXPECT_TRUE(cut.finished->callsTail.empty());
  EXPECT_EQ(cut.answer + cut.finished->tail, call);
}

TEST_F(ReplyChannels, WhatWasHeldBackComesOnItsChannel) {
  Request request = chat();
  request.stop = {"xyz"};
  const Heard heard = run(prompt, "<|channel|>final<|message|>held xy", request);
  EXPECT_EQ(heard.answer, "held ");
  EXPECT_EQ(heard.finished->tail, "xy");
}

// Nobody who sends a stop string means thoughts or calls.
TEST_F(ReplyChannels, StopStringsAreThoseOfTheAnswer) {
  Request request = chat();
  request.stop = {"the"};
  const Heard heard = run(prompt, reply, request);
  EXPECT_EQ(heard.reasoning, "Greet the Müller.");
  EXPECT_EQ(heard.finished->reason, FinishReason::endOfTurn);
  m_format = text::channelFormatFor(text::NamedTokens({}), "<tool_call></think>");
  const std::string call = R"(<tool_call>{"name": "f", "arguments": {"a": "the x"}}</tool_call>)";
  const Heard called = run("Hi", "<think>the thoughts</think>Hello " + call + "<|return|>", request);
  EXPECT_EQ(called.reasoning + called.finished->reasoningTail, "the thoughts");
  EXPECT_EQ(called.answer + called.finished->tail, "Hello ");
  EXPECT_EQ(called.calls.size() + called.finished->callsTail.size(), 1U);
  const Heard stopped = run("Hi", "<think>the thoughts</think>Hello there " + call, request);
  EXPECT_EQ(stopped.finished->reason, FinishReason::stopString);
  EXPECT_EQ(stopped.answer + stopped.finished->tail, "Hello ");
  EXPECT_EQ(stopped.calls.size() + stopped.finished->callsTail.size(), 0U);
}

// What they could begin with is told before a call's pieces, which are where the call is.
TEST_F(ReplyChannels, StopStringsAroundCallsThatAreToldOfInPieces) {
  Request request = chat();
  request.stop = {"the"};
  request.callPieces = true;
  request.chat.tools = nlohmann::ordered_json::parse(R"([{"type": "function", "function": {"name": "f"}}])");
  m_format = text::channelFormatFor(text::NamedTokens({}), "<tool_call>");
  const std::string call = R"(<tool_call>{"name": "f", "arguments": {"a": "the x"}}</tool_call>)";
  const Heard heard = run("Hi", "Hello th" + call + "e two " + call + " and then " + call, request);
  EXPECT_EQ(heard.finished->reason, FinishReason::stopString);
  EXPECT_EQ(heard.answer + heard.finished->tail, "Hello th\n\ne two \n\nand ");
  EXPECT_EQ(heard.calls.size() + heard.finished->callsTail.size(), 2U);
  std::string arguments[2];
  for (const text::CallPiece& piece : heard.pieces) {
    ASSERT_LT(piece.call, 2U) << piece.arguments;
    arguments[piece.call] += piece.arguments;
    EXPECT_EQ(piece.place, piece.call == 0 ? 8U : 16U);
  }
  EXPECT_EQ(arguments[0], R"({"a":"the x"})");
  EXPECT_EQ(arguments[1], arguments[0]);
  EXPECT_TRUE(heard.finished->callPiecesTail.empty());
}

// What calls hold back may be text after all, and have one.
TEST_F(ReplyChannels, AStopStringInTextThatWasHeldBack) {
  Request request = chat();
  request.stop = {"the"};
  m_format = text::channelFormatFor(text::NamedTokens({}), "<tool_call>");
  const Heard heard = run("Hi", R"(So: <tool_call>{"name": "f", "a": "the x)", request);
  EXPECT_EQ(heard.finished->reason, FinishReason::stopString);
  EXPECT_EQ(heard.answer + heard.finished->tail, R"(So: <tool_call>{"name": "f", "a": ")");
}

TEST_F(ReplyChannels, PlainPromptsHaveNone) {
  Request request;
  request.prompt = "Hi";
  EXPECT_EQ(run("Hi", " there <think>", request).answer, " there <think>");
}

TEST_F(ReplyChannels, ShowSpecialShowsAll) {
  Request request = chat();
  request.showSpecial = true;
  const Heard heard = run(prompt, "<|channel|>analysis<|message|>a", request);
  EXPECT_EQ(heard.answer, "<|channel|>analysis<|message|>a");
}

}  // namespace
}  // namespace minerva::engine
