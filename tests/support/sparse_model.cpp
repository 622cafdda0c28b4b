#include "tests/support/sparse_model.h"

#include "core/format/safetensors.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

namespace minerva::tests {
namespace {

using Json = nlohmann::json;
using Dims = std::vector<std::int64_t>;

struct SparseModel {
  Json config;
  std::vector<std::pair<std::string, Dims>> tensors;

  void add(std::string name, Dims dims) { tensors.emplace_back(std::move(name), std::move(dims)); }
  void linear(const std::string& stem, std::int64_t rows, std::int64_t columns, bool bias = false) {
    add(stem + ".weight", {rows, columns});
    if (bias) add(stem + ".bias", {rows});
  }
  void norm(const std::string& stem, std::int64_t size, bool bias = false) {
    add(stem + ".weight", {size});
    if (bias) add(stem + ".bias", {size});
  }
  void gatedFeedForward(const std::string& stem, int hidden, int size) {
    linear(stem + "gate_proj", size, hidden);
    linear(stem + "up_proj", size, hidden);
    linear(stem + "down_proj", hidden, size);
  }
};

Json usualConfig(const SparseShape& s, const char* type) {
  return {{"model_type", type},
          {"vocab_size", s.vocabulary},
          {"hidden_size", s.hidden},
          {"intermediate_size", s.feedForward},
          {"num_hidden_layers", s.layers},
          {"num_attention_heads", s.heads},
          {"num_key_value_heads", s.kvHeads},
          {"head_dim", s.headDim},
          {"max_position_embeddings", s.context},
          {"tie_word_embeddings", false}};
}

std::string layerName(int index) { return "model.layers." + std::to_string(index) + "."; }

// Embedding, head, norms and attention as in most families.
SparseModel usualModel(const SparseShape& s, const char* type, bool biases = false) {
  SparseModel m{usualConfig(s, type), {}};
  m.linear("model.embed_tokens", s.vocabulary, s.hidden);
  m.linear("lm_head", s.vocabulary, s.hidden);
  m.norm("model.norm", s.hidden);
  for (int i = 0; i < s.layers; ++i) {
    const std::string attention = layerName(i) + "self_attn.";
    m.norm(layerName(i) + "input_layernorm", s.hidden);
    m.linear(attention + "q_proj", std::int64_t{s.heads} * s.headDim, s.hidden, biases);
    m.linear(attention + "k_proj", std::int64_t{s.kvHeads} * s.headDim, s.hidden, biases);
    m.linear(attention + "v_proj", std::int64_t{s.kvHeads} * s.headDim, s.hidden, biases);
    m.linear(attention + "o_proj", s.hidden, std::int64_t{s.heads} * s.headDim, biases);
  }
  return m;
}

SparseModel llama(const SparseShape& s) {
  SparseModel m = usualModel(s, "llama");
  for (int i = 0; i < s.layers; ++i) {
    m.norm(layerName(i) + "post_attention_layernorm", s.hidden);
    m.gatedFeedForward(layerName(i) + "mlp.", s.hidden, s.feedForward);
  }
  return m;
}

SparseModel gemma3(const SparseShape& s) {
  SparseModel m = usualModel(s, "gemma3_text");
  std::erase_if(m.tensors, [](const auto& tensor) { return tensor.first == "lm_head.weight"; });
  m.config.update({{"tie_word_embeddings", true}, {"sliding_window", 512}, {"query_pre_attn_scalar", s.headDim}});
  for (int i = 0; i < s.layers; ++i) {
    for (const char* name : {"post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"})
      m.norm(layerName(i) + name, s.hidden);
    m.norm(layerName(i) + "self_attn.q_norm", s.headDim);
    m.norm(layerName(i) + "self_attn.k_norm", s.headDim);
    m.gatedFeedForward(layerName(i) + "mlp.", s.hidden, s.feedForward);
  }
  return m;
}

// Stacks of experts are transposed, as in float copies of the published model.
SparseModel gptOss(const SparseShape& s) {
  SparseModel m = usualModel(s, "gpt_oss", true);
  m.config.update({{"intermediate_size", s.expertSize},
                   {"attention_bias", true},
                   {"num_local_experts", s.experts},
                   {"num_experts_per_tok", s.expertsUsed},
                   {"sliding_window", 128},
                   {"rope_theta", 150000.0}});
  for (int i = 0; i < s.layers; ++i) {
    const std::string experts = layerName(i) + "mlp.experts.";
    m.norm(layerName(i) + "post_attention_layernorm", s.hidden);
    m.add(layerName(i) + "self_attn.sinks", {s.heads});
    m.linear(layerName(i) + "mlp.router", s.experts, s.hidden, true);
    m.add(experts + "gate_up_proj", {s.experts, s.hidden, 2 * std::int64_t{s.expertSize}});
    m.add(experts + "gate_up_proj_bias", {s.experts, 2 * std::int64_t{s.expertSize}});
    m.add(experts + "down_proj", {s.experts, s.expertSize, s.hidden});
    m.add(experts + "down_proj_bias", {s.experts, s.hidden});
  }
  return m;
}

SparseModel gpt2(const SparseShape& s) {
  SparseModel m;
  m.config = {{"model_type", "gpt2"}, {"vocab_size", s.vocabulary}, {"n_embd", s.hidden},       {"n_head", s.heads},
              {"n_layer", s.layers},  {"n_positions", s.context},   {"n_inner", s.feedForward}, {"activation_function", "gelu_new"}};
  m.linear("wte", s.vocabulary, s.hidden);
  m.linear("wpe", s.context, s.hidden);
  m.norm("ln_f", s.hidden, true);
  for (int i = 0; i < s.layers; ++i) {
    const std::string layer = "h." + std::to_string(i) + ".";
    const auto transposed = [&](const char* name, std::int64_t inputs, std::int64_t outputs) {
      m.add(layer + name + ".weight", {inputs, outputs});
      m.add(layer + name + ".bias", {outputs});
    };
    m.norm(layer + "ln_1", s.hidden, true);
    m.norm(layer + "ln_2", s.hidden, true);
    transposed("attn.c_attn", s.hidden, 3 * std::int64_t{s.hidden});
    transposed("attn.c_proj", s.hidden, s.hidden);
    transposed("mlp.c_fc", s.hidden, s.feedForward);
    transposed("mlp.c_proj", s.feedForward, s.hidden);
  }
  return m;
}

SparseModel gptNeox(const SparseShape& s) {
  SparseModel m{usualConfig(s, "gpt_neox"), {}};
  m.config.erase("head_dim");
  m.linear("gpt_neox.embed_in", s.vocabulary, s.hidden);
  m.linear("embed_out", s.vocabulary, s.hidden);
  m.norm("gpt_neox.final_layer_norm", s.hidden, true);
  for (int i = 0; i < s.layers; ++i) {
    const std::string layer = "gpt_neox.layers." + std::to_string(i) + ".";
    m.norm(layer + "input_layernorm", s.hidden, true);
    m.norm(layer + "post_attention_layernorm", s.hidden, true);
    m.linear(layer + "attention.query_key_value", 3 * std::int64_t{s.hidden}, s.hidden, true);
    m.linear(layer + "attention.dense", s.hidden, s.hidden, true);
    m.linear(layer + "mlp.dense_h_to_4h", s.feedForward, s.hidden, true);
    m.linear(layer + "mlp.dense_4h_to_h", s.hidden, s.feedForward, true);
  }
  return m;
}

SparseModel deepseek2(const SparseShape& s) {
  SparseModel m = usualModel(s, "deepseek_v2");
  std::erase_if(m.tensors, [](const auto& tensor) { return tensor.first.find("self_attn") != std::string::npos; });
  const int plain = 2 * s.headDim, rotary = s.headDim, value = plain, latent = 4 * plain;
  m.config.update({{"kv_lora_rank", latent},
                   {"qk_nope_head_dim", plain},
                   {"qk_rope_head_dim", rotary},
                   {"v_head_dim", value},
                   {"n_routed_experts", s.experts},
                   {"n_shared_experts", 2},
                   {"num_experts_per_tok", s.expertsUsed},
                   {"moe_intermediate_size", s.expertSize},
                   {"first_k_dense_replace", 1},
                   {"norm_topk_prob", false},
                   {"routed_scaling_factor", 1.0}});
  for (int i = 0; i < s.layers; ++i) {
    const std::string layer = layerName(i), attention = layer + "self_attn.";
    m.norm(layer + "post_attention_layernorm", s.hidden);
    m.linear(attention + "q_proj", std::int64_t{s.heads} * (plain + rotary), s.hidden);
    m.linear(attention + "kv_a_proj_with_mqa", latent + rotary, s.hidden);
    m.norm(attention + "kv_a_layernorm", latent);
    m.linear(attention + "kv_b_proj", std::int64_t{s.heads} * (plain + value), latent);
    m.linear(attention + "o_proj", s.hidden, std::int64_t{s.heads} * value);
    if (i == 0) {
      m.gatedFeedForward(layer + "mlp.", s.hidden, s.feedForward);
      continue;
    }
    m.linear(layer + "mlp.gate", s.experts, s.hidden);
    for (int e = 0; e < s.experts; ++e) m.gatedFeedForward(layer + "mlp.experts." + std::to_string(e) + ".", s.hidden, s.expertSize);
    m.gatedFeedForward(layer + "mlp.shared_experts.", s.hidden, 2 * s.expertSize);
  }
  return m;
}

const std::map<std::string, SparseModel (*)(const SparseShape&)>& makers() {
  static const std::map<std::string, SparseModel (*)(const SparseShape&)> all{
      {"llama", llama}, {"gemma3", gemma3}, {"gpt-oss", gptOss}, {"gpt2", gpt2}, {"gpt-neox", gptNeox}, {"deepseek-v2", deepseek2}};
  return all;
}

}  // namespace

std::vector<std::string> sparseFamilies() {
  std::vector<std::string> names;
  for (const auto& [name, make] : makers()) names.push_back(name);
  return names;
}

std::vector<std::string> rearrangedFamilies() { return {"gpt-oss", "gpt2", "gpt-neox", "deepseek-v2"}; }

std::size_t writeSparseFolder(const std::filesystem::path& folder, const SparseShape& shape) {
  const SparseModel model = makers().at(shape.family)(shape);
  const std::size_t elementBytes = shape.dtype == "F32" ? 4 : 2;
  std::vector<format::SafeTensorDescription> descriptions;
  std::size_t bytes = 0;
  for (const auto& [name, dims] : model.tensors) {
    std::size_t own = elementBytes;
    for (const std::int64_t size : dims) own *= static_cast<std::size_t>(size);
    descriptions.push_back({name, shape.dtype, dims, own});
    bytes += own;
  }
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.json") << model.config;
  const std::string header = format::safeTensorsHeader(descriptions, {{"format", "pt"}});
  const auto weights = folder / "model.safetensors";
  std::ofstream(weights, std::ios::binary) << header;
  std::filesystem::resize_file(weights, header.size() + bytes);
  return bytes;
}

}  // namespace minerva::tests
