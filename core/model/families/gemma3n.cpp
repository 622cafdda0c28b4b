// Gemma 3n (text part of the multimodal models): several residual streams, of which the layers' blocks read and write the first (AltUp), a
// learned residual of low rank (LAuReL), sparse gates in the first layers; input vectors of the layers, and keys and values of earlier
// layers in the last ones.
#include "core/model/families/family.h"
#include "core/model/families/gemma.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minerva::model {

namespace {

constexpr TensorName keysName{"blk.#.attn_k", "model.layers.#.self_attn.k_proj"},
    valuesName{"blk.#.attn_v", "model.layers.#.self_attn.v_proj"}, keyNormName{"blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm"};

// The number of standard deviations below which this share of a normal distribution lies; 0 < share < 1.
double quantile(double share) {
  double low = -40, high = 40;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < share ? low : high) = middle;
  }
  return high;
}

class Gemma3nReader {
 public:
  Gemma3nReader(Reader& reader, ModelConfig& config)
      : m_reader(reader), m_config(config), m_layers(static_cast<int>(config.layers.size())) {}
  Result<void> run();

 private:
  Result<void> readRopes();
  Result<void> readGateDeviations();
  Result<void> readStreams();
  Result<std::vector<Linear>> readProjections(TensorName stack, std::string_view first, std::string_view last);
  Result<void> readLayer(int index, LayerConfig& out);
  Result<void> readAttention(int index, LayerConfig& out);
  Result<void> readStreamMixing(int index, LayerConfig& out);
  Result<Linear> linear(TensorName name, int index, std::int64_t rows, std::int64_t columns) {
    return m_reader.linear(name, index, rows, columns, Reader::Bias::none);
  }

  Reader& m_reader;
  ModelConfig& m_config;
  int m_layers;
  int m_streams = 0;
  bool m_scalesResult = true;
};

Result<void> Gemma3nReader::readRopes() {
  RopeForm global;
  global.defaultBase = 1e6;
  global.layerType = "full_attention";
  RopeForm local;
  local.base = {"rope.freq_base_swa", "rope_local_base_freq"};
  local.layerType = "sliding_attention";
  local.scaled = false;
  const int dim = m_config.layers.front().headDim;
  MINERVA_ASSIGN(Rope first, readRope(m_reader, global, dim, m_config.contextLength, m_config.warnings));
  MINERVA_ASSIGN(Rope second, readRope(m_reader, local, dim, m_config.contextLength, m_config.warnings));
  m_config.ropes = {std::move(first), std::move(second)};
  return {};
}

// config.json has the share of the gates that are 0, GGUF how many deviations that is: -infinity for a share of 0.
Result<void> Gemma3nReader::readGateDeviations() {
  constexpr Key key{"activation_sparsity_scale", "activation_sparsity_pattern"};
  const auto wrong = [&] {
    return fail(m_reader.invalid(key, "The sparsity of the gates is not valid",
                                 "a number for each of " + std::to_string(m_layers) + " layers", "something else"));
  };
  std::vector<double> stored;
  if (m_reader.isGguf()) {
    MINERVA_ASSIGN(const auto list, m_reader.file().metadata().numbers(m_reader.nameOf(key)));
    if (!list) return wrong();
    stored = *list;
  } else if (const nlohmann::json* list = m_reader.json(key)) {
    for (const nlohmann::json& one : *list) stored.push_back(one.is_number() ? one.get<double>() : -1);
  } else {
    stored.resize(static_cast<std::size_t>(m_layers));  // Transformers: 0.95 in the first ten layers, if there are more than these
    for (std::size_t i = 0; m_layers > 10 && i < 10; ++i) stored[i] = 0.95;
  }
  if (stored.size() != static_cast<std::size_t>(m_layers)) return wrong();
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (std::isnan(stored[i]) || stored[i] > 40 || (!m_reader.isGguf() && (stored[i] < 0 || stored[i] >= 1))) return wrong();
    if (m_reader.isGguf() ? std::isinf(stored[i]) : stored[i] == 0) continue;
    m_config.layers[i].gateDeviations = static_cast<float>(m_reader.isGguf() ? stored[i] : quantile(stored[i]));
  }
  return {};
}

// GGUF has one stack, Hugging Face files a tensor for each stream.
Result<std::vector<Linear>> Gemma3nReader::readProjections(TensorName stack, std::string_view first, std::string_view last) {
  const std::int64_t hidden = m_config.hiddenSize;
  std::vector<Linear> all;
  if (m_reader.isGguf()) {
    MINERVA_ASSIGN(const TensorView whole, m_reader.tensor(stack, 0, stackShape(m_streams - 1, hidden, hidden)));
    for (int i = 0; i + 1 < m_streams; ++i) all.push_back({sliceRows(whole, i * hidden, hidden), {}});
    return all;
  }
  for (int i = 0; i + 1 < m_streams; ++i) {
    const std::string name = std::string(first) + std::to_string(i) + std::string(last);
    MINERVA_ASSIGN(Linear one, linear({"", name}, 0, hidden, hidden));
    all.push_back(std::move(one));
  }
  return all;
}

// Transformers also limits the correction's coefficients to +-altup_coef_clip (120), as training does: stored ones are within.
Result<void> Gemma3nReader::readStreams() {
  constexpr Key count{"altup.num_inputs", "altup_num_inputs"}, active{"altup.active_idx", "altup_active_idx"};
  MINERVA_ASSIGN(m_streams, m_reader.count(count, 8, 4));
  MINERVA_ASSIGN(const auto first, m_reader.integer(active));
  if (m_streams < 2 || first.value_or(0) != 0) {
    Error error = m_reader.invalid(active, "These residual streams are not supported", "2 to 8, of which the layers read the first",
                                   std::to_string(m_streams) + ", of which they read number " + std::to_string(first.value_or(0)));
    error.kind = ErrorKind::unsupported;
    return fail(std::move(error));
  }
  MINERVA_ASSIGN(const auto scales, m_reader.boolean({"", "altup_correct_scale"}));
  m_scalesResult = scales.value_or(true);
  MINERVA_ASSIGN(m_config.streams.begin, readProjections({"altup_proj", ""}, "model.altup_projections.", ""));
  MINERVA_ASSIGN(m_config.streams.end, readProjections({"altup_unembd_proj", ""}, "model.altup_unembed_projections.", ""));
  return {};
}

Result<void> Gemma3nReader::readAttention(int index, LayerConfig& out) {
  const int hidden = m_config.hiddenSize;
  const std::int64_t width = std::int64_t{out.headCount} * out.headDim, rows = std::int64_t{out.kvHeadCount} * out.headDim;
  MINERVA_ASSIGN(out.q, linear({"blk.#.attn_q", "model.layers.#.self_attn.q_proj"}, index, width, hidden));
  MINERVA_ASSIGN(out.o, linear({"blk.#.attn_output", "model.layers.#.self_attn.o_proj"}, index, hidden, width));
  MINERVA_ASSIGN(out.qNorm.weights, m_reader.norm({"blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm"}, index, out.headDim));
  if (out.kvFrom >= 0) {  // files still store what such a layer does not use
    for (const TensorName name : {keysName, valuesName, keyNormName}) m_reader.ignore(m_reader.nameOf(name, index, ".weight"));
    return {};
  }
  MINERVA_ASSIGN(out.k, linear(keysName, index, rows, hidden));
  MINERVA_ASSIGN(out.v, linear(valuesName, index, rows, hidden));
  MINERVA_ASSIGN(out.kNorm.weights, m_reader.norm(keyNormName, index, out.headDim));
  out.vNorm.weights.withoutWeight = true;
  return {};
}

Result<void> Gemma3nReader::readStreamMixing(int index, LayerConfig& out) {
  constexpr TensorName scale{"blk.#.altup_correct_scale.weight", "model.layers.#.altup.correct_output_scale"};
  const std::int64_t hidden = m_config.hiddenSize, n = m_streams;
  StreamMixing& mixing = out.streamMixing;
  MINERVA_ASSIGN(mixing.routerNorm, m_reader.norm({"blk.#.altup_router_norm", "model.layers.#.altup.router_norm"}, index, hidden));
  MINERVA_ASSIGN(mixing.router, linear({"blk.#.altup_router", "model.layers.#.altup.modality_router"}, index, n, hidden));
  MINERVA_ASSIGN(mixing.prediction, linear({"blk.#.altup_predict_coef", "model.layers.#.altup.prediction_coefs"}, index, n * n, n));
  MINERVA_ASSIGN(mixing.correction, linear({"blk.#.altup_correct_coef", "model.layers.#.altup.correction_coefs"}, index, n, n));
  const std::string name = m_reader.nameOf(scale, index, "");
  if (!m_scalesResult) {
    m_reader.ignore(name);
    return {};
  }
  MINERVA_ASSIGN(mixing.resultScale, m_reader.tensor(name, vectorShape(hidden)));
  return {};
}

Result<void> Gemma3nReader::readLayer(int index, LayerConfig& out) {
  const std::int64_t size = out.feedForwardSize, hidden = m_config.hiddenSize;
  MINERVA_TRY(readAttention(index, out));
  MINERVA_ASSIGN(out.gate, linear({"blk.#.ffn_gate", "model.layers.#.mlp.gate_proj"}, index, size, hidden));
  MINERVA_ASSIGN(out.up, linear({"blk.#.ffn_up", "model.layers.#.mlp.up_proj"}, index, size, hidden));
  MINERVA_ASSIGN(out.down, linear({"blk.#.ffn_down", "model.layers.#.mlp.down_proj"}, index, hidden, size));
  MINERVA_ASSIGN(out.postFeedForwardNorm,
                 m_reader.norm({"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm"}, index, hidden));
  MINERVA_ASSIGN(out.perLayerInput, readPerLayerInput(m_reader, index, m_config));
  constexpr Key rank{"", "laurel_rank"};
  constexpr TensorName left{"blk.#.laurel_l", "model.layers.#.laurel.linear_left"};
  const TensorView* stored = m_reader.file().find(m_reader.nameOf(left, index, ".weight"));
  const std::int64_t low = stored ? stored->shape.rows() : 0;
  MINERVA_ASSIGN(
      const int stated,
      m_reader.count(rank, Limits::hidden, static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(low, Limits::hidden)))));
  MINERVA_ASSIGN(out.lowRankResidual.left, linear(left, index, stated, hidden));
  MINERVA_ASSIGN(out.lowRankResidual.right, linear({"blk.#.laurel_r", "model.layers.#.laurel.linear_right"}, index, hidden, stated));
  MINERVA_ASSIGN(out.lowRankResidual.norm,
                 m_reader.norm({"blk.#.laurel_post_norm", "model.layers.#.laurel.post_laurel_norm"}, index, hidden));
  return readStreamMixing(index, out);
}

Result<void> Gemma3nReader::run() {
  constexpr Key windowKey{"attention.sliding_window", "sliding_window"}, capKey{"final_logit_softcapping", "final_logit_softcapping"};
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(m_reader, m_layers, 5));
  MINERVA_ASSIGN(const int window, m_reader.count(windowKey, Limits::context, 512));
  MINERVA_ASSIGN(const std::vector<int> kvFrom, readSharedKeys(m_reader, sliding));
  MINERVA_ASSIGN(const std::vector<int> sizes,
                 m_reader.counts({"feed_forward_length", "intermediate_size"}, m_layers, Limits::feedForward));
  MINERVA_TRY(readRopes());
  MINERVA_TRY(readGateDeviations());
  MINERVA_TRY(readStreams());
  // Tokens that stand for parts of images and sound have no row of their own; Transformers gives them the first one.
  MINERVA_TRY(readPerLayerEmbedding(m_reader, true, 256, m_config));
  for (int i = 0; i < m_layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    LayerConfig& layer = m_config.layers[at];
    layer.visible.window = sliding[at] ? window : 0;
    layer.rope = sliding[at] ? 1 : 0;
    layer.kvFrom = kvFrom[at];
    layer.feedForwardSize = sizes[at];
    MINERVA_TRY(readLayer(i, layer));
  }
  MINERVA_ASSIGN(const double cap, m_reader.positive(capKey, 1e9, 30.0));
  m_config.logitSoftCap = static_cast<float>(cap);
  return {};
}

Result<void> fillGemma3n(Reader& reader, ModelConfig& config) {
  DecoderForm form = gemmaForm();
  addPostNorms(form);
  form.attention = form.blocks = form.rotary = false;  // their sizes and parts differ by layer
  form.feedForward = {};
  form.defaultFeedForward = 1;  // replaced for every layer
  if (!reader.isGguf()) {
    form.defaultHeads = 8;
    form.defaultKvHeads = 2;
    form.defaultHeadDim = 256;
    form.defaultContext = 32768;
  }
  MINERVA_TRY(refuseIfSet(reader, "attention_bias", "A bias of Gemma 3n's attention"));
  MINERVA_TRY(fillDecoder(reader, form, config));
  config.embeddingScale = std::sqrt(static_cast<float>(config.hiddenSize));
  config.attentionScale = 1;
  return Gemma3nReader(reader, config).run();
}

constexpr std::string_view gemma3nGgufNames[] = {"gemma3n"};
constexpr std::string_view gemma3nHuggingFaceNames[] = {"gemma3n", "gemma3n_text"};

}  // namespace

const Family gemma3nFamily{"gemma3n", gemma3nGgufNames, gemma3nHuggingFaceNames, fillGemma3n};

}  // namespace minerva::model
