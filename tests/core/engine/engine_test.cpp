// Requests to the whole engine, from any thread: replies, conversations, cancels, refusals.
#include "tests/core/engine/engine_fixture.h"

#include <algorithm>
#include <limits>
#include <thread>

namespace minerva::engine {
namespace {

TEST_F(EngineTest, ContinuesGreedilyAsTheOracleDoes) {
  load();
  const auto c = goldenCase();
  const Record r = run(greedy(goldenPrompts()[1].tokens, static_cast<int>(c.greedy.size())));
  EXPECT_EQ(r.tokens, c.greedy);
  ASSERT_TRUE(r.finished.has_value());
  EXPECT_EQ(r.finished->reason, FinishReason::length);
}

TEST_F(EngineTest, SaysWhatHappensInOrderAndInTime) {
  load();
  const Record r = run(greedy(goldenPrompts()[1].tokens, 4));
  EXPECT_EQ(r.kinds.front(), "started");
  EXPECT_EQ(r.kinds.back(), "finished");
  EXPECT_EQ(std::ranges::count(r.kinds, "token"), 4);
  EXPECT_TRUE(std::ranges::is_sorted(r.times));
  const Timings& t = r.finished->timings;
  EXPECT_EQ(t.promptTokens, static_cast<int>(goldenPrompts()[1].tokens.size()));
  EXPECT_EQ(t.generatedTokens, 4);
  EXPECT_EQ(t.reusedTokens, 0);
  EXPECT_GT(t.prefillMs, 0);
  EXPECT_GE(t.ttftMs, t.queueMs + t.prefillMs);
  EXPECT_GE(t.wallMs, t.ttftMs + t.decodeMs);
  EXPECT_GT(t.decodeTokensPerSecond, 0);
  EXPECT_GE(t.tpotP99, t.tpotP50);
  EXPECT_EQ(r.prefill.back().done, r.prefill.back().total);
  EXPECT_EQ(r.finished->contextUsed, t.promptTokens + 4);
}

TEST_F(EngineTest, ChunksOfAnySizeGiveTheSameTokens) {
  for (const int chunk : {1, 3, 7}) {
    load({.path = {}, .chunk = chunk});
    const Record r = run(greedy(goldenPrompts()[1].tokens, 8));
    EXPECT_EQ(r.tokens, firstGreedy(8)) << chunk;
    EXPECT_GE(r.prefill.size(), goldenPrompts()[1].tokens.size() / static_cast<std::size_t>(chunk));
  }
}

TEST_F(EngineTest, AConversationNeverComputesItsPrefixTwice) {
  load();
  const std::vector<TokenId> prompt = goldenPrompts()[1].tokens;
  Request first = greedy(prompt, 5);
  first.conversation = 3;
  const Record one = run(first);
  std::vector<TokenId> longer = prompt;
  longer.insert(longer.end(), one.tokens.begin(), one.tokens.end());
  longer.push_back(9);
  Request second = greedy(longer, 5);
  second.conversation = 3;
  const Record two = run(second);
  EXPECT_EQ(two.started.reusedTokens, static_cast<int>(prompt.size()) + 4) << "all but the last sampled token and the new one";
  load();
  EXPECT_EQ(run(greedy(longer, 5)).tokens, two.tokens) << "reuse changes no token";
}

TEST_F(EngineTest, AnEditRewindsToTheLastCommonToken) {
  load();
  std::vector<TokenId> prompt = goldenPrompts()[1].tokens;
  Request first = greedy(prompt, 3);
  first.conversation = 3;
  run(first);
  prompt[10] = prompt[10] == 5 ? 6 : 5;
  Request edited = greedy(prompt, 3);
  edited.conversation = 3;
  const Record r = run(edited);
  EXPECT_EQ(r.started.reusedTokens, 10);
  load();
  EXPECT_EQ(run(greedy(prompt, 3)).tokens, r.tokens);
}

TEST_F(EngineTest, SeveralConversationsAtOnceAreTheSameAsAlone) {
  std::vector<std::vector<TokenId>> prompts;
  for (int i = 0; i < 5; ++i) {
    prompts.push_back(goldenPrompts()[1].tokens);
    prompts.back().resize(static_cast<std::size_t>(6 + 3 * i));
    prompts.back()[2] = 10 + i;
  }
  std::vector<std::vector<TokenId>> alone;
  for (const auto& prompt : prompts) {
    load();
    alone.push_back(run(greedy(prompt, 6)).tokens);
  }
  load({.path = {}, .sequences = 3, .chunk = 8});
  std::vector<RequestId> requests;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    Request request = greedy(prompts[i], 6);
    request.conversation = i + 1;
    requests.push_back(m_engine->submit(request));
  }
  runAll();
  for (std::size_t i = 0; i < prompts.size(); ++i) EXPECT_EQ(m_records[requests[i]].tokens, alone[i]) << i;
}

TEST_F(EngineTest, ACancelStopsWithinOneToken) {
  load();
  RequestId id = 0;
  m_onEvent = [&](const Event& event) {
    const auto* token = std::get_if<TokenEvent>(&event.body);
    if (token != nullptr && token->index == 2) m_engine->cancel(id);
  };
  id = m_engine->submit(greedy(goldenPrompts()[1].tokens, 100));
  runAll();
  EXPECT_EQ(m_records[id].tokens.size(), 3U);
  EXPECT_EQ(m_records[id].finished->reason, FinishReason::cancelled);
}

TEST_F(EngineTest, ACancelStopsAPromptBetweenChunksAndWhatWasComputedIsReused) {
  load({.path = {}, .chunk = 4});
  RequestId id = 0;
  m_onEvent = [&](const Event& event) {
    const auto* prefill = std::get_if<PrefillProgress>(&event.body);
    if (prefill != nullptr && event.request == id && prefill->done >= 8) m_engine->cancel(id);
  };
  Request request = greedy(goldenPrompts()[1].tokens, 2);
  request.conversation = 5;
  id = m_engine->submit(request);
  runAll();
  EXPECT_EQ(m_records[id].finished->reason, FinishReason::cancelled);
  EXPECT_TRUE(m_records[id].tokens.empty());
  EXPECT_EQ(m_records[id].prefill.back().done, 8);
  m_onEvent = {};
  const Record again = run(request);
  EXPECT_EQ(again.started.reusedTokens, 8);
  EXPECT_EQ(again.tokens, firstGreedy(2));
}

TEST_F(EngineTest, ACancelOfAWaitingRequestEndsIt) {
  load();
  const RequestId running = m_engine->submit(greedy(goldenPrompts()[1].tokens, 3));
  const RequestId waiting = m_engine->submit(greedy(goldenPrompts()[1].tokens, 3));
  m_engine->cancel(waiting);
  runAll();
  EXPECT_EQ(m_records[waiting].finished->reason, FinishReason::cancelled);
  EXPECT_EQ(m_records[running].tokens.size(), 3U);
}

TEST_F(EngineTest, APromptLongerThanTheContextFailsBeforeAnythingRuns) {
  load({.path = {}, .contextLength = 16});
  const Record r = run(greedy(std::vector<TokenId>(16, 5), 1));
  ASSERT_TRUE(r.failed.has_value());
  EXPECT_EQ(r.kinds, std::vector<std::string>{"failed"});
  EXPECT_EQ(r.failed->error.kind, ErrorKind::invalidArgument);
  EXPECT_EQ(r.failed->error.expected, "at most 15 tokens");
  EXPECT_EQ(r.failed->error.actual, "16");
  EXPECT_NE(r.failed->error.hint.find("longer context"), std::string::npos);
}

TEST_F(EngineTest, AFullContextEndsTheReply) {
  load({.path = {}, .contextLength = 16});
  const Record r = run(greedy(std::vector<TokenId>(10, 5), 0));
  ASSERT_TRUE(r.finished.has_value());
  EXPECT_EQ(r.finished->reason, FinishReason::contextFull);
  EXPECT_EQ(r.finished->contextUsed, 16);
  EXPECT_EQ(r.tokens.size(), 6U);
}

TEST_F(EngineTest, ATokenOutsideTheVocabularyIsAnError) {
  load();
  const Record r = run(greedy({1, 2, 100000}, 1));
  ASSERT_TRUE(r.failed.has_value());
  EXPECT_EQ(r.failed->error.where, "token 2 of the prompt");
}

TEST_F(EngineTest, TheSameSeedGivesTheSameText) {
  load();
  Request request = greedy(goldenPrompts()[1].tokens, 12);
  request.sampling = {.temperature = 1.5F, .topK = 0, .topP = 1, .minP = 0, .seed = 11};
  const Record one = run(request);
  const Record two = run(request);
  EXPECT_EQ(one.tokens, two.tokens);
  EXPECT_EQ(one.started.seed, 11U);
  request.sampling.seed = 0;
  const Record three = run(request);
  const Record four = run(request);
  EXPECT_NE(three.started.seed, 0U);
  EXPECT_NE(three.started.seed, four.started.seed);
  EXPECT_NE(three.tokens, four.tokens);
  request.sampling.seed = three.started.seed;
  EXPECT_EQ(run(request).tokens, three.tokens) << "the reported seed repeats it";
}

TEST_F(EngineTest, AStopStringIsNeverShown) {
  load();
  ASSERT_NE(m_engine->tokenizer(), nullptr);
  const Record whole = run(greedy(goldenPrompts()[1].tokens, 20));
  ASSERT_GE(whole.text.size(), 8U) << whole.text;
  const std::string stop = whole.text.substr(whole.text.size() / 2, 3);
  Request request = greedy(goldenPrompts()[1].tokens, 20);
  request.stop = {stop};
  const Record r = run(request);
  EXPECT_EQ(r.finished->reason, FinishReason::stopString);
  EXPECT_EQ(r.text, whole.text.substr(0, whole.text.find(stop)));
}

TEST_F(EngineTest, ATurnEndsAtItsToken) {
  load();
  Request request = greedy(goldenPrompts()[1].tokens, 400);
  request.ignoreEndOfTurn = false;
  request.sampling = {.temperature = 50, .topK = 0, .topP = 1, .minP = 0, .seed = 4};  // nearly uniform, so that EOS is sampled soon
  const Record r = run(request);
  ASSERT_TRUE(r.finished.has_value());
  EXPECT_EQ(r.finished->reason, FinishReason::endOfTurn);
  const TokenId last = r.tokens.back();
  EXPECT_TRUE(m_engine->tokenizer()->isControl(last)) << last;
  EXPECT_EQ(std::ranges::count(r.tokens, last), 1);
  EXPECT_EQ(r.text.find(m_engine->tokenizer()->piece(last)), std::string::npos);
}

TEST_F(EngineTest, MessagesGoThroughTheModelsTemplate) {
  load();
  ASSERT_NE(m_engine->chatTemplate(), nullptr);
  Request chat = greedy({}, 3);
  chat.chat.messages.push_back({{"role", "user"}, {"content", "hello"}});
  const Record r = run(chat);
  ASSERT_TRUE(r.finished.has_value()) << (r.failed ? r.failed->error.message() : "");
  text::RenderRequest render = chat.chat;
  render.variables["bos_token"] = m_engine->tokenizer()->piece(*m_engine->tokenizer()->special().bos);
  render.variables["eos_token"] = m_engine->tokenizer()->piece(*m_engine->tokenizer()->special().eos);
  const auto text = m_engine->chatTemplate()->render(render);
  ASSERT_TRUE(text.has_value());
  const auto ids = m_engine->tokenizer()->encode(*text, {.addSpecial = false, .parseSpecial = true});
  EXPECT_EQ(r.started.promptTokens, static_cast<int>(ids.size()));
  EXPECT_EQ(run(greedy(ids, 3)).tokens, r.tokens);
}

TEST_F(EngineTest, EvaluatesEveryPosition) {
  load({.path = {}, .chunk = 7});
  const tests::OraclePrompt prompt = goldenPrompts()[1];
  const auto all = m_engine->evaluate(prompt.tokens, true);
  ASSERT_TRUE(all.has_value()) << all.error().message();
  ASSERT_EQ(all->size(), prompt.logits.size());
  for (std::size_t i = 0; i < all->size(); ++i) ASSERT_NEAR((*all)[i], prompt.logits[i], 1e-3) << i;
  const auto last = m_engine->evaluate(prompt.tokens, false);
  ASSERT_TRUE(last.has_value());
  EXPECT_TRUE(std::ranges::equal(*last, std::span(*all).last(last->size())));
}

// A prompt whose tokenization takes far longer than a step.
Request longText() {
  Request request;
  for (int i = 0; i < 400000; ++i) request.prompt += "word" + std::to_string(i % 9973) + ' ';
  request.maxTokens = 1;
  return request;
}

TEST_F(EngineTest, AReplyGoesOnWhileAnotherPromptIsMade) {
  load({.path = {}, .sequences = 2});
  const RequestId reply = m_engine->submit(greedy(goldenPrompts()[1].tokens, 300));
  while (m_records[reply].tokens.size() < 3) ASSERT_TRUE(m_engine->step());
  const RequestId other = m_engine->submit(longText());
  const std::size_t before = m_records[reply].tokens.size();
  while (!m_records[other].failed) ASSERT_TRUE(m_engine->step());
  EXPECT_GE(m_records[reply].tokens.size(), before + 5) << "tokens of the reply while the other's prompt was made";
  EXPECT_NE(m_records[other].failed->error.what.find("longer than the context"), std::string::npos);
}

TEST_F(EngineTest, ARequestIsCancelledWhileItsPromptIsMade) {
  load();
  const TimePoint begun = Clock::now();
  const RequestId whole = m_engine->submit(longText());
  while (!m_records[whole].failed) ASSERT_TRUE(m_engine->step());
  const double made = millisecondsBetween(begun, Clock::now());
  const RequestId other = m_engine->submit(longText());
  std::this_thread::sleep_for(std::chrono::milliseconds(10));  // while it is being tokenized
  const TimePoint cancelled = Clock::now();
  m_engine->cancel(other);
  while (!m_records[other].finished) ASSERT_TRUE(m_engine->step());
  EXPECT_LT(millisecondsBetween(cancelled, Clock::now()), made / 2);
  EXPECT_EQ(m_records[other].finished->reason, FinishReason::cancelled);
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(2 * made));  // until it would have been tokenized
  runAll();
  EXPECT_EQ(m_records[other].kinds, std::vector<std::string>{"finished"}) << "and nothing more is said of it";
}

TEST_F(EngineTest, SamplingOptionsOutOfRangeAreRefusedWhereTheyEnter) {
  load();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::pair<std::string, SamplingOptions>> wrong{{"temperature", {.temperature = nan}},
                                                                   {"temperature", {.temperature = -1}},
                                                                   {"top-k", {.topK = -1}},
                                                                   {"top-p", {.topP = 1.5F}},
                                                                   {"min-p", {.minP = -0.1F}},
                                                                   {"repeat penalty", {.repeatPenalty = 0}},
                                                                   {"window of the repeat penalty", {.repeatLastN = -2}}};
  for (const auto& [name, options] : wrong) {
    Request request = greedy({1, 2, 3}, 2);
    request.sampling = options;
    const Record r = run(request);
    ASSERT_TRUE(r.failed.has_value()) << name;
    EXPECT_EQ(r.failed->error.kind, ErrorKind::invalidArgument);
    EXPECT_EQ(r.failed->error.where, name);
  }
  Request request = greedy({1, 2, 3}, -5);
  EXPECT_TRUE(run(request).failed.has_value()) << "a negative length";
  request = greedy({1, 2, 3}, 2);
  request.sampling = {.temperature = 100, .topK = 0, .topP = 0, .minP = 1, .repeatPenalty = 0.01F, .repeatLastN = -1};
  const Record atTheLimits = run(request);
  EXPECT_TRUE(atTheLimits.finished.has_value()) << (atTheLimits.failed ? atTheLimits.failed->error.message() : "no end");
}

TEST_F(EngineTest, OtherThreadsMaySubmitAndCancel) {
  load({.path = {}, .sequences = 2});
  std::stop_source stop;
  std::atomic<int> ended = 0;
  m_onEvent = [&](const Event& event) {
    if (std::holds_alternative<Finished>(event.body)) ++ended;
  };
  std::jthread driver([&] {
    while (m_engine->waitForWork(stop.get_token())) {
      while (m_engine->step()) {
      }
    }
  });
  {
    std::vector<std::jthread> clients;
    for (int t = 0; t < 3; ++t) {
      clients.emplace_back([&, t] {
        for (int i = 0; i < 4; ++i) {
          const RequestId id = m_engine->submit(greedy({1, 2 + t, 3 + i}, 4));
          if (i % 2 == 1) m_engine->cancel(id);
        }
      });
    }
  }
  for (int i = 0; i < 2000 && ended < 12; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(ended, 12);
  stop.request_stop();
}

}  // namespace
}  // namespace minerva::engine
