// A small mixture in memory, to which a test adds what its family has of its own.
#pragma once

#include "tests/core/model/families/zero_model.h"

namespace minerva::model::mixture {

using Json = nlohmann::json;

inline constexpr std::int64_t hidden = 32, experts = 4, size = 16;

// Two layers of 2 heads of 16 over 32 values, without what families have of their own.
inline ZeroModel twoLayers(std::string_view type, bool apart = true) {
  ZeroModel made{.config = {{"model_type", type},
                            {"hidden_size", hidden},
                            {"intermediate_size", size},
                            {"num_hidden_layers", 2},
                            {"num_attention_heads", 2},
                            {"num_key_value_heads", 2},
                            {"head_dim", 16},
                            {"max_position_embeddings", 64},
                            {"vocab_size", 8},
                            {"num_experts", experts},
                            {"num_experts_per_tok", 2},
                            {"moe_intermediate_size", size},
                            {"tie_word_embeddings", true}},
                 .tensors = {{"model.embed_tokens.weight", {8, hidden}}, {"model.norm.weight", {hidden}}}};
  for (const char* layer : {"model.layers.0.", "model.layers.1."}) {
    const std::string name(layer);
    if (apart) {
      for (const char* part : {"q_proj", "k_proj", "v_proj"}) made.tensors[name + "self_attn." + part + ".weight"] = {32, hidden};
    }
    made.tensors[name + "self_attn.o_proj.weight"] = {hidden, 32};
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"}) made.tensors[name + norm + ".weight"] = {hidden};
  }
  return made;
}

inline void addGated(ZeroModel& made, const std::string& prefix, std::int64_t rows = size) {
  made.tensors[prefix + "gate_proj.weight"] = {rows, hidden};
  made.tensors[prefix + "up_proj.weight"] = {rows, hidden};
  made.tensors[prefix + "down_proj.weight"] = {hidden, rows};
}

inline void addExperts(ZeroModel& made, const std::string& prefix) {
  for (int e = 0; e < experts; ++e) addGated(made, prefix + std::to_string(e) + ".");
}

inline void addQueryAndKeyNorms(ZeroModel& made) {
  for (const char* layer : {"model.layers.0.", "model.layers.1."}) {
    for (const char* norm : {"q_norm", "k_norm"}) made.tensors[std::string(layer) + "self_attn." + norm + ".weight"] = {16};
  }
}

inline ModelConfig readOf(const ZeroModel& made) {
  const auto config = made.read();
  EXPECT_TRUE(config.has_value()) << config.error().message();
  return config.value_or(ModelConfig{});
}

inline void expectRefused(const ZeroModel& made, ErrorKind kind, const std::string& part, const std::function<void(ZeroModel&)>& change) {
  const Error error = refusedAfter(made, change);
  EXPECT_EQ(error.kind, kind) << error.message();
  EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
}

}  // namespace minerva::model::mixture
