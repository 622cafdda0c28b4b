// Granite 3 MoE; gate and up of each expert are in one matrix.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/granite.h"

namespace minerva::model {

namespace {

Result<void> fillGraniteMoe(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  ExpertForm experts;
  experts.count.huggingFace = "num_local_experts";
  experts.feedForward = {"feed_forward_length", "intermediate_size"};
  experts.router.huggingFace = "model.layers.#.block_sparse_moe.router.layer";
  experts.stacked = "model.layers.#.block_sparse_moe.switch_mlp.";
  experts.fusedGateUp = "model.layers.#.block_sparse_moe.input_linear.weight";
  experts.fusedDown = "model.layers.#.block_sparse_moe.output_linear.weight";
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  return readGraniteScales(reader, config);
}

constexpr std::string_view graniteMoeNames[] = {"granitemoe"};

}  // namespace

const Family graniteMoeFamily{"granite-moe", graniteMoeNames, graniteMoeNames, fillGraniteMoe};

}  // namespace minerva::model
