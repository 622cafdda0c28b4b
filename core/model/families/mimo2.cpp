// MiMo-V2 (Xiaomi): most layers have a short sliding window and sinks; they and the others differ in key/value heads and in the rope's
// base. Values are smaller than keys, and all results of attention are scaled. The first layer is dense, the others are mixtures whose
// experts are chosen by biased sigmoids.
#include "core/model/families/deepseek.h"
#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

// config.json names the sizes of both kinds of layers; GGUF lists the key/value heads, which alone differ in published models.
Result<std::vector<HeadSizes>> readHeadSizesOfMimo(const Reader& reader, const std::vector<int>& windowed) {
  std::vector<HeadSizes> out;
  HeadSizes full;
  MINERVA_ASSIGN(full.heads, reader.count({"attention.head_count", "num_attention_heads"}, Limits::heads));
  MINERVA_ASSIGN(full.headDim, reader.count({"attention.key_length", "head_dim"}, Limits::headDim));
  MINERVA_ASSIGN(full.valueDim, reader.count({"attention.value_length", "v_head_dim"}, Limits::headDim, full.headDim));
  if (reader.isGguf()) {
    MINERVA_ASSIGN(const std::vector<int> kvHeads,
                   reader.counts({"attention.head_count_kv", ""}, static_cast<int>(windowed.size()), full.heads));
    for (const int kv : kvHeads) {
      out.push_back(full);
      out.back().kvHeads = std::max(1, kv);
    }
    return out;
  }
  MINERVA_ASSIGN(full.kvHeads, reader.count({"", "num_key_value_heads"}, full.heads, full.heads));
  HeadSizes sliding;
  MINERVA_ASSIGN(sliding.heads, reader.count({"", "swa_num_attention_heads"}, Limits::heads, full.heads));
  MINERVA_ASSIGN(sliding.kvHeads, reader.count({"", "swa_num_key_value_heads"}, sliding.heads, std::min(full.kvHeads, sliding.heads)));
  MINERVA_ASSIGN(sliding.headDim, reader.count({"", "swa_head_dim"}, Limits::headDim, full.headDim));
  MINERVA_ASSIGN(sliding.valueDim, reader.count({"", "swa_v_head_dim"}, Limits::headDim, full.valueDim));
  for (const int window : windowed) out.push_back(window != 0 ? sliding : full);
  return out;
}

// GGUF: a mixture where there is a router.
Result<ExpertForm> mimoExperts(const Reader& reader, int layers) {
  MINERVA_ASSIGN(ExpertForm experts, biasedExperts(reader));
  std::vector<int> mixtures;
  if (!reader.isGguf()) {
    MINERVA_ASSIGN(mixtures, reader.counts({"", "moe_layer_freq"}, layers, 1));
  }
  for (int i = 0; i < layers; ++i) {
    const bool mixture = reader.isGguf() ? reader.has(experts.router, i) : mixtures[static_cast<std::size_t>(i)] != 0;
    if (!mixture) experts.denseLayers.push_back(i);
  }
  return experts;
}

// The published V2.5 has the queries, keys and values of a layer in one matrix, whose rows are in the order of the devices that trained it.
Result<void> refuseFusedOfMimo(const Reader& reader) {
  const std::string name = reader.nameOf(TensorName{"", "model.layers.#.self_attn.qkv_proj"}, 0, ".weight");
  if (reader.isGguf() || !reader.hasNamed(name)) return {};
  return fail({.kind = ErrorKind::unsupported,
               .what = "Queries, keys and values of a MiMo-V2 in one tensor are not supported: its rows are in no stated order",
               .where = reader.file().path().string() + ", " + name,
               .expected = "q_proj, k_proj and v_proj",
               .actual = "qkv_proj",
               .hint = "Use a GGUF file of this model."});
}

Result<void> readSinksOfMimo(Reader& reader, int index, bool windowed, LayerConfig& layer) {
  const std::string name = reader.isGguf() ? reader.nameOf(TensorName{"blk.#.attn_sinks", ""}, index, ".weight")
                                           : reader.nameOf(TensorName{"", "model.layers.#.self_attn.attention_sink_bias"}, index, "");
  const Key key{"", windowed ? "add_swa_attention_sink_bias" : "add_full_attention_sink_bias"};
  MINERVA_ASSIGN(const auto stated, reader.boolean(key));
  if (reader.isGguf() ? !reader.hasNamed(name) : !stated.value_or(false)) return {};
  MINERVA_ASSIGN(layer.sinks, reader.tensor(name, vectorShape(layer.headCount)));
  return {};
}

Result<void> readLayersOfMimo(Reader& reader, const std::vector<int>& windowed, ModelConfig& config) {
  MINERVA_ASSIGN(const int window, reader.count({"attention.sliding_window", "sliding_window"}, Limits::context, 128));
  MINERVA_ASSIGN(const double scale, reader.positive({"attention.value_scale", "attention_value_scale"}, 1e6, 1.0));
  for (std::size_t i = 0; i < windowed.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    const bool slides = windowed[i] != 0;
    layer.visible.window = slides ? window : 0;
    layer.rope = slides ? 1 : 0;
    layer.attentionResultScale = static_cast<float>(scale);
    MINERVA_TRY(readSinksOfMimo(reader, static_cast<int>(i), slides, layer));
  }
  return {};
}

Result<void> fillMimo2(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.qkv.huggingFace = "";
  form.epsilon.huggingFace = "layernorm_epsilon";
  form.defaultEpsilon = 1e-5;
  MINERVA_TRY(refuseFusedOfMimo(reader));
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  constexpr Key pattern{"attention.sliding_window_pattern", "hybrid_layer_pattern"};  // 1: with a window
  MINERVA_ASSIGN(const std::vector<int> windowed, reader.counts(pattern, layers, 1));
  MINERVA_ASSIGN(form.headSizes, readHeadSizesOfMimo(reader, windowed));
  MINERVA_ASSIGN(const ExpertForm experts, mimoExperts(reader, layers));
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  const auto sliding = std::ranges::find(windowed, 1);
  RopeForm local;
  local.base = {"rope.freq_base_swa", "swa_rope_theta"};
  local.layerType = "sliding_attention";
  local.scaled = false;
  const int headDim = form.headSizes[sliding == windowed.end() ? 0 : static_cast<std::size_t>(sliding - windowed.begin())].headDim;
  MINERVA_ASSIGN(Rope rope, readRope(reader, local, headDim, config.contextLength, config.warnings));
  config.ropes.push_back(std::move(rope));
  return readLayersOfMimo(reader, windowed, config);
}

constexpr std::string_view mimo2GgufNames[] = {"mimo2"};
constexpr std::string_view mimo2HuggingFaceNames[] = {"mimo_v2_flash", "mimo_v2"};

}  // namespace

const Family mimo2Family{"mimo-v2", mimo2GgufNames, mimo2HuggingFaceNames, fillMimo2};

}  // namespace minerva::model
