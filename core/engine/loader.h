// Path -> everything a running model needs. What it makes is immutable but for the placement.
#pragma once

#include "core/engine/engine.h"
#include "core/text/channels.h"

#include <memory>

namespace minerva::engine {

struct LoadedModel {
  std::shared_ptr<const format::ModelFile> file;
  model::ModelConfig config;
  model::Plan plan;
  std::shared_ptr<const text::Tokenizer> tokenizer;        // null: unusable (info.warnings says why)
  std::shared_ptr<const text::ChatTemplate> chatTemplate;  // likewise
  text::ChannelFormat channels;                            // how replies mark reasoning; needs the tokenizer
  std::vector<TokenId> endOfTurn;
  SamplingOptions recommended;
  backend::PlaceOptions placed;
  std::unique_ptr<backend::Placement> placement;  // last: it goes before the plan and the file it looks at
  double stepMs = 0;                              // what a step of one token takes
  ModelInfo info;
};

// Errors and threads: Engine::load.
[[nodiscard]] Result<std::unique_ptr<LoadedModel>> loadModel(backend::Backend& backend, const LoadOptions& options,
                                                             const std::function<void(const LoadProgress&)>& progress,
                                                             std::stop_token stop);

// How a load with these options is placed. A context beyond the model's own is cut to that.
[[nodiscard]] backend::PlaceOptions placeOptionsFor(const LoadOptions& options, const model::Plan& plan);

// model_defaults.cpp: generation_config.json or general.sampling.*, else our defaults; every token that ends a reply:
// the tokenizer's own and those generation_config.json names as eos.
[[nodiscard]] SamplingOptions recommendedSampling(const format::ModelFile& file);
[[nodiscard]] std::vector<TokenId> endOfTurnTokens(const format::ModelFile& file, const text::Tokenizer* tokenizer, int vocabularySize);

}  // namespace minerva::engine
