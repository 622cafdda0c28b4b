// Groups of tensors that several families have, for the files that list the families (sparse_families.h).
#pragma once

#include "tests/support/sparse_families.h"

namespace minerva::tests::stored {

using enum Parts;
using enum In;
using Sizes = std::vector<std::pair<std::string_view, std::string_view>>;

// Outside the layers.
inline constexpr StoredTensor ends[] = {{"model.embed_tokens", "v h"}, {"model.norm", "h"}};
inline constexpr StoredTensor endsWithBias[] = {{"model.embed_tokens", "v h"}, {"model.norm", "h", both}};
inline constexpr StoredTensor head[] = {{"lm_head", "v h"}};
// Norms.
inline constexpr StoredTensor inputNorm[] = {{".input_layernorm", "h"}};
inline constexpr StoredTensor norms[] = {{".input_layernorm", "h"}, {".post_attention_layernorm", "h"}};
inline constexpr StoredTensor normsWithBias[] = {{".input_layernorm", "h", both}, {".post_attention_layernorm", "h", both}};
inline constexpr StoredTensor normsBehind[] = {{".post_attention_layernorm", "h"}, {".post_feedforward_layernorm", "h"}};
inline constexpr StoredTensor normBetween[] = {{".pre_feedforward_layernorm", "h"}};
inline constexpr StoredTensor headNorms[] = {{".self_attn.q_norm", "d"}, {".self_attn.k_norm", "d"}};
inline constexpr StoredTensor wideNorms[] = {{".self_attn.q_norm", "q"}, {".self_attn.k_norm", "k"}};
// Attention.
inline constexpr StoredTensor queries[] = {{".self_attn.q_proj", "q h"}, {".self_attn.k_proj", "k h"}, {".self_attn.v_proj", "k h"}};
inline constexpr StoredTensor queriesWithBias[] = {
    {".self_attn.q_proj", "q h", both}, {".self_attn.k_proj", "k h", both}, {".self_attn.v_proj", "k h", both}};
inline constexpr StoredTensor output[] = {{".self_attn.o_proj", "h q"}};
inline constexpr StoredTensor outputWithBias[] = {{".self_attn.o_proj", "h q", both}};
// Feed-forward.
inline constexpr StoredTensor gated[] = {{".mlp.gate_proj", "f h"}, {".mlp.up_proj", "f h"}, {".mlp.down_proj", "h f"}};
// Mixtures of experts.
inline constexpr StoredTensor experts[] = {
    {".mlp.gate", "e h"}, {".mlp.experts.@.gate_proj", "x h"}, {".mlp.experts.@.up_proj", "x h"}, {".mlp.experts.@.down_proj", "h x"}};
inline constexpr StoredTensor sharedExpert[] = {{".mlp.shared_expert_gate", "1 h"},
                                                {".mlp.shared_expert.gate_proj", "2x h"},
                                                {".mlp.shared_expert.up_proj", "2x h"},
                                                {".mlp.shared_expert.down_proj", "h 2x"}};
inline constexpr StoredTensor mixtralExperts[] = {{".block_sparse_moe.gate", "e h"},
                                                  {".block_sparse_moe.experts.@.w1", "x h"},
                                                  {".block_sparse_moe.experts.@.w2", "h x"},
                                                  {".block_sparse_moe.experts.@.w3", "x h"}};
inline constexpr StoredTensor graniteExperts[] = {
    {".block_sparse_moe.router.layer", "e h"}, {".block_sparse_moe.input_linear", "e 2x h"}, {".block_sparse_moe.output_linear", "e h x"}};
inline constexpr StoredTensor graniteShared[] = {{".shared_mlp.input_linear", "4x h"}, {".shared_mlp.output_linear", "h 2x"}};
inline constexpr StoredTensor deepseekExperts[] = {{".mlp.gate_proj", "f h", weight, firstLayer},
                                                   {".mlp.up_proj", "f h", weight, firstLayer},
                                                   {".mlp.down_proj", "h f", weight, firstLayer},
                                                   {".mlp.gate", "e h", weight, otherLayers},
                                                   {".mlp.experts.@.gate_proj", "x h", weight, otherLayers},
                                                   {".mlp.experts.@.up_proj", "x h", weight, otherLayers},
                                                   {".mlp.experts.@.down_proj", "h x", weight, otherLayers},
                                                   {".mlp.shared_experts.gate_proj", "2x h", weight, otherLayers},
                                                   {".mlp.shared_experts.up_proj", "2x h", weight, otherLayers},
                                                   {".mlp.shared_experts.down_proj", "h 2x", weight, otherLayers}};

}  // namespace minerva::tests::stored
