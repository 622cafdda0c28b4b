// Arcee's Trinity (AFMoE): norms before and after each block, a gate of the attention's result, and experts chosen by biased sigmoids.
// Three of four layers have a sliding window; the fourth is not rotated.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <algorithm>
#include <cmath>

namespace minerva::model {

namespace {

Result<ExpertForm> afmoeExperts(const Reader& reader) {
  ExpertForm experts;
  experts.router.huggingFace = "model.layers.#.mlp.router.gate";
  experts.stacked = "model.layers.#.mlp.experts.";
  experts.fusedGateUp = "model.layers.#.mlp.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.mlp.experts.down_proj";
  experts.sharedGate.huggingFace = "model.layers.#.mlp.shared_experts.gate_proj";
  experts.sharedUp.huggingFace = "model.layers.#.mlp.shared_experts.up_proj";
  experts.sharedDown.huggingFace = "model.layers.#.mlp.shared_experts.down_proj";
  experts.selectionBias.huggingFace = "model.layers.#.mlp.expert_bias";
  experts.selection = Reader::Bias::required;
  experts.groupRank = GroupRank::twoLargest;
  MINERVA_TRY(readExpertGroups(reader, experts));
  MINERVA_ASSIGN(experts.scoring, readScoring(reader, "score_func", Scoring::sigmoid));
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"expert_weights_norm", "route_norm"}));
  experts.normalised = normalised.value_or(true);
  MINERVA_ASSIGN(experts.scale, reader.positive({"expert_weights_scale", "route_scale"}, 1e6, 1.0));
  MINERVA_ASSIGN(const auto dense, reader.integer({"leading_dense_block_count", "num_dense_layers"}));
  experts.firstDense = static_cast<int>(std::clamp<std::int64_t>(dense.value_or(reader.isGguf() ? 0 : 1), 0, Limits::layers));
  MINERVA_ASSIGN(experts.sharedSize, sharedExpertsSize(reader, {"expert_shared_count", "num_shared_experts"}, experts.feedForward));
  return experts;
}

Result<void> fillAfmoe(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.outputGate = {"blk.#.attn_gate", "model.layers.#.self_attn.gate_proj"};
  form.headNorms = HeadNorms::shared;
  form.postAttentionNorm = {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"};
  form.feedForwardNorm.huggingFace = "model.layers.#.pre_mlp_layernorm";
  form.postFeedForwardNorm = {"blk.#.post_ffw_norm", "model.layers.#.post_mlp_layernorm"};
  form.window = {};
  form.defaultEpsilon = 1e-5;
  form.defaultContext = 16384;
  if (!reader.isGguf()) form.defaultHeadDim = 128;
  MINERVA_ASSIGN(const ExpertForm experts, afmoeExperts(reader));
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_ASSIGN(const auto scaled, reader.boolean({"", "mup_enabled"}));
  if (reader.isGguf() || scaled.value_or(false)) config.embeddingScale = std::sqrt(static_cast<float>(config.hiddenSize));
  MINERVA_ASSIGN(const int window, reader.count({"attention.sliding_window", "sliding_window"}, Limits::context));
  MINERVA_ASSIGN(const int pattern, reader.count({"", "global_attn_every_n_layers"}, Limits::layers, 4));
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(reader, static_cast<int>(config.layers.size()), pattern));
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    if (sliding[i]) config.layers[i].visible.window = window;
    else config.layers[i].rope = -1;
  }
  return {};
}

constexpr std::string_view afmoeNames[] = {"afmoe"};

}  // namespace

const Family afmoeFamily{"afmoe", afmoeNames, afmoeNames, fillAfmoe};

}  // namespace minerva::model
