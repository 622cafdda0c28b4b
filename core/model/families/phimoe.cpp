// Phi-3.5 MoE: LayerNorm, biases everywhere but in the experts, and SparseMixer routing.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillPhimoe(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  form.defaultEpsilon = 1e-5;
  ExpertForm experts;
  experts.count.huggingFace = "num_local_experts";
  experts.feedForward = {"feed_forward_length", "intermediate_size"};
  experts.router.huggingFace = "model.layers.#.block_sparse_moe.gate";
  experts.stacked = "model.layers.#.block_sparse_moe.switch_mlp.";
  experts.gate = "model.layers.#.block_sparse_moe.experts.@.w1";
  experts.up = "model.layers.#.block_sparse_moe.experts.@.w3";
  experts.down = "model.layers.#.block_sparse_moe.experts.@.w2";
  experts.scoring = Scoring::sparseMixer;
  form.experts = &experts;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view phimoeNames[] = {"phimoe"};

}  // namespace

const Family phimoeFamily{"phimoe", phimoeNames, phimoeNames, fillPhimoe};

}  // namespace minerva::model
