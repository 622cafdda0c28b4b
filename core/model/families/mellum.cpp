// Mellum 2 (JetBrains): Qwen 3's mixture with a sliding window in most layers, which are rotated with a base of their own and without
// scaling.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

RopeForm mellumRope(bool sliding) {
  RopeForm form;
  form.defaultBase = sliding ? 10000 : 500000;
  form.layerType = sliding ? "sliding_attention" : "full_attention";
  if (!sliding) return form;
  form.base.gguf = "rope.freq_base_swa";
  form.scaled = false;
  return form;
}

Result<void> fillMellum(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.headNorms = HeadNorms::shared;
  form.window = {};
  form.rope = mellumRope(false);
  ExpertForm experts;
  if (!reader.json({"", "num_experts"})) experts.count.huggingFace = "num_local_experts";  // as Transformers saves it
  experts.fusedGateUp = "model.layers.#.mlp.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.mlp.experts.down_proj";
  MINERVA_TRY(readDenseLayers(reader, experts));
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"expert_weights_norm", "norm_topk_prob"}));
  experts.normalised = normalised.value_or(true);
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  constexpr Key windowKey{"attention.sliding_window", "sliding_window"};
  MINERVA_ASSIGN(const auto stated, reader.integer(windowKey));
  const bool listed = reader.isGguf() || reader.json({"", "layer_types"});
  if (stated.value_or(0) == 0 || !listed) return {};
  MINERVA_ASSIGN(const int window, reader.count(windowKey, Limits::context));
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(reader, static_cast<int>(config.layers.size()), 4));
  MINERVA_ASSIGN(Rope local, readRope(reader, mellumRope(true), config.layers.front().headDim, config.contextLength, config.warnings));
  config.ropes.push_back(std::move(local));
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    if (!sliding[i]) continue;
    config.layers[i].visible.window = window;
    config.layers[i].rope = 1;
  }
  return {};
}

constexpr std::string_view mellumNames[] = {"mellum"};

}  // namespace

const Family mellumFamily{"mellum2", mellumNames, mellumNames, fillMellum};

}  // namespace minerva::model
