// Slots that share the pages of fewer contexts than there are slots: every reply is to the last bit what it is alone, however often it had
// to pause, and nobody is refused.
#include "core/engine/scheduler.h"
#include "gpu/available.h"
#include "tests/core/engine/slow_placement.h"
#include "tests/core/engine/state_kinds.h"

#include <gtest/gtest.h>

#include <map>

namespace minerva::engine {
namespace {

constexpr int tokenCount = 67, context = 1024;  // eight pages

struct Told {
  std::vector<TokenId> tokens;
  std::vector<float> logprobs;
  std::optional<Finished> finished;
  int reused = -1, drafted = 0;
};

class Pages : public testing::TestWithParam<StateKind> {
 protected:
  void load(int slots, int contexts, bool drafts = false) {
    m_scheduler.reset();
    m_model = std::make_unique<LoadedModel>();
    auto plan = model::buildPlan(m_made.config);
    ASSERT_TRUE(plan) << plan.error().message();
    m_model->plan = std::move(*plan);
    m_model->placed = {.contextLength = context,
                       .slots = slots,
                       .contexts = contexts,
                       .checkpoints = 4,
                       .maxRows = m_maxRows,
                       .maxOutputRows = std::min(64, m_maxRows)};
    m_model->drafts = drafts;
    m_model->placed.checkpoints += draftCheckpoints(drafts, m_model->placed, m_model->plan);
    auto placed = m_backend->place(m_model->plan, m_model->placed, {}, {});
    ASSERT_TRUE(placed) << placed.error().message();
    m_model->placement = std::make_unique<SlowPlacement>(std::move(*placed), m_notes, 2, 0);
    m_scheduler = std::make_unique<Scheduler>(*m_model, 0, m_emit);
    m_told.clear();
    m_order.clear();
    m_lastId = 0;
    m_notes = {};
  }

  void hear(RequestId id, const auto& body) {
    Told& told = m_told[id];
    if (const auto* started = std::get_if<Started>(&body)) told.reused = started->reusedTokens;
    if (std::holds_alternative<Started>(body)) m_order.push_back(static_cast<int>(id));
    if (const auto* token = std::get_if<TokenEvent>(&body)) {
      told.tokens.push_back(token->token);
      told.logprobs.push_back(token->logprobs->chosen);
      told.drafted = token->drafted;
    }
    if (const auto* finished = std::get_if<Finished>(&body)) told.finished = *finished;
    if (std::holds_alternative<Finished>(body)) m_order.push_back(-static_cast<int>(id));
    if (const auto* failed = std::get_if<Failed>(&body)) ADD_FAILURE() << failed->error.message();
  }

  static Request request(int prompt, int reply, std::uint64_t seed, std::uint64_t conversation = 0) {
    Request r;
    for (int i = 0; i < prompt; ++i) r.tokens.push_back((i % 23 * 5 + i / 7 + static_cast<int>(seed) * 11) % tokenCount);
    r.maxTokens = reply;
    r.ignoreEndOfTurn = true;
    r.logprobs = 0;
    r.conversation = conversation;
    r.sampling.temperature = seed % 2 == 0 ? 0.0F : 0.7F;
    r.sampling.seed = seed + 1;
    return r;
  }
  RequestId submit(const Request& request) {
    Prompt prompt;
    prompt.tokens = request.tokens;
    m_scheduler->add({++m_lastId, request, Clock::now()}, std::move(prompt));
    return m_lastId;
  }
  void runAll() {
    while (m_scheduler->tick()) {
    }
  }
  [[nodiscard]] bool isRecurrent() const { return GetParam() == StateKind::recurrent; }  // no pages at all

  // Not only to checkpoints; the windows are too long to give pages back here.
  [[nodiscard]] bool cutsAnywhere() const { return GetParam() == StateKind::attention || GetParam() == StateKind::windows; }

  int m_maxRows = 128;  // of a step
  tests::RandomModel m_made = modelOf(GetParam(), tokenCount, context);
  std::unique_ptr<backend::Backend> m_backend = std::move(*createBackend("cpu", {.threads = 2}));
  std::unique_ptr<LoadedModel> m_model;
  WatchedPlacement::Notes m_notes;
  Emit m_emit = [this](RequestId id, const auto& body) { hear(id, body); };
  std::unique_ptr<Scheduler> m_scheduler;
  std::map<RequestId, Told> m_told;
  std::vector<int> m_order;  // ids as they start, and negative as they end
  RequestId m_lastId = 0;
};

TEST_P(Pages, RepliesThatOutgrowThemPauseAndGoOnAsIfAlone) {
  std::vector<Request> requests;  // together 6 * (100 + 300) tokens: 24 pages and more
  for (std::uint64_t i = 0; i < 6; ++i) requests.push_back(request(80 + 10 * static_cast<int>(i), 300, i));
  std::vector<Told> alone;
  int rows = 0;
  for (const Request& one : requests) {
    load(1, 0);
    const RequestId id = submit(one);
    runAll();
    rows += m_notes.rows;
    alone.push_back(m_told[id]);
  }
  for (const bool drafts : {false, true}) {
    load(6, 1, drafts);
    for (const Request& one : requests) submit(one);
    runAll();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const Told& together = m_told[i + 1];
      EXPECT_EQ(together.tokens, alone[i].tokens) << i;
      EXPECT_EQ(together.logprobs, alone[i].logprobs) << i;
      ASSERT_TRUE(together.finished) << i;
      EXPECT_EQ(together.finished->reason, FinishReason::length);
    }
    if (!isRecurrent()) {
      EXPECT_GT(m_notes.rows, rows + 100) << "some were computed again";
    } else if (!drafts) {
      EXPECT_EQ(m_notes.rows, rows) << "none needs pages";
    }
  }
}

TEST_P(Pages, ShortStepsHoldRepliesThatAreComputedAgain) {
  m_maxRows = 16;
  std::vector<Told> alone;
  for (std::uint64_t i = 0; i < 6; ++i) {
    load(1, 0);
    const RequestId id = submit(request(100, 300, i));
    runAll();
    alone.push_back(m_told[id]);
  }
  load(6, 1);
  for (std::uint64_t i = 0; i < 6; ++i) submit(request(100, 300, i));
  runAll();
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(m_told[i + 1].tokens, alone[i].tokens) << i;
    EXPECT_TRUE(m_told[i + 1].finished) << i;
  }
}

TEST_P(Pages, ARequestWaitsUntilThereAreSomeForItsPrompt) {
  load(2, 1);
  submit(request(900, 60, 0));
  submit(request(300, 5, 1));
  submit(request(20, 5, 2));
  runAll();
  const std::vector<int> inTurn{1, -1, 2, 3, -3, -2}, together{1, 2, -2, 3, -3, -1};
  EXPECT_EQ(m_order, isRecurrent() ? together : inTurn);
}

TEST_P(Pages, IdleConversationsGiveTheirsBackFirst) {
  load(4, 1);
  std::map<std::uint64_t, Told> first;
  for (std::uint64_t conversation = 1; conversation <= 4; ++conversation) {
    const RequestId id = submit(request(300, 20, conversation, conversation));
    runAll();
    first[conversation] = m_told[id];
    EXPECT_EQ(first[conversation].reused, 0);
  }
  // The last two are there yet; 300 + 20 tokens take three pages of eight.
  for (const auto& [conversation, reused] : std::vector<std::pair<std::uint64_t, bool>>{{4, true}, {3, true}, {1, false}}) {
    const RequestId id = submit(request(300, 20, conversation, conversation));
    runAll();
    EXPECT_EQ(m_told[id].tokens, first[conversation].tokens);
    EXPECT_TRUE(isRecurrent() || (m_told[id].reused > 0) == reused) << conversation;
  }
}

TEST_P(Pages, AnIdleConversationKeepsItsBeginningWhereFewPagesAreMissing) {
  load(2, 1);
  const RequestId first = submit(request(500, 20, 2, 1));  // five pages of eight
  runAll();
  submit(request(400, 20, 4, 2));  // four
  runAll();
  const RequestId back = submit(request(500, 20, 2, 1));
  runAll();
  EXPECT_EQ(m_told[back].tokens, m_told[first].tokens);
  EXPECT_EQ(m_told[back].logprobs, m_told[first].logprobs);
  EXPECT_GE(m_told[back].reused, cutsAnywhere() ? 499 : 448);
  const Told& other = m_told[submit(request(400, 20, 4, 2))];
  runAll();
  EXPECT_GE(other.reused, cutsAnywhere() ? 384 : 320) << "it gave a page back in turn";
}

// A reply that says the same token over and over checks many at once, which reach into a page that its next token does not need.
TEST_P(Pages, DraftedTokensTakeNoneFromAnIdleConversation) {
  const tests::SimulatedClock clock;  // further rows cost nothing
  load(2, 1, true);
  submit(request(300, 20, 2, 1));  // three pages of eight
  runAll();
  Request writes = request(600, 300, 4, 2);  // the other five have room for 40 tokens more
  writes.sampling.logitBias.emplace_back(1, 100.0F);
  const RequestId writing = submit(writes);
  while (m_told[writing].tokens.size() < 40) ASSERT_TRUE(m_scheduler->tick());
  EXPECT_GT(m_told[writing].drafted, 10);
  m_scheduler->cancel(writing);
  const RequestId back = submit(request(300, 20, 2, 1));
  runAll();
  EXPECT_GE(m_told[back].reused, cutsAnywhere() ? 299 : 256);
  load(2, 1, true);
  submit(request(300, 20, 2, 1));
  runAll();
  const RequestId whole = submit(writes);
  runAll();
  EXPECT_EQ(m_told[whole].tokens, std::vector<TokenId>(300, 1)) << "where they are needed, they are taken";
}

TEST_P(Pages, ACopyThatFindsNoneTakesTheOthersSlot) {
  load(2, 1);
  submit(request(800, 100, 2, 1));
  runAll();
  Request branch = request(800, 100, 2, 2);
  branch.tokens.resize(700);
  for (int i = 0; i < 200; ++i) branch.tokens.push_back(i % tokenCount);
  const RequestId id = submit(branch);
  runAll();
  ASSERT_TRUE(m_told[id].finished);
  EXPECT_EQ(m_told[id].finished->reason, FinishReason::length);
  EXPECT_TRUE(GetParam() != StateKind::attention || m_told[id].reused == 700) << m_told[id].reused;
  load(1, 0);
  const RequestId alone = submit(branch);
  runAll();
  EXPECT_EQ(m_told[alone].tokens.size(), 100U);
}

TEST_P(Pages, APausedRequestIsCancelledAtOnce) {
  load(3, 1);
  submit(request(400, 500, 0));
  const RequestId second = submit(request(350, 500, 1));
  while (m_told[second].tokens.size() < 90) ASSERT_TRUE(m_scheduler->tick());
  const std::size_t said = m_told[second].tokens.size();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(m_scheduler->tick());
  ASSERT_TRUE(isRecurrent() || m_told[second].tokens.size() < said + 50) << "it has paused by now";
  m_scheduler->cancel(second);
  ASSERT_TRUE(m_told[second].finished);
  EXPECT_EQ(m_told[second].finished->reason, FinishReason::cancelled);
  runAll();
  EXPECT_EQ(m_told[1].tokens.size(), 500U);
}

TEST_P(Pages, AnEvaluationTakesThoseOfIdleConversations) {
  load(2, 1);
  submit(request(700, 20, 2, 1));
  runAll();
  const std::vector<TokenId> tokens = request(900, 0, 3).tokens;
  std::size_t positions = 0;
  const auto done = m_scheduler->evaluate(tokens, true, 0, [&](std::size_t, std::span<const float>) { return ++positions > 0; });
  ASSERT_TRUE(done.has_value()) << done.error().message();
  EXPECT_EQ(positions, tokens.size());
}

INSTANTIATE_TEST_SUITE_P(On, Pages, everyStateKind(), nameOfKind);

}  // namespace
}  // namespace minerva::engine
