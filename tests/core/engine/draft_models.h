// Models of random weights that draft, steps of theirs that take as long as a test says, and the replies to requests that run with them.
#pragma once

#include "core/engine/draft_model.h"
#include "core/engine/scheduler.h"
#include "gpu/available.h"
#include "tests/core/engine/slow_placement.h"
#include "tests/core/engine/state_kinds.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace minerva::engine {

using Tokens = std::vector<TokenId>;
inline constexpr int draftableTokens = 67, draftContext = 1024;
inline constexpr float sharpness = 3;

inline Tokens someTokens(int count, int seed) {
  Tokens tokens;
  for (int i = 0; i < count; ++i) tokens.push_back((i % 23 * 5 + i / 7 + seed * 11) % draftableTokens);
  return tokens;
}

// So sure of its tokens that a draft of several is likely, as of a trained model.
inline tests::RandomModel sure(tests::RandomModel made) {
  made.config.logitScale *= sharpness;
  return made;
}

struct DraftedAnswers {
  std::map<RequestId, Tokens> tokens;
  std::map<RequestId, Timings> timings;
  int steps = 0, draftSteps = 0, draftRows = 0;

  [[nodiscard]] int drafted() const { return sum(&Timings::draftedTokens); }
  [[nodiscard]] int accepted() const { return sum(&Timings::acceptedTokens); }
  [[nodiscard]] int sum(int Timings::*count) const {
    int all = 0;
    for (const auto& [id, t] : timings) all += t.*count;
    return all;
  }
};
using AfterTick = std::function<void(Scheduler&, int tick)>;  // may cancel, or make something fail

inline Request draftableRequest(int prompt, int reply, int seed, float temperature = 0) {
  Request r;
  r.tokens = someTokens(prompt, seed);
  r.maxTokens = reply;
  r.ignoreEndOfTurn = true;
  r.sampling.temperature = sharpness * temperature;
  r.sampling.topK = 12;
  r.sampling.seed = static_cast<std::uint64_t>(seed) + 1;
  return r;
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
    model->info.device = m_backend->info();
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

  // Options of a target whose replies are drafted for.
  static backend::PlaceOptions placedForDrafts(const tests::RandomModel& target, int slots, int contexts) {
    backend::PlaceOptions placed = placedFor(slots, contexts);
    placed.checkpoints += draftCheckpoints(true, placed, *model::buildPlan(target.config));
    placed.alike = backend::Alike::apart;
    return placed;
  }
  DraftedAnswers answersOf(LoadedModel& model, const std::vector<Request>& requests, const AfterTick& afterTick) {
    DraftedAnswers told;
    const Emit emit = [&](RequestId id, const auto& body) {
      if (const auto* token = std::get_if<TokenEvent>(&body)) told.tokens[id].push_back(token->token);
      if (const auto* finished = std::get_if<Finished>(&body)) told.timings[id] = finished->timings;
      if (const auto* failed = std::get_if<Failed>(&body)) ADD_FAILURE() << failed->error.message();
    };
    Scheduler scheduler(model, 0, emit);
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
    told.draftRows = m_draftNotes.rows;
    return told;
  }

  // Of the target and of the draft model.
  std::unique_ptr<backend::Backend> m_backend = std::move(*createBackend("cpu", {.threads = 1}));
  WatchedPlacement::Notes m_notes, m_draftNotes;
};

}  // namespace minerva::engine
