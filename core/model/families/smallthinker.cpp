// SmallThinker (PowerInfer): a mixture whose router reads the residual stream before the attention, so that experts can be fetched while it
// runs; gates are cut at 0. Of the larger model every fourth layer has neither window nor rotation, the others have both.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<ExpertForm> smallThinkerExperts(const Reader& reader) {
  ExpertForm experts;
  experts.count.huggingFace = "moe_num_primary_experts";
  experts.used.huggingFace = "moe_num_active_primary_experts";
  experts.feedForward.huggingFace = "moe_ffn_hidden_size";
  experts.router.huggingFace = "model.layers.#.block_sparse_moe.primary_router";
  experts.stacked = "model.layers.#.block_sparse_moe.switch_mlp.";
  experts.gate = "model.layers.#.block_sparse_moe.experts.@.gate";
  experts.up = "model.layers.#.block_sparse_moe.experts.@.up";
  experts.down = "model.layers.#.block_sparse_moe.experts.@.down";
  MINERVA_ASSIGN(const auto softmax, reader.boolean({"", "moe_primary_router_apply_softmax"}));
  MINERVA_ASSIGN(experts.scoring, readScoring(reader, "", softmax.value_or(false) ? Scoring::softmax : Scoring::sigmoid));
  MINERVA_TRY(refuseIfSet(reader, "moe_enable_secondary_experts", "A second choice of experts"));
  return experts;
}

// For each layer 1 if it has a window, and if it is rotated. GGUF states only the window: llama.cpp knows which layers have it.
Result<void> readLayersOfThinker(const Reader& reader, ModelConfig& config) {
  const int layers = static_cast<int>(config.layers.size());
  constexpr Key windowKey{"attention.sliding_window", "sliding_window_size"};
  MINERVA_ASSIGN(const auto stated, reader.integer(windowKey));
  MINERVA_ASSIGN(std::vector<int> windowed, reader.counts({"", "sliding_window_layout"}, layers, 1, 1));
  MINERVA_ASSIGN(std::vector<int> rotated, reader.counts({"", "rope_layout"}, layers, 1, 1));
  if (!reader.isGguf() && !reader.json({"", "sliding_window_layout"})) windowed.assign(windowed.size(), 0);
  if (reader.isGguf()) {
    constexpr std::size_t period = 4;
    const bool any = stated.value_or(0) > 0;
    for (std::size_t i = 0; i < windowed.size(); ++i) windowed[i] = any && i % period != 0 ? 1 : 0;
    if (any) rotated = windowed;
  }
  for (std::size_t i = 0; i < windowed.size(); ++i) {
    if (rotated[i] == 0) config.layers[i].rope = -1;
    if (windowed[i] == 0) continue;
    MINERVA_ASSIGN(config.layers[i].visible.window, reader.count(windowKey, Limits::context));
  }
  return {};
}

Result<void> fillSmallThinker(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.feedForward.huggingFace = "";
  form.activationKey = "";
  form.activation = Activation::relu;
  MINERVA_ASSIGN(const ExpertForm experts, smallThinkerExperts(reader));
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (LayerConfig& layer : config.layers) layer.experts.routesEarly = true;
  return readLayersOfThinker(reader, config);
}

constexpr std::string_view smallThinkerNames[] = {"smallthinker"};

}  // namespace

const Family smallThinkerFamily{"smallthinker", smallThinkerNames, smallThinkerNames, fillSmallThinker};

}  // namespace minerva::model
