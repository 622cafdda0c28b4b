// Replies that compute tokens of a rejected draft again, on a device that knows what is said next and computes nothing: none waits for the
// others to end.
#include "core/engine/scheduler.h"
#include "tests/core/engine/idle_placement.h"
#include "tests/core/engine/state_kinds.h"
#include "tests/support/simulated_clock.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace minerva::engine {
namespace {

constexpr int storyVocabulary = 67;

// The same tokens again and again, but for the last one of them: a draft is accepted up to there.
struct Story {
  int period;
  [[nodiscard]] TokenId at(int position) const {
    return position % period < period - 1 ? position % period : period + position / period % (storyVocabulary - period);
  }
};

using StepSlots = std::vector<std::set<int>>;  // of each step of replies, whose rows it had

class ToldPlacement : public IdlePlacement {
 public:
  ToldPlacement(Story story, StepSlots& steps) : m_story(story), m_steps(steps) {}
  Result<void> step(std::span<const backend::StepRow> rows) override {
    tests::SimulatedClock::advance(4);
    m_positions.clear();
    std::set<int> replies;
    for (const backend::StepRow& row : rows) {
      if (row.wantsLogits) m_positions.push_back(row.position);
      if (row.use == backend::RowUse::reply) replies.insert(row.slot);
    }
    EXPECT_LE(replies.empty() ? 0 : std::ssize(rows), backend::mostAlike);
    if (!replies.empty()) m_steps.push_back(std::move(replies));
    return {};
  }
  Result<std::span<const float>> logits(int i) override {
    std::vector<float>& logits = m_logits[i];
    logits.assign(storyVocabulary, 0.0F);
    logits[static_cast<std::size_t>(m_story.at(m_positions[static_cast<std::size_t>(i)] + 1))] = 10;
    return std::span<const float>(logits);
  }

 private:
  Story m_story;
  StepSlots& m_steps;
  std::vector<int> m_positions;                // of the last step's rows with logits
  std::map<int, std::vector<float>> m_logits;  // by output
};

// Two requests at once, the first with a prompt of so many tokens, which is read while the second already replies.
StepSlots stepsBesideAPrompt(int firstTokens, Story story) {
  const tests::SimulatedClock clock;
  const tests::RandomModel made = modelOf(StateKind::recurrent, storyVocabulary, 4096);
  LoadedModel model;
  model.plan = std::move(*model::buildPlan(made.config));
  model.placed = {.contextLength = 4096, .slots = 2, .maxRows = 16, .maxOutputRows = 16};
  model.placed.alike = backend::Alike::apart;
  model.placed.checkpoints = draftCheckpoints(true, model.placed, model.plan);
  model.drafts = true;
  model.info.device.alike = backend::Alike::apart;
  StepSlots steps;
  model.placement = std::make_unique<ToldPlacement>(story, steps);
  int finished = 0, accepted = 0;
  const Emit emit = [&](RequestId, const auto& body) {
    if (!std::holds_alternative<Finished>(body)) return;
    ++finished;
    accepted += std::get<Finished>(body).timings.acceptedTokens;
  };
  Scheduler scheduler(model, 0, emit);
  for (const int tokens : {firstTokens, 70}) {
    Request request;
    request.maxTokens = tokens == 70 ? 600 : 40;
    request.ignoreEndOfTurn = true;
    request.sampling.temperature = 0;
    Prompt prompt;
    for (int i = 0; i < tokens; ++i) prompt.tokens.push_back(tokens == 70 ? story.at(i) : (i * 7 + i / 5) % 23);
    request.tokens = prompt.tokens;
    scheduler.add({static_cast<RequestId>(tokens), request, Clock::now()}, std::move(prompt));
  }
  for (int tick = 0; finished < 2 && tick < 5000; ++tick) scheduler.tick();
  EXPECT_EQ(finished, 2);
  EXPECT_GT(accepted, 100);
  return steps;
}

TEST(CatchingUp, NoReplyWaitsForAnother) {
  for (int period = 26; period < 34; ++period) {  // the number of accepted tokens differs
    for (int first = 160; first < 640; first += 16) {
      int waited = 0;
      for (const std::set<int>& slots : stepsBesideAPrompt(first, {period})) waited += slots.contains(1) ? 0 : 1;
      EXPECT_LE(waited, 1) << "steps without the second reply, beside a first prompt of " << first << " and with a period of " << period;
    }
  }
}

}  // namespace
}  // namespace minerva::engine
