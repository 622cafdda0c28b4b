// Where replies are the same alone and beside others only in steps that hold little else (backend::Alike::apart), replies with drafts and
// prompts take turns.
#include "core/engine/scheduler.h"
#include "gpu/available.h"
#include "tests/core/engine/slow_placement.h"
#include "tests/core/engine/state_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace minerva::engine {
namespace {

constexpr int vocabularyApart = 5;  // so few that random replies repeat themselves, and drafts are accepted

struct StepRows {
  int replies = 0, prompts = 0;
  bool inOrder = true;  // replies by their positions
  std::set<int> slots;  // of replies
};

bool isInOrder(std::span<const backend::StepRow> replies) {
  int slot = -1, position = 0;
  for (const backend::StepRow& row : replies) {
    if (row.slot == slot) continue;
    if (row.position < position) return false;
    slot = row.slot;
    position = row.position;
  }
  return true;
}

class CountedPlacement : public SlowPlacement {
 public:
  CountedPlacement(std::unique_ptr<backend::Placement> inner, Notes& notes, std::vector<StepRows>& steps)
      : SlowPlacement(std::move(inner), notes, 4, 0), m_steps(steps) {}
  Result<void> step(std::span<const backend::StepRow> rows) override {
    const auto replies = std::ranges::count(rows, backend::RowUse::reply, &backend::StepRow::use);
    m_steps.push_back({static_cast<int>(replies),
                       static_cast<int>(std::ssize(rows) - replies),
                       isInOrder(rows.first(static_cast<std::size_t>(replies))),
                       {}});
    for (const backend::StepRow& row : rows.first(static_cast<std::size_t>(replies))) m_steps.back().slots.insert(row.slot);
    return SlowPlacement::step(rows);
  }

 private:
  std::vector<StepRows>& m_steps;
};

// Runs requests with prompts of so many tokens, each once so many steps are done, and returns what the steps held. accepted: how many
// drafted tokens.
std::vector<StepRows> stepsOf(backend::Alike alike, StateKind kind, int tokens, const std::vector<int>& begins, int& accepted,
                              backend::Alike asked = backend::Alike::apart) {
  const tests::SimulatedClock clock;
  const tests::RandomModel made = modelOf(kind, vocabularyApart, 1024);
  const auto cpu = std::move(*createBackend("cpu", {.threads = 1}));
  LoadedModel model;
  model.plan = std::move(*model::buildPlan(made.config));
  const auto slots = static_cast<int>(begins.size());
  model.placed = {.contextLength = 1024, .slots = slots, .maxRows = 64, .maxOutputRows = 64};
  model.placed.alike = asked;
  model.placed.checkpoints = draftCheckpoints(true, model.placed, model.plan);
  model.drafts = true;
  model.info.device = cpu->info();
  model.info.device.alike = alike;
  WatchedPlacement::Notes notes;
  std::vector<StepRows> steps;
  model.placement = std::make_unique<CountedPlacement>(std::move(*cpu->place(model.plan, model.placed, {}, {})), notes, steps);
  std::size_t finished = 0;
  accepted = 0;
  const Emit emit = [&](RequestId, const auto& body) {
    EXPECT_FALSE(std::holds_alternative<Failed>(body));
    if (!std::holds_alternative<Finished>(body)) return;
    ++finished;
    accepted += std::get<Finished>(body).timings.acceptedTokens;
  };
  Scheduler scheduler(model, 0, emit);
  std::size_t begun = 0;
  for (int tick = 0; finished < begins.size() && tick < 5000; ++tick) {
    for (; begun < begins.size() && begins[begun] <= tick; ++begun) {
      Request request;
      request.maxTokens = 60;
      request.ignoreEndOfTurn = true;
      request.sampling.temperature = 0;
      Prompt prompt;
      for (int i = 0; i < tokens; ++i) prompt.tokens.push_back((i * 3 + i / 7 + static_cast<int>(begun)) % vocabularyApart);
      request.tokens = prompt.tokens;
      scheduler.add({begun + 1, request, Clock::now()}, std::move(prompt));
    }
    scheduler.tick();
  }
  EXPECT_EQ(finished, begins.size());
  return steps;
}

bool isMixed(const StepRows& step) { return step.replies > 0 && step.prompts > 0; }

TEST(RepliesApart, TakeTurnsWithPrompts) {
  const std::vector<int> begins{0, 10, 10, 20, 40};
  int accepted = 0;
  const std::vector<StepRows> together = stepsOf(backend::Alike::always, StateKind::attention, 400, begins, accepted);
  EXPECT_TRUE(std::ranges::any_of(together, isMixed)) << "else this test shows nothing";
  const std::vector<StepRows> apart = stepsOf(backend::Alike::apart, StateKind::attention, 400, begins, accepted);
  EXPECT_TRUE(std::ranges::none_of(apart, isMixed));
  EXPECT_GT(accepted, 0);
  EXPECT_TRUE(std::ranges::all_of(apart, &StepRows::inOrder));
  // The first reply is still written in these steps, while two prompts are read.
  const auto first = std::ranges::find_if(apart, [](const StepRows& step) { return step.replies > 0; });
  const std::vector<StepRows> beside(first, first + 16);
  const auto bothPrompts = [](const StepRows& a, const StepRows& b) { return a.prompts > 0 && b.prompts > 0; };
  EXPECT_EQ(std::ranges::adjacent_find(beside, bothPrompts), beside.end()) << "a reply waited for two chunks";
  EXPECT_GE(std::ranges::count_if(beside, [](const StepRows& step) { return step.prompts > 0; }), 4) << "a prompt waited for a reply";
}

// A reply whose draft was rejected computes some tokens again where states are recurrent; others begin at any time.
TEST(RepliesApart, AreNeverMoreThanAreAlikeWhereSoFewAnswer) {
  int accepted = 0;
  std::vector<int> begins;
  for (int i = 0; i < backend::mostAlike; ++i) begins.push_back(3 * i);
  const std::vector<StepRows> few = stepsOf(backend::Alike::apart, StateKind::recurrent, 30, begins, accepted);
  EXPECT_EQ(std::ranges::max(few, {}, &StepRows::replies).replies, backend::mostAlike);
  EXPECT_GT(accepted, 0);
  const std::vector<StepRows> many = stepsOf(backend::Alike::apart, StateKind::attention, 30, std::vector<int>(10, 0), accepted);
  EXPECT_EQ(std::ranges::max(many, {}, &StepRows::replies).replies, 10) << "all get their token";
}

// Of the steps of replies, how many a slot waited at most between two of its own.
int longestWait(const std::vector<StepRows>& steps, int slot) {
  int longest = 0, waited = -1;
  for (const StepRows& step : steps) {
    if (step.replies == 0) continue;
    const bool has = step.slots.contains(slot);
    if (has && waited > longest) longest = waited;
    if (has) waited = 0;
    else if (waited >= 0) ++waited;
  }
  return longest;
}

// Even if it computes many tokens of a rejected draft again beside others that came before it.
TEST(RepliesApart, NoneWaitsForOthers) {
  int accepted = 0;
  for (const int second : {1, 3, 5, 7, 9}) {
    const std::vector<int> begins{0, second, second + 6, second + 9};
    const std::vector<StepRows> steps = stepsOf(backend::Alike::apart, StateKind::recurrent, 300, begins, accepted);
    for (int slot = 0; slot < static_cast<int>(begins.size()); ++slot) EXPECT_EQ(longestWait(steps, slot), 0) << "slot " << slot;
    EXPECT_GT(accepted, 0);
  }
}

TEST(RepliesApart, AreAsManyAsThereAreIfPlacedForThat) {
  int accepted = 0;
  const auto most = [&](backend::Alike asked) {
    const std::vector<StepRows> steps = stepsOf(backend::Alike::apart, StateKind::attention, 400, {0, 10, 10, 20}, accepted, asked);
    EXPECT_TRUE(std::ranges::none_of(steps, isMixed));
    return std::ranges::max(steps, {}, &StepRows::replies).replies;
  };
  EXPECT_EQ(most(backend::Alike::apart), backend::mostAlike);
  EXPECT_GT(most(backend::Alike::always), 2 * backend::mostAlike) << "drafts of four replies";
}

}  // namespace
}  // namespace minerva::engine
