// HunYuan, dense and as a mixture with a shared expert: q and k are normalised after their rotation.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

DecoderForm hunyuanForm(const Reader& reader) {
  DecoderForm form;
  form.qNorm.huggingFace = "model.layers.#.self_attn.query_layernorm";
  form.kNorm.huggingFace = "model.layers.#.self_attn.key_layernorm";
  if (reader.has(form.qNorm, 0)) form.headNorms = HeadNorms::shared;
  form.window = {};
  form.predictionLayers = {"nextn_predict_layers", ""};
  form.defaultEpsilon = 1e-5;
  form.rope.stretchedBase = true;
  return form;
}

Result<void> fillHunyuanLike(Reader& reader, const DecoderForm& form, ModelConfig& config) {
  MINERVA_TRY(refuseIfSet(reader, "use_cla", "Attention that is shared between layers"));
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (LayerConfig& layer : config.layers) layer.normsRotated = true;
  return {};
}

Result<void> fillHunyuan(Reader& reader, ModelConfig& config) { return fillHunyuanLike(reader, hunyuanForm(reader), config); }

// config.json states the number once, or in a list for each layer; then it must be the same for all.
Result<int> expertsUsed(const Reader& reader) {
  const Key key{"expert_used_count", "moe_topk"};
  const nlohmann::json* list = reader.json(key);
  if (!list || !list->is_array()) return reader.count(key, 4096);
  const nlohmann::json first = list->empty() ? nlohmann::json() : list->front();
  const bool same = std::ranges::all_of(*list, [&](const nlohmann::json& value) { return value == first; });
  if (same && first.is_number_integer() && first > 0 && first <= 4096) return first.get<int>();
  return fail(reader.invalid(key, "The number of experts used is not supported", "one number for all layers",
                             list->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
}

Result<void> fillHunyuanMoe(Reader& reader, ModelConfig& config) {
  DecoderForm form = hunyuanForm(reader);
  ExpertForm experts;
  experts.feedForward.huggingFace = "intermediate_size";
  experts.router.huggingFace = "model.layers.#.mlp.gate.wg";
  experts.fusedGateUp = "model.layers.#.mlp.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.mlp.experts.down_proj";
  experts.sharedGate.huggingFace = "model.layers.#.mlp.shared_mlp.gate_proj";
  experts.sharedUp.huggingFace = "model.layers.#.mlp.shared_mlp.up_proj";
  experts.sharedDown.huggingFace = "model.layers.#.mlp.shared_mlp.down_proj";
  MINERVA_ASSIGN(experts.usedCount, expertsUsed(reader));
  MINERVA_ASSIGN(experts.sharedSize, reader.count({"expert_shared_feed_forward_length", "intermediate_size"}, Limits::feedForward));
  form.experts = &experts;
  return fillHunyuanLike(reader, form, config);
}

constexpr std::string_view hunyuanGgufNames[] = {"hunyuan-dense"};
constexpr std::string_view hunyuanHuggingFaceNames[] = {"hunyuan_v1_dense"};
constexpr std::string_view hunyuanMoeGgufNames[] = {"hunyuan-moe"};
constexpr std::string_view hunyuanMoeHuggingFaceNames[] = {"hunyuan_v1_moe"};

}  // namespace

const Family hunyuanFamily{"hunyuan", hunyuanGgufNames, hunyuanHuggingFaceNames, fillHunyuan};
const Family hunyuanMoeFamily{"hunyuan-moe", hunyuanMoeGgufNames, hunyuanMoeHuggingFaceNames, fillHunyuanMoe};

}  // namespace minerva::model
