// Hunyuan 3 (Tencent): a mixture with a shared expert, whose experts are chosen by biased sigmoids; q and k are normalised per head before
// their rotation, unlike those of Hunyuan 1.
#include "core/model/families/deepseek.h"
#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

// The published folders have other names than those that Transformers has in memory, and MLX's tools a third one for the bias.
void nameTensors(const Reader& reader, int mixture, ExpertForm& experts) {
  experts.router.huggingFace = "model.layers.#.mlp.router.gate";
  experts.selectionBias = {"blk.#.exp_probs_b", "model.layers.#.mlp.expert_bias"};
  if (reader.hasNamed(reader.nameOf(TensorName{"", "model.layers.#.mlp.router.expert_bias"}, mixture, "")))
    experts.selectionBias.huggingFace = "model.layers.#.mlp.router.expert_bias";
  experts.sharedGate.huggingFace = "model.layers.#.mlp.shared_mlp.gate_proj";
  experts.sharedUp.huggingFace = "model.layers.#.mlp.shared_mlp.up_proj";
  experts.sharedDown.huggingFace = "model.layers.#.mlp.shared_mlp.down_proj";
  if (!reader.isGguf() || reader.hasNamed(reader.nameOf(experts.selectionBias, mixture, ""))) return;
  experts.selectionBias.gguf = "blk.#.exp_probs_b.bias";
}

// Which layers are dense: a list, their number, or in GGUF those without a router.
Result<void> readDenseOfHunyuan(const Reader& reader, int layers, ExpertForm& experts) {
  experts.firstDense = 0;
  if (reader.isGguf()) {
    for (int i = 0; i < layers; ++i) {
      if (!reader.has(experts.router, i)) experts.denseLayers.push_back(i);
    }
    return {};
  }
  MINERVA_TRY(readDenseLayers(reader, experts));
  if (reader.json({"", "mlp_layer_types"})) return {};
  MINERVA_ASSIGN(const auto stated, reader.integer({"", "first_k_dense_replace"}));
  experts.firstDense = static_cast<int>(std::clamp<std::int64_t>(stated.value_or(1), 0, Limits::layers));
  return {};
}

Result<ExpertForm> hyExperts(const Reader& reader, int layers) {
  ExpertForm experts;
  MINERVA_TRY(readDenseOfHunyuan(reader, layers, experts));
  int mixture = 0;
  while (mixture < layers && !isMixture(experts, mixture)) ++mixture;
  nameTensors(reader, mixture, experts);
  if (reader.json({"", "expert_hidden_dim"})) experts.feedForward.huggingFace = "expert_hidden_dim";
  MINERVA_ASSIGN(const auto sigmoids, reader.boolean({"", "moe_router_use_sigmoid"}));
  MINERVA_ASSIGN(experts.scoring, readScoring(reader, "", sigmoids.value_or(true) ? Scoring::sigmoid : Scoring::softmax));
  MINERVA_ASSIGN(const auto biased, reader.boolean({"", "moe_router_enable_expert_bias"}));
  if (reader.isGguf()) experts.selection = Reader::Bias::optional;
  else if (biased.value_or(true)) experts.selection = Reader::Bias::required;
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"expert_weights_norm", "route_norm"}));
  experts.normalised = normalised.value_or(!reader.isGguf());
  MINERVA_ASSIGN(experts.scale, reader.positive({"expert_weights_scale", "router_scaling_factor"}, 1e6, 1.0));
  if (reader.isGguf()) {
    MINERVA_ASSIGN(experts.sharedSize, reader.count({"expert_shared_feed_forward_length", ""}, Limits::feedForward));
  } else {
    MINERVA_ASSIGN(experts.sharedSize, sharedExpertsSize(reader, {"", "num_shared_experts"}, experts.feedForward));
  }
  return experts;
}

Result<void> fillHyV3(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  MINERVA_ASSIGN(const auto normed, reader.boolean({"", "qk_norm"}));
  if (normed.value_or(true)) form.headNorms = HeadNorms::shared;
  form.window = {};
  form.defaultEpsilon = 1e-5;
  form.rope.defaultBase = 11158840;
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  MINERVA_ASSIGN(const ExpertForm experts, hyExperts(reader, layers));
  form.experts = &experts;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view hyV3Names[] = {"hy_v3"};

}  // namespace

const Family hyV3Family{"hunyuan-3", hyV3Names, hyV3Names, fillHyV3};

}  // namespace minerva::model
