// Random rounds of the scheduler: requests that begin alike or not come at any tick, go on from each other's replies and are cancelled, in
// few pages, with and without drafts. Each says, to the last bit, what it says alone, and in the end no page is lost.
#include "core/backend/kv_pages.h"
#include "core/engine/scheduler.h"
#include "tests/core/engine/draft_models.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>

namespace minerva::engine {
namespace {

constexpr int companyContext = 1024, companyRounds = 8;

struct Spoken {
  Tokens tokens;
  std::vector<float> logprobs;
  std::optional<Finished> finished;
};

class RandomCompany : public DraftModels {
 protected:
  struct Shape {
    int slots = 1, contexts = 0, rows = 512, checkpoints = 1;
    bool drafts = false, draftModel = false;
  };
  int below(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
  bool oneIn(int n) { return below(n) == 0; }

  void load(const Shape& shape) {
    m_scheduler.reset();
    backend::PlaceOptions placed{.contextLength = companyContext,
                                 .slots = shape.slots,
                                 .contexts = shape.contexts,
                                 .checkpoints = shape.checkpoints,
                                 .maxRows = shape.rows,
                                 .maxOutputRows = std::min(64, shape.rows)};
    placed.checkpoints += draftCheckpoints(shape.drafts, placed, *model::buildPlan(m_made.config));
    placed.alike = backend::Alike::always;
    m_model = loaded(m_made, placed, m_notes, 4);
    m_model->drafts = shape.drafts;
    if (shape.draftModel) m_model->draftModel = draftModel(m_made, placed, 0.1);
    m_scheduler = std::make_unique<Scheduler>(*m_model, 0, m_emit);
    m_spoken.clear();
    m_lastId = 0;
  }

  void hear(RequestId id, const auto& body) {
    Spoken& spoken = m_spoken[id];
    EXPECT_FALSE(spoken.finished) << id;
    if (const auto* token = std::get_if<TokenEvent>(&body)) {
      spoken.tokens.push_back(token->token);
      spoken.logprobs.push_back(token->logprobs->chosen);
    }
    if (const auto* finished = std::get_if<Finished>(&body)) spoken.finished = *finished;
    if (const auto* failed = std::get_if<Failed>(&body)) ADD_FAILURE() << failed->error.message();
  }

  // Lengths at the edges of pages are as likely as all others together.
  int length(int most) {
    const int edge = backend::kvPagePositions * (1 + below(3)) + below(3) - 1;
    return std::min(most, oneIn(2) ? edge : 1 + below(400));
  }
  Request request() {
    Request r;
    r.tokens = someTokens(length(600), below(2));
    const Tokens own = someTokens(1 + below(9), 2 + below(50));
    r.tokens.insert(r.tokens.end(), own.begin(), own.end());
    choose(r);
    return r;
  }
  Request following(const Request& before, const Spoken& spoken) {
    Request r = before;
    if (oneIn(4)) r.tokens.resize(1 + r.tokens.size() / 2);
    else r.tokens.insert(r.tokens.end(), spoken.tokens.begin(), spoken.tokens.end());
    const Tokens own = someTokens(1 + below(9), 2 + below(50));
    r.tokens.insert(r.tokens.end(), own.begin(), own.end());
    choose(r);
    return r;
  }
  void choose(Request& r) {
    r.tokens.resize(std::min<std::size_t>(r.tokens.size(), companyContext - 1));
    r.maxTokens = oneIn(8) ? 0 : 1 + below(150);
    r.ignoreEndOfTurn = true;
    r.logprobs = 0;
    r.conversation = static_cast<std::uint64_t>(below(4));
    r.sampling.temperature = oneIn(2) ? 0.0F : 1.5F;
    r.sampling.seed = m_random() | 1U;
  }
  RequestId submit(const Request& r) {
    Prompt prompt;
    prompt.tokens = r.tokens;
    m_scheduler->add({++m_lastId, r, Clock::now()}, std::move(prompt));
    return m_lastId;
  }

  // Returns the requests by id.
  std::map<RequestId, Request> runTogether() {
    std::map<RequestId, Request> asked;
    int toCome = 10, toFollow = 6;
    for (bool any = true; any || toCome > 0;) {
      for (; toCome > 0 && oneIn(12); --toCome) {
        const Request one = request();
        asked[submit(one)] = one;
      }
      if (oneIn(80) && !asked.empty()) m_scheduler->cancel(1 + m_random() % m_lastId);
      const RequestId before = asked.empty() ? 1 : 1 + m_random() % m_lastId;
      if (toFollow > 0 && m_spoken[before].finished && oneIn(20)) {
        const Request one = following(asked.at(before), m_spoken.at(before));
        asked[submit(one)] = one;
        --toFollow;
      }
      any = m_scheduler->tick();
    }
    return asked;
  }
  Spoken alone(const Request& one) {
    load({});
    submit(one);
    while (m_scheduler->tick()) continue;
    return m_spoken.at(1);
  }
  void compare(const std::map<RequestId, Request>& asked) {
    const std::map<RequestId, Spoken> together = m_spoken;
    for (const auto& [id, one] : asked) {
      SCOPED_TRACE("request " + std::to_string(id) + " of " + std::to_string(asked.size()));
      const Spoken& found = together.at(id);
      ASSERT_TRUE(found.finished);
      Spoken expected = alone(one);
      ASSERT_LE(found.tokens.size(), expected.tokens.size());
      if (found.finished->reason == FinishReason::cancelled) {
        expected.tokens.resize(found.tokens.size());
        expected.logprobs.resize(found.tokens.size());
      } else {
        EXPECT_EQ(found.finished->reason, expected.finished->reason);
      }
      EXPECT_EQ(found.tokens, expected.tokens);
      EXPECT_EQ(found.logprobs, expected.logprobs);
      EXPECT_EQ(found.finished->timings.generatedTokens, static_cast<int>(found.tokens.size()));
      m_reused += found.finished->timings.reusedTokens;
      m_accepted += found.finished->timings.acceptedTokens;
    }
  }

  std::mt19937 m_random{5};
  tests::RandomModel m_made = sure(modelOf(GetParam(), draftableTokens, companyContext));
  std::unique_ptr<LoadedModel> m_model;
  Emit m_emit = [this](RequestId id, const auto& body) { hear(id, body); };
  std::unique_ptr<Scheduler> m_scheduler;
  std::map<RequestId, Spoken> m_spoken;
  RequestId m_lastId = 0;
  int m_reused = 0, m_accepted = 0;
};

TEST_P(RandomCompany, EachSaysWhatItSaysAlone) {
  for (int round = 0; round < companyRounds && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const int slots = 2 + below(5);
    load({.slots = slots,
          .contexts = 1 + below(2),
          .rows = std::array{16, 40, 128}[static_cast<std::size_t>(below(3))],
          .checkpoints = 1 + below(6),
          .drafts = round % 2 == 1,
          .draftModel = round % 4 == 3});
    const std::map<RequestId, Request> asked = runTogether();
    const bool oneContext = m_model->placed.contexts == 1;
    const auto whole =
        m_scheduler->evaluate(someTokens(companyContext, 1), false, 0, [](std::size_t, std::span<const float>) { return true; });
    EXPECT_TRUE(whole || !oneContext) << "pages are lost: " << whole.error().message();
    ASSERT_NO_FATAL_FAILURE(compare(asked));
  }
  EXPECT_GT(m_reused, 1000);
  EXPECT_GT(m_accepted, 100);
}

INSTANTIATE_TEST_SUITE_P(On, RandomCompany, everyStateKind(), nameOfKind);

}  // namespace
}  // namespace minerva::engine
