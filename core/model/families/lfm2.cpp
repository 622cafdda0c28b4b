// LFM2: gated short convolutions, attention with normalised heads in some layers.
#include "core/model/families/lfm2.h"

#include "core/model/families/family.h"
#include "core/model/families/recurrent.h"

namespace minerva::model {

namespace {

// Older folders list the layers with attention, newer ones the kind of every layer.
Result<std::vector<int>> lfm2AttentionLayers(const Reader& reader, int layers) {
  constexpr std::string_view kinds[] = {"conv", "full_attention"};
  constexpr Key key{"", "full_attn_idxs"};
  MINERVA_ASSIGN(std::vector<int> attention, layerKinds(reader, "layer_types", layers, kinds));
  if (!attention.empty()) return attention;
  attention.assign(static_cast<std::size_t>(layers), 0);
  const nlohmann::json* list = reader.json(key);
  if (!list)
    return fail(
        reader.invalid({"", "layer_types"}, "The model's config lacks the layer types", "layer_types or full_attn_idxs", "nothing"));
  for (const auto& one : *list) {
    const std::int64_t layer = one.is_number_integer() ? one.get<std::int64_t>() : -1;
    if (layer < 0 || layer >= layers) {
      return fail(reader.invalid(key, "The layers with attention are not valid", "numbers below " + std::to_string(layers),
                                 one.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
    }
    attention[static_cast<std::size_t>(layer)] = 1;
  }
  return attention;
}

// Folders may state the size of a feed-forward before two thirds are taken of it.
Result<void> readLfm2FeedForward(const Reader& reader, DecoderForm& form) {
  if (reader.isGguf()) return {};
  const Key older{"", "block_ff_dim"};
  if (reader.json(older)) form.feedForward = older;
  MINERVA_ASSIGN(int size, reader.count(form.feedForward, Limits::feedForward));
  MINERVA_ASSIGN(const auto adjusted, reader.boolean({"", "block_auto_adjust_ff_dim"}));
  if (adjusted.value_or(true)) {
    MINERVA_ASSIGN(const double factor, reader.positive({"", "block_ffn_dim_multiplier"}, 1e3, 1.0));
    MINERVA_ASSIGN(const int multiple, reader.count({"", "block_multiple_of"}, Limits::hidden, 256));
    const auto wanted = static_cast<std::int64_t>(factor * static_cast<double>(std::int64_t{2} * size / 3));
    const std::int64_t rounded = (wanted + multiple - 1) / multiple * multiple;
    if (rounded < 1 || rounded > Limits::feedForward) {
      return fail(reader.invalid(form.feedForward, "The size of the feed-forward is out of range",
                                 "1 to " + std::to_string(Limits::feedForward), std::to_string(rounded)));
    }
    size = static_cast<int>(rounded);
  }
  form.feedForward = {};
  form.defaultFeedForward = size;
  return {};
}

Result<void> fillLfm2(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(DecoderForm form, lfm2Form(reader));
  MINERVA_TRY(readLfm2FeedForward(reader, form));
  return fillLfm2Layers(reader, form, config);
}

constexpr std::string_view lfm2Names[] = {"lfm2"};

}  // namespace

Result<DecoderForm> lfm2Form(const Reader& reader) {
  DecoderForm form;
  form.window = {};
  form.headNorms = HeadNorms::shared;
  form.epsilon.huggingFace = "norm_eps";
  form.defaultEpsilon = 1e-5;
  form.rope.defaultBase = 1e6;
  form.attentionNorm.huggingFace = "model.layers.#.operator_norm";
  form.feedForwardNorm.huggingFace = "model.layers.#.ffn_norm";
  form.o.huggingFace = "model.layers.#.self_attn.out_proj";
  form.qNorm.huggingFace = "model.layers.#.self_attn.q_layernorm";
  form.kNorm.huggingFace = "model.layers.#.self_attn.k_layernorm";
  // The other names are those that MLX's tools give the mixture's dense layers.
  const bool named = reader.has({"", "model.layers.#.feed_forward.gate_proj"}, 0);
  form.gate.huggingFace = named ? "model.layers.#.feed_forward.gate_proj" : "model.layers.#.feed_forward.w1";
  form.up.huggingFace = named ? "model.layers.#.feed_forward.up_proj" : "model.layers.#.feed_forward.w3";
  form.down.huggingFace = named ? "model.layers.#.feed_forward.down_proj" : "model.layers.#.feed_forward.w2";
  form.outputNorm = {reader.hasNamed("output_norm.weight") ? "output_norm" : "token_embd_norm", "model.embedding_norm"};
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  std::vector<int> attention;
  if (reader.isGguf()) {
    MINERVA_ASSIGN(form.defaultKvHeads, attentionLayersOf(reader, layers, attention));
    form.kvHeads = {};
  } else {
    MINERVA_ASSIGN(attention, lfm2AttentionLayers(reader, layers));
  }
  for (const int one : attention) form.parts.push_back({.attention = one != 0, .mixer = one == 0, .feedForward = true});
  return form;
}

Result<void> fillLfm2Layers(Reader& reader, const DecoderForm& form, ModelConfig& config) {
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_ASSIGN(const int width, readConvolutionWidth(reader, {"shortconv.l_cache", "conv_L_cache"}));
  constexpr auto optional = Reader::Bias::optional;
  const std::int64_t hidden = config.hiddenSize;
  for (int i = 0; i < static_cast<int>(config.layers.size()); ++i) {
    if (form.parts[static_cast<std::size_t>(i)].attention) continue;
    ShortConvolution& conv = config.layers[static_cast<std::size_t>(i)].shortConvolution;
    conv.width = width;
    MINERVA_ASSIGN(conv.in, reader.linear({"blk.#.shortconv.in_proj", "model.layers.#.conv.in_proj"}, i, 3 * hidden, hidden, optional));
    MINERVA_ASSIGN(conv.out, reader.linear({"blk.#.shortconv.out_proj", "model.layers.#.conv.out_proj"}, i, hidden, hidden, optional));
    constexpr TensorName name{"blk.#.shortconv.conv", "model.layers.#.conv.conv"};
    MINERVA_ASSIGN(conv.weight, reader.tensor(name, i, vectorShape(hidden * width)));
    if (reader.has(name, i, ".bias")) {
      MINERVA_ASSIGN(conv.bias, reader.tensor(name, i, vectorShape(hidden), ".bias"));
    }
  }
  return {};
}

const Family lfm2Family{"lfm2", lfm2Names, lfm2Names, fillLfm2};

}  // namespace minerva::model
