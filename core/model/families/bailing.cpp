// Ling and Ring 2.0 (BailingMoE V2): q, k and v in one tensor, rope on half of each head, experts in groups chosen by biased
// sigmoids. The first Ling models have the same names with fewer of these parts; their GGUF files have q, k and v apart.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

Result<ExpertForm> bailingExperts(const Reader& reader, bool second) {
  ExpertForm experts;
  experts.sharedGate.huggingFace = "model.layers.#.mlp.shared_experts.gate_proj";
  experts.sharedUp.huggingFace = "model.layers.#.mlp.shared_experts.up_proj";
  experts.sharedDown.huggingFace = "model.layers.#.mlp.shared_experts.down_proj";
  experts.selectionBias.huggingFace = "model.layers.#.mlp.gate.expert_bias";
  if (reader.hasNamed(reader.nameOf(TensorName{"", "model.layers.#.mlp.gate.gate_proj"}, 1, ".weight"))) {
    experts.router.huggingFace = "model.layers.#.mlp.gate.gate_proj";  // MLX
  }
  MINERVA_ASSIGN(experts.scoring, readScoring(reader, "score_function", second ? Scoring::sigmoid : Scoring::softmax));
  MINERVA_ASSIGN(const auto biased, reader.boolean({"", "moe_router_enable_expert_bias"}));
  if (reader.isGguf()) experts.selection = Reader::Bias::optional;
  else if (biased.value_or(second)) experts.selection = Reader::Bias::required;
  experts.groupRank = GroupRank::twoLargest;
  MINERVA_TRY(readExpertGroups(reader, experts));
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"expert_weights_norm", "norm_topk_prob"}));
  experts.normalised = normalised.value_or(!reader.isGguf());
  MINERVA_ASSIGN(experts.scale, reader.positive({"expert_weights_scale", "routed_scaling_factor"}, 1e6, 1.0));
  MINERVA_ASSIGN(const auto dense, reader.integer({"leading_dense_block_count", "first_k_dense_replace"}));
  experts.firstDense = static_cast<int>(std::clamp<std::int64_t>(dense.value_or(0), 0, Limits::layers));
  constexpr Key feedForward{"expert_feed_forward_length", "moe_intermediate_size"};
  MINERVA_ASSIGN(const int shared, sharedExpertsSize(reader, {"expert_shared_count", "num_shared_experts"}, feedForward));
  if (shared == 0) return experts;
  MINERVA_ASSIGN(experts.sharedSize, reader.count({"expert_shared_feed_forward_length", ""}, Limits::feedForward, shared));
  return experts;
}

Result<void> fillBailing(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.embedding.huggingFace = "model.word_embeddings";
  form.qkv.huggingFace = "model.layers.#.attention.query_key_value";
  form.o.huggingFace = "model.layers.#.attention.dense";
  form.qNorm.huggingFace = "model.layers.#.attention.query_layernorm";
  form.kNorm.huggingFace = "model.layers.#.attention.key_layernorm";
  form.window = {};
  const bool second = reader.has(form.qNorm, 0);
  if (second) form.headNorms = HeadNorms::shared;
  form.rope.defaultPartial = second ? 0.5 : 1.0;
  if (!second) form.rope.ggufLayout = RopeLayout::interleaved;
  MINERVA_TRY(refuseIfSet(reader, "norm_head", "A normalised head"));
  MINERVA_ASSIGN(const ExpertForm experts, bailingExperts(reader, second));
  form.experts = &experts;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view bailingGgufNames[] = {"bailingmoe2", "bailingmoe"};
constexpr std::string_view bailingHuggingFaceNames[] = {"bailing_moe_v2", "bailing_moe"};

}  // namespace

const Family bailingFamily{"bailing-moe", bailingGgufNames, bailingHuggingFaceNames, fillBailing};

}  // namespace minerva::model
