// Whether a model fits together with the smaller one that drafts for it (draft_model.h): what loading finds, and what forecasts of a load
// say. Pure functions.
#pragma once

#include "core/backend/fit.h"

#include <optional>

namespace minerva::engine {

struct PairFit {
  backend::Fit fit;                             // `needs` are those of both together
  std::vector<backend::DeviceNeed> draft = {};  // the draft model's part of fit.needs; empty: there is none
  std::optional<Error> left = {};               // why the draft model was left, although one was given
};

// A model, and what drafts for it.
struct PairPlans {
  const model::Plan& target;           // as it is placed beside `draft`
  const model::Plan* draft = nullptr;  // null: none
  const model::Plan& alone;            // the model without it
};

// optional: if both do not fit, leave the draft model; all figures are those of the model alone then. The draft model's context follows the
// model's, and so do the offers. Otherwise as backend::workOutFit.
[[nodiscard]] Result<PairFit> workOutPairFit(const backend::NeedsOf& needs, const PairPlans& plans, const backend::PlaceOptions& wanted,
                                             bool optional, bool shareable);

// Plans of a model and of its own layer that predicts further tokens, which drafts for it (prediction_draft.h).
struct PredictingPlans {
  model::Plan target, prediction;
};
// placed: of the model. REQUIRES config.prediction. Errors: unsupported, where devices share the model; those of buildPlan and of `needs`.
[[nodiscard]] Result<PredictingPlans> predictingPlans(const model::ModelConfig& config, const backend::NeedsOf& needs,
                                                      const backend::PlaceOptions& placed);

// PlaceOptions::reserved of the model for which this one drafts.
[[nodiscard]] std::uint64_t reservedFor(const std::vector<backend::DeviceNeed>& draft);

// As backend::doesNotFit; says whether a draft model is among what is needed.
[[nodiscard]] Error pairDoesNotFit(const PairFit& pair);

// Errors: unsupported, for devices on which a reply could be another one with drafts than without. where: the draft model.
[[nodiscard]] Result<void> checkDraftDevice(const backend::DeviceInfo& device, const std::string& where);
[[nodiscard]] Error unalike(const backend::DeviceInfo& device, const std::string& where);

}  // namespace minerva::engine
