// A draft model makes replies faster without changing a token of them: greedy or sampled, alone or beside others, with states of every kind
// on either side, on a CPU and on a GPU.
#include "tests/core/engine/draft_models.h"
#include "tests/support/conformance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace minerva::engine {
namespace {

using Answers = DraftedAnswers;

enum class DraftIs { absent, theTarget, theTargetWithLessContext, another };

class DraftedReplies : public DraftModels {
 protected:
  struct Times {
    double stepMs = 4, rowMs = 0, draftMs = 0;  // long target steps, so that a busy machine's noise matters less
  };
  Answers run(const std::vector<Request>& requests, DraftIs draft, Times times, int slots, int contexts = 0,
              const AfterTick& afterTick = {}) {
    m_notes = m_draftNotes = {};
    const backend::PlaceOptions placed = placedForDrafts(m_target, slots, contexts);
    const auto model = loaded(m_target, placed, m_notes, times.stepMs, times.rowMs);
    model->drafts = draft != DraftIs::absent;
    if (draft != DraftIs::absent) model->draftModel = draftModel(*m_drafts.at(draft), placed, times.draftMs);
    return answersOf(*model, requests, afterTick);
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

  static constexpr int lessContext = 200;
  tests::RandomModel m_target = sure(modelOf(GetParam(), draftableTokens, draftContext));
  tests::RandomModel m_targetWithLess = sure(modelOf(GetParam(), draftableTokens, lessContext));
  tests::RandomModel m_another =
      sure(tests::randomModel({.type = ElementType::Q8_0, .vocabulary = draftableTokens, .context = draftContext, .seed = 99}));
  const std::map<DraftIs, const tests::RandomModel*> m_drafts{
      {DraftIs::theTarget, &m_target}, {DraftIs::theTargetWithLessContext, &m_targetWithLess}, {DraftIs::another, &m_another}};
};

TEST_P(DraftedReplies, OfTheSameModelAreAcceptedAndTakeFewerSteps) {
  const std::vector<Request> requests{draftableRequest(60, 300, 3)};
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
  const std::vector<Request> requests{draftableRequest(60, 400, 3)};
  const Answers expected = plain(requests, 1), found = run(requests, DraftIs::another, {.stepMs = 1, .rowMs = 0.2, .draftMs = 0.3}, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.draftSteps, 2) << "it is tried";
  EXPECT_LT(found.draftSteps, 60) << "but gains nothing";
}

TEST_P(DraftedReplies, BesideOthersAndTheirPrompts) {
  std::vector<Request> requests;
  for (int i = 0; i < 7; ++i) requests.push_back(draftableRequest(20 + 20 * i, 140 - 10 * i, i + 1, i % 2 == 0 ? 0 : 0.7F));
  const Answers expected = plain(requests, 3);
  for (const DraftIs draft : {DraftIs::theTarget, DraftIs::another}) {
    const Answers found = run(requests, draft, {.stepMs = 5, .rowMs = 0, .draftMs = 0}, 3);
    EXPECT_EQ(found.tokens, expected.tokens);
    EXPECT_GT(found.draftSteps, 0);
    EXPECT_GT(found.accepted(), draft == DraftIs::theTarget ? 30 : -1);
  }
}

// As many slots as a step has rows with logits: those that are free want none.
TEST_P(DraftedReplies, OneOfManySlotsIsDraftedFor) {
  const std::vector<Request> requests{draftableRequest(60, 200, 3)};
  const int slots = placedFor(1).maxOutputRows;
  const Answers found = undisturbed([](const Answers& answers) { return answers.accepted() > 100; },
                                    [&] { return run(requests, DraftIs::theTarget, {}, slots); });
  EXPECT_EQ(found.tokens, plain(requests, 1).tokens);
  EXPECT_GT(found.accepted(), 100);
}

TEST_P(DraftedReplies, WithPagesThatSlotsShare) {
  std::vector<Request> requests;
  for (int i = 0; i < 4; ++i) requests.push_back(draftableRequest(160 + 10 * i, 130, i + 1, i % 2 == 0 ? 0 : 0.7F));
  const Answers expected = plain(requests, 4, 1), found = run(requests, DraftIs::theTarget, {.stepMs = 5, .rowMs = 0, .draftMs = 0}, 4, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.draftSteps, 0);
}

TEST_P(DraftedReplies, AreCancelledAndTheSlotGoesOnWithAnother) {
  const std::vector<Request> requests{draftableRequest(50, 400, 3), draftableRequest(40, 90, 5), draftableRequest(50, 80, 3)};
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
  const std::vector<Request> requests{draftableRequest(50, 60, 1),
                                      draftableRequest(draftContext - 100, 0, 2)};  // the first shows that drafts pay
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
  const std::vector<Request> requests{draftableRequest(800, 100, 2)};
  const Answers expected = plain(requests, 1), found = run(requests, DraftIs::theTarget, {.stepMs = 3, .rowMs = 0, .draftMs = 0.5}, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.draftSteps, 0);
  EXPECT_LT(m_draftNotes.rows, 600);
}

TEST_P(DraftedReplies, AreLongerThanTheDraftModelsContext) {
  const std::vector<Request> requests{draftableRequest(60, 500, 3)};
  const Answers expected = plain(requests, 1), found = run(requests, DraftIs::theTargetWithLessContext, {}, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.accepted(), lessContext / 2);
  EXPECT_GT(m_draftNotes.rows, lessContext + 64) << "it begins anew with the last tokens";
}

TEST_P(DraftedReplies, ThatWantNoDraftsGetNone) {
  std::vector<Request> requests{draftableRequest(50, 60, 3)};
  requests.front().drafts = false;
  const Answers found = run(requests, DraftIs::theTarget, {.stepMs = 1, .rowMs = 0, .draftMs = 0}, 1);
  EXPECT_EQ(found.drafted(), 0);
  EXPECT_EQ(found.draftSteps, 0);
}

TEST_P(DraftedReplies, GoOnWhereTheDraftModelFails) {
  const std::vector<Request> requests{draftableRequest(60, 120, 3)};
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
      requests.push_back(draftableRequest(30, 6, 1, 0.5F));
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

// Both models on the first GPU, whose rows of replies are alike where they are few and alone.
class DraftedRepliesOnVulkan : public DraftedReplies {
 protected:
  void SetUp() override {
    const tests::BackendUnderTest* gpu = tests::gpuUnderTest();
    if (gpu == nullptr) GTEST_SKIP() << "skipped: there is no Vulkan device";
    m_backend = std::move(*createBackend(gpu->device, gpu->options));
  }
  void TearDown() override {
    for (const std::string& message : tests::validationMessages(*m_backend)) ADD_FAILURE() << message;
  }
};

TEST_P(DraftedRepliesOnVulkan, OfTheSameModelAreAcceptedAndTakeFewerSteps) {
  const std::vector<Request> requests{draftableRequest(60, 120, 3)};
  const Answers expected = plain(requests, 1), found = run(requests, DraftIs::theTarget, {}, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.accepted(), 60);
  EXPECT_GT(found.draftSteps, 60);
  EXPECT_LT(found.steps, 50);
}

INSTANTIATE_TEST_SUITE_P(Of, DraftedRepliesOnVulkan, everyStateKind(), nameOfKind);

}  // namespace
}  // namespace minerva::engine
