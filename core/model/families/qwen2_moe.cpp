// Qwen 1.5 and 2 MoE: routed experts plus a shared expert scaled by a sigmoid gate.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/qwen.h"

namespace minerva::model {

namespace {

Result<void> fillQwen2Moe(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  ExpertForm experts;
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"", "norm_topk_prob"}));
  experts.normalised = normalised.value_or(false);
  MINERVA_ASSIGN(experts.sharedSize,
                 reader.count({"expert_shared_feed_forward_length", "shared_expert_intermediate_size"}, Limits::feedForward));
  experts.sharedRouter = {"blk.#.ffn_gate_inp_shexp", "model.layers.#.mlp.shared_expert_gate"};
  experts.fusedGateUp = "model.layers.#.mlp.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.mlp.experts.down_proj";
  MINERVA_TRY(readQwenDenseLayers(reader, experts));
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  return readQwenWindows(reader, config);
}

constexpr std::string_view qwen2MoeGgufNames[] = {"qwen2moe"};
constexpr std::string_view qwen2MoeHuggingFaceNames[] = {"qwen2_moe"};

}  // namespace

Result<void> readQwenDenseLayers(const Reader& reader, ExpertForm& experts) {
  MINERVA_ASSIGN(experts.step, reader.count({"", "decoder_sparse_step"}, Limits::layers, 1));
  const nlohmann::json* layers = reader.json({"", "mlp_only_layers"});
  if (!layers) return {};
  for (const auto& layer : *layers) {
    if (!layer.is_number_integer())
      return fail(
          reader.invalid({"", "mlp_only_layers"}, "The layers without experts are not valid", "a list of numbers", layer.type_name()));
    experts.denseLayers.push_back(layer.get<int>());
  }
  return {};
}

const Family qwen2MoeFamily{"qwen2-moe", qwen2MoeGgufNames, qwen2MoeHuggingFaceNames, fillQwen2Moe};

}  // namespace minerva::model
