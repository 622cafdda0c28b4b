// Step-3.5-Flash (StepFun): three of four layers have a sliding window and more heads than the others, and rotate the whole head, not half
// of it, with another base and without scaling. A sigmoid for each head multiplies the attention's result. Mixtures have a shared expert
// and choose the routed ones by biased sigmoids; the gates of the last layers have a limit.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace minerva::model {

namespace {

constexpr std::string_view kindNames[] = {"full_attention", "sliding_attention"};

class Step35Reader {
 public:
  Step35Reader(Reader& reader, ModelConfig& config) : m_reader(reader), m_config(config) {}
  Result<void> run();

 private:
  Result<void> readHeadSizes();
  Result<RopeForm> ropeForm(bool sliding) const;
  Result<double> numberOfKind(std::string_view key, bool sliding, double otherwise) const;
  Result<std::vector<double>> limits(Key key) const;
  Result<void> readExperts(ExpertForm& experts);
  Result<void> readDenseLayers(ExpertForm& experts) const;
  Result<void> readLayers(const ExpertForm& experts);

  Reader& m_reader;
  ModelConfig& m_config;
  DecoderForm m_form;
  int m_layers = 0;
  std::vector<bool> m_sliding;
};

Result<void> Step35Reader::readHeadSizes() {
  HeadSizes full;
  if (m_reader.isGguf()) {
    MINERVA_ASSIGN(full.headDim, m_reader.count({"attention.key_length", ""}, Limits::headDim));
    MINERVA_ASSIGN(full.valueDim, m_reader.count({"attention.value_length", ""}, Limits::headDim, full.headDim));
    MINERVA_ASSIGN(const std::vector<int> heads, m_reader.counts({"attention.head_count", ""}, m_layers, Limits::heads));
    MINERVA_ASSIGN(const std::vector<int> kvHeads, m_reader.counts({"attention.head_count_kv", ""}, m_layers, Limits::heads));
    for (std::size_t i = 0; i < heads.size(); ++i)
      m_form.headSizes.push_back({std::max(1, heads[i]), std::max(1, kvHeads[i]), full.headDim, full.valueDim});
    return {};
  }
  MINERVA_ASSIGN(full.headDim, m_reader.count({"", "head_dim"}, Limits::headDim));
  MINERVA_ASSIGN(full.heads, m_reader.count({"", "num_attention_heads"}, Limits::heads));
  MINERVA_ASSIGN(full.kvHeads, m_reader.count({"", "num_attention_groups"}, full.heads));
  full.valueDim = full.headDim;
  HeadSizes sliding = full;
  constexpr Key otherKey{"", "attention_other_setting"};
  if (const nlohmann::json* other = m_reader.json(otherKey); other && other->is_object()) {
    for (const auto& [key, size] : {std::pair{"num_attention_heads", &sliding.heads}, {"num_attention_groups", &sliding.kvHeads}}) {
      const nlohmann::json stated = other->value(key, nlohmann::json(*size));
      if (!stated.is_number_integer() || stated < 1 || stated > Limits::heads) {
        return fail(m_reader.invalid(otherKey, "The heads of layers with a window are not valid", "numbers above 0", key));
      }
      *size = stated.get<int>();
    }
  }
  for (const bool slides : m_sliding) m_form.headSizes.push_back(slides ? sliding : full);
  return {};
}

// A number of config.json that is stated once, or in a list for each layer; then it must be the same for all layers of a kind.
Result<double> Step35Reader::numberOfKind(std::string_view name, bool sliding, double otherwise) const {
  const Key key{"", name};
  const nlohmann::json* list = m_reader.json(key);
  if (!list || !list->is_array()) return m_reader.positive(key, 1e15, otherwise);
  std::optional<double> found;
  for (std::size_t i = 0; i < m_sliding.size(); ++i) {
    if (m_sliding[i] != sliding) continue;
    const double one = i < list->size() && (*list)[i].is_number() ? (*list)[i].get<double>() : -1;
    if (!(one > 0) || (found && *found != one)) {
      return fail(m_reader.invalid(key, "This list is not supported", "the same number above 0 for all layers of a kind",
                                   list->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
    }
    found = one;
  }
  return found.value_or(otherwise);
}

// GGUF states the size of a whole head, of which layers without a window rotate half.
Result<RopeForm> Step35Reader::ropeForm(bool sliding) const {
  RopeForm form;
  if (m_reader.isGguf()) {
    form.base.gguf = sliding ? "rope.freq_base_swa" : "rope.freq_base";
    form.scaled = !sliding;
    const int headDim = m_form.headSizes.front().headDim;
    MINERVA_ASSIGN(const int dimension, m_reader.count({"rope.dimension_count", ""}, headDim, headDim));
    form.dimension = sliding ? dimension : dimension / 2;
    form.storedFactors = headDim / 2;
    return form;
  }
  form.base.huggingFace = form.partialKey = "";
  MINERVA_ASSIGN(form.defaultBase, numberOfKind("rope_theta", sliding, 10000.0));
  MINERVA_ASSIGN(form.defaultPartial, numberOfKind("partial_rotary_factors", sliding, 1.0));
  form.defaultPartial = std::min(form.defaultPartial, 1.0);
  const nlohmann::json* scaled = m_reader.json({"", "yarn_only_types"});
  if (scaled && scaled->is_array() && !scaled->empty())
    form.scaled = std::ranges::find(*scaled, kindNames[sliding ? 1 : 0]) != scaled->end();
  return form;
}

// One for each layer, 0 or null: none. The lists may go on for layers that only predict further tokens.
Result<std::vector<double>> Step35Reader::limits(Key key) const {
  std::vector<double> out(static_cast<std::size_t>(m_layers));
  std::vector<double> stated;
  if (m_reader.isGguf()) {
    const auto numbers = m_reader.file().metadata().numbers(m_reader.nameOf(key));
    if (numbers && *numbers) stated = **numbers;
  } else if (const nlohmann::json* list = m_reader.json(key); list && list->is_array()) {
    for (const nlohmann::json& one : *list) stated.push_back(one.is_number() ? one.get<double>() : one.is_null() ? 0 : -1);
  }
  for (std::size_t i = 0; i < std::min(out.size(), stated.size()); ++i) {
    if (!(stated[i] >= 0 && stated[i] < 1e6)) {
      return fail(m_reader.invalid(key, "The limit of a layer's gates is not valid", "0 or more", std::to_string(stated[i])));
    }
    out[i] = stated[i];
  }
  return out;
}

// config.json lists the mixtures as "3,4,5"; without it they begin with the second layer. In GGUF there is a router.
Result<void> Step35Reader::readDenseLayers(ExpertForm& experts) const {
  constexpr Key key{"", "moe_layers_enum"};
  if (m_reader.isGguf()) {
    for (int i = 0; i < m_layers; ++i) {
      if (!m_reader.has(experts.router, i)) experts.denseLayers.push_back(i);
    }
    return {};
  }
  MINERVA_ASSIGN(const auto stated, m_reader.string(key));
  experts.firstDense = 1;
  if (!stated || stated->empty()) return {};
  experts.firstDense = 0;
  std::vector<int> mixtures;
  const char *at = stated->data(), *const end = at + stated->size();
  while (at < end) {
    int layer = -1;
    at = std::find_if(at, end, [](char c) { return c != ' '; });
    const auto read = std::from_chars(at, end, layer);
    if (read.ec != std::errc() || (read.ptr != end && *read.ptr != ',')) {
      return fail(m_reader.invalid(key, "The list of mixtures is not valid", "numbers of layers between commas", stated->substr(0, 80)));
    }
    mixtures.push_back(layer);
    at = read.ptr + 1;
  }
  for (int i = 0; i < m_layers; ++i) {
    if (std::ranges::find(mixtures, i) == mixtures.end()) experts.denseLayers.push_back(i);
  }
  return {};
}

Result<void> Step35Reader::readExperts(ExpertForm& experts) {
  experts.count.huggingFace = "moe_num_experts";
  experts.used.huggingFace = "moe_top_k";
  // MLX's tools have names of their own.
  bool mlx = false;
  for (int i = 0; i < m_layers && !m_reader.isGguf(); ++i) mlx = mlx || m_reader.has(TensorName{"", "model.layers.#.mlp.gate.gate"}, i);
  experts.router.huggingFace = mlx ? "model.layers.#.mlp.gate.gate" : "model.layers.#.moe.gate";
  experts.selectionBias.huggingFace = mlx ? "model.layers.#.mlp.gate.router_bias" : "model.layers.#.moe.router_bias";
  if (!mlx) experts.stacked = "model.layers.#.moe.";
  experts.sharedGate.huggingFace = mlx ? "model.layers.#.mlp.share_expert.gate_proj" : "model.layers.#.share_expert.gate_proj";
  experts.sharedUp.huggingFace = mlx ? "model.layers.#.mlp.share_expert.up_proj" : "model.layers.#.share_expert.up_proj";
  experts.sharedDown.huggingFace = mlx ? "model.layers.#.mlp.share_expert.down_proj" : "model.layers.#.share_expert.down_proj";
  MINERVA_ASSIGN(experts.sharedSize, m_reader.count({"expert_shared_feed_forward_length", "share_expert_dim"}, Limits::feedForward));
  MINERVA_ASSIGN(experts.scoring, readScoring(m_reader, "moe_router_activation", Scoring::sigmoid));
  experts.selection = Reader::Bias::optional;
  MINERVA_ASSIGN(const auto normalised, m_reader.boolean({"expert_weights_norm", "norm_expert_weight"}));
  experts.normalised = normalised.value_or(!m_reader.isGguf());
  MINERVA_ASSIGN(experts.scale, m_reader.positive({"expert_weights_scale", "moe_router_scaling_factor"}, 1e6, 1.0));
  return readDenseLayers(experts);
}

Result<void> Step35Reader::readLayers(const ExpertForm& experts) {
  constexpr TensorName gateName{"blk.#.attn_gate", "model.layers.#.self_attn.g_proj"};
  MINERVA_ASSIGN(const int window, m_reader.count({"attention.sliding_window", "sliding_window"}, Limits::context));
  MINERVA_ASSIGN(const std::vector<double> routed, limits({"swiglu_clamp_exp", "swiglu_limits"}));
  MINERVA_ASSIGN(const std::vector<double> shared, limits({"swiglu_clamp_shexp", "swiglu_limits_shared"}));
  MINERVA_ASSIGN(const auto gated, m_reader.boolean({"", "use_head_wise_attn_gate"}));
  for (int i = 0; i < m_layers; ++i) {
    const auto index = static_cast<std::size_t>(i);
    LayerConfig& layer = m_config.layers[index];
    layer.visible.window = m_sliding[index] ? window : 0;
    layer.rope = m_sliding[index] ? 1 : 0;
    if (gated.value_or(m_reader.has(gateName, i))) {
      MINERVA_ASSIGN(layer.outputGate, m_reader.linear(gateName, i, layer.headCount, m_config.hiddenSize, Reader::Bias::none));
    }
    if (isMixture(experts, i)) {
      layer.experts.gateLimit = static_cast<float>(routed[index]);
      layer.experts.sharedGateLimit = static_cast<float>(shared[index]);
    } else {
      layer.gateLimit = static_cast<float>(shared[index]);
    }
  }
  return {};
}

Result<void> Step35Reader::run() {
  m_form.headNorms = HeadNorms::shared;
  m_form.window = {};
  m_form.defaultEpsilon = 1e-5;
  MINERVA_ASSIGN(m_layers, decoderLayers(m_reader, m_form));
  MINERVA_ASSIGN(m_sliding, slidingLayers(m_reader, m_layers, 0));
  MINERVA_TRY(readHeadSizes());
  MINERVA_ASSIGN(m_form.rope, ropeForm(false));
  ExpertForm experts;
  MINERVA_TRY(readExperts(experts));
  m_form.experts = &experts;
  MINERVA_TRY(fillDecoder(m_reader, m_form, m_config));
  MINERVA_ASSIGN(const RopeForm local, ropeForm(true));
  MINERVA_ASSIGN(Rope rope, readRope(m_reader, local, m_form.headSizes.front().headDim, m_config.contextLength, m_config.warnings));
  m_config.ropes.push_back(std::move(rope));
  // Folders store the weights of norms without the 1 that others add; MLX's tools have added it.
  if (m_reader.file().format() == format::FileFormat::safetensors) m_config.normPlus = 1;
  return readLayers(experts);
}

Result<void> fillStep35(Reader& reader, ModelConfig& config) { return Step35Reader(reader, config).run(); }

constexpr std::string_view step35GgufNames[] = {"step35"};
constexpr std::string_view step35HuggingFaceNames[] = {"step3p5"};

}  // namespace

const Family step35Family{"step3.5", step35GgufNames, step35HuggingFaceNames, fillStep35};

}  // namespace minerva::model
