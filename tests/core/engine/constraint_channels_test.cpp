// A constrained reply token by token: the constraint is the answer's, not that of the reasoning before it.
#include "core/engine/sequence.h"

#include "core/grammar/gbnf.h"
#include "core/grammar/tool_call.h"
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
    std::vector<text::ToolCall> calls;
    std::optional<FinishReason> end;
    std::optional<Error> error;
  };

  // A reply by a model that wants these tokens, one after the other; where one is not allowed, it takes the next best: the letters of
  // "abc...", in this order, then the end.
  Told run(const std::string& prompt, const std::vector<TokenId>& wanted, const char* grammarText, text::ReasoningChoice reasoning = {}) {
    Request request;
    request.chat.reasoning = reasoning;
    request.constraint = *grammar::parseGbnf(grammarText);
    return run(prompt, wanted, std::move(request));
  }
  Told run(const std::string& prompt, const std::vector<TokenId>& wanted, Request request) {
    Told told;
    const Emit emit = [&](RequestId, auto body) {
      if (const auto* token = std::get_if<TokenEvent>(&body)) {
        told.answer += token->text;
        told.reasoning += token->reasoning;
        told.calls.insert(told.calls.end(), token->calls.begin(), token->calls.end());
      }
      if (const auto* end = std::get_if<Finished>(&body)) {
        told.end = end->reason;
        told.answer += end->tail;
        told.reasoning += end->reasoningTail;
        told.calls.insert(told.calls.end(), end->callsTail.begin(), end->callsTail.end());
      }
      if (const auto* failed = std::get_if<Failed>(&body)) told.error = failed->error;
    };
    Prompt made;
    made.tokens = m_tokenizer->encode(prompt, {});
    request.chat.messages.push_back({{"role", "user"}, {"content", "Hi"}});
    request.sampling.temperature = 0;
    Arrival arrival{.id = 0, .request = std::move(request), .time = Clock::now()};
    SequenceModel model;
    model.tokenizer = m_tokenizer.get();
    model.endOfTurn = m_ends;
    model.contextLength = 4096;
    model.channels = &m_format;
    model.constraints = &m_tables;
    Sequence sequence(std::move(arrival), std::move(made), Assignment{}, model, emit);
    EXPECT_FALSE(sequence.mayDraft());
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

// Calls whose markers are control tokens, which no other constrained reply may have.
class ConstraintCalls : public ConstraintChannels {
 protected:
  void use(std::vector<std::string> markers, const char* templateSource, bool asControls = true) {
    std::vector<std::string> names{"<think>", "</think>", "<end>"};
    const auto controls = static_cast<TokenId>(names.size() + (asControls ? markers.size() : 0));
    names.insert(names.end(), markers.begin(), markers.end());
    m_tokenizer = std::make_shared<NamedTokens>(std::move(names), controls);
    m_format = text::channelFormatFor(*m_tokenizer, templateSource);
    m_tables = ConstraintTables(std::make_shared<ConstraintTokens>(m_tokenizer, m_ends, 1256, callMarkers(m_format)));
  }
  // A reply that has to be a call of f(x: text), by a model that wants these tokens and then the end.
  Told call(const std::string& prompt, const std::string& wanted) {
    const text::CallForm& form = *m_format.callForm;
    const auto marked = [&](std::string_view text) { return markedForCalls(text, m_format, *m_tokenizer); };
    grammar::CallSyntax syntax{.before = marked(form.before), .between = marked(form.between), .after = marked(form.after)};
    if (m_format.isHarmony()) {
      syntax.thoughtOpen = marked("<|channel|>analysis<|message|>");
      syntax.thoughtClose = marked("<|end|><|start|>assistant");
    }
    const auto schema =
        grammar::Json::parse(R"({"properties":{"x":{"type":"string","maxLength":3}},"required":["x"],"additionalProperties":false})");
    Request request;
    request.constraint = *grammar::toolCallGrammar(syntax, {{"f", schema, "schema"}});
    request.constraintIsCall = true;
    request.callFormat = form.format;
    request.chat.tools = grammar::Json::array();
    if (!wanted.starts_with("<think>")) request.chat.reasoning.on = false;
    std::vector<TokenId> tokens = m_tokenizer->encode(wanted, {});
    tokens.resize(tokens.size() + 300, endToken);
    return run(prompt, tokens, std::move(request));
  }
  // A reply that is free, but for calls that the model begins by itself, which are of f(x: "ab"). It wants these tokens and then the end.
  Told guided(const std::string& wanted, const char* answerGrammar = nullptr) {
    const text::CallForm& form = *m_format.callForm;
    const auto marked = [&](std::string_view text) { return markedForCalls(text, m_format, *m_tokenizer); };
    const grammar::CallSyntax syntax{.before = marked(form.before),
                                     .between = marked(form.between),
                                     .after = marked(form.after),
                                     .next = marked(form.next),
                                     .end = marked(form.format->close)};
    const auto schema = grammar::Json::parse(R"({"properties":{"x":{"enum":["ab"]}},"required":["x"],"additionalProperties":false})");
    Request request;
    if (answerGrammar != nullptr) request.constraint = *grammar::parseGbnf(answerGrammar);
    request.callConstraint = {.grammar = *grammar::toolCallGrammar(syntax, {{"f", schema, "schema"}}),
                              .opens = m_tokenizer->find(form.format->open).value()};
    request.chat.tools = grammar::Json::parse(R"([{"function":{"name":"f"}}])");
    std::vector<TokenId> tokens = m_tokenizer->encode(wanted, {});
    tokens.resize(tokens.size() + 300, endToken);
    return run("Hi", tokens, std::move(request));
  }
  static std::string shown(const Told& told) {
    EXPECT_EQ(told.end, FinishReason::endOfTurn);
    EXPECT_EQ(told.calls.size(), 1U) << told.answer;
    return told.calls.empty() ? told.answer : text::plainText(told.calls[0]);
  }
};

TEST_F(ConstraintCalls, MarkersAreTokensOfTheirOwn) {
  use({"[TOOL_CALLS]", "[ARGS]"}, "[TOOL_CALLS] [ARGS]");
  EXPECT_EQ(shown(call("Hi", "[TOOL_CALLS]f[ARGS]{\"x\":\"a[\"}")), "f\nx: \"a[\"");
  EXPECT_EQ(shown(call("Hi", "<think>so</think>[TOOL_CALLS]f[ARGS]{\"x\":\"\"}")), "f\nx: \"\"");
  // The marker ends reasoning that is not closed.
  const Told unclosed = call("Hi", "<think>so[TOOL_CALLS]f[ARGS]{\"x\":\"\"}");
  EXPECT_EQ(shown(unclosed), "f\nx: \"\"");
  EXPECT_EQ(unclosed.reasoning, "so");
  EXPECT_EQ(unclosed.answer, "");
  // The model wants none, or a marker within a value.
  EXPECT_EQ(shown(call("Hi", "qqqqqqqqqqqqqqq")), "f\nx: \"aaa\"");
  EXPECT_EQ(shown(call("Hi", "qqq{\"x\":\"[ARGS]\"}")), "f\nx: \"a\"");
  // Other replies have no markers.
  EXPECT_EQ(run("Hi", m_tokenizer->encode("[TOOL_CALLS]", {}), R"(root ::= [^a] [^b])").answer, "b");
}

TEST_F(ConstraintCalls, HarmonyHasReasoningBeforeTheCall) {
  use({"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|call|>", "<|constrain|>"}, "");
  const std::string written = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"x\":\"a\"}";
  EXPECT_EQ(shown(call("<|start|>assistant", written)), "f\nx: \"a\"");
  const Told thought = call("<|start|>assistant", "<|channel|>analysis<|message|>why not<|end|><|start|>assistant" + written);
  EXPECT_EQ(shown(thought), "f\nx: \"a\"");
  EXPECT_EQ(thought.reasoning, "why not");
  // The model wants to answer.
  EXPECT_EQ(shown(call("<|start|>assistant", "<|channel|>commentary<|message|>No")), "f\nx: \"aaa\"");
}

constexpr const char* wrongCall = "<tool_call>\n{\"name\": \"g\", \"arguments\": {\"x\": \"zz\"}}\n</tool_call>";

TEST_F(ConstraintCalls, TheModelsOwnCallsFollowTheirSchema) {
  for (const bool asControls : {true, false}) {
    use({"<tool_call>", "</tool_call>"}, "<tool_call>", asControls);
    const Told told = guided(std::string("See g: ") + wrongCall + "Then " + wrongCall);
    EXPECT_EQ(told.answer, "See g: \n\nThen ");
    ASSERT_EQ(told.calls.size(), 2U);
    for (const text::ToolCall& call : told.calls) EXPECT_EQ(text::plainText(call), "f\nx: \"ab\"");
    EXPECT_EQ(told.end, FinishReason::endOfTurn);
    EXPECT_EQ(guided("No <call>{\"name\": \"g\"}").answer, "No <call>{\"name\": \"g\"}");
    // The model wants to end the reply in the call, or to leave the marker away that closes it.
    EXPECT_EQ(shown(guided("<tool_call>")), "f\nx: \"ab\"");
    EXPECT_EQ(shown(guided("<tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": \"ab\"}}, as you see")), "f\nx: \"ab\"");
    EXPECT_EQ(guided("Hm", R"(root ::= "a" "b")").answer, "ab");
    EXPECT_EQ(shown(guided(wrongCall, R"(root ::= "a" "b")")), "f\nx: \"ab\"");
  }
}

// Unless the marker is a token of its own kind, which ends reasoning wherever it is.
TEST_F(ConstraintCalls, TheModelsOwnDraftsInReasoningAreFree) {
  use({"<tool_call>", "</tool_call>"}, "<tool_call>", false);
  const Told drafted = guided(std::string("<think>Perhaps <tool_call>g?</tool_call>, but</think>") + wrongCall);
  EXPECT_EQ(drafted.reasoning, "Perhaps <tool_call>g?</tool_call>, but");
  EXPECT_EQ(shown(drafted), "f\nx: \"ab\"");
  use({"<tool_call>", "</tool_call>"}, "<tool_call>");
  const Told unclosed = guided(std::string("<think>So ") + wrongCall);
  EXPECT_EQ(unclosed.reasoning, "So");
  EXPECT_EQ(shown(unclosed), "f\nx: \"ab\"");
}

TEST_F(ConstraintCalls, TheModelsOwnMayBeAList) {
  use({"[TOOL_CALLS]"}, "[TOOL_CALLS]");
  const std::string wrong = "{\"name\": \"g\", \"arguments\": {\"x\": \"zz\"}}";
  const Told told = guided("[TOOL_CALLS][" + wrong + ", " + wrong + "] That is all");
  ASSERT_EQ(told.calls.size(), 2U);
  for (const text::ToolCall& call : told.calls) EXPECT_EQ(text::plainText(call), "f\nx: \"ab\"");
  EXPECT_EQ(told.answer, "That is all");
}

TEST_F(ConstraintChannels, WhatCannotBeSpelledIsSaid) {
  const Told told = run("Hi", {byteToken('a'), byteToken('b'), byteToken('c')}, R"(root ::= "a!")");
  EXPECT_EQ(told.answer, "a");
  ASSERT_TRUE(told.error);
  EXPECT_NE(told.error->message().find("no token that could go on"), std::string::npos) << told.error->message();
}

}  // namespace
}  // namespace minerva::engine
