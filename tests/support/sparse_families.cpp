#include "tests/support/sparse_families.h"

namespace minerva::tests {
namespace {

using enum Parts;
using enum In;

// Outside the layers.
constexpr StoredTensor ends[] = {{"model.embed_tokens", "v h"}, {"model.norm", "h"}};
constexpr StoredTensor endsWithBias[] = {{"model.embed_tokens", "v h"}, {"model.norm", "h", both}};
constexpr StoredTensor head[] = {{"lm_head", "v h"}};
// Norms.
constexpr StoredTensor inputNorm[] = {{".input_layernorm", "h"}};
constexpr StoredTensor norms[] = {{".input_layernorm", "h"}, {".post_attention_layernorm", "h"}};
constexpr StoredTensor normsWithBias[] = {{".input_layernorm", "h", both}, {".post_attention_layernorm", "h", both}};
constexpr StoredTensor normsBehind[] = {{".post_attention_layernorm", "h"}, {".post_feedforward_layernorm", "h"}};
constexpr StoredTensor normBetween[] = {{".pre_feedforward_layernorm", "h"}};
constexpr StoredTensor glm4Norms[] = {{".post_self_attn_layernorm", "h"}, {".post_mlp_layernorm", "h"}};
constexpr StoredTensor headNorms[] = {{".self_attn.q_norm", "d"}, {".self_attn.k_norm", "d"}};
constexpr StoredTensor wideNorms[] = {{".self_attn.q_norm", "q"}, {".self_attn.k_norm", "k"}};
// Attention.
constexpr StoredTensor queries[] = {{".self_attn.q_proj", "q h"}, {".self_attn.k_proj", "k h"}, {".self_attn.v_proj", "k h"}};
constexpr StoredTensor queriesWithBias[] = {
    {".self_attn.q_proj", "q h", both}, {".self_attn.k_proj", "k h", both}, {".self_attn.v_proj", "k h", both}};
constexpr StoredTensor output[] = {{".self_attn.o_proj", "h q"}};
constexpr StoredTensor outputWithBias[] = {{".self_attn.o_proj", "h q", both}};
constexpr StoredTensor phi3Attention[] = {{".self_attn.qkv_proj", "q+2k h"}, {".self_attn.o_proj", "h q"}};
constexpr StoredTensor latentAttention[] = {{".self_attn.q_proj", "3q h"},
                                            {".self_attn.kv_a_proj_with_mqa", "9d h"},
                                            {".self_attn.kv_a_layernorm", "8d"},
                                            {".self_attn.kv_b_proj", "4q 8d"},
                                            {".self_attn.o_proj", "h 2q"}};
// Feed-forward.
constexpr StoredTensor gated[] = {{".mlp.gate_proj", "f h"}, {".mlp.up_proj", "f h"}, {".mlp.down_proj", "h f"}};
constexpr StoredTensor gatedInOne[] = {{".mlp.gate_up_proj", "2f h"}, {".mlp.down_proj", "h f"}};
constexpr StoredTensor starcoder2Mlp[] = {{".mlp.c_fc", "f h", both}, {".mlp.c_proj", "h f", both}};
constexpr StoredTensor phiLayers[] = {
    {"model.final_layernorm", "h", both}, {"model.embed_tokens", "v h"}, {"lm_head", "v h", both}, {".input_layernorm", "h", both},
    {".self_attn.dense", "h q", both},    {".mlp.fc1", "f h", both},     {".mlp.fc2", "h f", both}};
// Mixtures of experts.
constexpr StoredTensor experts[] = {
    {".mlp.gate", "e h"}, {".mlp.experts.@.gate_proj", "x h"}, {".mlp.experts.@.up_proj", "x h"}, {".mlp.experts.@.down_proj", "h x"}};
constexpr StoredTensor sharedExpert[] = {{".mlp.shared_expert_gate", "1 h"},
                                         {".mlp.shared_expert.gate_proj", "2x h"},
                                         {".mlp.shared_expert.up_proj", "2x h"},
                                         {".mlp.shared_expert.down_proj", "h 2x"}};
constexpr StoredTensor mixtralExperts[] = {{".block_sparse_moe.gate", "e h"},
                                           {".block_sparse_moe.experts.@.w1", "x h"},
                                           {".block_sparse_moe.experts.@.w2", "h x"},
                                           {".block_sparse_moe.experts.@.w3", "x h"}};
constexpr StoredTensor graniteExperts[] = {
    {".block_sparse_moe.router.layer", "e h"}, {".block_sparse_moe.input_linear", "e 2x h"}, {".block_sparse_moe.output_linear", "e h x"}};
// Transposed, as in float copies of the published model.
constexpr StoredTensor gptOssExperts[] = {{".self_attn.sinks", "n", bare},
                                          {".mlp.router", "e h", both},
                                          {".mlp.experts.gate_up_proj", "e h 2x", bare},
                                          {".mlp.experts.gate_up_proj_bias", "e 2x", bare},
                                          {".mlp.experts.down_proj", "e x h", bare},
                                          {".mlp.experts.down_proj_bias", "e h", bare}};
constexpr StoredTensor gemma4Layers[] = {{".layer_scalar", "1", bare},
                                         {".pre_feedforward_layernorm_2", "h"},
                                         {".post_feedforward_layernorm_1", "h"},
                                         {".post_feedforward_layernorm_2", "h"},
                                         {".router.proj", "e h"},
                                         {".router.scale", "h", bare},
                                         {".router.per_expert_scale", "e", bare},
                                         {".experts.gate_up_proj", "e 2x h", bare},
                                         {".experts.down_proj", "e h x", bare}};
constexpr StoredTensor deepseekExperts[] = {{".mlp.gate_proj", "f h", weight, firstLayer},
                                            {".mlp.up_proj", "f h", weight, firstLayer},
                                            {".mlp.down_proj", "h f", weight, firstLayer},
                                            {".mlp.gate", "e h", weight, otherLayers},
                                            {".mlp.experts.@.gate_proj", "x h", weight, otherLayers},
                                            {".mlp.experts.@.up_proj", "x h", weight, otherLayers},
                                            {".mlp.experts.@.down_proj", "h x", weight, otherLayers},
                                            {".mlp.shared_experts.gate_proj", "2x h", weight, otherLayers},
                                            {".mlp.shared_experts.up_proj", "2x h", weight, otherLayers},
                                            {".mlp.shared_experts.down_proj", "h 2x", weight, otherLayers}};
// Families with names of their own.
constexpr StoredTensor gpt2[] = {{"wte", "v h"},
                                 {"wpe", "c h"},
                                 {"ln_f", "h", both},
                                 {"h.#.ln_1", "h", both},
                                 {"h.#.ln_2", "h", both},
                                 {"h.#.attn.c_attn", "h 3h", transposed},
                                 {"h.#.attn.c_proj", "h h", transposed},
                                 {"h.#.mlp.c_fc", "h f", transposed},
                                 {"h.#.mlp.c_proj", "f h", transposed}};
constexpr StoredTensor gptNeox[] = {{"gpt_neox.embed_in", "v h"},
                                    {"embed_out", "v h"},
                                    {"gpt_neox.final_layer_norm", "h", both},
                                    {"gpt_neox.layers.#.input_layernorm", "h", both},
                                    {"gpt_neox.layers.#.post_attention_layernorm", "h", both},
                                    {"gpt_neox.layers.#.attention.query_key_value", "3h h", both},
                                    {"gpt_neox.layers.#.attention.dense", "h h", both},
                                    {"gpt_neox.layers.#.mlp.dense_h_to_4h", "f h", both},
                                    {"gpt_neox.layers.#.mlp.dense_4h_to_h", "h f", both}};

std::vector<StoredFamily> denseFamilies() {
  return {
      {.name = "llama", .modelType = "llama", .tensors = {ends, head, norms, queries, output, gated}},
      {.name = "mistral",
       .modelType = "mistral",
       .tensors = {ends, head, norms, queries, output, gated},
       .config = R"({"sliding_window": 128})"},
      {.name = "qwen2", .modelType = "qwen2", .tensors = {ends, head, norms, queriesWithBias, output, gated}},
      {.name = "qwen3", .modelType = "qwen3", .tensors = {ends, head, norms, queries, output, headNorms, gated}},
      {.name = "phi", .modelType = "phi", .tensors = {phiLayers, queriesWithBias}},
      {.name = "phi3", .modelType = "phi3", .tensors = {ends, head, norms, phi3Attention, gatedInOne}},
      {.name = "gemma", .modelType = "gemma", .tensors = {ends, norms, queries, output, gated}, .tied = true},
      {.name = "gemma2",
       .modelType = "gemma2",
       .tensors = {ends, inputNorm, normsBehind, normBetween, queries, output, gated},
       .sizes = {{"query_pre_attn_scalar", "d"}},
       .config = R"({"sliding_window": 128, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0})",
       .tied = true},
      {.name = "gemma3",
       .modelType = "gemma3_text",
       .tensors = {ends, inputNorm, normsBehind, normBetween, queries, output, headNorms, gated},
       .sizes = {{"query_pre_attn_scalar", "d"}},
       .config = R"({"sliding_window": 128})",
       .tied = true,
       .layers = 6},
      {.name = "granite", .modelType = "granite", .tensors = {ends, head, norms, queries, output, gated}},
      {.name = "olmo2", .modelType = "olmo2", .tensors = {ends, head, normsBehind, queries, output, wideNorms, gated}},
      {.name = "smollm3", .modelType = "smollm3", .tensors = {ends, norms, queries, output, gated}, .tied = true, .layers = 4},
      {.name = "stablelm", .modelType = "stablelm", .tensors = {endsWithBias, head, normsWithBias, queriesWithBias, output, gated}},
      {.name = "starcoder2",
       .modelType = "starcoder2",
       .tensors = {endsWithBias, normsWithBias, queriesWithBias, outputWithBias, starcoder2Mlp},
       .tied = true},
      {.name = "command-r", .modelType = "cohere", .tensors = {ends, inputNorm, queries, output, gated}, .tied = true},
      {.name = "command-r7b",
       .modelType = "cohere2",
       .tensors = {ends, inputNorm, queries, output, gated},
       .config = R"({"sliding_window": 128})",
       .tied = true,
       .layers = 4},
      {.name = "glm4",
       .modelType = "glm4",
       .tensors = {ends, head, norms, glm4Norms, queriesWithBias, output, gatedInOne},
       .config = R"({"attention_bias": true})"},
      {.name = "gpt2",
       .modelType = "gpt2",
       .tensors = {gpt2},
       .sizes = {{"n_embd", "h"}, {"n_head", "n"}, {"n_positions", "c"}, {"n_inner", "f"}},
       .config = R"({"activation_function": "gelu_new", "num_key_value_heads": null, "head_dim": null})",
       .tied = true},
      {.name = "gpt-neox", .modelType = "gpt_neox", .tensors = {gptNeox}, .config = R"({"head_dim": null})"},
  };
}

std::vector<StoredFamily> mixturesOfExperts() {
  return {
      {.name = "mixtral",
       .modelType = "mixtral",
       .tensors = {ends, head, norms, queries, output, mixtralExperts},
       .sizes = {{"intermediate_size", "x"}, {"num_local_experts", "e"}, {"num_experts_per_tok", "u"}}},
      {.name = "qwen2-moe",
       .modelType = "qwen2_moe",
       .tensors = {ends, head, norms, queriesWithBias, output, experts, sharedExpert},
       .sizes =
           {{"num_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}, {"shared_expert_intermediate_size", "2x"}}},
      {.name = "qwen3-moe",
       .modelType = "qwen3_moe",
       .tensors = {ends, head, norms, queries, output, headNorms, experts},
       .sizes = {{"num_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}},
       .config = R"({"norm_topk_prob": true})"},
      {.name = "gpt-oss",
       .modelType = "gpt_oss",
       .tensors = {ends, head, norms, queriesWithBias, outputWithBias, gptOssExperts},
       .sizes = {{"intermediate_size", "x"}, {"num_local_experts", "e"}, {"num_experts_per_tok", "u"}},
       .config = R"({"attention_bias": true, "sliding_window": 128, "rope_theta": 150000.0})"},
      {.name = "granite-moe",
       .modelType = "granitemoe",
       .tensors = {ends, norms, queries, output, graniteExperts},
       .sizes = {{"intermediate_size", "x"}, {"num_local_experts", "e"}, {"num_experts_per_tok", "u"}},
       .tied = true},
      {.name = "gemma4",
       .modelType = "gemma4_text",
       .tensors = {ends, inputNorm, normsBehind, normBetween, queries, output, headNorms, gated, gemma4Layers},
       .sizes = {{"global_head_dim", "d"}, {"num_experts", "e"}, {"top_k_experts", "u"}, {"moe_intermediate_size", "x"}},
       .config = R"({"enable_moe_block": true, "hidden_size_per_layer_input": 0, "sliding_window": 128,
                     "rope_parameters": {"sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
                                         "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25,
                                                            "rope_theta": 1000000.0}}})",
       .tied = true,
       .layers = 6},
      {.name = "olmoe",
       .modelType = "olmoe",
       .tensors = {ends, head, norms, queries, output, wideNorms, experts},
       .sizes = {{"intermediate_size", "x"}, {"num_experts", "e"}, {"num_experts_per_tok", "u"}}},
      {.name = "deepseek",
       .modelType = "deepseek",
       .tensors = {ends, head, norms, queries, output, deepseekExperts},
       .sizes = {{"n_routed_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}},
       .config = R"({"n_shared_experts": 2, "first_k_dense_replace": 1})"},
      {.name = "deepseek-v2",
       .modelType = "deepseek_v2",
       .tensors = {ends, head, norms, latentAttention, deepseekExperts},
       .sizes = {{"n_routed_experts", "e"},
                 {"num_experts_per_tok", "u"},
                 {"moe_intermediate_size", "x"},
                 {"kv_lora_rank", "8d"},
                 {"qk_nope_head_dim", "2d"},
                 {"qk_rope_head_dim", "d"},
                 {"v_head_dim", "2d"}},
       .config = R"({"n_shared_experts": 2, "first_k_dense_replace": 1, "norm_topk_prob": false, "routed_scaling_factor": 1.0})"},
  };
}

}  // namespace

const std::vector<StoredFamily>& storedFamilies() {
  static const std::vector<StoredFamily> all = [] {
    std::vector<StoredFamily> families = denseFamilies();
    for (StoredFamily& family : mixturesOfExperts()) families.push_back(std::move(family));
    return families;
  }();
  return all;
}

}  // namespace minerva::tests
