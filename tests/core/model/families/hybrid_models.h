// Configurations and tensors of hybrids, each as small as it can be: what a test of their reading changes.
#pragma once

#include "tests/core/model/families/zero_model.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace minerva::model {

using Json = nlohmann::json;
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

inline ZeroModel mamba() {
  const std::string layer = "backbone.layers.0.";
  return {.config = {{"model_type", "mamba2"},
                     {"hidden_size", 8},
                     {"num_hidden_layers", 1},
                     {"num_heads", 4},
                     {"head_dim", 4},
                     {"n_groups", 2},
                     {"state_size", 6},
                     {"conv_kernel", 4},
                     {"vocab_size", 10},
                     {"tie_word_embeddings", true}},
          .tensors = {{"backbone.embeddings.weight", {10, 8}},
                      {"backbone.norm_f.weight", {8}},
                      {layer + "norm.weight", {8}},
                      {layer + "mixer.in_proj.weight", {16 + 16 + 24 + 4, 8}},
                      {layer + "mixer.conv1d.weight", {40, 1, 4}},
                      {layer + "mixer.conv1d.bias", {40}},
                      {layer + "mixer.A_log", {4}},
                      {layer + "mixer.D", {4}},
                      {layer + "mixer.dt_bias", {4}},
                      {layer + "mixer.norm.weight", {16}},
                      {layer + "mixer.out_proj.weight", {8, 16}}}};
}

// A layer with a delta net, then one with attention.
inline ZeroModel qwen() {
  ZeroModel made{.config = {{"model_type", "qwen3_5"},
                            {"hidden_size", 8},
                            {"num_hidden_layers", 2},
                            {"num_attention_heads", 2},
                            {"num_key_value_heads", 1},
                            {"head_dim", 8},
                            {"intermediate_size", 12},
                            {"vocab_size", 10},
                            {"layer_types", {"linear_attention", "full_attention"}},
                            {"linear_num_key_heads", 1},
                            {"linear_num_value_heads", 2},
                            {"linear_key_head_dim", 4},
                            {"linear_value_head_dim", 6},
                            {"linear_conv_kernel_dim", 4},
                            {"tie_word_embeddings", true}},
                 .tensors = {{"model.embed_tokens.weight", {10, 8}}, {"model.norm.weight", {8}}}};
  const auto add = [&](int layer, const Shapes& shapes) {
    for (const auto& [name, sizes] : shapes) made.tensors["model.layers." + std::to_string(layer) + "." + name] = sizes;
  };
  for (const int layer : {0, 1}) {
    add(layer, {{"input_layernorm.weight", {8}},
                {"post_attention_layernorm.weight", {8}},
                {"mlp.gate_proj.weight", {12, 8}},
                {"mlp.up_proj.weight", {12, 8}},
                {"mlp.down_proj.weight", {8, 12}}});
  }
  add(0, {{"linear_attn.in_proj_qkv.weight", {20, 8}},
          {"linear_attn.in_proj_z.weight", {12, 8}},
          {"linear_attn.in_proj_b.weight", {2, 8}},
          {"linear_attn.in_proj_a.weight", {2, 8}},
          {"linear_attn.conv1d.weight", {20, 1, 4}},
          {"linear_attn.A_log", {2}},
          {"linear_attn.dt_bias", {2}},
          {"linear_attn.norm.weight", {6}},
          {"linear_attn.out_proj.weight", {8, 12}}});
  add(1, {{"self_attn.q_proj.weight", {32, 8}},
          {"self_attn.k_proj.weight", {8, 8}},
          {"self_attn.v_proj.weight", {8, 8}},
          {"self_attn.o_proj.weight", {8, 16}},
          {"self_attn.q_norm.weight", {8}},
          {"self_attn.k_norm.weight", {8}}});
  return made;
}

// A layer of Mamba with a dense feed-forward, then one of attention with a mixture.
inline ZeroModel jamba() {
  ZeroModel made{.config = {{"model_type", "jamba"},
                            {"hidden_size", 8},
                            {"num_hidden_layers", 2},
                            {"num_attention_heads", 2},
                            {"num_key_value_heads", 1},
                            {"intermediate_size", 12},
                            {"vocab_size", 10},
                            {"attn_layer_period", 2},
                            {"attn_layer_offset", 1},
                            {"expert_layer_period", 2},
                            {"expert_layer_offset", 1},
                            {"num_experts", 2},
                            {"num_experts_per_tok", 1},
                            {"mamba_d_state", 6},
                            {"mamba_d_conv", 4},
                            {"mamba_dt_rank", 3},
                            {"mamba_expand", 2},
                            {"tie_word_embeddings", true}},
                 .tensors = {{"model.embed_tokens.weight", {10, 8}}, {"model.final_layernorm.weight", {8}}}};
  const auto add = [&](int layer, const Shapes& shapes) {
    for (const auto& [name, sizes] : shapes) made.tensors["model.layers." + std::to_string(layer) + "." + name] = sizes;
  };
  for (const int layer : {0, 1}) add(layer, {{"input_layernorm.weight", {8}}, {"pre_ff_layernorm.weight", {8}}});
  add(0, {{"mamba.in_proj.weight", {32, 8}},
          {"mamba.conv1d.weight", {16, 1, 4}},
          {"mamba.conv1d.bias", {16}},
          {"mamba.x_proj.weight", {15, 16}},
          {"mamba.dt_proj.weight", {16, 3}},
          {"mamba.dt_proj.bias", {16}},
          {"mamba.dt_layernorm.weight", {3}},
          {"mamba.b_layernorm.weight", {6}},
          {"mamba.c_layernorm.weight", {6}},
          {"mamba.A_log", {16, 6}},
          {"mamba.D", {16}},
          {"mamba.out_proj.weight", {8, 16}},
          {"feed_forward.gate_proj.weight", {12, 8}},
          {"feed_forward.up_proj.weight", {12, 8}},
          {"feed_forward.down_proj.weight", {8, 12}}});
  add(1, {{"self_attn.q_proj.weight", {8, 8}},
          {"self_attn.k_proj.weight", {4, 8}},
          {"self_attn.v_proj.weight", {4, 8}},
          {"self_attn.o_proj.weight", {8, 8}},
          {"feed_forward.router.weight", {2, 8}}});
  for (const std::string expert : {"0.", "1."}) {
    add(1, {{"feed_forward.experts." + expert + "gate_proj.weight", {12, 8}},
            {"feed_forward.experts." + expert + "up_proj.weight", {12, 8}},
            {"feed_forward.experts." + expert + "down_proj.weight", {8, 12}}});
  }
  return made;
}

// A layer of Kimi Delta Attention, then one of latent attention; both with a mixture.
inline ZeroModel kimi() {
  ZeroModel made{
      .config = {{"model_type", "kimi_linear"},
                 {"hidden_size", 8},
                 {"num_hidden_layers", 2},
                 {"num_attention_heads", 2},
                 {"intermediate_size", 12},
                 {"vocab_size", 10},
                 {"kv_lora_rank", 5},
                 {"qk_nope_head_dim", 4},
                 {"qk_rope_head_dim", 2},
                 {"v_head_dim", 3},
                 {"num_experts", 2},
                 {"num_experts_per_token", 1},
                 {"num_shared_experts", 1},
                 {"moe_intermediate_size", 6},
                 {"first_k_dense_replace", 0},
                 {"linear_attn_config", {{"full_attn_layers", {2}}, {"num_heads", 3}, {"head_dim", 4}, {"short_conv_kernel_size", 4}}},
                 {"tie_word_embeddings", true}},
      .tensors = {{"model.embed_tokens.weight", {10, 8}}, {"model.norm.weight", {8}}}};
  const auto add = [&](int layer, const std::string& part, const Shapes& shapes) {
    for (const auto& [name, sizes] : shapes) made.tensors["model.layers." + std::to_string(layer) + "." + part + name] = sizes;
  };
  for (const int layer : {0, 1}) {
    add(layer, "", {{"input_layernorm.weight", {8}}, {"post_attention_layernorm.weight", {8}}});
    add(layer, "block_sparse_moe.",
        {{"gate.weight", {2, 8}},
         {"gate.e_score_correction_bias", {2}},
         {"shared_experts.gate_proj.weight", {6, 8}},
         {"shared_experts.up_proj.weight", {6, 8}},
         {"shared_experts.down_proj.weight", {8, 6}}});
    for (const std::string expert : {"0.", "1."})
      add(layer, "block_sparse_moe.experts." + expert, {{"w1.weight", {6, 8}}, {"w2.weight", {8, 6}}, {"w3.weight", {6, 8}}});
  }
  for (const std::string one : {"q", "k", "v"}) add(0, "self_attn." + one, {{"_proj.weight", {12, 8}}, {"_conv1d.weight", {12, 1, 4}}});
  for (const std::string one : {"f", "g"}) add(0, "self_attn." + one, {{"_a_proj.weight", {4, 8}}, {"_b_proj.weight", {12, 4}}});
  add(0, "self_attn.",
      {{"b_proj.weight", {3, 8}}, {"A_log", {1, 1, 3, 1}}, {"dt_bias", {12}}, {"o_norm.weight", {4}}, {"o_proj.weight", {8, 12}}});
  add(1, "self_attn.",
      {{"q_proj.weight", {12, 8}},
       {"kv_a_proj_with_mqa.weight", {7, 8}},
       {"kv_a_layernorm.weight", {5}},
       {"kv_b_proj.weight", {14, 5}},
       {"o_proj.weight", {8, 6}}});
  return made;
}

// A mixture of Nemotron 3 Super, whose experts work in a latent space.
inline ZeroModel nemotron() {
  const std::string layer = "backbone.layers.0.mixer.";
  ZeroModel made{.config = {{"model_type", "nemotron_h"},
                            {"hidden_size", 8},
                            {"layers_block_type", {"moe"}},
                            {"vocab_size", 10},
                            {"n_routed_experts", 2},
                            {"num_experts_per_tok", 1},
                            {"moe_intermediate_size", 6},
                            {"moe_latent_size", 5},
                            {"n_shared_experts", 1},
                            {"moe_shared_expert_intermediate_size", 7},
                            {"tie_word_embeddings", true}},
                 .tensors = {{"backbone.embeddings.weight", {10, 8}},
                             {"backbone.norm_f.weight", {8}},
                             {"backbone.layers.0.norm.weight", {8}},
                             {layer + "gate.weight", {2, 8}},
                             {layer + "gate.e_score_correction_bias", {2}},
                             {layer + "fc1_latent_proj.weight", {5, 8}},
                             {layer + "fc2_latent_proj.weight", {8, 5}},
                             {layer + "shared_experts.up_proj.weight", {7, 8}},
                             {layer + "shared_experts.down_proj.weight", {8, 7}}}};
  for (const std::string expert : {"experts.0.", "experts.1."}) {
    made.tensors[layer + expert + "up_proj.weight"] = {6, 5};
    made.tensors[layer + expert + "down_proj.weight"] = {5, 6};
  }
  return made;
}

Error refusedHybrid(const ZeroModel& model) {
  const Result<ModelConfig> read = model.read();
  EXPECT_FALSE(read.has_value());
  return read ? Error{} : read.error();
}

}  // namespace minerva::model
