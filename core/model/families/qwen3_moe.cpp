// Qwen 3 MoE, without shared experts.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/qwen.h"

namespace minerva::model {

namespace {

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
  MINERVA_TRY(readQwenDenseLayers(reader, experts));
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  return readQwenWindows(reader, config);
}

constexpr std::string_view qwen3MoeGgufNames[] = {"qwen3moe"};
constexpr std::string_view qwen3MoeHuggingFaceNames[] = {"qwen3_moe"};

}  // namespace

const Family qwen3MoeFamily{"qwen3-moe", qwen3MoeGgufNames, qwen3MoeHuggingFaceNames, fillQwen3Moe};

}  // namespace minerva::model
