// Drafts make a reply faster and change none of its tokens: greedy or sampled, alone or beside others, with states that are cut back and
// with recurrent ones that return to a checkpoint, on a CPU and on a GPU.
#include "core/engine/draft_costs.h"
#include "core/engine/lookup_draft.h"
#include "core/engine/scheduler.h"
#include "gpu/available.h"
#include "tests/core/engine/altered_backend.h"
#include "tests/core/engine/slow_placement.h"
#include "tests/core/engine/state_kinds.h"
#include "tests/core/text/named_tokens.h"
#include "tests/support/conformance.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace minerva::engine {
namespace {

using Tokens = std::vector<TokenId>;
constexpr int vocabulary = 5;  // so few that random replies repeat themselves

Tokens drafted(const Tokens& tokens, int most = 8) {
  const LookupDraft draft = lookUpDraft(tokens, most);
  return {draft.tokens.begin(), draft.tokens.end()};
}

TEST(LookupDraft, IsWhatFollowedTheLongestEarlierOccurrence) {
  EXPECT_EQ(drafted({1, 2, 3, 4, 5, 1, 2}), (Tokens{3, 4, 5, 1, 2, 3, 4, 5})) << "and so on";
  EXPECT_EQ(drafted({9, 1, 2, 7, 8, 1, 2, 6, 9, 1, 2}, 2), (Tokens{7, 8})) << "three tokens match there, two at the later place";
  EXPECT_EQ(drafted({1, 2, 7, 5, 1, 2, 6, 1, 2}, 1), (Tokens{6})) << "the later of two";
  EXPECT_EQ(lookUpDraft(Tokens{9, 1, 2, 7, 8, 9, 1, 2}, 2).matched, 3);
}

TEST(LookupDraft, IsNothingWithoutAnOccurrenceOrRoom) {
  EXPECT_EQ(drafted({}), Tokens{});
  EXPECT_EQ(drafted({1}), Tokens{});
  EXPECT_EQ(drafted({1, 2}), Tokens{});
  EXPECT_EQ(drafted({3, 2, 1, 2}), Tokens{}) << "one token is too few";
  EXPECT_EQ(drafted({1, 2, 3, 1, 2}, 0), Tokens{});
  EXPECT_EQ(drafted({4, 4, 4}, 3), (Tokens{4, 4, 4}));
}

TEST(LookupDraft, MatchesNoMoreThanItNeeds) {
  Tokens tokens;
  for (int i = 0; i < 100; ++i) tokens.push_back(i);
  for (int i = 0; i < 50; ++i) tokens.push_back(i);
  const LookupDraft draft = lookUpDraft(tokens, 3);
  EXPECT_EQ(draft.matched, LookupDraft::longest);
  EXPECT_EQ(Tokens(draft.tokens.begin(), draft.tokens.end()), (Tokens{50, 51, 52}));
}

int worth(double fixed, double perRow, double rate, double unknown = 0) {
  DraftCosts costs;
  for (const int rows : {1, 2, 4, 8, 16}) costs.learn(rows, fixed + perRow * rows + (rows > 1 ? unknown : 0));
  return worthDrafting(costs, 1, 1, rate, 15);
}

TEST(DraftCosts, AsManyTokensAsPay) {
  EXPECT_EQ(worth(100, 0, 0.9), 15) << "further rows are free";
  EXPECT_EQ(worth(0, 100, 0.9), 0) << "each row costs as much as a step";
  EXPECT_EQ(worth(100, 5, 0.02), 0) << "almost none is accepted";
  const int some = worth(100, 10, 0.6);
  EXPECT_GE(some, 1);
  EXPECT_LE(some, 4);
  EXPECT_EQ(worth(100, 1, 0.5, 200), 0) << "several rows take another, slower way";
}

TEST(DraftCosts, WhatWasNeverTriedIsTriedOnce) {
  DraftCosts costs;
  EXPECT_EQ(worthDrafting(costs, 1, 1, 0.9, 15), 0) << "nothing is known yet";
  costs.learn(1, 100);
  EXPECT_GT(worthDrafting(costs, 1, 1, 0.7, 15), 0);
  for (const int rows : {4, 8, 16}) costs.learn(rows, 100.0 * rows);
  EXPECT_EQ(worthDrafting(costs, 1, 1, 0.7, 15), 0);
  for (int step = 0; step < 300; ++step) costs.learn(1, 100);
  EXPECT_GT(worthDrafting(costs, 1, 1, 0.7, 15), 0) << "that is long ago";
}

TEST(DraftCosts, WhatStepsWithoutDraftsTakeIsMeasuredAgainAfterAWhile) {
  DraftCosts costs;
  EXPECT_FALSE(costs.isFresh(1));
  costs.learn(1, 100);
  EXPECT_TRUE(costs.isFresh(1));
  EXPECT_FALSE(costs.isFresh(2));
  EXPECT_FALSE(costs.isFresh(50));
  for (int step = 0; step < 100; ++step) costs.learn(4, 110);
  EXPECT_TRUE(costs.isFresh(1));
  for (int step = 0; step < 100; ++step) costs.learn(4, 110);
  EXPECT_FALSE(costs.isFresh(1));
  EXPECT_EQ(costs.ms(1), 100) << "but not forgotten";
}

TEST(DraftCosts, DraftingTakesTimeToo) {
  DraftCosts costs;
  for (const int rows : {1, 2, 4, 8, 16}) costs.learn(rows, 100);
  EXPECT_EQ(worthDrafting(costs, 1, 1, 0.8, 15), 15);
  const int some = worthDrafting(costs, 1, 1, 0.8, 15, {.firstMs = 0, .eachMs = 20});
  EXPECT_GE(some, 2);
  EXPECT_LE(some, 6);
  EXPECT_EQ(worthDrafting(costs, 1, 1, 0.8, 15, {.firstMs = 0, .eachMs = 100}), 0);
  EXPECT_EQ(worthDrafting(costs, 1, 1, 0.8, 15, {.firstMs = 1000, .eachMs = 1}), 0);
}

// Where a rejection takes the whole step back, the tokens accepted before it are rows of the next step, too.
TEST(DraftCosts, WhatARejectionComputesAgainIsPartOfThePrice) {
  DraftCosts costs;
  for (const int rows : {1, 2, 4, 8, 16}) costs.learn(rows, 100 + 12.0 * rows);
  EXPECT_NEAR(computedAgain(costs, 1, 0), 12, 1e-9);
  EXPECT_NEAR(computedAgain(costs, 1, 5), 72, 1e-9);
  const auto worthOf = [&](double rate, bool again) { return worthDrafting(costs, 1, 1, rate, 15, {.again = again}); };
  EXPECT_GT(worthOf(0.2, false), 0);
  EXPECT_EQ(worthOf(0.2, true), 0) << "one token in five is what a further row costs, and the row that is computed again as well";
  EXPECT_GT(worthOf(0.9, true), 2);
  EXPECT_LT(worthOf(0.9, true), worthOf(0.9, false));
}

TEST(DraftRate, FollowsWhatIsAccepted) {
  DraftRate rate;
  for (int i = 0; i < 20; ++i) rate.learn(0, 1);
  EXPECT_LT(rate.rate(), 0.1);
  const double low = rate.rate();
  for (int i = 0; i < 200; ++i) rate.forget();
  EXPECT_GT(rate.rate(), 2 * low) << "drafts are tried again some time";
  for (int i = 0; i < 10; ++i) rate.learn(8, 8);
  EXPECT_GT(rate.rate(), 0.9);
}

TEST(DraftsOfAModel, AreOnlyMadeWhereRepliesAreAlike) {
  const auto cpu = std::move(*createBackend("cpu", {.threads = 1}));
  AlteredBackend unlike(*cpu);
  unlike.alike = backend::Alike::never;
  LoadOptions options;
  options.path = tests::oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden").front().model;
  for (const bool wanted : {false, true}) {
    options.drafts = wanted;
    const auto on = loadModel(*cpu, options, {}, {}), off = loadModel(unlike, options, {}, {});
    ASSERT_TRUE(on && off);
    EXPECT_EQ((*on)->drafts, wanted);
    EXPECT_FALSE((*off)->drafts);
  }
}

TEST(BatchInvariantModel, IsRefusedWhereResultsAreNot) {
  const auto cpu = std::move(*createBackend("cpu", {.threads = 1}));
  LoadOptions options;
  options.path = tests::oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden").front().model;
  options.batchInvariant = true;
  for (const backend::Alike alike : {backend::Alike::never, backend::Alike::apart, backend::Alike::always}) {
    for (const bool unlike : {false, true}) {
      AlteredBackend device(*cpu);
      device.alike = alike;
      device.unlike = unlike;
      const auto loaded = loadModel(device, options, {}, {});
      EXPECT_EQ(loaded.has_value(), alike != backend::Alike::never && !unlike) << static_cast<int>(alike) << unlike;
      if (loaded) continue;
      EXPECT_EQ(loaded.error().kind, ErrorKind::unsupported) << loaded.error().message();
    }
  }
}

TEST(DraftsOfAModel, AreLeftWhereADeviceIsFoundToBreakItsPromise) {
  const auto cpu = std::move(*createBackend("cpu", {.threads = 1}));
  for (const bool unlike : {false, true}) {
    AlteredBackend device(*cpu);
    device.alike = backend::Alike::apart;
    device.unlike = unlike;
    LoadOptions options;
    options.path = tests::oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden").front().model;
    options.drafts = true;
    const auto loaded = loadModel(device, options, {}, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ((*loaded)->drafts, !unlike);
    const auto says = [](const std::string& warning) { return warning.starts_with("Drafts are only checked on devices"); };
    EXPECT_EQ(std::ranges::any_of((*loaded)->info.warnings, says), unlike);
    options.draft = options.path;
    const auto pair = loadModel(device, options, {}, {});
    EXPECT_EQ(pair.has_value(), !unlike);
  }
}

struct Replies {
  std::map<RequestId, Tokens> tokens;
  std::map<RequestId, Timings> timings;
  std::map<RequestId, std::set<TimePoint>> steps;  // that gave tokens
  WatchedPlacement::Notes notes{};
};

struct Run {
  StateKind kind;
  bool gpu;
};

class Drafts : public testing::TestWithParam<Run> {
 protected:
  void SetUp() override {
    const tests::BackendUnderTest* gpu = GetParam().gpu ? tests::gpuUnderTest() : nullptr;
    if (GetParam().gpu && gpu == nullptr) GTEST_SKIP() << "skipped: there is no Vulkan device";
    auto created = gpu == nullptr ? createBackend("cpu", {.threads = 2}) : createBackend(gpu->device, gpu->options);
    ASSERT_TRUE(created) << created.error().message();
    m_backend = std::move(*created);
  }
  void TearDown() override {
    if (!m_backend) return;
    for (const std::string& message : tests::validationMessages(*m_backend)) ADD_FAILURE() << message;
  }
  const tests::SimulatedClock m_clock;
  Replies run(const std::vector<Request>& requests, bool drafts, double stepMs = 0.4, double rowMs = 0) {
    Replies replies;
    LoadedModel model;
    auto plan = model::buildPlan(m_made.config);
    EXPECT_TRUE(plan) << plan.error().message();
    model.plan = std::move(*plan);
    model.tokenizer = std::make_shared<const text::NamedTokens>(std::vector<std::string>{"a", "b", "c", "d", "e"});
    model.placed = {
        .contextLength = 2048, .slots = static_cast<int>(requests.size()), .checkpoints = 4, .maxRows = 256, .maxOutputRows = 64};
    model.drafts = drafts;
    model.suppressed = m_suppressed;
    model.placed.alike = backend::Alike::apart;
    model.info.device = m_backend->info();
    model.placed.checkpoints += draftCheckpoints(drafts, model.placed, model.plan);
    auto placed = m_backend->place(model.plan, model.placed, {}, {});
    EXPECT_TRUE(placed) << placed.error().message();
    model.placement = std::make_unique<SlowPlacement>(std::move(*placed), replies.notes, stepMs, rowMs);
    const Emit emit = [&](RequestId id, const auto& body) {
      std::visit(
          [&](const auto& event) {
            using Event = std::decay_t<decltype(event)>;
            if constexpr (std::is_same_v<Event, TokenEvent>) {
              replies.tokens[id].push_back(event.token);
              replies.steps[id].insert(Clock::now());
            }
            if constexpr (std::is_same_v<Event, Finished>) replies.timings[id] = event.timings;
            if constexpr (std::is_same_v<Event, Failed>) ADD_FAILURE() << event.error.message();
          },
          body);
    };
    Scheduler scheduler(model, 0, emit);
    RequestId id = 0;
    for (const Request& request : requests) {
      Prompt prompt;
      prompt.tokens = request.tokens;
      scheduler.add({++id, request, Clock::now()}, std::move(prompt));
    }
    while (scheduler.tick()) {
    }
    return replies;
  }

  static Request request(int prompt, int reply, std::uint64_t seed, float temperature) {
    Request r;
    for (int i = 0; i < prompt; ++i) r.tokens.push_back((i % 23 * 5 + static_cast<int>(seed)) % vocabulary);
    r.maxTokens = reply;
    r.ignoreEndOfTurn = true;
    r.sampling.temperature = temperature;
    r.sampling.topK = 3;
    r.sampling.seed = seed;
    return r;
  }

  tests::RandomModel m_made = modelOf(GetParam().kind, vocabulary, 2048);
  const int m_reply = GetParam().gpu ? 280 : 700;
  Tokens m_suppressed;  // that no reply may have
  std::unique_ptr<backend::Backend> m_backend;
};

TEST_P(Drafts, ChangeNoGreedyTokenAndTakeFewerSteps) {
  const std::vector<Request> requests{request(100, m_reply, 3, 0)};
  const Replies expected = run(requests, false, 0),
                found = run(requests, true, 2);  // long steps, so that a busy machine's noise matters less
  EXPECT_EQ(found.tokens, expected.tokens);
  ASSERT_EQ(found.tokens.at(1).size(), static_cast<std::size_t>(m_reply));
  const Timings& timings = found.timings.at(1);
  EXPECT_EQ(timings.generatedTokens, m_reply);
  EXPECT_GT(timings.acceptedTokens, m_reply / 17);
  EXPECT_LT(found.notes.steps, expected.notes.steps - m_reply / 35);
  EXPECT_EQ(expected.timings.at(1).draftedTokens, 0);
}

TEST_P(Drafts, ChangeNoSampledTokenWhateverTheSeed) {
  int drafted = 0, accepted = 0;
  const std::uint64_t seeds = GetParam().gpu ? 4 : 12;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::vector<Request> requests{request(60, 60, seed, 0.7F)};
    const Replies found = run(requests, true, 0.2);
    EXPECT_EQ(found.tokens, run(requests, false, 0).tokens) << seed;
    drafted += found.timings.at(1).draftedTokens;
    accepted += found.timings.at(1).acceptedTokens;
  }
  EXPECT_GT(accepted, static_cast<int>(seeds));
  EXPECT_GT(drafted, accepted + static_cast<int>(seeds)) << "many are rejected";
}

TEST_P(Drafts, BesideOthersAndTheirPrompts) {
  if (GetParam().gpu) GTEST_SKIP() << "skipped: prompts that share steps are rounded in another way on a GPU";
  std::vector<Request> requests;
  for (int i = 0; i < 6; ++i)
    requests.push_back(request(20 + 90 * i, 150 - 20 * i, static_cast<std::uint64_t>(i + 1), i % 2 == 0 ? 0 : 0.5F));
  const Replies expected = run(requests, false, 0), found = run(requests, true);
  EXPECT_EQ(found.tokens, expected.tokens);
  int accepted = 0;
  for (const auto& [id, timings] : found.timings) accepted += timings.acceptedTokens;
  EXPECT_GT(accepted, 0);
}

TEST_P(Drafts, AreLeftAloneWhereEachRowCostsAStep) {
  const std::vector<Request> requests{request(2, 60, 3, 0)};
  const Replies found = run(requests, true, 0, 6);
  EXPECT_LT(found.timings.at(1).draftedTokens, 30) << "all sizes are tried";
}

// Their prompts are one step, so that they are rounded alike with and without drafts.
TEST_P(Drafts, OfRepliesThatBeginTogether) {
  std::vector<Request> requests;
  for (std::uint64_t i = 1; i <= 3; ++i) requests.push_back(request(80, 100, i, 0));
  const Replies expected = run(requests, false, 0), found = run(requests, true, 2);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.timings.at(1).acceptedTokens, 0);
}

// Prompts have them, so that the conversation suggests them.
TEST_P(Drafts, HaveNoSuppressedTokens) {
  m_suppressed = {1, 3};
  const std::vector<Request> requests{request(100, 150, 3, 0), request(100, 150, 4, 1.5F)};
  const Replies expected = run(requests, false, 0), found = run(requests, true, 2);
  EXPECT_EQ(found.tokens, expected.tokens);
  for (const auto& [id, tokens] : found.tokens) {
    EXPECT_EQ(tokens.size(), 150U);
    EXPECT_EQ(std::ranges::count(tokens, 1) + std::ranges::count(tokens, 3), 0) << id;
  }
}

// Where a stop string ends a reply within a draft, the accepted tokens behind it are no part of it.
TEST_P(Drafts, CountAsAcceptedWhatIsInTheReply) {
  Request asked = request(100, m_reply, 3, 0);
  asked.showSpecial = true;  // the names of the tokens
  const Replies whole = run({asked}, false, 0);
  std::string text;
  for (const TokenId token : whole.tokens.at(1)) text += static_cast<char>('a' + token);
  int accepted = 0;
  for (int length = m_reply / 2; length < m_reply / 2 + 12; ++length) {
    asked.stop = {text.substr(0, static_cast<std::size_t>(length))};
    const Replies found = run({asked}, true, 2);
    EXPECT_EQ(found.tokens.at(1).size(), asked.stop.front().size());
    // One token of each step was not drafted, unless the reply ended before it.
    const int drafted = length - static_cast<int>(found.steps.at(1).size());
    accepted += found.timings.at(1).acceptedTokens;
    EXPECT_GE(found.timings.at(1).acceptedTokens, drafted) << length;
    EXPECT_LE(found.timings.at(1).acceptedTokens, drafted + 1) << length;
  }
  EXPECT_GT(accepted, 0);
}

std::vector<Run> everyRun() {
  std::vector<Run> all;
  for (const StateKind kind : {StateKind::attention, StateKind::windows, StateKind::hybrid, StateKind::recurrent}) {
    all.push_back({kind, false});
    all.push_back({kind, true});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(On, Drafts, testing::ValuesIn(everyRun()), [](const testing::TestParamInfo<Run>& info) {
  return nameOfKind({info.param.kind, info.index}) + (info.param.gpu ? "_vulkan" : "_cpu");
});

}  // namespace
}  // namespace minerva::engine
