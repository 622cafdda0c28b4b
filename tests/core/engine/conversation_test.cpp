// Conversations on models with recurrent states or windows, which can only return to a checkpoint. Whatever a request reuses, its logits
// must be those of a fresh run of the same tokens: to the last bit on the reference backend, which computes every row alike, and within the
// tolerance of exact precision on the CPU.
#include "core/engine/scheduler.h"
#include "core/backend/kv_pages.h"
#include "gpu/available.h"
#include "tests/core/engine/watched_placement.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace minerva::engine {
namespace {

using Tokens = std::vector<TokenId>;
constexpr TokenId endOfTurn = 2;

Tokens operator+(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

int sizeOf(const Tokens& tokens) { return static_cast<int>(tokens.size()); }

float largestDifference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return std::numeric_limits<float>::infinity();
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float difference = std::abs(a[i] - b[i]);
    largest = std::isnan(difference) ? std::numeric_limits<float>::infinity() : std::max(largest, difference);
  }
  return largest;
}

struct Outcome {
  Tokens tokens;
  int reused = -1;
  int computed = 0;  // rows
  bool failed = false;
  std::optional<FinishReason> reason;
};

class Conversation : public testing::TestWithParam<const char*> {
 protected:
  struct Setup {
    int slots = 1, checkpoints = 16, chunk = 64;
    int switchLength = 0;  // of a LongRoPE; 0: none
    bool attention = true;
    bool windows = false;  // instead of recurrent states: attention to the last 40 positions in every other layer
    bool plain = false;    // attention to all positions in every layer
  };

  void load(const Setup& setup) {
    using enum tests::Mixer;
    m_made = tests::randomModel({.layers = 4, .context = 2048, .seed = 5});
    const auto mixers = setup.attention ? std::vector{deltaNet, shortConvolution, attentionAndMamba, attention}
                                        : std::vector{mamba, deltaNet, shortConvolution, selectiveMamba};
    if (!setup.windows && !setup.plain) tests::addMixers(*m_made, mixers);
    for (std::size_t i = 0; setup.windows && i < m_made->config.layers.size(); i += 2) m_made->config.layers[i].visible.window = 40;
    if (setup.switchLength > 0) {
      model::Rope& rope = m_made->config.ropes.front();
      rope.switchLength = setup.switchLength;
      for (const float frequency : rope.frequencies) rope.longFrequencies.push_back(frequency / 3);
    }
    m_fresh = std::make_unique<LoadedModel>();
    m_model = std::make_unique<LoadedModel>();
    place(*m_fresh, {.chunk = 512});
    place(*m_model, setup);
    m_model->placement = std::make_unique<WatchedPlacement>(std::move(m_model->placement), m_notes);
    m_freshScheduler = std::make_unique<Scheduler>(*m_fresh, 0, m_emit);
    m_scheduler = std::make_unique<Scheduler>(*m_model, 0, m_emit);
  }

  void place(LoadedModel& model, const Setup& setup) {
    auto plan = model::buildPlan(m_made->config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    model.plan = std::move(*plan);
    model.endOfTurn = {endOfTurn};
    model.placed = {.contextLength = 2048,
                    .slots = setup.slots,
                    .checkpoints = setup.checkpoints,
                    .maxRows = setup.chunk,
                    .maxOutputRows = setup.chunk,
                    .precision = backend::Precision::exact};
    auto placed = m_backend->place(model.plan, model.placed, {}, {});
    ASSERT_TRUE(placed.has_value()) << placed.error().message();
    model.placement = std::move(*placed);
  }

  void hear(RequestId id, const auto& body) {
    Outcome& outcome = m_outcomes[id];
    if (const auto* started = std::get_if<Started>(&body)) outcome.reused = started->reusedTokens;
    if (const auto* token = std::get_if<TokenEvent>(&body)) outcome.tokens.push_back(token->token);
    if (const auto* finished = std::get_if<Finished>(&body)) outcome.reason = finished->reason;
    if (std::holds_alternative<Failed>(body)) outcome.failed = true;
  }

  RequestId submit(const Tokens& prompt, int count, std::uint64_t conversation) {
    Arrival arrival{++m_lastId, {}, Clock::now()};
    arrival.request.sampling.temperature = 0;
    arrival.request.maxTokens = count;
    arrival.request.ignoreEndOfTurn = true;
    arrival.request.conversation = conversation;
    Prompt made;
    made.tokens = prompt;
    m_scheduler->add(std::move(arrival), std::move(made));
    return m_lastId;
  }

  // cancelAfter: ticks; 0: it runs to its end.
  Outcome run(const Tokens& prompt, int count, std::uint64_t conversation = 1, int cancelAfter = 0) {
    m_notes.logits.clear();
    m_notes.rows = 0;
    const RequestId id = submit(prompt, count, conversation);
    for (int ticks = 1; m_scheduler->tick(); ++ticks) {
      if (ticks == cancelAfter) m_scheduler->cancel(id);
    }
    m_outcomes[id].computed = m_notes.rows;
    return m_outcomes[id];
  }

  // The last run's logits, position by position, are those of the same tokens run from the first.
  void expectFresh(const Tokens& prompt, const Outcome& outcome, const char* what) {
    const Tokens all = prompt + outcome.tokens;
    std::size_t compared = 0;
    const auto done = m_freshScheduler->evaluate(std::span(all).first(all.size() - 1), true, 0, [&](std::size_t position, auto expected) {
      if (position + 1 < prompt.size()) return true;
      const std::vector<float>& found = m_notes.logits[static_cast<int>(position)];
      EXPECT_LE(largestDifference(found, expected), m_tolerance) << what << ", position " << position;
      ++compared;
      return true;
    });
    ASSERT_TRUE(done.has_value()) << done.error().message();
    EXPECT_EQ(compared, outcome.tokens.size()) << what;
    EXPECT_EQ(outcome.computed, sizeOf(all) - 1 - outcome.reused) << what;
  }

  // `reply` is the greedy one after `prompt`: the logits of no other token are larger. Each is computed from all tokens before it, for
  // models that depend on their number.
  void expectGreedy(Tokens prompt, const Tokens& reply, const std::string& what) {
    for (const TokenId token : reply) {
      const auto done = m_freshScheduler->evaluate(prompt, false, 0, [&](std::size_t, std::span<const float> logits) {
        EXPECT_LE(std::ranges::max(logits) - logits[static_cast<std::size_t>(token)], 2 * m_tolerance)
            << what << ", after " << prompt.size();
        return true;
      });
      ASSERT_TRUE(done.has_value()) << done.error().message();
      prompt.push_back(token);
    }
  }

  static Tokens message(int seed, int length) {
    Tokens tokens;
    for (int i = 0; i < length; ++i) tokens.push_back(5 + (seed * 29 + i * (seed % 7 + 3) + i * i % 11) % 60);
    tokens.push_back(endOfTurn);
    return tokens;
  }
  static const Tokens& replyBegins() {
    static const Tokens tokens{3, 4};
    return tokens;
  }

  // A turn: the user's message, then a reply.
  struct Turn {
    Tokens prompt;
    Outcome reply;
    [[nodiscard]] int seen() const { return sizeOf(prompt) + sizeOf(reply.tokens) - 1; }  // the last token sampled was not run
    [[nodiscard]] Tokens then(const Tokens& message) const { return prompt + reply.tokens + Tokens{endOfTurn} + message + replyBegins(); }
  };
  // A conversation of these turns, some 750 tokens.
  std::vector<Turn> converse() {
    std::vector<Turn> turns;
    const std::vector<std::pair<int, int>> lengths{{90, 20}, {30, 70}, {200, 40}, {25, 90}, {110, 12}};  // message, reply
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Tokens said = message(static_cast<int>(i), lengths[i].first);
      Turn turn{i == 0 ? Tokens{1} + said + replyBegins() : turns.back().then(said), {}};
      turn.reply = run(turn.prompt, lengths[i].second);
      expectFresh(turn.prompt, turn.reply, "a turn");
      EXPECT_EQ(turn.reply.reused, i == 0 ? 0 : turns.back().seen()) << "turn " << i;
      turns.push_back(std::move(turn));
    }
    return turns;
  }

  std::unique_ptr<backend::Backend> m_backend = std::move(*createBackend(GetParam(), {.threads = 2}));
  const float m_tolerance = std::string_view(GetParam()) == "reference" ? 0 : 1e-3F;
  std::optional<tests::RandomModel> m_made;
  std::unique_ptr<LoadedModel> m_fresh, m_model;
  WatchedPlacement::Notes m_notes;
  Emit m_emit = [this](RequestId id, const auto& body) { hear(id, body); };
  std::unique_ptr<Scheduler> m_freshScheduler, m_scheduler;
  RequestId m_lastId = 0;
  std::map<RequestId, Outcome> m_outcomes;
};

TEST_P(Conversation, AReplyIsMadeAnewFromTheEndOfTheLastMessage) {
  load({});
  const std::vector<Turn> turns = converse();
  const Turn& last = turns.back();
  for (int times = 0; times < 2; ++times) {
    const Outcome again = run(last.prompt, 30);
    EXPECT_EQ(again.reused, sizeOf(last.prompt) - sizeOf(replyBegins()));
    expectFresh(last.prompt, again, "again");
  }
}

TEST_P(Conversation, AnEditedMessageIsComputedFromTheNearestCheckpoint) {
  load({});
  const std::vector<Turn> turns = converse();
  // The first reply is short, so there is no checkpoint at its end.
  const std::map<std::size_t, int> nearest{{4, turns[3].seen()}, {2, turns[1].seen()}, {1, sizeOf(turns[0].prompt) - 2}};
  for (const std::size_t i : {4U, 2U, 1U}) {  // ever earlier, as each edit discards what came after
    Tokens edited = turns[i].prompt;
    const int common = turns[i - 1].seen() + 1 + 10;  // the reply's last token, its end, and some of the message
    edited[static_cast<std::size_t>(common)] = edited[static_cast<std::size_t>(common)] == 9 ? 10 : 9;
    EXPECT_EQ(m_scheduler->reusable(1, edited), nearest.at(i)) << "what the composer says of message " << i;
    const Outcome reply = run(edited, 8);
    EXPECT_EQ(reply.reused, nearest.at(i)) << "message " << i;
    expectFresh(edited, reply, "edited");
  }
}

TEST_P(Conversation, ABranchStartsAtACheckpointOfTheOther) {
  load({.slots = 2});
  const std::vector<Turn> turns = converse();
  Tokens other = turns[3].then(message(77, 40));
  const Outcome branch = run(other, 10, 2);
  EXPECT_EQ(branch.reused, turns[3].seen());
  expectFresh(other, branch, "branch");
  const Outcome again = run(other, 12, 2);
  EXPECT_EQ(again.reused, sizeOf(other) - 2);
  expectFresh(other, again, "branch again");
  const Tokens on = turns[4].then(message(78, 20));  // in the first conversation, which the branch left as it was
  const Outcome reply = run(on, 10, 1);
  EXPECT_EQ(reply.reused, turns[4].seen());
  expectFresh(on, reply, "on");
  other = turns[1].then(message(79, 40));  // the branch's slot has the checkpoints of what it copied
  const Outcome earlier = run(other, 10, 2);
  EXPECT_EQ(earlier.reused, turns[1].seen());
  expectFresh(other, earlier, "earlier");
}

TEST_P(Conversation, AStoppedReplyAndAStoppedPromptGoOn) {
  load({.chunk = 32});
  const std::vector<Turn> turns = converse();
  const Tokens prompt = turns.back().then(message(80, 150));
  const Outcome inPrompt = run(prompt, 20, 1, 3);
  ASSERT_EQ(inPrompt.reason, FinishReason::cancelled);
  ASSERT_TRUE(inPrompt.tokens.empty());
  const Outcome inReply = run(prompt, 200, 1, 12);
  EXPECT_EQ(inReply.reused, turns.back().seen() + inPrompt.computed) << "what was computed is not computed again";
  ASSERT_EQ(inReply.reason, FinishReason::cancelled);
  ASSERT_GE(inReply.tokens.size(), 3U);
  expectFresh(prompt, inReply, "stopped");
  const Tokens onward = prompt + inReply.tokens;
  const Outcome on = run(onward, 20);
  EXPECT_EQ(on.reused, sizeOf(onward) - 1);
  expectFresh(onward, on, "on");
}

TEST_P(Conversation, AReplyAcrossAMultipleHasACheckpointThere) {
  load({});
  const Tokens prompt = message(3, 490);
  const Outcome reply = run(prompt, 60);
  const Tokens on = prompt + reply.tokens;
  const Tokens changed = Tokens(on.begin(), on.begin() + 520) + message(4, 5);
  const Outcome other = run(changed, 5);
  EXPECT_EQ(other.reused, 512);
  expectFresh(changed, other, "behind the multiple");
}

TEST_P(Conversation, FewCheckpointsCostTokensOnly) {
  load({.checkpoints = 5});
  const std::vector<Turn> turns = converse();
  const int held = turns.back().seen();
  for (const int common : {680, 600, 560, 500, 450, 300, 200, 100}) {  // ever earlier, as each edit discards what came after
    const Tokens edited = Tokens(turns.back().prompt.begin(), turns.back().prompt.begin() + common) + message(81, 9);
    const Outcome reply = run(edited, 3);
    EXPECT_GE(reply.reused, common - 2 * held / 5) << common;
    expectFresh(edited, reply, "few");
  }
  load({.checkpoints = 0});
  const Tokens prompt = message(1, 70);
  expectFresh(prompt, run(prompt, 3), "none");
  const Outcome again = run(prompt, 3);
  EXPECT_EQ(again.reused, 0);
  expectFresh(prompt, again, "none again");
}

TEST_P(Conversation, AModelWithoutAttentionReturnsTheSameWay) {
  load({.attention = false});
  const std::vector<Turn> turns = converse();
  const Tokens edited = turns[1].then(message(82, 30));
  const Outcome reply = run(edited, 8);
  EXPECT_EQ(reply.reused, turns[1].seen());
  expectFresh(edited, reply, "edited");
}

// The fresh run's steps are so large that its windows keep everything.
TEST_P(Conversation, WindowsThatGavePagesBackReturnTheSameWay) {
  load({.slots = 2, .windows = true});
  const auto groups = backend::kvGroups(m_model->plan, m_model->placed);
  ASSERT_EQ(backend::smallestWindow(groups), 40);
  ASSERT_EQ(backend::smallestWindow(backend::kvGroups(m_fresh->plan, m_fresh->placed)), 0);
  const std::vector<Turn> turns = converse();
  const Outcome again = run(turns.back().prompt, 30);
  EXPECT_EQ(again.reused, sizeOf(turns.back().prompt) - sizeOf(replyBegins()));
  expectFresh(turns.back().prompt, again, "again");
  const Tokens other = turns[1].then(message(82, 30));
  const Outcome branch = run(other, 8, 2);
  EXPECT_EQ(branch.reused, turns[1].seen());
  expectFresh(other, branch, "branch");
  const Outcome on = run(turns.back().then(message(86, 30)), 8, 1);
  EXPECT_EQ(on.reused, sizeOf(turns.back().prompt) - sizeOf(replyBegins())) << "the branch left its pages as they were";
  expectFresh(turns.back().then(message(86, 30)), on, "on");
  Tokens edited = turns[1].prompt;
  edited[60] = edited[60] == 9 ? 10 : 9;  // before every checkpoint
  const Outcome reply = run(edited, 8, 1);
  EXPECT_EQ(reply.reused, 0);
  expectFresh(edited, reply, "edited");
  const auto evaluated = m_scheduler->evaluate(turns[3].prompt, true, 16, [](std::size_t, std::span<const float>) { return true; });
  ASSERT_TRUE(evaluated.has_value()) << evaluated.error().message();
  const Tokens cut = Tokens(turns[3].prompt.begin(), turns[3].prompt.begin() + 300) + message(87, 10);
  expectFresh(cut, run(cut, 4, 9), "after an evaluation whose windows gave pages back");
}

TEST_P(Conversation, CheckpointsThatNobodyReturnsToHoldNothing) {
  load({.slots = 2, .windows = true});
  const std::uint64_t none = m_model->placement->memory().kvHeld;
  const std::vector<Turn> turns = converse();
  EXPECT_GT(m_model->placement->memory().kvHeld, none);
  m_notes.failsStep = true;
  EXPECT_TRUE(run(turns.back().prompt, 5).failed);
  EXPECT_EQ(m_model->placement->memory().kvHeld, none);
}

// The slot holds more than the books when the next request begins, which makes a checkpoint where it does.
TEST_P(Conversation, AWindowReturnsToWhereAStoppedPromptWasLeft) {
  load({.chunk = 200, .windows = true});
  const Tokens stopped = message(88, 900);
  const Outcome first = run(stopped, 4, 1, 4);
  ASSERT_EQ(first.reason, FinishReason::cancelled);
  ASSERT_GE(first.computed, 700);
  ASSERT_LT(first.computed, 900);
  const int left = 640;  // the end of a page
  for (const int seed : {89, 90, 91}) {
    const Tokens other = Tokens(stopped.begin(), stopped.begin() + left) + message(seed, 200);
    const Outcome reply = run(other, 6);
    EXPECT_EQ(reply.reused, left) << seed;
    expectFresh(other, reply, "from where it was left");
  }
}

TEST_P(Conversation, APromptThatManyRequestsShareIsComputedAndKeptOnce) {
  constexpr int shared = 1000, count = 20, own = 12, reply = 5;
  load({.slots = count, .chunk = 256, .plain = true});
  const Tokens system = message(9, shared - 1);
  const std::uint64_t page = m_model->placement->memory().kv / (count * 2048 / backend::kvPagePositions);
  std::vector<RequestId> ids;
  std::vector<Tokens> prompts;
  for (int i = 0; i < count; ++i) {
    prompts.push_back(system + message(20 + i, own - 1));
    ids.push_back(submit(prompts.back(), reply, static_cast<std::uint64_t>(i) + 1));
  }
  m_notes.rows = 0;
  while (m_scheduler->tick()) {
  }
  EXPECT_EQ(m_notes.rows, shared + count * (own + reply - 1));
  EXPECT_EQ(m_model->placement->memory().kvHeld, page * (7 + count)) << "1,000 tokens: 7 whole pages; the 8th goes on differently";
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    EXPECT_EQ(m_outcomes[ids[i]].reused, i == 0 ? 0 : shared);
    if (i % 7 == 0) expectGreedy(prompts[i], m_outcomes[ids[i]].tokens, "prompt " + std::to_string(i));
  }
}

TEST_P(Conversation, OnlyWhatCanBeSharedIsWaitedFor) {
  load({.slots = 3, .switchLength = 200, .plain = true});
  const Tokens begins = message(9, 119);
  const auto waits = [&](const Tokens& running, const Tokens& next) {
    submit(running, 2, 1);
    submit(next, 2, 2);
    m_scheduler->tick();
    const std::size_t waiting = m_scheduler->waiting();
    while (m_scheduler->tick()) {
    }
    return waiting > 0;
  };
  EXPECT_TRUE(waits(begins + message(20, 20), begins + message(21, 20)));
  EXPECT_FALSE(waits(message(22, 190) + message(23, 100), message(22, 150))) << "the long one has other frequencies";
  EXPECT_FALSE(waits(message(24, 40) + message(25, 100), message(24, 40) + message(26, 100))) << "too little";
}

TEST_P(Conversation, SeveralAtOnceAreTheSameAsAlone) {
  load({.slots = 3, .checkpoints = 5, .chunk = 48});
  std::vector<Tokens> prompts;
  for (int i = 0; i < 4; ++i) prompts.push_back(message(9, 60 + 50 * i) + message(20 + i, 30) + replyBegins());
  for (int round = 0; round < 2; ++round) {  // the second round reuses what it finds
    std::vector<RequestId> ids;
    for (std::size_t i = 0; i < prompts.size(); ++i) ids.push_back(submit(prompts[i], 4, i + 1));
    while (m_scheduler->tick()) {
    }
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const Tokens& reply = m_outcomes[ids[i]].tokens;
      EXPECT_EQ(reply.size(), 4U);
      expectGreedy(prompts[i], reply, "round " + std::to_string(round) + ", prompt " + std::to_string(i));
    }
  }
}

TEST_P(Conversation, ALongRopeStartsAgainWithNewCheckpoints) {
  load({.switchLength = 200});
  const auto reply = [&](const Tokens& prompt, int count, int reused) {
    const Outcome outcome = run(prompt, count);
    EXPECT_EQ(outcome.reused, reused);
    EXPECT_EQ(sizeOf(outcome.tokens), count);
    expectGreedy(prompt, outcome.tokens, "a reply");
    return prompt + outcome.tokens;
  };
  const Tokens first = message(5, 100) + message(6, 80) + replyBegins();
  reply(first, 5, 0);
  const Tokens crossed = reply(first, 30, sizeOf(first) - 2);
  Tokens next = crossed + message(7, 20) + replyBegins();
  reply(next, 4, sizeOf(crossed) - 1);
  next[150] = next[150] == 9 ? 10 : 9;
  reply(next, 4, 101);  // the checkpoint behind the first message was made anew
  reply(first, 4, 0);   // short again: nothing of a long sequence is of use
}

TEST_P(Conversation, AfterAFailureNothingIsReused) {
  load({.slots = 2});
  const std::vector<Turn> turns = converse();
  const Tokens& prompt = turns.back().prompt;
  m_notes.failsStep = true;
  EXPECT_TRUE(run(prompt, 5).failed);
  const Outcome after = run(prompt, 5);
  EXPECT_EQ(after.reused, 0);
  expectFresh(prompt, after, "after a failed step");
  m_notes.failsRestore = true;
  const Outcome notRestored = run(prompt, 5);
  EXPECT_EQ(notRestored.reused, 0);
  expectFresh(prompt, notRestored, "not restored");
  m_notes.failsRestore = false;
  m_notes.failsSave = true;
  const Tokens other = message(83, 100) + message(84, 100) + replyBegins();
  expectFresh(other, run(other, 5), "not saved");
  EXPECT_EQ(m_scheduler->reusable(1, other), 0);
  const Outcome again = run(other, 5);
  EXPECT_EQ(again.reused, 0);
  expectFresh(other, again, "not saved, again");
}

TEST_P(Conversation, AnEvaluationTakesNothingFromTheOthers) {
  load({.slots = 2});
  const std::vector<Turn> turns = converse();
  const auto evaluated = m_scheduler->evaluate(turns[1].prompt, true, 16, [](std::size_t, std::span<const float>) { return true; });
  ASSERT_TRUE(evaluated.has_value()) << evaluated.error().message();
  const Outcome on = run(turns[1].prompt + message(85, 10), 4, 9);
  EXPECT_EQ(on.reused, sizeOf(turns[1].prompt)) << "what was evaluated goes on";
  expectFresh(turns[1].prompt + message(85, 10), on, "after the evaluation");
  const Outcome reply = run(turns.back().prompt, 4);
  EXPECT_EQ(reply.reused, sizeOf(turns.back().prompt) - 2);
  expectFresh(turns.back().prompt, reply, "the conversation");
}

INSTANTIATE_TEST_SUITE_P(On, Conversation, testing::Values("reference", "cpu"), [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace minerva::engine
