// DeepSeek MoE (v1): Llama's attention; routed and shared experts from the second layer on. Files of the dense v1 models
// and of the distilled models declare themselves as "llama" or "qwen2".
#include "core/model/families/deepseek.h"

#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

Result<void> fillDeepseek(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  MINERVA_ASSIGN(const ExpertForm experts, deepseekExperts(reader));
  form.experts = &experts;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view deepseekNames[] = {"deepseek"};

}  // namespace

Result<ExpertForm> deepseekExperts(const Reader& reader) {
  ExpertForm experts;
  experts.count.huggingFace = "n_routed_experts";
  experts.sharedGate.huggingFace = "model.layers.#.mlp.shared_experts.gate_proj";
  experts.sharedUp.huggingFace = "model.layers.#.mlp.shared_experts.up_proj";
  experts.sharedDown.huggingFace = "model.layers.#.mlp.shared_experts.down_proj";
  experts.fusedGateUp = "model.layers.#.mlp.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.mlp.experts.down_proj";
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"expert_weights_norm", "norm_topk_prob"}));
  experts.normalised = normalised.value_or(false);
  MINERVA_ASSIGN(experts.scale, reader.positive({"expert_weights_scale", "routed_scaling_factor"}, 1e6, 1.0));
  MINERVA_ASSIGN(const auto dense, reader.integer({"leading_dense_block_count", "first_k_dense_replace"}));
  experts.firstDense = static_cast<int>(std::clamp<std::int64_t>(dense.value_or(0), 0, Limits::layers));
  const nlohmann::json* frequency = reader.json({"", "moe_layer_freq"});
  if (!frequency || !frequency->is_array()) {  // a list is its family's to read
    MINERVA_ASSIGN(experts.step, reader.count({"", "moe_layer_freq"}, Limits::layers, 1));
  }
  MINERVA_ASSIGN(experts.sharedSize, sharedExpertsSize(reader, {"expert_shared_count", "n_shared_experts"}, experts.feedForward));
  return experts;
}

Result<ExpertForm> biasedExperts(const Reader& reader) {
  MINERVA_ASSIGN(ExpertForm experts, deepseekExperts(reader));
  MINERVA_ASSIGN(experts.scoring, readScoring(reader, "scoring_func", Scoring::sigmoid));
  experts.selection = reader.isGguf() ? Reader::Bias::optional : Reader::Bias::required;
  experts.groupRank = GroupRank::twoLargest;
  MINERVA_TRY(readExpertGroups(reader, experts));
  MINERVA_TRY(readDenseLayers(reader, experts));
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"expert_weights_norm", "norm_topk_prob"}));
  experts.normalised = normalised.value_or(true);
  return experts;
}

const Family deepseekFamily{"deepseek", deepseekNames, deepseekNames, fillDeepseek};

}  // namespace minerva::model
