// Predicted speeds of a model on cards: its work a step, op by op, times what the cards take for it.
#pragma once

#include "bench/cost_cards.h"
#include "core/backend/backend.h"
#include "core/model/op_work.h"

#include <optional>

namespace minerva::bench {

// What is changed about our plan before its speed is predicted, to see what that would be worth.
struct CostChanges {
  double dispatchesPerLayer = -1, barriersPerLayer = -1;  // below 0: as recorded
  double weightFactor = 1;                                // bytes of weights and experts
};

struct CostTask {
  int prompt = 512, depth = 4096;
  model::KvType kv = model::KvType::f16;
  CostChanges changes = {};
};

// Of one op, of a kind of ops, or of all.
struct OpCost {
  model::OpWork work;
  backend::OpCounts counts;
};

// Tokens a second, and what takes most of the time.
struct Prediction {
  double perSecond = 0;
  speed::Limit limit = speed::Limit::bandwidth;
  double dispatchWorth = 0;  // share of the time that one dispatch and barrier less in every layer saves
};

struct CardEstimate {
  Card card;
  backend::OpCounts dispatches;       // of our step of one token
  backend::OpCounts layerDispatches;  // of these, those of all layers
  Prediction decode, deep, prefill;   // ours; deep: at the task's depth; perSecond 0: beyond the model's context
  std::optional<backend::OpCounts> peerDispatches;
  std::optional<Prediction> peerDecode, peerDeep, peerPrefill;  // absent: not counted for such a model
};

// Our step on a card, op by op. Errors: as countStep().
[[nodiscard]] Result<std::vector<OpCost>> costsOfOps(const model::Plan& plan, const Card& card, const CostTask& task,
                                                     const model::StepSize& step);
[[nodiscard]] OpCost sumOf(const std::vector<OpCost>& ops);

[[nodiscard]] Result<CardEstimate> estimate(const model::Plan& plan, const Card& card, const CostTask& task);

}  // namespace minerva::bench
