// MiniMax M2: every layer is a mixture whose experts are chosen by biased sigmoids; q and k are normalised over all heads together.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillMinimaxM2(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.headNorms = HeadNorms::wholeWidth;
  form.window = {};
  form.predictionLayers = {"nextn_predict_layers", ""};
  MINERVA_ASSIGN(const auto rotated, reader.integer({"", "rotary_dim"}));
  if (rotated) {
    MINERVA_ASSIGN(form.rope.dimension, reader.count({"", "rotary_dim"}, Limits::headDim));
  }
  ExpertForm experts;
  experts.count.huggingFace = "num_local_experts";
  experts.feedForward.huggingFace = "intermediate_size";
  experts.router.huggingFace = "model.layers.#.block_sparse_moe.gate";
  experts.stacked = "model.layers.#.block_sparse_moe.switch_mlp.";
  experts.gate = "model.layers.#.block_sparse_moe.experts.@.w1";
  experts.up = "model.layers.#.block_sparse_moe.experts.@.w3";
  experts.down = "model.layers.#.block_sparse_moe.experts.@.w2";
  experts.selectionBias.huggingFace = "model.layers.#.block_sparse_moe.e_score_correction_bias";
  experts.selection = Reader::Bias::required;
  MINERVA_ASSIGN(experts.scoring, readScoring(reader, "scoring_func", Scoring::sigmoid));
  MINERVA_TRY(refuseIfSet(reader, "shared_intermediate_size", "A shared expert in MiniMax M2"));
  form.experts = &experts;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view minimaxM2GgufNames[] = {"minimax-m2"};
constexpr std::string_view minimaxM2HuggingFaceNames[] = {"minimax_m2"};

}  // namespace

const Family minimaxM2Family{"minimax-m2", minimaxM2GgufNames, minimaxM2HuggingFaceNames, fillMinimaxM2};

}  // namespace minerva::model
