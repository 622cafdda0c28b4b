// Models of random weights that draft, and steps of theirs that take as long as a test says.
#pragma once

#include "core/engine/draft_model.h"
#include "gpu/available.h"
#include "tests/core/engine/slow_placement.h"
#include "tests/core/engine/state_kinds.h"

#include <gtest/gtest.h>

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

  // Of the target and of the draft model.
  std::unique_ptr<backend::Backend> m_backend = std::move(*createBackend("cpu", {.threads = 1}));
  WatchedPlacement::Notes m_notes, m_draftNotes;
};

}  // namespace minerva::engine
