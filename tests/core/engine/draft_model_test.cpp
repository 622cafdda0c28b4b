// A draft model suggests what it would say itself, whatever it has read before; and it makes replies faster without changing a token of
// them: greedy or sampled, alone or beside others, with states of every kind on either side.
#include "core/engine/draft_model.h"

#include "core/engine/draft_gain.h"
#include "core/engine/scheduler.h"
#include "gpu/available.h"
#include "tests/core/engine/slow_placement.h"
#include "tests/core/engine/state_kinds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace minerva::engine {
namespace {

using Tokens = std::vector<TokenId>;
constexpr int draftableTokens = 67, draftContext = 1024;
constexpr float sharpness = 3;

Tokens someTokens(int count, int seed) {
  Tokens tokens;
  for (int i = 0; i < count; ++i) tokens.push_back((i % 23 * 5 + i / 7 + seed * 11) % draftableTokens);
  return tokens;
}

// So sure of its tokens that a draft of several is likely, as of a trained model.
tests::RandomModel sure(tests::RandomModel made) {
  made.config.logitScale *= sharpness;
  return made;
}

// The states of the target and of the draft model are of the kind.
class DraftModels : public testing::TestWithParam<StateKind> {
 protected:
  const tests::SimulatedClock m_clock;
  std::unique_ptr<LoadedModel> loaded(const tests::RandomModel& made, const backend::PlaceOptions& placed, WatchedPlacement::Notes& notes,
                                      double stepMs, double rowMs = 0) {
    auto model = std::make_unique<LoadedModel>();
    auto plan = model::buildPlan(made.config);
    EXPECT_TRUE(plan) << plan.error().message();
    model->plan = std::move(*plan);
    model->placed = placed;
    auto placement = m_backend->place(model->plan, model->placed, {}, {});
    EXPECT_TRUE(placement) << placement.error().message();
    model->placement = std::make_unique<SlowPlacement>(std::move(*placement), notes, stepMs, rowMs);
    return model;
  }
  std::unique_ptr<DraftModel> draftModel(const tests::RandomModel& made, const backend::PlaceOptions& target, double stepMs = 0) {
    const auto plan = model::buildPlan(made.config);
    auto model = loaded(made, DraftModel::placeOptions(target, *plan), m_draftNotes, stepMs);
    model->stepMs = stepMs;
    return std::make_unique<DraftModel>(std::move(model), draftableTokens);
  }
  static backend::PlaceOptions placedFor(int slots, int contexts = 0) {
    return {.contextLength = draftContext, .slots = slots, .contexts = contexts, .checkpoints = 4, .maxRows = 256, .maxOutputRows = 64};
  }

  std::unique_ptr<backend::Backend> m_backend = std::move(*createBackend("cpu", {.threads = 1}));
  WatchedPlacement::Notes m_notes, m_draftNotes;
};

// --- what it suggests ---

class DraftModelItself : public DraftModels {
 protected:
  // Whether a token is likely enough must not hang on how its step rounds.
  static backend::PlaceOptions exactFor(int slots, int contexts = 0) {
    backend::PlaceOptions placed = placedFor(slots, contexts);
    placed.precision = backend::Precision::exact;
    return placed;
  }
  // The likeliest tokens after these, computed from nothing, up to one that is not likely.
  Tokens expected(Tokens tokens, int most) {
    auto plan = model::buildPlan(m_made.config);
    backend::PlaceOptions whole = exactFor(1);
    whole.maxRows = draftContext;
    auto placement = *m_backend->place(*plan, whole, {}, {});
    Tokens found;
    while (static_cast<int>(found.size()) < most) {
      std::vector<backend::StepRow> rows;
      for (std::size_t i = 0; i < tokens.size(); ++i) rows.push_back({tokens[i], static_cast<int>(i), 0, i + 1 == tokens.size()});
      EXPECT_TRUE(placement->step(rows));
      const std::span<const float> logits = *placement->logits(0);
      const auto best = std::ranges::max_element(logits);
      double sum = 0;
      for (const float logit : logits) sum += std::exp(logit - *best);
      if (1 / sum < DraftModel::leastProbability) break;
      found.push_back(static_cast<TokenId>(best - logits.begin()));
      tokens.push_back(found.back());
    }
    return found;
  }
  // Several answers, because the model reads only so many tokens in each.
  Tokens suggested(int slot, const Tokens& tokens, int most) {
    for (int calls = 0; calls < 10; ++calls) {
      DraftModel::Wish wish{.slot = slot, .tokens = tokens, .most = most};
      m_model->draft(std::span(&wish, 1));
      if (wish.isRead) return wish.draft;
      EXPECT_TRUE(wish.draft.empty());
    }
    ADD_FAILURE() << "it never read all";
    return {};
  }
  void check(int slot, const Tokens& tokens, int most, const std::string& what) {
    const Tokens wanted = expected(tokens, most);
    EXPECT_EQ(suggested(slot, tokens, most), wanted) << what;
    m_length += wanted.size();
  }

  tests::RandomModel m_made = sure(modelOf(GetParam(), draftableTokens, draftContext));
  std::unique_ptr<DraftModel> m_model = draftModel(m_made, exactFor(3));
  std::size_t m_length = 0;
};

TEST_P(DraftModelItself, SuggestsWhatItWouldSay) {
  Tokens tokens = someTokens(40, 1);
  check(0, tokens, 6, "from nothing");
  check(0, tokens, 6, "the same again");
  Tokens taken = tokens;
  const Tokens draft = expected(tokens, 6);
  taken.insert(taken.end(), draft.begin(), draft.end());
  taken.push_back(5);
  check(0, taken, 4, "all was accepted, and the next one");
  Tokens rejected = taken;
  rejected.back() = 7;
  check(0, rejected, 4, "another token in its place");
  rejected.push_back(8);
  check(0, rejected, 4, "one more");
  tokens[10] = (tokens[10] + 1) % draftableTokens;
  check(0, tokens, 5, "edited far back");
  tokens.resize(8);
  check(0, tokens, 5, "cut back");
  check(0, someTokens(300, 3), 5, "another conversation, longer than a step");
  const int rows = m_draftNotes.rows;
  check(1, someTokens(290, 3), 5, "one that begins alike in another slot");
  EXPECT_LT(m_draftNotes.rows - rows, GetParam() == StateKind::attention ? 20 : 400) << "keys and values can be shared";
  check(0, someTokens(1, 4), 5, "a single token");
  EXPECT_GT(m_length, 15U) << "else little was compared";
}

TEST_P(DraftModelItself, SuggestsForSeveralAtOnce) {
  const Tokens tokens[] = {someTokens(30, 1), someTokens(77, 2), someTokens(40, 6)};
  std::vector<DraftModel::Wish> wishes;
  for (int slot = 0; slot < 3; ++slot) wishes.push_back({.slot = slot, .tokens = tokens[slot], .most = 5 - slot});
  m_model->draft(wishes);
  const int steps = m_draftNotes.steps;
  for (int slot = 0; slot < 3; ++slot) {
    const DraftModel::Wish& wish = wishes[static_cast<std::size_t>(slot)];
    EXPECT_TRUE(wish.isRead == (slot != 1)) << "77 tokens are more than a third of a step";
    if (!wish.isRead) continue;
    EXPECT_EQ(wish.draft, expected(tokens[slot], 5 - slot)) << slot;
  }
  EXPECT_LE(steps, 5) << "one for each token, not one for each token of each";
}

TEST_P(DraftModelItself, EndsWithItsContext) {
  const Tokens full = someTokens(draftContext, 2), longer = someTokens(draftContext + 1, 2);
  EXPECT_EQ(m_model->room(full.size()), 1);
  EXPECT_EQ(m_model->room(longer.size()), 0);
  EXPECT_LE(suggested(0, full, 5).size(), 1U);
  DraftModel::Wish wish{.slot = 0, .tokens = longer, .most = 3};
  const int steps = m_draftNotes.steps;
  m_model->draft(std::span(&wish, 1));
  EXPECT_TRUE(wish.draft.empty());
  EXPECT_EQ(m_draftNotes.steps, steps);
}

TEST_P(DraftModelItself, DraftsNoMoreAfterAFailedStep) {
  const Tokens tokens = someTokens(20, 1);
  m_draftNotes.failsStep = true;
  DraftModel::Wish wish{.slot = 0, .tokens = tokens, .most = 3};
  m_model->draft(std::span(&wish, 1));
  EXPECT_TRUE(m_model->failed());
  EXPECT_TRUE(wish.draft.empty());
}

TEST_P(DraftModelItself, ReadsAgainWhereItsStateIsLost) {
  const Tokens tokens = someTokens(40, 1);
  check(0, tokens, 6, "first");
  Tokens other = tokens;
  other.push_back((expected(tokens, 1).empty() ? 0 : expected(tokens, 1)[0] + 1) % draftableTokens);
  m_draftNotes.failsRestore = true;
  check(0, other, 4, "it cannot go back");
  m_draftNotes.failsSave = true;
  other.push_back(3);
  check(0, other, 4, "it cannot keep where it stands");
  m_draftNotes.failsRestore = false;
  const Tokens next = expected(other, 1);
  other.push_back(next.empty() ? 0 : (next[0] + 1) % draftableTokens);
  check(0, other, 4, "nor go back there");
}

TEST_P(DraftModelItself, GivesBackPagesOfWhatItWasNotAskedForLately) {
  m_model = draftModel(m_made, exactFor(3, 1));
  for (int round = 0; round < 2; ++round)
    for (int slot = 0; slot < 3; ++slot) check(slot, someTokens(500 + 100 * slot, slot + 1), 4, "slot " + std::to_string(slot));
  EXPECT_FALSE(m_model->failed());
}

TEST_P(DraftModelItself, ReadsTokensThatOnlyTheTargetHas) {
  Tokens tokens = someTokens(30, 1);
  tokens[0] = draftableTokens + 5;
  Tokens known = tokens;
  known[0] = 0;
  EXPECT_EQ(suggested(0, tokens, 4), expected(known, 4));
  tokens.push_back(3);
  EXPECT_EQ(m_model->missing(0, tokens), 1) << "it knows them again";
}

INSTANTIATE_TEST_SUITE_P(Of, DraftModelItself, everyStateKind(), nameOfKind);

// --- replies of a target ---

struct Answers {
  std::map<RequestId, Tokens> tokens;
  std::map<RequestId, Timings> timings;
  int steps = 0, draftSteps = 0;
  double draftRows = 0;

  [[nodiscard]] int drafted() const { return sum(&Timings::draftedTokens); }
  [[nodiscard]] int accepted() const { return sum(&Timings::acceptedTokens); }
  [[nodiscard]] int sum(int Timings::*count) const {
    int all = 0;
    for (const auto& [id, t] : timings) all += t.*count;
    return all;
  }
};

enum class DraftIs { absent, theTarget, theTargetWithLessContext, another };

class DraftedReplies : public DraftModels {
 protected:
  struct Times {
    double stepMs = 4, rowMs = 0, draftMs = 0;  // long target steps, so that a busy machine's noise matters less
  };
  // afterTick may cancel.
  Answers run(const std::vector<Request>& requests, DraftIs draft, Times times, int slots, int contexts = 0,
              const std::function<void(Scheduler&, int tick)>& afterTick = {}) {
    Answers told;
    m_notes = m_draftNotes = {};
    backend::PlaceOptions placed = placedFor(slots, contexts);
    placed.checkpoints += draftCheckpoints(true, placed, *model::buildPlan(m_target.config));
    const auto model = loaded(m_target, placed, m_notes, times.stepMs, times.rowMs);
    model->drafts = draft != DraftIs::absent;
    if (draft != DraftIs::absent) model->draftModel = draftModel(*m_drafts.at(draft), placed, times.draftMs);
    const Emit emit = [&](RequestId id, const auto& body) {
      if (const auto* token = std::get_if<TokenEvent>(&body)) told.tokens[id].push_back(token->token);
      if (const auto* finished = std::get_if<Finished>(&body)) told.timings[id] = finished->timings;
      if (const auto* failed = std::get_if<Failed>(&body)) ADD_FAILURE() << failed->error.message();
    };
    Scheduler scheduler(*model, 0, emit);
    RequestId id = 0;
    for (const Request& request : requests) {
      Prompt prompt;
      prompt.tokens = request.tokens;
      scheduler.add({++id, request, Clock::now()}, std::move(prompt));
    }
    for (int tick = 0; scheduler.tick(); ++tick) {
      if (afterTick) afterTick(scheduler, tick);
    }
    told.steps = m_notes.steps;
    told.draftSteps = m_draftNotes.steps;
    return told;
  }
  // Without a draft model, and without sleeping.
  Answers plain(const std::vector<Request>& requests, int slots, int contexts = 0) {
    return run(requests, DraftIs::absent, {.stepMs = 0, .rowMs = 0, .draftMs = 0}, slots, contexts);
  }

  // What pays is measured: where other programs hold the steps up, up to three runs show what happens without that.
  static Answers undisturbed(const std::function<bool(const Answers&)>& looksSo, const std::function<Answers()>& once) {
    Answers answers = once();
    for (int again = 0; again < 2 && !looksSo(answers); ++again) answers = once();
    return answers;
  }

  static Request request(int prompt, int reply, int seed, float temperature = 0) {
    Request r;
    r.tokens = someTokens(prompt, seed);
    r.maxTokens = reply;
    r.ignoreEndOfTurn = true;
    r.sampling.temperature = sharpness * temperature;
    r.sampling.topK = 12;
    r.sampling.seed = static_cast<std::uint64_t>(seed) + 1;
    return r;
  }

  static constexpr int lessContext = 200;
  tests::RandomModel m_target = sure(modelOf(GetParam(), draftableTokens, draftContext));
  tests::RandomModel m_targetWithLess = sure(modelOf(GetParam(), draftableTokens, lessContext));
  tests::RandomModel m_another =
      sure(tests::randomModel({.type = ElementType::Q8_0, .vocabulary = draftableTokens, .context = draftContext, .seed = 99}));
  const std::map<DraftIs, const tests::RandomModel*> m_drafts{
      {DraftIs::theTarget, &m_target}, {DraftIs::theTargetWithLessContext, &m_targetWithLess}, {DraftIs::another, &m_another}};
};

TEST_P(DraftedReplies, OfTheSameModelAreAcceptedAndTakeFewerSteps) {
  const std::vector<Request> requests{request(60, 300, 3)};
  const Answers expected = plain(requests, 1);
  const Answers found = undisturbed([](const Answers& answers) { return answers.steps < 60; },
                                    [&] {
                                      Answers answers = run(requests, DraftIs::theTarget, {}, 1);
                                      EXPECT_EQ(answers.tokens, expected.tokens);
                                      return answers;
                                    });
  EXPECT_GT(found.accepted(), 200);
  EXPECT_GT(found.accepted(), 0.6 * found.drafted()) << "those that the text suggests are not";
  EXPECT_GT(found.draftSteps, 200);
  EXPECT_LT(found.steps, 60) << "drafts become longer as it shows that they are accepted";
}

TEST_P(DraftedReplies, OfAnotherModelAreTheSameTextAndSoonLeftAlone) {
  const std::vector<Request> requests{request(60, 400, 3)};
  const Answers expected = plain(requests, 1), found = run(requests, DraftIs::another, {.stepMs = 1, .rowMs = 0.2, .draftMs = 0.3}, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.draftSteps, 2) << "it is tried";
  EXPECT_LT(found.draftSteps, 60) << "but gains nothing";
}

TEST_P(DraftedReplies, BesideOthersAndTheirPrompts) {
  std::vector<Request> requests;
  for (int i = 0; i < 7; ++i) requests.push_back(request(20 + 20 * i, 140 - 10 * i, i + 1, i % 2 == 0 ? 0 : 0.7F));
  const Answers expected = plain(requests, 3);
  for (const DraftIs draft : {DraftIs::theTarget, DraftIs::another}) {
    const Answers found = run(requests, draft, {.stepMs = 5, .rowMs = 0, .draftMs = 0}, 3);
    EXPECT_EQ(found.tokens, expected.tokens);
    EXPECT_GT(found.draftSteps, 0);
    EXPECT_GT(found.accepted(), draft == DraftIs::theTarget ? 30 : -1);
  }
}

TEST_P(DraftedReplies, WithPagesThatSlotsShare) {
  std::vector<Request> requests;
  for (int i = 0; i < 4; ++i) requests.push_back(request(160 + 10 * i, 130, i + 1, i % 2 == 0 ? 0 : 0.7F));
  const Answers expected = plain(requests, 4, 1), found = run(requests, DraftIs::theTarget, {.stepMs = 5, .rowMs = 0, .draftMs = 0}, 4, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.draftSteps, 0);
}

TEST_P(DraftedReplies, AreCancelledAndTheSlotGoesOnWithAnother) {
  const std::vector<Request> requests{request(50, 400, 3), request(40, 90, 5), request(50, 80, 3)};
  const Answers expected = plain(requests, 1);
  const Answers found =
      run(requests, DraftIs::theTarget, {.stepMs = 4, .rowMs = 0, .draftMs = 0}, 1, 0, [](Scheduler& scheduler, int tick) {
        if (tick == 15) scheduler.cancel(1);
      });
  ASSERT_LT(found.tokens.at(1).size(), 400U);
  const Tokens begun(expected.tokens.at(1).begin(), expected.tokens.at(1).begin() + static_cast<std::ptrdiff_t>(found.tokens.at(1).size()));
  EXPECT_EQ(found.tokens.at(1), begun);
  EXPECT_EQ(found.tokens.at(2), expected.tokens.at(2));
  EXPECT_EQ(found.tokens.at(3), expected.tokens.at(3));
  EXPECT_GT(found.timings.at(3).acceptedTokens, 10);
}

TEST_P(DraftedReplies, UpToTheEndOfTheContext) {
  const std::vector<Request> requests{request(50, 60, 1), request(draftContext - 100, 0, 2)};  // the first shows that drafts pay
  const Answers expected = plain(requests, 1);
  const auto isDrafted = [](const Answers& answers) { return answers.timings.at(2).acceptedTokens > 20; };
  const Answers found = undisturbed(isDrafted, [&] {
    Answers answers = run(requests, DraftIs::theTarget, {.stepMs = 8, .rowMs = 0, .draftMs = 0}, 1);
    EXPECT_EQ(answers.tokens, expected.tokens);
    return answers;
  });
  EXPECT_EQ(found.tokens.at(2).size(), 100U);
  EXPECT_GT(found.timings.at(2).acceptedTokens, 20);
}

TEST_P(DraftedReplies, ThatAreLongNeedNotBeReadWhole) {
  const std::vector<Request> requests{request(800, 100, 2)};
  const Answers expected = plain(requests, 1), found = run(requests, DraftIs::theTarget, {.stepMs = 3, .rowMs = 0, .draftMs = 0.5}, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.draftSteps, 0);
  EXPECT_LT(m_draftNotes.rows, 600);
}

TEST_P(DraftedReplies, AreLongerThanTheDraftModelsContext) {
  const std::vector<Request> requests{request(60, 500, 3)};
  const Answers expected = plain(requests, 1), found = run(requests, DraftIs::theTargetWithLessContext, {}, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.accepted(), lessContext / 2);
  EXPECT_GT(m_draftNotes.rows, lessContext + 64) << "it begins anew with the last tokens";
}

TEST_P(DraftedReplies, ThatWantNoDraftsGetNone) {
  std::vector<Request> requests{request(50, 60, 3)};
  requests.front().drafts = false;
  const Answers found = run(requests, DraftIs::theTarget, {.stepMs = 1, .rowMs = 0, .draftMs = 0}, 1);
  EXPECT_EQ(found.drafted(), 0);
  EXPECT_EQ(found.draftSteps, 0);
}

TEST_P(DraftedReplies, GoOnWhereTheDraftModelFails) {
  const std::vector<Request> requests{request(60, 120, 3)};
  const Answers expected = plain(requests, 1);
  const Answers found = run(requests, DraftIs::theTarget, {.stepMs = 1, .rowMs = 0, .draftMs = 0}, 1, 0, [this](Scheduler&, int tick) {
    if (tick == 25) m_draftNotes.failsStep = true;
  });
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.draftSteps, 0);
}

// The same seeds give the same tokens; other seeds with drafts give the same distribution as these without.
TEST_P(DraftedReplies, AreSampledFromTheSameDistribution) {
  constexpr int seeds = 300;
  const auto asked = [](int first) {
    std::vector<Request> requests;
    for (int i = 0; i < seeds; ++i) {
      requests.push_back(request(30, 6, 1, 0.5F));
      requests.back().sampling.seed = static_cast<std::uint64_t>(first + i);
    }
    return requests;
  };
  const Answers expected = plain(asked(1), 1);
  const Answers same = run(asked(1), DraftIs::theTarget, {.stepMs = 1.5, .rowMs = 0, .draftMs = 0}, 1);
  EXPECT_EQ(same.tokens, expected.tokens);
  const Answers other = run(asked(5000), DraftIs::theTarget, {.stepMs = 1.5, .rowMs = 0, .draftMs = 0}, 1);
  EXPECT_GT(other.accepted(), 60);
  EXPECT_GT(other.drafted(), other.accepted() + 60) << "many are rejected";
  for (std::size_t position = 1; position < 6; ++position) {
    std::map<TokenId, std::pair<int, int>> counts;
    for (const auto& [id, tokens] : expected.tokens) ++counts[tokens[position]].first;
    for (const auto& [id, tokens] : other.tokens) ++counts[tokens[position]].second;
    double chiSquare = 0;
    std::pair<int, int> rare;
    int kinds = 0;
    const auto add = [&](std::pair<int, int> pair) {
      const double difference = pair.first - pair.second;
      chiSquare += difference * difference / (pair.first + pair.second);
      ++kinds;
    };
    for (const auto& [token, pair] : counts) {
      if (pair.first + pair.second >= 16) add(pair);
      else rare = {rare.first + pair.first, rare.second + pair.second};
    }
    if (rare.first + rare.second > 0) add(rare);
    const double free = kinds - 1;
    EXPECT_GE(kinds, 3);
    EXPECT_LT(chiSquare, free + 4 * std::sqrt(2 * free) + 6) << position << ", " << kinds << " kinds";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, DraftedReplies, everyStateKind(), nameOfKind);

// --- whether it pays ---

// A reply of so many steps, of which a try with a draft gains so much.
int triesOf(double gain, double cost, int steps, DraftGain& state) {
  int tries = 0;
  for (int step = 0; step < steps; ++step) {
    if (state.mayTry(cost, 0, 100)) {
      state.learn(gain);
      ++tries;
    }
    state.step();
  }
  return tries;
}

TEST(DraftGain, GoesOnWhileItGains) {
  DraftGain gain;
  EXPECT_EQ(triesOf(0.5, 0.4, 200, gain), 200);
  EXPECT_TRUE(gain.pays());
}

TEST(DraftGain, OneLateStepDoesNotEndIt) {
  DraftGain gain;
  triesOf(0.8, 0.4, 20, gain);
  gain.learn(-1000);
  EXPECT_TRUE(gain.pays());
  EXPECT_TRUE(gain.mayTry(0.4, 0, 100));
}

TEST(DraftGain, LosesNoMoreThanAShareOfTheReply) {
  DraftGain gain;
  const int tries = triesOf(-0.4, 0.4, 400, gain);
  EXPECT_GE(tries, 3);
  EXPECT_LE(tries * 0.4, 2 + 0.01 * 400) << "two steps at first, and a hundredth of the time";
  DraftGain next = DraftGain::after(gain);
  EXPECT_LE(triesOf(-0.4, 0.4, 400, next) * 0.4, 0.01 * 400 + 0.4) << "the next reply begins with what is known";
  EXPECT_GE(triesOf(-0.4, 0.4, 4000, next), 1) << "but it is tried again";
}

TEST(DraftGain, ATextThatChangesIsNoticed) {
  DraftGain gain;
  triesOf(-0.4, 0.4, 300, gain);
  EXPECT_FALSE(gain.pays());
  EXPECT_GT(triesOf(1.5, 0.4, 400, gain), 200);
  EXPECT_TRUE(gain.pays());
  EXPECT_LT(triesOf(-0.4, 0.4, 400, gain), 30) << "and changes back";
}

TEST(DraftGain, ALongReadingNeedsALongReply) {
  DraftGain known;
  triesOf(0.5, 0.4, 20, known);
  const DraftGain gain = DraftGain::after(known);
  EXPECT_TRUE(gain.mayTry(0.4, 10, 64));
  EXPECT_FALSE(gain.mayTry(0.4, 100, 64)) << "it costs more than it would save";
  EXPECT_TRUE(gain.mayTry(0.4, 100, 1000));
  EXPECT_FALSE(DraftGain().mayTry(0.4, 10, 1000)) << "nothing is known yet";
}

}  // namespace
}  // namespace minerva::engine
