// Laguna: attention whose result is gated for each head (or each element) by a softplus, layers with a sliding window between those that
// see everything, with a rotation and a number of heads of their own, and experts chosen by biased sigmoids.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

constexpr Key lagunaWindow{"attention.sliding_window", "sliding_window"};

// Published folders have other names for some tensors than Transformers' own model has.
bool anyLayerHas(const Reader& reader, std::string_view name, int layers) {
  for (int i = 0; i < layers; ++i)
    if (reader.hasNamed(reader.nameOf(TensorName{"", name}, i, ""))) return true;
  return false;
}

Result<ExpertForm> lagunaExperts(const Reader& reader, int layers) {
  constexpr std::string_view publishedBias = "model.layers.#.mlp.experts.e_score_correction_bias";
  ExpertForm experts;
  experts.selection = Reader::Bias::required;
  if (anyLayerHas(reader, publishedBias, layers)) experts.selectionBias.huggingFace = publishedBias;
  if (anyLayerHas(reader, "model.layers.#.mlp.gate.proj.weight", layers)) experts.router.huggingFace = "model.layers.#.mlp.gate.proj";
  experts.fusedGateUp = "model.layers.#.mlp.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.mlp.experts.down_proj";
  if (anyLayerHas(reader, "model.layers.#.mlp.shared_experts.up_proj.weight", layers)) {
    experts.sharedGate.huggingFace = "model.layers.#.mlp.shared_experts.gate_proj";
    experts.sharedUp.huggingFace = "model.layers.#.mlp.shared_experts.up_proj";
    experts.sharedDown.huggingFace = "model.layers.#.mlp.shared_experts.down_proj";
  }
  MINERVA_TRY(refuseIfSet(reader, "moe_router_logit_softcapping", "A soft cap of the router's logits"));
  MINERVA_TRY(refuseIfSet(reader, "moe_apply_router_weight_on_input", "A weighting of the experts' input in Laguna"));
  MINERVA_ASSIGN(experts.scoring, readScoring(reader, "moe_router_score_func", Scoring::sigmoid));
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"expert_weights_norm", ""}));
  experts.normalised = normalised.value_or(true);
  MINERVA_ASSIGN(experts.scale, reader.positive({"expert_weights_scale", "moe_routed_scaling_factor"}, 1e6, 1.0));
  MINERVA_ASSIGN(experts.sharedSize,
                 reader.count({"expert_shared_feed_forward_length", "shared_expert_intermediate_size"}, Limits::feedForward));
  if (reader.isGguf()) {
    MINERVA_ASSIGN(const auto dense, reader.integer({"leading_dense_block_count", ""}));
    experts.firstDense = static_cast<int>(std::clamp<std::int64_t>(dense.value_or(0), 0, layers));
  } else {
    experts.firstDense = reader.json({"", "mlp_layer_types"}) ? 0 : 1;
    MINERVA_TRY(readDenseLayers(reader, experts));
  }
  return experts;
}

// In GGUF every so many-th layer from the first one on sees everything; folders list them, or all do.
Result<std::vector<bool>> lagunaSlidingLayers(const Reader& reader, int layers) {
  if (!reader.isGguf()) {
    if (reader.json({"", "layer_types"})) return slidingLayers(reader, layers, 0);
    return std::vector<bool>(static_cast<std::size_t>(layers), false);
  }
  MINERVA_ASSIGN(const int every, reader.count({"attention.sliding_window_pattern", ""}, Limits::layers, 4));
  std::vector<bool> sliding;
  for (int i = 0; i < layers; ++i) sliding.push_back(i % every != 0);
  return sliding;
}

// YaRN's magnitude is what the makers state, in GGUF under a key that llama.cpp does not use.
Result<void> readLagunaRopes(Reader& reader, ModelConfig& config) {
  const int headDim = config.layers.front().headDim;
  RopeForm full;
  full.defaultBase = 500000;
  full.defaultPartial = reader.json({"", "rope_parameters"}) ? 1.0 : 0.5;  // of the parameters that are meant where none are given
  full.layerType = "full_attention";
  RopeForm sliding;
  sliding.base.gguf = "rope.freq_base_swa";
  sliding.ggufDimension = "rope.dimension_count_swa";
  sliding.layerType = "sliding_attention";
  sliding.scaled = false;
  MINERVA_ASSIGN(Rope first, readRope(reader, full, headDim, config.contextLength, config.warnings));
  MINERVA_ASSIGN(const auto factor, reader.number({"rope.scaling.attn_factor", ""}));
  if (!factor) {
    MINERVA_ASSIGN(const double magnitude, reader.positive({"rope.scaling.yarn_attn_factor", ""}, 1e6, first.magnitude));
    first.magnitude = static_cast<float>(magnitude);
  }
  MINERVA_ASSIGN(Rope second, readRope(reader, sliding, headDim, config.contextLength, config.warnings));
  config.ropes = {std::move(first), std::move(second)};
  return {};
}

Result<void> fillLaguna(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.outputGate = {"blk.#.attn_gate", "model.layers.#.self_attn.g_proj"};
  form.headNorms = HeadNorms::shared;
  form.window = {};
  form.rotary = false;  // by two ropes, below
  form.defaultContext = 131072;
  if (!reader.isGguf()) form.defaultHeadDim = 128;
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  constexpr Key heads{"attention.head_count", "num_attention_heads_per_layer"};
  if (reader.isGguf() || reader.json(heads)) {
    MINERVA_ASSIGN(const std::vector<int> counts, reader.counts(heads, layers, Limits::heads));
    HeadSizes sizes;
    MINERVA_ASSIGN(sizes.kvHeads, reader.count(form.kvHeads, Limits::heads));
    const std::optional<int> otherwise = reader.isGguf() ? std::nullopt : std::optional(form.defaultHeadDim);
    MINERVA_ASSIGN(sizes.headDim, reader.count(form.headDimKey, Limits::headDim, otherwise));
    sizes.valueDim = sizes.headDim;
    for (const int count : counts) form.headSizes.push_back({count, sizes.kvHeads, sizes.headDim, sizes.valueDim});
  }
  MINERVA_ASSIGN(const ExpertForm experts, lagunaExperts(reader, layers));
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_TRY(readLagunaRopes(reader, config));
  for (LayerConfig& layer : config.layers) {
    layer.outputGateActivation = Activation::softplus;
    layer.rope = 0;
  }
  MINERVA_ASSIGN(const auto stated, reader.integer(lagunaWindow));
  if (stated.value_or(0) == 0) return {};
  MINERVA_ASSIGN(const int window, reader.count(lagunaWindow, Limits::context));
  MINERVA_ASSIGN(const std::vector<bool> sliding, lagunaSlidingLayers(reader, layers));
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    if (!sliding[i]) continue;
    config.layers[i].visible.window = window;
    config.layers[i].rope = 1;
  }
  return {};
}

constexpr std::string_view lagunaNames[] = {"laguna"};

}  // namespace

const Family lagunaFamily{"laguna", lagunaNames, lagunaNames, fillLaguna};

}  // namespace minerva::model
