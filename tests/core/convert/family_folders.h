// Small folders of models of a family: their config.json and the tensors that most families have.
#pragma once

#include "tests/core/convert/convert_support.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace minerva::convert {

inline constexpr int vocabulary = 320, hidden = 64, layers = 4, feedForward = 96;

inline nlohmann::json config(const char* type, nlohmann::json more) {
  nlohmann::json out{{"model_type", type},
                     {"vocab_size", vocabulary},
                     {"hidden_size", hidden},
                     {"intermediate_size", feedForward},
                     {"num_hidden_layers", layers},
                     {"num_attention_heads", 4},
                     {"num_key_value_heads", 2},
                     {"head_dim", 16},
                     {"max_position_embeddings", 256},
                     {"rope_theta", 10000.0},
                     {"hidden_act", "silu"},
                     {"bos_token_id", 317},
                     {"eos_token_id", 319}};
  out.update(more);
  return out;
}

// Embedding, norms and attention tensors of all layers.
inline std::vector<FolderTensor> attentionTensors(const std::string& base, int kvHeads) {
  std::vector<FolderTensor> out{{base + "embed_tokens.weight", {vocabulary, hidden}}, {base + "norm.weight", {hidden}}};
  for (int i = 0; i < layers; ++i) {
    const std::string layer = base + "layers." + std::to_string(i) + ".";
    out.push_back({layer + "input_layernorm.weight", {hidden}});
    out.push_back({layer + "self_attn.q_proj.weight", {4 * 16, hidden}});
    out.push_back({layer + "self_attn.k_proj.weight", {kvHeads * 16, hidden}});
    out.push_back({layer + "self_attn.v_proj.weight", {kvHeads * 16, hidden}});
    out.push_back({layer + "self_attn.o_proj.weight", {hidden, 4 * 16}});
  }
  return out;
}

inline void addFeedForward(std::vector<FolderTensor>& to, const std::string& stem, int size) {
  to.push_back({stem + "gate_proj.weight", {size, hidden}});
  to.push_back({stem + "up_proj.weight", {size, hidden}});
  to.push_back({stem + "down_proj.weight", {hidden, size}});
}

}  // namespace minerva::convert
