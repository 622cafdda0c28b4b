// ERNIE 4.5, dense and as a mixture whose experts are chosen by a softmax with a bias. Rope is interleaved in both file formats.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

DecoderForm ernieForm() {
  DecoderForm form;
  form.window = {};
  form.predictionLayers = {"nextn_predict_layers", ""};
  form.defaultEpsilon = 1e-5;
  form.rope.ggufLayout = form.rope.huggingFaceLayout = RopeLayout::interleaved;
  form.rope.defaultBase = 500000;
  return form;
}

Result<void> fillErnie(Reader& reader, ModelConfig& config) { return fillDecoder(reader, ernieForm(), config); }

// The layers from a first to a last one, of these every step-th, are mixtures.
Result<void> readErnieLayers(const Reader& reader, ExpertForm& experts) {
  MINERVA_ASSIGN(const auto first, reader.integer({"leading_dense_block_count", "moe_layer_start_index"}));
  experts.firstDense = static_cast<int>(std::clamp<std::int64_t>(first.value_or(0), 0, Limits::layers));
  MINERVA_ASSIGN(experts.step, reader.count({"interleave_moe_layer_step", "moe_layer_interval"}, Limits::layers, 1));
  MINERVA_ASSIGN(const auto last, reader.integer({"", "moe_layer_end_index"}));
  if (last.value_or(-1) < 0) return {};
  MINERVA_ASSIGN(const int layers, reader.count({"block_count", "num_hidden_layers"}, Limits::layers));
  for (std::int64_t i = *last + 1; i < layers; ++i) experts.denseLayers.push_back(static_cast<int>(i));
  return {};
}

Result<void> fillErnieMoe(Reader& reader, ModelConfig& config) {
  ExpertForm experts;
  experts.count.huggingFace = "moe_num_experts";
  experts.used.huggingFace = "moe_k";
  // MLX's tools leave the bias out.
  experts.selection = reader.file().format() == format::FileFormat::safetensors ? Reader::Bias::required : Reader::Bias::optional;
  experts.selectionBias.huggingFace = "model.layers.#.mlp.moe_statics.e_score_correction_bias";
  experts.sharedGate.huggingFace = "model.layers.#.mlp.shared_experts.gate_proj";
  experts.sharedUp.huggingFace = "model.layers.#.mlp.shared_experts.up_proj";
  experts.sharedDown.huggingFace = "model.layers.#.mlp.shared_experts.down_proj";
  MINERVA_TRY(readErnieLayers(reader, experts));
  MINERVA_ASSIGN(const int shared, sharedExpertsSize(reader, {"expert_shared_count", "moe_num_shared_experts"}, experts.feedForward));
  if (shared != 0) {
    MINERVA_ASSIGN(experts.sharedSize, reader.count({"expert_shared_feed_forward_length", ""}, Limits::feedForward, shared));
  }
  DecoderForm form = ernieForm();
  form.experts = &experts;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view ernieNames[] = {"ernie4_5"};
constexpr std::string_view ernieMoeGgufNames[] = {"ernie4_5-moe"};
constexpr std::string_view ernieMoeHuggingFaceNames[] = {"ernie4_5_moe"};

}  // namespace

const Family ernieFamily{"ernie4.5", ernieNames, ernieNames, fillErnie};
const Family ernieMoeFamily{"ernie4.5-moe", ernieMoeGgufNames, ernieMoeHuggingFaceNames, fillErnieMoe};

}  // namespace minerva::model
