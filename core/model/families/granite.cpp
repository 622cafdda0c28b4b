// Granite 3: Llama's decoder with multipliers for embedding, attention, residual and logits.
#include "core/model/families/granite.h"

#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

constexpr double large = 1e6;

Result<void> fillGranite(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  MINERVA_TRY(fillDecoder(reader, form, config));
  return readGraniteScales(reader, config);
}

constexpr std::string_view graniteNames[] = {"granite"};

}  // namespace

Result<void> readGraniteScales(const Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(const double attention, reader.positive({"attention.scale", "attention_multiplier"}, large, config.attentionScale));
  MINERVA_ASSIGN(const double embedding, reader.positive({"embedding_scale", "embedding_multiplier"}, large, 1.0));
  MINERVA_ASSIGN(const double residual, reader.positive({"residual_scale", "residual_multiplier"}, large, 1.0));
  MINERVA_ASSIGN(const double logits, reader.positive({"logit_scale", "logits_scaling"}, large, 1.0));
  config.attentionScale = static_cast<float>(attention);
  config.embeddingScale = static_cast<float>(embedding);
  config.residualScale = static_cast<float>(residual);
  config.logitScale = static_cast<float>(1.0 / logits);
  return {};
}

ExpertForm graniteExperts(int sharedSize) {
  ExpertForm experts;
  experts.count.huggingFace = "num_local_experts";
  experts.feedForward = {"feed_forward_length", "intermediate_size"};
  experts.router.huggingFace = "model.layers.#.block_sparse_moe.router.layer";
  experts.stacked = "model.layers.#.block_sparse_moe.switch_mlp.";
  experts.fusedGateUp = "model.layers.#.block_sparse_moe.input_linear.weight";
  experts.fusedDown = "model.layers.#.block_sparse_moe.output_linear.weight";
  experts.sharedSize = sharedSize;
  experts.sharedGateUp.huggingFace = "model.layers.#.shared_mlp.input_linear";
  experts.sharedDown.huggingFace = "model.layers.#.shared_mlp.output_linear";
  return experts;
}

const Family graniteFamily{"granite", graniteNames, graniteNames, fillGranite};

}  // namespace minerva::model
