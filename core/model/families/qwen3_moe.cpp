// Qwen 3 MoE, without shared experts. Of Qwen 3 VL, the text model (see qwen2.cpp).
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/qwen.h"

namespace minerva::model {

namespace {

// Published folders of Qwen 3 VL have stacks of [experts, columns, rows].
Result<bool> storedTransposed(const Reader& reader, const ExpertForm& experts) {
  const TensorView* stack = reader.file().find(reader.nameOf({"", experts.fusedGateUp}, 0, ""));
  if (!stack || stack->shape.rank != 3) return false;
  MINERVA_ASSIGN(const int hidden, reader.count({"embedding_length", "hidden_size"}, Limits::hidden));
  return stack->shape.dims[1] == hidden && stack->shape.dims[2] != hidden;
}

Result<void> fillQwen3Moe(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.headNorms = HeadNorms::shared;
  ExpertForm experts;
  MINERVA_ASSIGN(const auto count, reader.integer({"", "num_experts"}));
  if (!count) experts.count.huggingFace = "num_local_experts";
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"", "norm_topk_prob"}));
  experts.normalised = reader.isGguf() || normalised.value_or(false);
  experts.fusedGateUp = "model.layers.#.mlp.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.mlp.experts.down_proj";
  MINERVA_ASSIGN(experts.fusedTransposed, storedTransposed(reader, experts));
  MINERVA_TRY(readQwenDenseLayers(reader, experts));
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  return readQwenWindows(reader, config);
}

constexpr std::string_view qwen3MoeGgufNames[] = {"qwen3moe", "qwen3vlmoe"};
constexpr std::string_view qwen3MoeHuggingFaceNames[] = {"qwen3_moe", "qwen3_vl_moe"};

}  // namespace

const Family qwen3MoeFamily{"qwen3-moe", qwen3MoeGgufNames, qwen3MoeHuggingFaceNames, fillQwen3Moe};

}  // namespace minerva::model
