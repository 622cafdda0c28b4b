// A constrained reply token by token: the constraint is the answer's, not that of the reasoning before it.
#include "core/engine/sequence.h"

#include "core/grammar/gbnf.h"
#include "tests/core/text/named_tokens.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace minerva::engine {
namespace {

using text::NamedTokens;

constexpr TokenId thinkToken = 0, thoughtToken = 1, endToken = 2;
TokenId byteToken(char c) { return 1000 + static_cast<unsigned char>(c); }

class ConstraintChannels : public ::testing::Test {
 protected:
  struct Told {
    std::string answer, reasoning;
    std::optional<FinishReason> end;
    std::optional<Error> error;
  };

  // A reply by a model that wants these tokens, one after the other; where one is not allowed, it takes the next best: the letters of
  // "abc...", in this order, then the end.
  Told run(const std::string& prompt, const std::vector<TokenId>& wanted, const char* grammarText, text::ReasoningChoice reasoning = {}) {
    Told told;
    const Emit emit = [&](RequestId, auto body) {
      if (const auto* token = std::get_if<TokenEvent>(&body)) {
        told.answer += token->text;
        told.reasoning += token->reasoning;
      }
      if (const auto* end = std::get_if<Finished>(&body)) {
        told.end = end->reason;
        told.answer += end->tail;
        told.reasoning += end->reasoningTail;
      }
      if (const auto* failed = std::get_if<Failed>(&body)) told.error = failed->error;
    };
    Prompt made;
    made.tokens = m_tokenizer->encode(prompt, {});
    Arrival arrival;
    arrival.request.chat.messages.push_back({{"role", "user"}, {"content", "Hi"}});
    arrival.request.chat.reasoning = reasoning;
    arrival.request.sampling.temperature = 0;
    arrival.request.constraint = *grammar::parseGbnf(grammarText);
    arrival.time = Clock::now();
    SequenceModel model;
    model.tokenizer = m_tokenizer.get();
    model.endOfTurn = m_ends;
    model.contextLength = 4096;
    model.channels = &m_format;
    model.constraints = &m_tables;
    Sequence sequence(std::move(arrival), std::move(made), Assignment{}, model, emit);
    for (const TokenId token : wanted) {
      if (sequence.finished()) break;
      std::vector<float> logits(m_tokenizer->vocabularySize(), -10.0F);
      for (char c = 'a'; c <= 'z'; ++c) logits[static_cast<std::size_t>(byteToken(c))] = static_cast<float>('z' - c) / 10;
      logits[endToken] = -5;
      logits[static_cast<std::size_t>(byteToken('!'))] = -std::numeric_limits<float>::infinity();
      logits[static_cast<std::size_t>(token)] = 20;
      const RowLogits row{.best = std::nullopt, .all = logits};
      EXPECT_FALSE(sequence.sample({&row, 1}).has_value());
      EXPECT_TRUE(sequence.take());
    }
    return told;
  }

  std::shared_ptr<const text::Tokenizer> m_tokenizer =
      std::make_shared<NamedTokens>(std::vector<std::string>{"<think>", "</think>", "<end>"});
  std::vector<TokenId> m_ends{endToken};
  text::ChannelFormat m_format = text::channelFormatFor(*m_tokenizer, "</think>");
  ConstraintTables m_tables{std::make_shared<ConstraintTokens>(m_tokenizer, m_ends, 1256)};
};

TEST_F(ConstraintChannels, ReasoningIsFree) {
  const std::vector<TokenId> wanted{thinkToken,     byteToken('x'), byteToken('y'), thoughtToken,
                                    byteToken('q'), byteToken('b'), endToken,       endToken};
  const Told told = run("Hi", wanted, R"(root ::= "a" "b" "c"*)");
  EXPECT_EQ(told.reasoning, "xy");
  EXPECT_EQ(told.answer, "ab");
  EXPECT_EQ(told.end, FinishReason::endOfTurn);
}

TEST_F(ConstraintChannels, ReasoningThatThePromptOpenedIsFree) {
  const Told told = run("Hi<think>", {byteToken('x'), thoughtToken, byteToken('q'), byteToken('q')}, R"(root ::= "a" "b")");
  EXPECT_EQ(told.reasoning, "x");
  EXPECT_EQ(told.answer, "ab");
  EXPECT_EQ(told.end, FinishReason::endOfTurn);
}

// The end in the middle of reasoning would leave out the answer.
TEST_F(ConstraintChannels, ReasoningDoesNotEndTheReply) {
  const Told told = run("Hi<think>", {byteToken('x'), endToken, thoughtToken, byteToken('q'), byteToken('q')}, R"(root ::= "k" "l")");
  EXPECT_EQ(told.reasoning, "xa");
  EXPECT_EQ(told.answer, "kl");
}

TEST_F(ConstraintChannels, ReasoningComesOnceAndFirst) {
  EXPECT_EQ(run("Hi", {thinkToken, byteToken('x'), thoughtToken, thinkToken, thinkToken}, R"(root ::= "a" "b")").answer, "ab");
  EXPECT_EQ(run("Hi", {byteToken('a'), thinkToken}, R"(root ::= "a" "b")").answer, "ab");
  EXPECT_EQ(run("Hi", {thinkToken, thinkToken}, R"(root ::= "a" "b")", {.on = false, .effort = {}}).answer, "ab");
}

TEST_F(ConstraintChannels, TheEndComesWhereTheGrammarAllowsIt) {
  const Told told = run("Hi", {endToken, endToken, endToken}, R"(root ::= "a" "b"*)");
  EXPECT_EQ(told.answer, "a");
  EXPECT_EQ(told.end, FinishReason::endOfTurn);
}

TEST_F(ConstraintChannels, WhatCannotBeSpelledIsSaid) {
  const Told told = run("Hi", {byteToken('a'), byteToken('b'), byteToken('c')}, R"(root ::= "a!")");
  EXPECT_EQ(told.answer, "a");
  ASSERT_TRUE(told.error);
  EXPECT_NE(told.error->message().find("no token that could go on"), std::string::npos) << told.error->message();
}

}  // namespace
}  // namespace minerva::engine
