// Mixtures whose layers differ in their attention, and the others of 2026 that have attention in every layer.
#include "tests/support/sparse_families_parts.h"

namespace minerva::tests {
namespace {

using namespace stored;

// A full dense layer, then one with a window, sinks and experts.
constexpr StoredTensor mimoLayers[] = {{".self_attn.q_proj", "2q h"},
                                       {".self_attn.k_proj", "2k h"},
                                       {".self_attn.v_proj", "k h"},
                                       {".self_attn.attention_sink_bias", "n", bare, otherLayers},
                                       {".mlp.gate_proj", "f h", weight, firstLayer},
                                       {".mlp.up_proj", "f h", weight, firstLayer},
                                       {".mlp.down_proj", "h f", weight, firstLayer},
                                       {".mlp.gate", "e h", weight, otherLayers},
                                       {".mlp.gate.e_score_correction_bias", "e", bare, otherLayers},
                                       {".mlp.experts.@.gate_proj", "x h", weight, otherLayers},
                                       {".mlp.experts.@.up_proj", "x h", weight, otherLayers},
                                       {".mlp.experts.@.down_proj", "h x", weight, otherLayers}};
constexpr StoredTensor stepLayers[] = {{".self_attn.q_proj", "q h"},
                                       {".self_attn.k_proj", "q h"},
                                       {".self_attn.v_proj", "q h"},
                                       {".self_attn.g_proj", "n h"},
                                       {".mlp.gate_proj", "f h", weight, firstLayer},
                                       {".mlp.up_proj", "f h", weight, firstLayer},
                                       {".mlp.down_proj", "h f", weight, firstLayer},
                                       {".moe.gate", "e h", weight, otherLayers},
                                       {".moe.router_bias", "e", bare, otherLayers},
                                       {".moe.gate_proj", "e x h", weight, otherLayers},
                                       {".moe.up_proj", "e x h", weight, otherLayers},
                                       {".moe.down_proj", "e h x", weight, otherLayers},
                                       {".share_expert.gate_proj", "x h", weight, otherLayers},
                                       {".share_expert.up_proj", "x h", weight, otherLayers},
                                       {".share_expert.down_proj", "h x", weight, otherLayers}};
constexpr StoredTensor hyLayers[] = {{".mlp.router.gate", "e h"},         {".mlp.expert_bias", "e", bare},
                                     {".mlp.experts.@.gate_proj", "x h"}, {".mlp.experts.@.up_proj", "x h"},
                                     {".mlp.experts.@.down_proj", "h x"}, {".mlp.shared_mlp.gate_proj", "x h"},
                                     {".mlp.shared_mlp.up_proj", "x h"},  {".mlp.shared_mlp.down_proj", "h x"}};
constexpr StoredTensor sinks[] = {{".self_attn.sinks", "n", bare}};
constexpr StoredTensor sharedExperts[] = {
    {".mlp.shared_experts.gate_proj", "x h"}, {".mlp.shared_experts.up_proj", "x h"}, {".mlp.shared_experts.down_proj", "h x"}};
constexpr StoredTensor thinkerExperts[] = {{".block_sparse_moe.primary_router", "e h"},
                                           {".block_sparse_moe.experts.@.gate", "x h"},
                                           {".block_sparse_moe.experts.@.up", "x h"},
                                           {".block_sparse_moe.experts.@.down", "h x"}};

}  // namespace

std::vector<StoredFamily> mixturesWithWindows() {
  return {
      {.name = "mimo-v2",
       .modelType = "mimo_v2_flash",
       .tensors = {ends, head, norms, output, mimoLayers},
       .sizes = {{"head_dim", "2d"},
                 {"swa_head_dim", "2d"},
                 {"v_head_dim", "d"},
                 {"swa_v_head_dim", "d"},
                 {"n_routed_experts", "e"},
                 {"num_experts_per_tok", "u"},
                 {"moe_intermediate_size", "x"}},
       .config = R"({"hybrid_layer_pattern": [0, 1], "moe_layer_freq": [0, 1], "add_swa_attention_sink_bias": true, "sliding_window": 128,
                     "swa_rope_theta": 10000.0, "attention_value_scale": 0.707})"},
      {.name = "step3.5",
       .modelType = "step3p5",
       .tensors = {ends, head, norms, output, headNorms, stepLayers},
       .sizes = {{"num_attention_groups", "n"},
                 {"moe_num_experts", "e"},
                 {"moe_top_k", "u"},
                 {"moe_intermediate_size", "x"},
                 {"share_expert_dim", "x"}},
       .config = R"({"layer_types": ["full_attention", "sliding_attention"], "sliding_window": 128, "moe_layers_enum": "1",
                     "partial_rotary_factors": [0.5, 1.0],
                     "use_head_wise_attn_gate": true, "swiglu_limits": [0, 7], "swiglu_limits_shared": [0, 16]})"},
      {.name = "hunyuan-3",
       .modelType = "hy_v3",
       .tensors = {ends, head, norms, queries, output, headNorms, hyLayers},
       .sizes = {{"num_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}},
       .config = R"({"num_shared_experts": 1, "first_k_dense_replace": 0})"},
      {.name = "granite-swa",
       .modelType = "granitemoe_swa",
       .tensors = {ends, norms, queries, output, sinks, graniteExperts, graniteShared},
       .sizes = {{"intermediate_size", "x"}, {"shared_intermediate_size", "2x"}, {"num_local_experts", "e"}, {"num_experts_per_tok", "u"}},
       .config = R"({"layer_types": ["full_attention", "sliding_attention"], "layer_rope_theta": [0, 10000.0], "sliding_window": 128})",
       .tied = true},
      {.name = "command-a-plus",
       .modelType = "cohere2_moe",
       .tensors = {ends, inputNorm, queries, output, experts, sharedExperts},
       .sizes = {{"intermediate_size", "x"}, {"num_experts", "e"}, {"num_experts_per_tok", "u"}},
       .config = R"({"num_shared_experts": 1, "expert_selection_fn": "sigmoid", "rms_norm_eps": 1e-5, "sliding_window": 128})",
       .tied = true,
       .layers = 4},
      {.name = "mellum2",
       .modelType = "mellum",
       .tensors = {ends, head, norms, queries, output, headNorms, experts},
       .sizes = {{"num_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}},
       .config = R"({"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 128})"},
      {.name = "smallthinker",
       .modelType = "smallthinker",
       .tensors = {ends, norms, queries, output, thinkerExperts},
       .sizes = {{"moe_num_primary_experts", "e"}, {"moe_num_active_primary_experts", "u"}, {"moe_ffn_hidden_size", "x"}},
       .config = R"({"rope_layout": [0, 1], "sliding_window_layout": [0, 1], "sliding_window_size": 128})",
       .tied = true},
  };
}

}  // namespace minerva::tests
