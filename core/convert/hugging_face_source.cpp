// A Hugging Face (or MLX) folder as a source: config.json becomes GGUF keys, tensors get the names llama.cpp gives them.
// A new family whose tensors are these: one row in the table.
#include "core/convert/source.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

namespace minerva::convert {

namespace {

using Json = nlohmann::json;

using Rename = std::pair<std::string_view, std::string_view>;

constexpr Rename normsBehind[] = {{"post_attention_layernorm", "post_attention_norm"}, {"post_feedforward_layernorm", "post_ffw_norm"}};

struct Family {
  std::string_view modelType;      // config.json
  std::string_view architecture;   // general.architecture
  bool interleaved;                // q and k rows are written in pairs (GGUF's llama rotates neighbours)
  std::span<const Rename> own = {};  // where it differs from layerNames
};
constexpr Family families[] = {
    {"llama", "llama", true},          {"mistral", "llama", true},        {"mixtral", "llama", true},
    {"granite", "granite", true},      {"smollm3", "smollm3", true},      {"olmo2", "olmo2", false, normsBehind},
    {"qwen2", "qwen2", false},         {"qwen3", "qwen3", false},         {"qwen2_moe", "qwen2moe", false},
    {"qwen3_moe", "qwen3moe", false},  {"olmoe", "olmoe", false},
};

// Numbers that only some families have.
struct NumberKey {
  const char* config;
  std::string_view gguf;
  bool whole;
};
constexpr NumberKey numberKeys[] = {
    {"num_local_experts", "expert_count", true},
    {"num_experts", "expert_count", true},
    {"num_experts_per_tok", "expert_used_count", true},
    {"moe_intermediate_size", "expert_feed_forward_length", true},
    {"shared_expert_intermediate_size", "expert_shared_feed_forward_length", true},
    {"embedding_multiplier", "embedding_scale", false},
    {"residual_multiplier", "residual_scale", false},
    {"logits_scaling", "logit_scale", false},
    {"attention_multiplier", "attention.scale", false},
};

// Names without ".weight" / ".bias"; those of a layer come after "model.layers.N." and "blk.N.".
constexpr Rename layerNames[] = {
    {"input_layernorm", "attn_norm"},         {"self_attn.q_proj", "attn_q"},      {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},           {"self_attn.o_proj", "attn_output"}, {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},      {"post_attention_layernorm", "ffn_norm"},
    {"mlp.gate_proj", "ffn_gate"},            {"mlp.up_proj", "ffn_up"},           {"mlp.down_proj", "ffn_down"},
    {"block_sparse_moe.gate", "ffn_gate_inp"}, {"mlp.gate", "ffn_gate_inp"},       {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
    {"mlp.shared_expert.gate_proj", "ffn_gate_shexp"}, {"mlp.shared_expert.up_proj", "ffn_up_shexp"},
    {"mlp.shared_expert.down_proj", "ffn_down_shexp"},
};
constexpr Rename modelNames[] = {
    {"model.embed_tokens", "token_embd"}, {"model.norm", "output_norm"}, {"lm_head", "output"}};
// Behind "...experts.E.".
constexpr Rename expertNames[] = {{"w1", "ffn_gate_exps"},        {"w2", "ffn_down_exps"},      {"w3", "ffn_up_exps"},
                                  {"gate_proj", "ffn_gate_exps"}, {"up_proj", "ffn_up_exps"},   {"down_proj", "ffn_down_exps"}};
constexpr std::string_view expertPart = ".experts.";

std::optional<std::string_view> rename(std::span<const Rename> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Rename::first);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

class Reader {
 public:
  Reader(const format::ModelFile& file, GgufWriter& writer) : m_file(file), m_config(file.huggingFace().config), m_writer(writer) {}
  Result<Source> read();

 private:
  [[nodiscard]] std::optional<double> number(const char* key) const { return numberIn(m_config, key); }
  [[nodiscard]] static std::optional<double> numberIn(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || !found->is_number() ? std::nullopt : std::optional(found->get<double>());
  }
  [[nodiscard]] int count(const char* key, int otherwise = 0) const { return static_cast<int>(number(key).value_or(otherwise)); }
  void set(std::string_view key, int value) { m_writer.set(m_prefix + std::string(key), static_cast<std::uint32_t>(value)); }
  void setFloat(std::string_view key, double value) { m_writer.set(m_prefix + std::string(key), static_cast<float>(value)); }

  Result<void> findFamily();
  void describeSizes();
  Result<void> describeRope();
  void addLlama3Factors(const Json& scaling, double base);
  Result<void> addTensors();
  Result<void> addTensor(const format::NamedTensor& tensor);
  void addExperts();
  [[nodiscard]] std::string ggufName(std::string_view name);
  std::unexpected<Error> unsupported(std::string what, std::string expected, std::string actual) const {
    return fail({.kind = ErrorKind::unsupported, .what = std::move(what), .where = m_file.path().string(), .expected = std::move(expected), .actual = std::move(actual)});
  }

  const format::ModelFile& m_file;
  const Json& m_config;
  GgufWriter& m_writer;
  const Family* m_family = nullptr;
  std::string m_prefix;
  int m_headDim = 0;
  Source m_source;
  std::map<std::string, std::map<int, TensorView>> m_experts;  // GGUF name -> expert -> its matrix
};

Result<void> Reader::findFamily() {
  const std::string type = m_config.is_object() ? m_config.value("model_type", std::string()) : std::string();
  std::string known;
  for (const Family& family : families) {
    known += (known.empty() ? "" : ", ") + std::string(family.modelType);
    if (family.modelType == type) m_family = &family;
  }
  if (m_family == nullptr) return unsupported("A folder of this architecture cannot be converted yet", "one of " + known, "\"" + type + "\"");
  m_prefix = std::string(m_family->architecture) + ".";
  return {};
}

void Reader::describeSizes() {
  const int heads = count("num_attention_heads");
  RecipeFacts& facts = m_source.facts;
  facts = {std::string(m_family->architecture), count("num_hidden_layers"), heads, count("num_key_value_heads", heads), count("num_local_experts", count("num_experts"))};
  const int stated = count("head_dim");
  m_headDim = stated > 0 ? stated : count("hidden_size") / std::max(1, heads);
  const auto folder = m_file.path().has_filename() ? m_file.path() : m_file.path().parent_path();
  m_writer.set("general.architecture", m_family->architecture);
  m_writer.set("general.type", "model");
  m_writer.set("general.name", (std::filesystem::is_directory(folder) ? folder : folder.parent_path()).filename().string());
  set("block_count", facts.layers);
  set("context_length", count("max_position_embeddings", 2048));
  set("embedding_length", count("hidden_size"));
  set("feed_forward_length", count("intermediate_size"));
  set("attention.head_count", heads);
  set("attention.head_count_kv", facts.kvHeads);
  set("attention.key_length", m_headDim);
  set("attention.value_length", m_headDim);
  setFloat("attention.layer_norm_rms_epsilon", number("rms_norm_eps").value_or(1e-6));
  set("vocab_size", count("vocab_size"));
  for (const NumberKey& key : numberKeys) {
    const auto value = number(key.config);
    if (value && key.whole) set(key.gguf, static_cast<int>(*value));
    if (value && !key.whole) setFloat(key.gguf, *value);
  }
  const bool windowOff = m_config.contains("use_sliding_window") && m_config["use_sliding_window"] == false;
  if (count("sliding_window") > 0 && !windowOff) {
    set("attention.sliding_window", count("sliding_window"));
    m_source.warnings.emplace_back("llama.cpp does not apply this architecture's sliding window of " + std::to_string(count("sliding_window")) + " tokens; Minerva does");
  }
}

// rope_theta and rope_scaling, or since Transformers 5 both in rope_parameters.
Result<void> Reader::describeRope() {
  set("rope.dimension_count", m_headDim);
  double base = number("rope_theta").value_or(10000);
  Json scaling;
  for (const char* name : {"rope_scaling", "rope_parameters"}) {
    if (m_config.contains(name) && m_config[name].is_object()) scaling = m_config[name];
  }
  base = scaling.is_object() ? numberIn(scaling, "rope_theta").value_or(base) : base;
  setFloat("rope.freq_base", base);
  if (!scaling.is_object()) return {};
  const char* typeKey = scaling.contains("rope_type") ? "rope_type" : "type";
  const std::string type = scaling.contains(typeKey) && scaling[typeKey].is_string() ? scaling[typeKey].get<std::string>() : "default";
  if (type == "default" || type == "none" || type == "dynamic") return {};
  const double factor = numberIn(scaling, "factor").value_or(1);
  if (type == "llama3") {
    addLlama3Factors(scaling, base);
    return {};
  }
  if (type != "linear" && type != "yarn") return unsupported("This rope scaling has no place in a GGUF file of this architecture", "linear, llama3 or yarn", type);
  m_writer.set(m_prefix + "rope.scaling.type", type);
  setFloat("rope.scaling.factor", factor);
  if (type == "linear") return {};
  set("rope.scaling.original_context_length", static_cast<int>(numberIn(scaling, "original_max_position_embeddings").value_or(count("max_position_embeddings"))));
  if (const auto fast = numberIn(scaling, "beta_fast")) setFloat("rope.scaling.yarn_beta_fast", *fast);
  if (const auto slow = numberIn(scaling, "beta_slow")) setFloat("rope.scaling.yarn_beta_slow", *slow);
  // GGUF's factor comes on top of YaRN's own, 0.1 ln(factor) + 1.
  const double own = factor > 1 ? 0.1 * std::log(factor) + 1 : 1;
  if (const auto magnitude = numberIn(scaling, "attention_factor")) setFloat("rope.scaling.attn_factor", *magnitude / own);
  return {};
}

// GGUF states this scaling as divisors of the frequencies, in a tensor.
void Reader::addLlama3Factors(const Json& scaling, double base) {
  const double factor = numberIn(scaling, "factor").value_or(8), low = numberIn(scaling, "low_freq_factor").value_or(1);
  const double high = numberIn(scaling, "high_freq_factor").value_or(4);
  const double original = numberIn(scaling, "original_max_position_embeddings").value_or(8192);
  SourceTensor tensor{.name = "rope_freqs.weight", .parts = {}, .shape = {.dims = {m_headDim / 2, 1, 1, 1}, .rank = 1}, .values = {}};
  for (int i = 0; i < m_headDim / 2; ++i) {
    const double turns = original * std::pow(base, -2.0 * i / m_headDim) / (2 * std::numbers::pi);
    double divisor = 1;
    if (turns < low) {
      divisor = factor;
    } else if (turns <= high) {
      const double kept = (turns - low) / (high - low);
      divisor = 1 / ((1 - kept) / factor + kept);
    }
    tensor.values.push_back(static_cast<float>(divisor));
  }
  m_source.tensors.push_back(std::move(tensor));
}

// Empty where GGUF has no name for it. An expert's matrix is put aside in m_experts under its layer's name.
std::string Reader::ggufName(std::string_view name) {
  const std::string_view suffix = name.ends_with(".bias") ? ".bias" : ".weight";
  if (!name.ends_with(suffix)) return {};
  const std::string_view stem = name.substr(0, name.size() - suffix.size());
  if (const auto renamed = rename(modelNames, stem)) return std::string(*renamed) + std::string(suffix);
  constexpr std::string_view layers = "model.layers.";
  const auto dot = stem.find('.', layers.size());
  if (!stem.starts_with(layers) || dot == std::string_view::npos) return {};
  const std::string block = "blk." + std::string(stem.substr(layers.size(), dot - layers.size())) + ".";
  const std::string_view inLayer = stem.substr(dot + 1);
  if (const auto renamed = rename(m_family->own, inLayer)) return block + std::string(*renamed) + std::string(suffix);
  if (const auto renamed = rename(layerNames, inLayer)) return block + std::string(*renamed) + std::string(suffix);
  if (inLayer.find(expertPart) == std::string_view::npos) return {};
  const auto matrix = rename(expertNames, inLayer.substr(inLayer.rfind('.') + 1));
  return matrix ? block + std::string(*matrix) + std::string(suffix) : std::string();
}

Result<void> Reader::addTensor(const format::NamedTensor& tensor) {
  if (tensor.name.ends_with("rotary_emb.inv_freq")) return {};  // computed from the config
  const bool tied = m_config.contains("tie_word_embeddings") && m_config["tie_word_embeddings"] == true;
  if (tied && tensor.name.starts_with("lm_head.")) return {};   // a copy of the embedding
  const std::string name = ggufName(tensor.name);
  if (name.empty()) return unsupported("Tensor " + tensor.name + " has no place in a GGUF file of this architecture", "a tensor of a " + std::string(m_family->modelType) + " model", tensor.name);
  if (const auto at = tensor.name.find(expertPart); at != std::string::npos) {
    m_experts[name][std::atoi(tensor.name.c_str() + at + expertPart.size())] = tensor.view;
    return {};
  }
  SourceTensor out{.name = name, .parts = {tensor.view}, .shape = tensor.view.shape, .values = {}};
  const bool isQuery = name.find(".attn_q.") != std::string::npos, isKey = name.find(".attn_k.") != std::string::npos;
  if (m_family->interleaved && (isQuery || isKey)) out.interleavedHeads = isQuery ? m_source.facts.heads : m_source.facts.kvHeads;
  // A matrix of one row is a vector there.
  if (out.shape.rank == 2 && out.shape.dims[0] == 1) out.shape = {.dims = {out.shape.dims[1], 1, 1, 1}, .rank = 1};
  m_source.tensors.push_back(std::move(out));
  return {};
}

void Reader::addExperts() {
  for (const auto& [name, experts] : m_experts) {
    const Shape& one = experts.begin()->second.shape;
    SourceTensor tensor{.name = name, .parts = {}, .shape = {.dims = {static_cast<std::int64_t>(experts.size()), one.rows(), one.columns(), 1}, .rank = 3}, .values = {}};
    for (const auto& [expert, view] : experts) tensor.parts.push_back(view);
    m_source.tensors.push_back(std::move(tensor));
  }
}

Result<void> Reader::addTensors() {
  for (const format::NamedTensor& tensor : m_file.tensors()) MINERVA_TRY(addTensor(tensor));
  addExperts();
  // The order of the layers, the embedding first and the head last, as converters write them.
  const auto rank = [](const SourceTensor& tensor) {
    const auto layer = layerOf(tensor.name);
    return layer ? *layer : tensor.name.starts_with("output") ? 1 << 20 : -1;
  };
  std::ranges::stable_sort(m_source.tensors, {}, rank);
  return {};
}

Result<Source> Reader::read() {
  MINERVA_TRY(findFamily());
  describeSizes();
  MINERVA_TRY(describeRope());
  MINERVA_TRY(addTensors());
  const TensorView* embedding = m_file.find("model.embed_tokens.weight");
  MINERVA_TRY(describeTokenizer(m_file, embedding ? static_cast<std::size_t>(embedding->shape.rows()) : 0, m_writer));
  return std::move(m_source);
}

}  // namespace

Result<Source> describeHuggingFace(const format::ModelFile& file, GgufWriter& writer) { return Reader(file, writer).read(); }

}  // namespace minerva::convert
