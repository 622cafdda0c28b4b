// Gemma 4 (text part of the multimodal models): layers with a sliding window and global layers differ in head size, rotation and number of
// key/value heads, and global layers may use their keys as values. The small models give every layer an input vector of its own for each
// token, and their last layers use the keys and values of earlier ones. In the mixtures, experts run beside a dense feed-forward.
#include "core/model/families/family.h"
#include "core/model/families/gemma.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace minerva::model {

namespace {

constexpr TensorName kName{"blk.#.attn_k", "model.layers.#.self_attn.k_proj"}, vName{"blk.#.attn_v", "model.layers.#.self_attn.v_proj"},
    kNormName{"blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm"}, routerName{"blk.#.ffn_gate_inp", "model.layers.#.router.proj"};

constexpr Key singleLayers{"", "per_layer_config"};

// The 12B model: a dense one, some of whose keys mean another value where they are missing.
bool isUnified(const Reader& reader) { return reader.architecture().starts_with("gemma4_unified"); }

class Gemma4Reader {
 public:
  Gemma4Reader(Reader& reader, ModelConfig& config)
      : m_reader(reader), m_config(config), m_layers(static_cast<int>(config.layers.size())) {}
  Result<void> run();

 private:
  Result<void> readKindsOfLayers();
  Result<void> readHeads();
  Result<void> readHeadsOfFolder(int heads);
  Result<void> readSingleLayers(const nlohmann::json& differing, std::vector<int>& dims);
  Result<int> numberOfLayer(const std::string& name) const;
  Result<void> readFeedForwardSizes();
  Result<void> readRopes();
  Result<void> readLayer(int index, LayerConfig& out);
  Result<void> readAttention(int index, LayerConfig& out);
  Result<void> readKeysAndValues(int index, LayerConfig& out);
  Result<void> readDense(int index, LayerConfig& out);
  Result<void> readMixture(int index, LayerConfig& out);
  Result<bool> isMixtureLayer(int index) const;
  // A vector whose name does not end in ".weight" in both formats; the names are whole.
  Result<TensorView> vector(TensorName name, int index, std::int64_t size) {
    return m_reader.tensor(m_reader.nameOf(name, index, ""), vectorShape(size));
  }
  Result<Linear> linear(TensorName name, int index, std::int64_t rows, std::int64_t columns) {
    return m_reader.linear(name, index, rows, columns, Reader::Bias::optional);
  }
  [[nodiscard]] bool sliding(int index) const { return m_sliding[static_cast<std::size_t>(index)]; }

  Reader& m_reader;
  ModelConfig& m_config;
  int m_layers;
  std::vector<bool> m_sliding;
  int m_window = 0, m_slidingDim = 0, m_globalDim = 0;
  std::vector<int> m_kvHeads, m_feedForward;
  bool m_keysAreValues = false;  // config.json: in global layers. GGUF has no such key; there it shows in the absence of v.
  std::vector<int> m_kvFrom;     // readSharedKeys
};

// config.json always ends with a global layer, whatever it says: so does Transformers.
Result<void> Gemma4Reader::readKindsOfLayers() {
  constexpr Key window{"attention.sliding_window", "sliding_window"};
  MINERVA_ASSIGN(m_sliding, slidingLayers(m_reader, m_layers, 6));
  if (!m_reader.isGguf()) m_sliding.back() = false;
  MINERVA_ASSIGN(m_window, m_reader.count(window, Limits::context, isUnified(m_reader) ? 1024 : 512));
  MINERVA_ASSIGN(m_kvFrom, readSharedKeys(m_reader, m_sliding));
  return {};
}

Result<int> Gemma4Reader::numberOfLayer(const std::string& name) const {
  int layer = -1;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, layer);
  if (read.ec == std::errc() && read.ptr == end && layer >= 0 && layer < m_layers) return layer;
  return fail(m_reader.invalid(singleLayers, "A layer does not exist", "0 to " + std::to_string(m_layers - 1), name.substr(0, 80)));
}

// The sizes of heads by layer, and m_kvHeads.
Result<void> Gemma4Reader::readSingleLayers(const nlohmann::json& differing, std::vector<int>& dims) {
  for (const auto& [name, entry] : differing.items()) {
    MINERVA_ASSIGN(const int layer, numberOfLayer(name));
    for (const auto& [key, value] : entry.items()) {
      const bool isDim = key == "head_dim";
      if (!isDim && key != "num_key_value_heads") {
        return fail(unsupported(m_reader.invalid(singleLayers, "What differs in single layers is not supported",
                                                 "head_dim or num_key_value_heads", key.substr(0, 80))));
      }
      const int limit = isDim ? Limits::headDim : m_config.layers.front().headCount;
      const std::int64_t size = value.is_number_integer() ? value.get<std::int64_t>() : 0;
      if (size < 1 || size > limit) {
        return fail(m_reader.invalid(singleLayers, "A number in the model's config is out of range", "1 to " + std::to_string(limit),
                                     std::to_string(size)));
      }
      (isDim ? dims : m_kvHeads)[static_cast<std::size_t>(layer)] = static_cast<int>(size);
    }
  }
  return {};
}

// Folders that Transformers saves since version 5.15 say of single layers what differs there, earlier ones of all global layers.
Result<void> Gemma4Reader::readHeadsOfFolder(int heads) {
  m_slidingDim = m_config.layers.front().headDim;
  MINERVA_ASSIGN(const auto same, m_reader.boolean({"", "attention_k_eq_v"}));
  m_keysAreValues = same.value_or(false);
  const int slidingKv = m_config.layers.front().kvHeadCount;
  if (const nlohmann::json* differing = m_reader.json(singleLayers)) {
    std::vector<int> dims(static_cast<std::size_t>(m_layers), m_slidingDim);
    m_kvHeads.assign(static_cast<std::size_t>(m_layers), slidingKv);
    MINERVA_TRY(readSingleLayers(*differing, dims));
    m_globalDim = dims.back();
    for (int i = 0; i < m_layers; ++i) {
      const int expected = sliding(i) ? m_slidingDim : m_globalDim, found = dims[static_cast<std::size_t>(i)];
      if (found == expected) continue;
      return fail(unsupported(m_reader.invalid(singleLayers, "Layers of one kind with heads of different sizes are not supported",
                                               std::to_string(expected) + " in layer " + std::to_string(i), std::to_string(found))));
    }
    return {};
  }
  MINERVA_ASSIGN(m_globalDim, m_reader.count({"", "global_head_dim"}, Limits::headDim, 512));
  MINERVA_ASSIGN(const int globalKv, m_reader.count({"", "num_global_key_value_heads"}, heads, slidingKv));
  for (int i = 0; i < m_layers; ++i) m_kvHeads.push_back(m_keysAreValues && !sliding(i) ? globalKv : slidingKv);
  return {};
}

Result<void> Gemma4Reader::readHeads() {
  const int heads = m_config.layers.front().headCount;
  if (m_reader.isGguf()) {
    MINERVA_ASSIGN(m_globalDim, m_reader.count({"attention.key_length", ""}, Limits::headDim, 512));
    MINERVA_ASSIGN(m_slidingDim, m_reader.count({"attention.key_length_swa", ""}, Limits::headDim, m_globalDim));
    MINERVA_ASSIGN(m_kvHeads, m_reader.counts({"attention.head_count_kv", ""}, m_layers, heads));
  } else {
    MINERVA_TRY(readHeadsOfFolder(heads));
  }
  for (const int kv : m_kvHeads) {
    if (kv > 0 && heads % kv == 0) continue;
    return fail(m_reader.invalid({"attention.head_count_kv", "num_global_key_value_heads"},
                                 "The key/value heads do not divide the query heads", "a divisor of " + std::to_string(heads),
                                 std::to_string(kv)));
  }
  return {};
}

Result<void> Gemma4Reader::readFeedForwardSizes() {
  if (m_reader.isGguf()) {
    MINERVA_ASSIGN(m_feedForward, m_reader.counts({"feed_forward_length", ""}, m_layers, Limits::feedForward));
    return {};
  }
  MINERVA_ASSIGN(const auto wide, m_reader.boolean({"", "use_double_wide_mlp"}));
  const int size = m_config.layers.front().feedForwardSize;
  for (int i = 0; i < m_layers; ++i)
    m_feedForward.push_back(wide.value_or(false) && m_kvFrom[static_cast<std::size_t>(i)] >= 0 ? 2 * size : size);
  return {};
}

Result<void> Gemma4Reader::readRopes() {
  constexpr Key parameters{"", "rope_parameters"};
  if (!m_reader.isGguf() && !m_reader.json(parameters)) {
    return fail(m_reader.invalid(parameters, "The model's config lacks rope_parameters", "an object", "nothing"));
  }
  RopeForm global;
  global.defaultBase = 1e6;
  global.layerType = "full_attention";
  RopeForm local;
  local.base.gguf = "rope.freq_base_swa";
  local.ggufDimension = "rope.dimension_count_swa";
  local.layerType = "sliding_attention";
  local.scaled = false;
  MINERVA_ASSIGN(Rope first, readRope(m_reader, global, m_globalDim, m_config.contextLength, m_config.warnings));
  MINERVA_ASSIGN(Rope second, readRope(m_reader, local, m_slidingDim, m_config.contextLength, m_config.warnings));
  m_config.ropes = {std::move(first), std::move(second)};
  return {};
}

Result<void> Gemma4Reader::readAttention(int index, LayerConfig& out) {
  out.headDim = sliding(index) ? m_slidingDim : m_globalDim;
  out.kvHeadCount = m_kvHeads[static_cast<std::size_t>(index)];
  out.visible.window = sliding(index) ? m_window : 0;
  out.rope = sliding(index) ? 1 : 0;
  const std::int64_t width = std::int64_t{out.headCount} * out.headDim;
  MINERVA_ASSIGN(out.q, linear({"blk.#.attn_q", "model.layers.#.self_attn.q_proj"}, index, width, m_config.hiddenSize));
  MINERVA_ASSIGN(out.o, linear({"blk.#.attn_output", "model.layers.#.self_attn.o_proj"}, index, m_config.hiddenSize, width));
  MINERVA_ASSIGN(out.qNorm.weights, m_reader.norm({"blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm"}, index, out.headDim));
  return readKeysAndValues(index, out);
}

// A layer without keys and values of its own: those that some files still store are unused.
Result<void> Gemma4Reader::readKeysAndValues(int index, LayerConfig& out) {
  out.kvFrom = m_kvFrom[static_cast<std::size_t>(index)];
  if (out.kvFrom >= 0) {
    for (const TensorName name : {kName, vName, kNormName}) m_reader.ignore(m_reader.nameOf(name, index, ".weight"));
    return {};
  }
  const std::int64_t rows = std::int64_t{out.kvHeadCount} * out.headDim;
  MINERVA_ASSIGN(out.k, linear(kName, index, rows, m_config.hiddenSize));
  MINERVA_ASSIGN(out.kNorm.weights, m_reader.norm(kNormName, index, out.headDim));
  out.vNorm.weights.withoutWeight = true;
  const bool same = m_reader.isGguf() ? !m_reader.has(vName, index) : m_keysAreValues && !sliding(index);
  if (same) {
    out.v = out.k;
    return {};
  }
  MINERVA_ASSIGN(out.v, linear(vName, index, rows, m_config.hiddenSize));
  return {};
}

Result<void> Gemma4Reader::readDense(int index, LayerConfig& out) {
  out.feedForwardSize = m_feedForward[static_cast<std::size_t>(index)];
  const std::int64_t size = out.feedForwardSize, hidden = m_config.hiddenSize;
  MINERVA_ASSIGN(out.gate, linear({"blk.#.ffn_gate", "model.layers.#.mlp.gate_proj"}, index, size, hidden));
  MINERVA_ASSIGN(out.up, linear({"blk.#.ffn_up", "model.layers.#.mlp.up_proj"}, index, size, hidden));
  MINERVA_ASSIGN(out.down, linear({"blk.#.ffn_down", "model.layers.#.mlp.down_proj"}, index, hidden, size));
  return {};
}

Result<bool> Gemma4Reader::isMixtureLayer(int index) const {
  if (m_reader.isGguf()) return m_reader.has(routerName, index);
  MINERVA_ASSIGN(const auto enabled, m_reader.boolean({"", "enable_moe_block"}));
  return enabled.value_or(false);
}

Result<void> Gemma4Reader::readMixture(int index, LayerConfig& out) {
  const int hidden = m_config.hiddenSize;
  ExpertForm form;
  form.used.huggingFace = "top_k_experts";
  form.router = routerName;
  form.stacked = "model.layers.#.experts.switch_glu.";
  form.fusedGateUp = "model.layers.#.experts.gate_up_proj";
  form.fusedDown = "model.layers.#.experts.down_proj";
  MINERVA_ASSIGN(out.experts, readExperts(m_reader, form, index, hidden));
  MINERVA_ASSIGN(out.experts.routerNorm.weight, vector({"blk.#.ffn_gate_inp.scale", "model.layers.#.router.scale"}, index, hidden));
  out.experts.routerScale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(hidden)));
  MINERVA_ASSIGN(out.experts.expertScale,
                 vector({"blk.#.ffn_down_exps.scale", "model.layers.#.router.per_expert_scale"}, index, out.experts.count));
  MINERVA_ASSIGN(out.postDenseNorm, m_reader.norm({"blk.#.post_ffw_norm_1", "model.layers.#.post_feedforward_layernorm_1"}, index, hidden));
  MINERVA_ASSIGN(out.expertsNorm, m_reader.norm({"blk.#.pre_ffw_norm_2", "model.layers.#.pre_feedforward_layernorm_2"}, index, hidden));
  MINERVA_ASSIGN(out.postExpertsNorm,
                 m_reader.norm({"blk.#.post_ffw_norm_2", "model.layers.#.post_feedforward_layernorm_2"}, index, hidden));
  return {};
}

Result<void> Gemma4Reader::readLayer(int index, LayerConfig& out) {
  constexpr TensorName scale{"blk.#.layer_output_scale.weight", "model.layers.#.layer_scalar"};
  MINERVA_TRY(readAttention(index, out));
  MINERVA_TRY(readDense(index, out));
  MINERVA_ASSIGN(out.postFeedForwardNorm,
                 m_reader.norm({"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm"}, index, m_config.hiddenSize));
  MINERVA_ASSIGN(const bool mixture, isMixtureLayer(index));
  if (mixture) MINERVA_TRY(readMixture(index, out));
  if (m_config.perLayerEmbedding.size > 0) {
    MINERVA_ASSIGN(out.perLayerInput, readPerLayerInput(m_reader, index, m_config));
  }
  if (!m_reader.hasNamed(m_reader.nameOf(scale, index, ""))) return {};
  MINERVA_ASSIGN(out.scale, vector(scale, index, 1));
  return {};
}

Result<void> Gemma4Reader::run() {
  MINERVA_TRY(readKindsOfLayers());
  MINERVA_TRY(readHeads());
  MINERVA_TRY(readFeedForwardSizes());
  MINERVA_TRY(readRopes());
  MINERVA_TRY(readPerLayerEmbedding(m_reader, false, isUnified(m_reader) ? 0 : 256, m_config));
  for (int i = 0; i < m_layers; ++i) MINERVA_TRY(readLayer(i, m_config.layers[static_cast<std::size_t>(i)]));
  MINERVA_ASSIGN(const double cap, m_reader.positive({"final_logit_softcapping", "final_logit_softcapping"}, 1e9, 0.0));
  m_config.logitSoftCap = static_cast<float>(cap);
  return {};
}

// "vision": only the tokens of an image see each other, which concerns no text.
Result<void> refuseBidirectional(const Reader& reader) {
  const nlohmann::json* value = reader.json({"", "use_bidirectional_attention"});
  return value && *value == "vision" ? Result<void>{} : refuseIfSet(reader, "use_bidirectional_attention", "Bidirectional attention");
}

Result<void> fillGemma4(Reader& reader, ModelConfig& config) {
  DecoderForm form = gemmaForm();
  addPostNorms(form);
  form.attention = form.blocks = form.rotary = false;  // they differ by layer
  // GGUF may state these by layer.
  form.kvHeads.gguf = form.headDimKey.gguf = form.feedForward.gguf = "";
  form.defaultHeadDim = 256;
  form.defaultFeedForward = 9216;
  if (!reader.isGguf()) {
    form.defaultHeads = 8;
    form.defaultKvHeads = 4;
    form.defaultContext = isUnified(reader) ? 262144 : 131072;
  }
  MINERVA_TRY(refuseBidirectional(reader));
  MINERVA_TRY(fillDecoder(reader, form, config));
  config.embeddingScale = std::sqrt(static_cast<float>(config.hiddenSize));
  config.attentionScale = 1;
  return Gemma4Reader(reader, config).run();
}

constexpr std::string_view gemma4GgufNames[] = {"gemma4"};
constexpr std::string_view gemma4HuggingFaceNames[] = {"gemma4", "gemma4_text", "gemma4_unified", "gemma4_unified_text"};

}  // namespace

const Family gemma4Family{"gemma4", gemma4GgufNames, gemma4HuggingFaceNames, fillGemma4, true};

}  // namespace minerva::model
