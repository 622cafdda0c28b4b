// The families with mixtures of experts and attention in every layer.
#include "tests/support/sparse_families_parts.h"

namespace minerva::tests {
namespace {

using namespace stored;

constexpr StoredTensor wideQueries[] = {{".self_attn.q_proj", "3q h"}};
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
constexpr StoredTensor queryLatent[] = {
    {".self_attn.q_a_proj", "4d h"}, {".self_attn.q_a_layernorm", "4d"}, {".self_attn.q_b_proj", "3q 4d"}};
constexpr StoredTensor keyLatent[] = {{".self_attn.kv_a_proj_with_mqa", "9d h"},
                                      {".self_attn.kv_a_layernorm", "8d"},
                                      {".self_attn.kv_b_proj", "4q 8d"},
                                      {".self_attn.o_proj", "h 2q"}};
constexpr StoredTensor selectionBias[] = {{".mlp.gate.e_score_correction_bias", "e", bare, otherLayers}};
constexpr StoredTensor ernieBias[] = {{".mlp.moe_statics.e_score_correction_bias", "1 e", bare, otherLayers}};
constexpr StoredTensor minimaxBias[] = {{".block_sparse_moe.e_score_correction_bias", "e", bare}};
constexpr StoredTensor mistral4Experts[] = {{".mlp.gate", "e h"},
                                            {".mlp.experts.gate_up_proj", "e 2x h", bare},
                                            {".mlp.experts.down_proj", "e h x", bare},
                                            {".mlp.shared_experts.gate_proj", "2x h"},
                                            {".mlp.shared_experts.up_proj", "2x h"},
                                            {".mlp.shared_experts.down_proj", "h 2x"}};
constexpr StoredTensor headWithBias[] = {{"lm_head", "v h", both}};
constexpr StoredTensor bailing[] = {{"model.word_embeddings", "v h"},
                                    {"model.norm", "h"},
                                    {".attention.query_key_value", "q+2k h"},
                                    {".attention.query_layernorm", "d"},
                                    {".attention.key_layernorm", "d"},
                                    {".attention.dense", "h q"},
                                    {".mlp.gate.expert_bias", "e", bare, otherLayers}};
constexpr StoredTensor hunyuanLayers[] = {
    {".self_attn.query_layernorm", "d"},  {".self_attn.key_layernorm", "d"},  {".mlp.gate.wg", "e h"},
    {".mlp.experts.@.gate_proj", "x h"},  {".mlp.experts.@.up_proj", "x h"},  {".mlp.experts.@.down_proj", "h x"},
    {".mlp.shared_mlp.gate_proj", "x h"}, {".mlp.shared_mlp.up_proj", "x h"}, {".mlp.shared_mlp.down_proj", "h x"}};
// Transposed experts.
constexpr StoredTensor llama4Layers[] = {{".feed_forward.gate_proj", "f h", weight, oddLayers},
                                         {".feed_forward.up_proj", "f h", weight, oddLayers},
                                         {".feed_forward.down_proj", "h f", weight, oddLayers},
                                         {".feed_forward.router", "e h", weight, evenLayers},
                                         {".feed_forward.experts.gate_up_proj", "e h 2x", bare, evenLayers},
                                         {".feed_forward.experts.down_proj", "e x h", bare, evenLayers},
                                         {".feed_forward.shared_expert.gate_proj", "x h", weight, evenLayers},
                                         {".feed_forward.shared_expert.up_proj", "x h", weight, evenLayers},
                                         {".feed_forward.shared_expert.down_proj", "h x", weight, evenLayers}};

constexpr StoredTensor lagunaLayers[] = {{".self_attn.g_proj", "n h"},
                                         {".mlp.gate_proj", "f h", weight, firstLayer},
                                         {".mlp.up_proj", "f h", weight, firstLayer},
                                         {".mlp.down_proj", "h f", weight, firstLayer},
                                         {".mlp.gate", "e h", weight, otherLayers},
                                         {".mlp.experts.e_score_correction_bias", "e", bare, otherLayers},
                                         {".mlp.experts.@.gate_proj", "x h", weight, otherLayers},
                                         {".mlp.experts.@.up_proj", "x h", weight, otherLayers},
                                         {".mlp.experts.@.down_proj", "h x", weight, otherLayers},
                                         {".mlp.shared_expert.gate_proj", "2x h", weight, otherLayers},
                                         {".mlp.shared_expert.up_proj", "2x h", weight, otherLayers},
                                         {".mlp.shared_expert.down_proj", "h 2x", weight, otherLayers}};
constexpr StoredTensor afmoeLayers[] = {{".self_attn.gate_proj", "q h"},
                                        {".pre_mlp_layernorm", "h"},
                                        {".post_mlp_layernorm", "h"},
                                        {".mlp.gate_proj", "f h", weight, firstLayer},
                                        {".mlp.up_proj", "f h", weight, firstLayer},
                                        {".mlp.down_proj", "h f", weight, firstLayer},
                                        {".mlp.router.gate", "e h", weight, otherLayers},
                                        {".mlp.expert_bias", "e", bare, otherLayers},
                                        {".mlp.experts.@.gate_proj", "x h", weight, otherLayers},
                                        {".mlp.experts.@.up_proj", "x h", weight, otherLayers},
                                        {".mlp.experts.@.down_proj", "h x", weight, otherLayers},
                                        {".mlp.shared_experts.gate_proj", "2x h", weight, otherLayers},
                                        {".mlp.shared_experts.up_proj", "2x h", weight, otherLayers},
                                        {".mlp.shared_experts.down_proj", "h 2x", weight, otherLayers}};
constexpr StoredTensor exaoneBias[] = {{".mlp.e_score_correction_bias", "e", bare, otherLayers}};

const Sizes expertSizes = {{"num_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}};
const Sizes deepseekSizes = {{"n_routed_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}};
const Sizes latentSizes = {{"n_routed_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}, {"q_lora_rank", "4d"},
                           {"kv_lora_rank", "8d"},    {"qk_nope_head_dim", "2d"},   {"qk_rope_head_dim", "d"},      {"v_head_dim", "2d"}};

// Families of 2026 with a gate of the attention's result, and K-EXAONE.
std::vector<StoredFamily> gatedMixtures() {
  return {
      {.name = "laguna",
       .modelType = "laguna",
       .tensors = {ends, head, norms, queries, output, headNorms, lagunaLayers},
       .sizes =
           {{"num_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}, {"shared_expert_intermediate_size", "2x"}},
       .config = R"({"sliding_window": 128, "layer_types": ["full_attention", "sliding_attention"]})"},
      {.name = "afmoe",
       .modelType = "afmoe",
       .tensors = {ends, head, norms, queries, output, headNorms, afmoeLayers},
       .sizes = expertSizes,
       .config = R"({"sliding_window": 128, "num_dense_layers": 1, "num_shared_experts": 2, "mup_enabled": true})",
       .layers = 4},
      {.name = "exaone-moe",
       .modelType = "exaone_moe",
       .tensors = {ends, head, norms, queries, output, headNorms, deepseekExperts, exaoneBias},
       .sizes = expertSizes,
       .config = R"({"sliding_window": 128, "num_shared_experts": 2, "first_k_dense_replace": 1, "routed_scaling_factor": 2.5})",
       .layers = 4},
  };
}

// Families whose experts are chosen with a bias, or beside experts that always run.
std::vector<StoredFamily> mixturesOf2026() {
  return {
      {.name = "deepseek-v3",
       .modelType = "deepseek_v3",
       .tensors = {ends, head, norms, queryLatent, keyLatent, deepseekExperts, selectionBias},
       .sizes = latentSizes,
       .config = R"({"n_shared_experts": 2, "first_k_dense_replace": 1, "norm_topk_prob": true, "routed_scaling_factor": 2.5,
                     "n_group": 2, "topk_group": 1})"},
      {.name = "mistral4",
       .modelType = "mistral4",
       .tensors = {ends, head, norms, queryLatent, keyLatent, mistral4Experts},
       .sizes = latentSizes,
       .config = R"({"n_shared_experts": 2, "first_k_dense_replace": 0, "norm_topk_prob": true})"},
      {.name = "glm4-moe",
       .modelType = "glm4_moe",
       .tensors = {ends, head, norms, queriesWithBias, output, headNorms, deepseekExperts, selectionBias},
       .sizes = deepseekSizes,
       .config = R"({"n_shared_experts": 2, "first_k_dense_replace": 1, "norm_topk_prob": true, "attention_bias": true,
                     "use_qk_norm": true, "partial_rotary_factor": 0.5})"},
      {.name = "dots1",
       .modelType = "dots1",
       .tensors = {ends, head, norms, queries, output, headNorms, deepseekExperts, selectionBias},
       .sizes = deepseekSizes,
       .config = R"({"n_shared_experts": 2, "first_k_dense_replace": 1, "norm_topk_prob": true})"},
      {.name = "minimax-m2",
       .modelType = "minimax_m2",
       .tensors = {ends, head, norms, queries, output, wideNorms, mixtralExperts, minimaxBias},
       .sizes = {{"intermediate_size", "x"}, {"num_local_experts", "e"}, {"num_experts_per_tok", "u"}, {"rotary_dim", "d"}}},
      {.name = "ernie4.5-moe",
       .modelType = "ernie4_5_moe",
       .tensors = {ends, norms, queries, output, deepseekExperts, ernieBias},
       .sizes = {{"moe_num_experts", "e"}, {"moe_k", "u"}, {"moe_intermediate_size", "x"}},
       .config = R"({"moe_num_shared_experts": 2, "moe_layer_start_index": 1, "moe_layer_interval": 1})",
       .tied = true},
      {.name = "bailing-moe",
       .modelType = "bailing_moe_v2",
       .tensors = {bailing, head, norms, deepseekExperts},
       .sizes = {{"num_experts", "e"}, {"num_experts_per_tok", "u"}, {"moe_intermediate_size", "x"}},
       .config = R"({"num_shared_experts": 2, "first_k_dense_replace": 1, "norm_topk_prob": true, "n_group": 2, "topk_group": 1,
                     "partial_rotary_factor": 0.5})"},
      {.name = "hunyuan-moe",
       .modelType = "hunyuan_v1_moe",
       .tensors = {ends, norms, queries, output, hunyuanLayers},
       .sizes = {{"intermediate_size", "x"}, {"num_experts", "e"}, {"moe_topk", "u"}},
       .tied = true},
      {.name = "phimoe",
       .modelType = "phimoe",
       .tensors = {endsWithBias, headWithBias, normsWithBias, queriesWithBias, outputWithBias, mixtralExperts},
       .sizes = {{"intermediate_size", "x"}, {"num_local_experts", "e"}, {"num_experts_per_tok", "u"}},
       .config = R"({"attention_bias": true})"},
      {.name = "llama4",
       .modelType = "llama4_text",
       .tensors = {ends, head, norms, queries, output, llama4Layers},
       .sizes = {{"intermediate_size", "x"}, {"intermediate_size_mlp", "f"}, {"num_local_experts", "e"}, {"num_experts_per_tok", "u"}},
       .config = R"({"interleave_moe_layer_step": 2})",
       .layers = 4},
  };
}

}  // namespace

std::vector<StoredFamily> mixturesOfExperts() {
  std::vector<StoredFamily> families{
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
       .modelType = "granitemoeshared",
       .tensors = {ends, norms, queries, output, graniteExperts, graniteShared},
       .sizes = {{"intermediate_size", "x"}, {"shared_intermediate_size", "2x"}, {"num_local_experts", "e"}, {"num_experts_per_tok", "u"}},
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
       .tensors = {ends, head, norms, wideQueries, keyLatent, deepseekExperts},
       .sizes = {{"n_routed_experts", "e"},
                 {"num_experts_per_tok", "u"},
                 {"moe_intermediate_size", "x"},
                 {"kv_lora_rank", "8d"},
                 {"qk_nope_head_dim", "2d"},
                 {"qk_rope_head_dim", "d"},
                 {"v_head_dim", "2d"}},
       .config = R"({"n_shared_experts": 2, "first_k_dense_replace": 1, "norm_topk_prob": false, "routed_scaling_factor": 1.0})"},
  };
  for (auto* const more : {mixturesOf2026, gatedMixtures}) {
    for (StoredFamily& family : more()) families.push_back(std::move(family));
  }
  return families;
}

}  // namespace minerva::tests
