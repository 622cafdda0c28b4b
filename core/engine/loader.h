// From a path to everything a running model needs. Everything except the placement is immutable after loading.
#pragma once

#include "core/format/model_file.h"
#include "core/engine/constraint.h"
#include "core/engine/draft_model.h"
#include "core/engine/engine.h"
#include "core/engine/prediction_draft.h"
#include "core/text/channels.h"

#include <memory>

namespace minerva::engine {

struct LoadedModel {
  std::shared_ptr<const format::ModelFile> file;
  model::ModelConfig config;
  model::Plan plan;
  std::shared_ptr<const text::Tokenizer> tokenizer;        // null if unusable (see info.warnings)
  std::shared_ptr<const text::ChatTemplate> chatTemplate;  // null if unusable (see info.warnings)
  text::ChannelFormat channels;                            // how replies mark reasoning; requires the tokenizer
  std::vector<TokenId> endOfTurn;
  std::vector<TokenId> suppressed;
  std::shared_ptr<ConstraintTokens> constraintTokens;  // null without a tokenizer
  SamplingOptions recommended;
  backend::PlaceOptions placed;
  std::unique_ptr<backend::Placement> placement;  // declared after plan and file, so that it is destroyed before them
  double stepMs = 0;                              // duration of a step with one token
  bool drafts = false;                            // LoadOptions::drafts
  std::unique_ptr<DraftModel> draftModel;         // null: none
  std::unique_ptr<PredictionDraft> prediction;    // null: none; not beside a draft model
  ModelInfo info;
};

// Errors and threads: see Engine::load.
[[nodiscard]] Result<std::unique_ptr<LoadedModel>> loadModel(backend::Backend& backend, const LoadOptions& options,
                                                             const std::function<void(const LoadProgress&)>& progress,
                                                             std::stop_token stop);

// place_options.cpp.
// Placement options for a load. The context length is limited to the model's maximum. Models whose states cannot be cut back everywhere get
// checkpoints, in a bounded share of memory.
[[nodiscard]] backend::PlaceOptions placeOptionsFor(const LoadOptions& options, const model::Plan& plan);

// Of its checkpoints, those to which states return that cannot be cut back when a draft is rejected: the last ones, one a slot.
[[nodiscard]] int draftCheckpoints(bool drafts, const backend::PlaceOptions& placed, const model::Plan& plan);

// Memory that the states of all conversations take then, without device-specific padding.
[[nodiscard]] std::uint64_t stateBytesFor(const LoadOptions& options, const model::Plan& plan);

// model_defaults.cpp. recommendedSampling(): generation_config.json or general.sampling.*, else our defaults.
// endOfTurnTokens(): the tokenizer's end tokens and the eos tokens of generation_config.json.
// suppressedTokens(): those that the publisher says the model must never write, as Gemma 4's markers of images.
[[nodiscard]] SamplingOptions recommendedSampling(const format::ModelFile& file);
[[nodiscard]] std::vector<TokenId> endOfTurnTokens(const format::ModelFile& file, const text::Tokenizer* tokenizer, int vocabularySize);
[[nodiscard]] std::vector<TokenId> suppressedTokens(const format::ModelFile& file, int vocabularySize);

}  // namespace minerva::engine
