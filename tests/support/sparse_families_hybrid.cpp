// The families with layers without attention: delta nets, Mamba 2, short convolutions. Their first layer has no attention, their second
// one has it.
#include "tests/support/sparse_families_parts.h"

namespace minerva::tests {
namespace {

using namespace stored;

// Qwen: four heads of keys for all heads of values.
constexpr StoredTensor gatedAttention[] = {
    {".self_attn.q_proj", "2q h", weight, evenLayers}, {".self_attn.k_proj", "k h", weight, evenLayers},
    {".self_attn.v_proj", "k h", weight, evenLayers},  {".self_attn.o_proj", "h q", weight, evenLayers},
    {".self_attn.q_norm", "d", weight, evenLayers},    {".self_attn.k_norm", "d", weight, evenLayers}};
constexpr StoredTensor deltaLayers[] = {{".linear_attn.conv1d", "8d+q 1 4", weight, oddLayers},
                                        {".linear_attn.A_log", "n", bare, oddLayers},
                                        {".linear_attn.dt_bias", "n", bare, oddLayers},
                                        {".linear_attn.norm", "d", weight, oddLayers},
                                        {".linear_attn.out_proj", "h q", weight, oddLayers}};
constexpr StoredTensor deltaInputsInOne[] = {{".linear_attn.in_proj_qkvz", "8d+2q h", weight, oddLayers},
                                             {".linear_attn.in_proj_ba", "2n h", weight, oddLayers}};
constexpr StoredTensor deltaInputs[] = {{".linear_attn.in_proj_qkv", "8d+q h", weight, oddLayers},
                                        {".linear_attn.in_proj_z", "q h", weight, oddLayers},
                                        {".linear_attn.in_proj_a", "n h", weight, oddLayers},
                                        {".linear_attn.in_proj_b", "n h", weight, oddLayers}};
// Mamba 2 with a state of twice the size of a head, one group.
constexpr StoredTensor mambaLayers[] = {{".mamba.in_proj", "2q+4d+n h", weight, firstLayer},
                                        {".mamba.conv1d", "q+4d 1 4", both, firstLayer},
                                        {".mamba.A_log", "n", bare, firstLayer},
                                        {".mamba.D", "n", bare, firstLayer},
                                        {".mamba.dt_bias", "n", bare, firstLayer},
                                        {".mamba.norm", "q", weight, firstLayer},
                                        {".mamba.out_proj", "h q", weight, firstLayer}};
constexpr StoredTensor attentionBehind[] = {{".self_attn.q_proj", "q h", weight, secondLayer},
                                            {".self_attn.k_proj", "k h", weight, secondLayer},
                                            {".self_attn.v_proj", "k h", weight, secondLayer},
                                            {".self_attn.o_proj", "h q", weight, secondLayer}};
constexpr StoredTensor falconLayers[] = {{"model.embed_tokens", "v h"},      {"model.final_layernorm", "h"},
                                         {".input_layernorm", "h"},          {".pre_ff_layernorm", "h"},
                                         {".mamba.in_proj", "2q+4d+n h"},    {".mamba.conv1d", "q+4d 1 4", both},
                                         {".mamba.A_log", "n", bare},        {".mamba.D", "n", bare},
                                         {".mamba.dt_bias", "n", bare},      {".mamba.out_proj", "h q"},
                                         {".feed_forward.gate_proj", "f h"}, {".feed_forward.up_proj", "f h"},
                                         {".feed_forward.down_proj", "h f"}};
constexpr StoredTensor backbone[] = {{"backbone.embeddings", "v h"}, {"backbone.norm_f", "h"}, {"backbone.layers.#.norm", "h"}};
constexpr StoredTensor mixers[] = {{"backbone.layers.#.mixer.in_proj", "2q+4d+n h", weight, firstLayer},
                                   {"backbone.layers.#.mixer.conv1d", "q+4d 1 4", both, firstLayer},
                                   {"backbone.layers.#.mixer.A_log", "n", bare, firstLayer},
                                   {"backbone.layers.#.mixer.D", "n", bare, firstLayer},
                                   {"backbone.layers.#.mixer.dt_bias", "n", bare, firstLayer},
                                   {"backbone.layers.#.mixer.norm", "q", weight, firstLayer},
                                   {"backbone.layers.#.mixer.out_proj", "h q", weight, firstLayer}};
constexpr StoredTensor nemotronLayers[] = {{"backbone.layers.#.mixer.q_proj", "q h", weight, secondLayer},
                                           {"backbone.layers.#.mixer.k_proj", "k h", weight, secondLayer},
                                           {"backbone.layers.#.mixer.v_proj", "k h", weight, secondLayer},
                                           {"backbone.layers.#.mixer.o_proj", "h q", weight, secondLayer},
                                           {"backbone.layers.#.mixer.up_proj", "f h", weight, thirdLayer},
                                           {"backbone.layers.#.mixer.down_proj", "h f", weight, thirdLayer},
                                           {"backbone.layers.#.mixer.gate", "e h", weight, fourthLayer},
                                           {"backbone.layers.#.mixer.gate.e_score_correction_bias", "e", bare, fourthLayer},
                                           {"backbone.layers.#.mixer.experts.@.up_proj", "x h", weight, fourthLayer},
                                           {"backbone.layers.#.mixer.experts.@.down_proj", "h x", weight, fourthLayer},
                                           {"backbone.layers.#.mixer.shared_experts.up_proj", "2x h", weight, fourthLayer},
                                           {"backbone.layers.#.mixer.shared_experts.down_proj", "h 2x", weight, fourthLayer}};
constexpr StoredTensor lfm2Layers[] = {{"model.embed_tokens", "v h"},
                                       {"model.embedding_norm", "h"},
                                       {".operator_norm", "h"},
                                       {".ffn_norm", "h"},
                                       {".conv.in_proj", "3h h", weight, firstLayer},
                                       {".conv.conv", "h 1 3", weight, firstLayer},
                                       {".conv.out_proj", "h h", weight, firstLayer},
                                       {".self_attn.q_proj", "q h", weight, secondLayer},
                                       {".self_attn.k_proj", "k h", weight, secondLayer},
                                       {".self_attn.v_proj", "k h", weight, secondLayer},
                                       {".self_attn.out_proj", "h q", weight, secondLayer},
                                       {".self_attn.q_layernorm", "d", weight, secondLayer},
                                       {".self_attn.k_layernorm", "d", weight, secondLayer}};
constexpr StoredTensor lfm2Dense[] = {{".feed_forward.w1", "f h"}, {".feed_forward.w2", "h f"}, {".feed_forward.w3", "f h"}};
constexpr StoredTensor lfm2Mixture[] = {{".feed_forward.w1", "f h", weight, firstLayer},
                                        {".feed_forward.w2", "h f", weight, firstLayer},
                                        {".feed_forward.w3", "f h", weight, firstLayer},
                                        {".feed_forward.gate", "e h", weight, secondLayer},
                                        {".feed_forward.expert_bias", "e", bare, secondLayer},
                                        {".feed_forward.experts.@.w1", "x h", weight, secondLayer},
                                        {".feed_forward.experts.@.w2", "h x", weight, secondLayer},
                                        {".feed_forward.experts.@.w3", "x h", weight, secondLayer}};

// Mamba with twice the hidden size of channels, a state of 16 and steps of the size of a head.
constexpr StoredTensor selectiveLayers[] = {{".mamba.in_proj", "4h h", weight, firstLayer},
                                            {".mamba.conv1d", "2h 1 4", both, firstLayer},
                                            {".mamba.x_proj", "d+32 2h", weight, firstLayer},
                                            {".mamba.dt_proj", "2h d", both, firstLayer},
                                            {".mamba.dt_layernorm", "d", weight, firstLayer},
                                            {".mamba.b_layernorm", "16", weight, firstLayer},
                                            {".mamba.c_layernorm", "16", weight, firstLayer},
                                            {".mamba.A_log", "2h 16", bare, firstLayer},
                                            {".mamba.D", "2h", bare, firstLayer},
                                            {".mamba.out_proj", "h 2h", weight, firstLayer}};
constexpr StoredTensor jambaLayers[] = {{"model.embed_tokens", "v h"},
                                        {"model.final_layernorm", "h"},
                                        {".input_layernorm", "h"},
                                        {".pre_ff_layernorm", "h"},
                                        {".feed_forward.gate_proj", "f h", weight, firstLayer},
                                        {".feed_forward.up_proj", "f h", weight, firstLayer},
                                        {".feed_forward.down_proj", "h f", weight, firstLayer},
                                        {".feed_forward.router", "e h", weight, secondLayer},
                                        {".feed_forward.experts.@.gate_proj", "f h", weight, secondLayer},
                                        {".feed_forward.experts.@.up_proj", "f h", weight, secondLayer},
                                        {".feed_forward.experts.@.down_proj", "h f", weight, secondLayer}};

constexpr StoredTensor selectiveMixers[] = {
    {"backbone.layers.#.mixer.in_proj", "4h h"},      {"backbone.layers.#.mixer.conv1d", "2h 1 4", both},
    {"backbone.layers.#.mixer.x_proj", "d+32 2h"},    {"backbone.layers.#.mixer.dt_proj", "2h d", both},
    {"backbone.layers.#.mixer.A_log", "2h 16", bare}, {"backbone.layers.#.mixer.D", "2h", bare},
    {"backbone.layers.#.mixer.out_proj", "h 2h"}};

// Kimi: the heads of both kinds of attention have the same number, latent vectors the size of a head, shared keys half of it.
constexpr StoredTensor kimiLayers[] = {{".self_attn.q_proj", "q h", weight, firstLayer},
                                       {".self_attn.k_proj", "q h", weight, firstLayer},
                                       {".self_attn.v_proj", "q h", weight, firstLayer},
                                       {".self_attn.q_conv1d", "q 1 4", weight, firstLayer},
                                       {".self_attn.k_conv1d", "q 1 4", weight, firstLayer},
                                       {".self_attn.v_conv1d", "q 1 4", weight, firstLayer},
                                       {".self_attn.A_log", "1 1 n 1", bare, firstLayer},
                                       {".self_attn.dt_bias", "q", bare, firstLayer},
                                       {".self_attn.f_a_proj", "d h", weight, firstLayer},
                                       {".self_attn.f_b_proj", "q d", weight, firstLayer},
                                       {".self_attn.g_a_proj", "d h", weight, firstLayer},
                                       {".self_attn.g_b_proj", "q d", weight, firstLayer},
                                       {".self_attn.b_proj", "n h", weight, firstLayer},
                                       {".self_attn.o_norm", "d", weight, firstLayer},
                                       {".self_attn.o_proj", "h q", weight, firstLayer},
                                       {".self_attn.q_proj", "q+8n h", weight, secondLayer},
                                       {".self_attn.kv_a_proj_with_mqa", "d+8 h", weight, secondLayer},
                                       {".self_attn.kv_a_layernorm", "d", weight, secondLayer},
                                       {".self_attn.kv_b_proj", "2q d", weight, secondLayer},
                                       {".self_attn.o_proj", "h q", weight, secondLayer},
                                       {".mlp.gate_proj", "f h", weight, firstLayer},
                                       {".mlp.up_proj", "f h", weight, firstLayer},
                                       {".mlp.down_proj", "h f", weight, firstLayer},
                                       {".block_sparse_moe.gate", "e h", weight, secondLayer},
                                       {".block_sparse_moe.gate.e_score_correction_bias", "e", bare, secondLayer},
                                       {".block_sparse_moe.experts.@.w1", "x h", weight, secondLayer},
                                       {".block_sparse_moe.experts.@.w2", "h x", weight, secondLayer},
                                       {".block_sparse_moe.experts.@.w3", "x h", weight, secondLayer},
                                       {".block_sparse_moe.shared_experts.gate_proj", "x h", weight, secondLayer},
                                       {".block_sparse_moe.shared_experts.up_proj", "x h", weight, secondLayer},
                                       {".block_sparse_moe.shared_experts.down_proj", "h x", weight, secondLayer}};

const Sizes deltaSizes = {{"linear_num_value_heads", "n"}, {"linear_key_head_dim", "d"}, {"linear_value_head_dim", "d"}};
const Sizes deltaExpertSizes = {
    {"linear_num_value_heads", "n"}, {"linear_key_head_dim", "d"},   {"linear_value_head_dim", "d"},           {"num_experts", "e"},
    {"num_experts_per_tok", "u"},    {"moe_intermediate_size", "x"}, {"shared_expert_intermediate_size", "2x"}};
constexpr std::string_view deltaConfig =
    R"({"linear_num_key_heads": 4, "linear_conv_kernel_dim": 4, "full_attention_interval": 2, "partial_rotary_factor": 0.25})";
const Sizes backboneSizes = {{"ssm_state_size", "2d"},
                             {"mamba_num_heads", "n"},
                             {"mamba_head_dim", "d"},
                             {"n_routed_experts", "e"},
                             {"num_experts_per_tok", "u"},
                             {"moe_intermediate_size", "x"},
                             {"moe_shared_expert_intermediate_size", "2x"}};

}  // namespace

std::vector<StoredFamily> hybridFamilies() {
  return {
      {.name = "qwen3-next",
       .modelType = "qwen3_next",
       .tensors = {ends, head, norms, gatedAttention, deltaLayers, deltaInputsInOne, experts, sharedExpert},
       .sizes = deltaExpertSizes,
       .config = deltaConfig},
      {.name = "qwen3.5",
       .modelType = "qwen3_5_text",
       .tensors = {ends, norms, gatedAttention, deltaLayers, deltaInputs, gated},
       .sizes = deltaSizes,
       .config = deltaConfig,
       .tied = true},
      {.name = "qwen3.5-moe",
       .modelType = "qwen3_5_moe_text",
       .tensors = {ends, head, norms, gatedAttention, deltaLayers, deltaInputs, experts, sharedExpert},
       .sizes = deltaExpertSizes,
       .config = deltaConfig},
      {.name = "granite-hybrid",
       .modelType = "granitemoehybrid",
       .tensors = {ends, norms, mambaLayers, attentionBehind, graniteExperts, graniteShared},
       .sizes = {{"mamba_n_heads", "n"},
                 {"mamba_d_head", "d"},
                 {"mamba_d_state", "2d"},
                 {"intermediate_size", "x"},
                 {"shared_intermediate_size", "2x"},
                 {"num_local_experts", "e"},
                 {"num_experts_per_tok", "u"}},
       .config =
           R"({"mamba_n_groups": 1, "mamba_d_conv": 4, "layer_types": ["linear_attention", "full_attention"], "position_embedding_type": "nope"})",
       .tied = true},
      {.name = "nemotron-h",
       .modelType = "nemotron_h",
       .tensors = {backbone, head, mixers, nemotronLayers},
       .sizes = backboneSizes,
       .config =
           R"({"n_groups": 1, "conv_kernel": 4, "hybrid_override_pattern": "M*-E", "mlp_hidden_act": "relu2", "n_shared_experts": 1})",
       .layers = 4},
      {.name = "falcon-h1",
       .modelType = "falcon_h1",
       .tensors = {falconLayers, head, queries, output},
       .sizes = {{"mamba_n_heads", "n"}, {"mamba_d_head", "d"}, {"mamba_d_state", "2d"}, {"mamba_d_ssm", "q"}},
       .config = R"({"mamba_n_groups": 1, "mamba_d_conv": 4, "mamba_rms_norm": false, "key_multiplier": 0.5, "ssm_out_multiplier": 0.25})"},
      {.name = "lfm2",
       .modelType = "lfm2",
       .tensors = {lfm2Layers, lfm2Dense},
       .config = R"({"layer_types": ["conv", "full_attention"], "conv_L_cache": 3, "block_auto_adjust_ff_dim": false})",
       .tied = true},
      {.name = "lfm2-moe",
       .modelType = "lfm2_moe",
       .tensors = {lfm2Layers, lfm2Mixture},
       .sizes = {{"num_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}},
       .config = R"({"layer_types": ["conv", "full_attention"], "conv_L_cache": 3, "num_dense_layers": 1})",
       .tied = true},
      {.name = "kimi-linear",
       .modelType = "kimi_linear",
       .tensors = {ends, head, norms, kimiLayers},
       .sizes = {{"model_max_length", "c"},
                 {"kv_lora_rank", "d"},
                 {"qk_nope_head_dim", "d"},
                 {"v_head_dim", "d"},
                 {"num_experts", "e"},
                 {"num_experts_per_token", "u"},
                 {"moe_intermediate_size", "x"},
                 {"/linear_attn_config/num_heads", "n"},
                 {"/linear_attn_config/head_dim", "d"}},
       .config = R"({"linear_attn_config": {"full_attn_layers": [2], "kda_layers": [1], "short_conv_kernel_size": 4}, "qk_rope_head_dim": 8,
                     "num_shared_experts": 1, "first_k_dense_replace": 1, "routed_scaling_factor": 2.446})"},
      {.name = "jamba",
       .modelType = "jamba",
       .tensors = {jambaLayers, head, selectiveLayers, attentionBehind},
       .sizes = {{"mamba_dt_rank", "d"}, {"num_experts", "e"}, {"num_experts_per_tok", "u"}},
       .config = R"({"mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2, "attn_layer_period": 2, "attn_layer_offset": 1,
                     "expert_layer_period": 2, "expert_layer_offset": 1})"},
      {.name = "mamba",
       .modelType = "mamba",
       .tensors = {backbone, selectiveMixers},
       .sizes = {{"time_step_rank", "d"}},
       .config = R"({"state_size": 16, "conv_kernel": 4, "expand": 2})",
       .tied = true,
       .layers = 1},
      {.name = "mamba2",
       .modelType = "mamba2",
       .tensors = {backbone, head, mixers},
       .sizes = {{"num_heads", "n"}, {"state_size", "2d"}},
       .config = R"({"n_groups": 1, "conv_kernel": 4})",
       .layers = 1},
  };
}

}  // namespace minerva::tests
