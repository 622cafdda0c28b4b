// Muse Glimmer: a gate of the attention's result, queries and keys normalised without weights, norms before and after each block, a norm
// of the embedding, and a soft cap of the logits. Three of four layers have a sliding window; the fourth is not rotated. Of the multimodal
// model the text part is read.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

constexpr Key museWindow{"attention.sliding_window", "sliding_window"}, museBases{"", "layer_rope_theta"};

// The full layers are counted from the last one if nothing is stated.
Result<std::vector<bool>> museSlidingLayers(const Reader& reader, int layers) {
  constexpr int every = 4;
  MINERVA_ASSIGN(std::vector<bool> sliding, slidingLayers(reader, layers, every));
  if (reader.isGguf() || reader.json({"", "layer_types"})) return sliding;
  for (int i = 0; i < layers; ++i) sliding[static_cast<std::size_t>(i)] = (layers - 1 - i) % every != 0;
  return sliding;
}

// A folder may state the base of every layer, 0 for those without rotation; the makers' code knows one base for all others.
Result<std::vector<bool>> museRotatedLayers(const Reader& reader, const std::vector<bool>& sliding) {
  const nlohmann::json* bases = reader.json(museBases);
  if (!bases) return sliding;
  if (!bases->is_array() || bases->size() != sliding.size()) {
    return fail(reader.invalid(museBases, "The bases of the layers' rotation are not valid", "a list of " + std::to_string(sliding.size()),
                               bases->is_array() ? std::to_string(bases->size()) + " entries" : bases->type_name()));
  }
  std::vector<bool> rotated;
  double base = 0;
  for (const auto& entry : *bases) {
    const double own = entry.is_number() ? entry.get<double>() : -1;
    if (own < 0 || (own != 0 && base != 0 && own != base)) {
      Error error = reader.invalid(museBases, "Layers that are rotated by different bases are not supported", "0, or the same for all",
                                   entry.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80));
      error.kind = ErrorKind::unsupported;
      return fail(std::move(error));
    }
    if (own != 0) base = own;
    rotated.push_back(own != 0);
  }
  return rotated;
}

DecoderForm museForm(const Reader& reader) {
  DecoderForm form;
  form.outputGate = {"blk.#.attn_gate", "model.layers.#.self_attn.gate_proj"};
  form.postAttentionNorm = {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"};
  form.feedForwardNorm.huggingFace = "model.layers.#.pre_feedforward_layernorm";
  form.postFeedForwardNorm = {"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm"};
  form.window = {};
  form.activationKey = "hidden_activation";
  form.defaultEpsilon = 1e-5;
  form.rope.ggufLayout = RopeLayout::interleaved;
  if (reader.isGguf()) form.headNorms = HeadNorms::shared;  // their weights hold the factor of the queries
  return form;
}

Result<void> readMuseNorms(const Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(const double behind, reader.positive({"", "post_norm_eps"}, 1.0, 1e-8));
  MINERVA_ASSIGN(const double ofQueries, reader.positive({"", "qk_scale_factor"}, 1e6, 3.87));
  config.embeddingNorm.withoutWeight = true;
  if (!reader.isGguf()) config.normPlus = 1;  // GGUF converters have already added it
  config.outputNorm.whole = true;
  for (LayerConfig& layer : config.layers) {
    layer.postAttentionNorm.epsilon = layer.postFeedForwardNorm.epsilon = static_cast<float>(behind);
    if (reader.isGguf()) continue;
    layer.qNorm.weights = {.weight = {}, .bias = {}, .withoutWeight = true, .times = static_cast<float>(ofQueries)};
    layer.kNorm.weights.withoutWeight = true;
  }
  return {};
}

Result<void> fillMuseGlimmer(Reader& reader, ModelConfig& config) {
  const bool gguf = reader.isGguf();
  MINERVA_TRY(fillDecoder(reader, museForm(reader), config));
  MINERVA_TRY(readMuseNorms(reader, config));
  MINERVA_ASSIGN(const int window, reader.count(museWindow, Limits::context, gguf ? std::nullopt : std::optional(2048)));
  MINERVA_ASSIGN(const std::vector<bool> sliding, museSlidingLayers(reader, static_cast<int>(config.layers.size())));
  MINERVA_ASSIGN(const std::vector<bool> rotated, museRotatedLayers(reader, sliding));
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    config.layers[i].visible.window = sliding[i] ? window : 0;
    if (!rotated[i]) config.layers[i].rope = -1;
  }
  MINERVA_ASSIGN(const double scale,
                 reader.positive({"logit_scale", "output_multiplier"}, 1e6, gguf ? std::nullopt : std::optional(0.19611613513818404)));
  MINERVA_ASSIGN(const double cap, reader.positive({"final_logit_softcapping", "final_logit_softcapping"}, 1e9, gguf ? 0.0 : 20.0));
  config.logitScale = static_cast<float>(scale);
  config.logitSoftCap = static_cast<float>(cap);
  return {};
}

constexpr std::string_view museGgufNames[] = {"muse-glimmer"};
constexpr std::string_view museHuggingFaceNames[] = {"muse_glimmer", "muse_glimmer_text"};

}  // namespace

const Family museGlimmerFamily{"muse-glimmer", museGgufNames, museHuggingFaceNames, fillMuseGlimmer};

}  // namespace minerva::model
