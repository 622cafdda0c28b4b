#include "tests/support/sparse_families.h"

#include "tests/support/sparse_families_parts.h"

namespace minerva::tests {
namespace {

using namespace stored;

constexpr StoredTensor glm4Norms[] = {{".post_self_attn_layernorm", "h"}, {".post_mlp_layernorm", "h"}};
constexpr StoredTensor phi3Attention[] = {{".self_attn.qkv_proj", "q+2k h"}, {".self_attn.o_proj", "h q"}};
constexpr StoredTensor gatedInOne[] = {{".mlp.gate_up_proj", "2f h"}, {".mlp.down_proj", "h f"}};
constexpr StoredTensor starcoder2Mlp[] = {{".mlp.c_fc", "f h", both}, {".mlp.c_proj", "h f", both}};
constexpr StoredTensor phiLayers[] = {
    {"model.final_layernorm", "h", both}, {"model.embed_tokens", "v h"}, {"lm_head", "v h", both}, {".input_layernorm", "h", both},
    {".self_attn.dense", "h q", both},    {".mlp.fc1", "f h", both},     {".mlp.fc2", "h f", both}};
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

constexpr StoredTensor bloomTensors[] = {{"transformer.word_embeddings", "v h"},
                                         {"transformer.word_embeddings_layernorm", "h", both},
                                         {"transformer.ln_f", "h", both},
                                         {"transformer.h.#.input_layernorm", "h", both},
                                         {"transformer.h.#.self_attention.query_key_value", "3h h", both},
                                         {"transformer.h.#.self_attention.dense", "h h", both},
                                         {"transformer.h.#.post_attention_layernorm", "h", both},
                                         {"transformer.h.#.mlp.dense_h_to_4h", "4h h", both},
                                         {"transformer.h.#.mlp.dense_4h_to_h", "h 4h", both}};
constexpr StoredTensor mptTensors[] = {{"transformer.wte", "v h"},
                                       {"transformer.norm_f", "h"},
                                       {"transformer.blocks.#.norm_1", "h"},
                                       {"transformer.blocks.#.attn.Wqkv", "3h h"},
                                       {"transformer.blocks.#.attn.out_proj", "h h"},
                                       {"transformer.blocks.#.norm_2", "h"},
                                       {"transformer.blocks.#.ffn.up_proj", "4h h"},
                                       {"transformer.blocks.#.ffn.down_proj", "h 4h"}};

// Four residual streams, a rank and a per-layer input of the size of a head, two layers.
constexpr StoredTensor gemma3nLayers[] = {{"model.altup_projections.0", "h h"},
                                          {"model.altup_projections.1", "h h"},
                                          {"model.altup_projections.2", "h h"},
                                          {"model.altup_unembed_projections.0", "h h"},
                                          {"model.altup_unembed_projections.1", "h h"},
                                          {"model.altup_unembed_projections.2", "h h"},
                                          {"model.embed_tokens_per_layer", "v 2d"},
                                          {"model.per_layer_model_projection", "2d h"},
                                          {"model.per_layer_projection_norm", "d"},
                                          {".per_layer_input_gate", "d h"},
                                          {".per_layer_projection", "h d"},
                                          {".post_per_layer_input_norm", "h"},
                                          {".laurel.linear_left", "d h"},
                                          {".laurel.linear_right", "h d"},
                                          {".laurel.post_laurel_norm", "h"},
                                          {".altup.router_norm", "h"},
                                          {".altup.modality_router", "4 h"},
                                          {".altup.prediction_coefs", "16 4"},
                                          {".altup.correction_coefs", "4 4"},
                                          {".altup.correct_output_scale", "h", bare}};
constexpr StoredTensor apertusLayers[] = {
    {".attention_layernorm", "h"}, {".feedforward_layernorm", "h"},    {".mlp.up_proj", "f h"},
    {".mlp.down_proj", "h f"},     {".mlp.act_fn.alpha_p", "1", bare}, {".mlp.act_fn.alpha_n", "1", bare}};

constexpr StoredTensor hunyuanNorms[] = {{".self_attn.query_layernorm", "d"}, {".self_attn.key_layernorm", "d"}};

constexpr StoredTensor squaredRelu[] = {{".mlp.up_proj", "f h"}, {".mlp.down_proj", "h f"}};
constexpr StoredTensor exaone[] = {{"transformer.wte", "v h"},
                                   {"transformer.ln_f", "h"},
                                   {"transformer.h.#.ln_1", "h"},
                                   {"transformer.h.#.ln_2", "h"},
                                   {"transformer.h.#.attn.attention.q_proj", "q h"},
                                   {"transformer.h.#.attn.attention.k_proj", "k h"},
                                   {"transformer.h.#.attn.attention.v_proj", "k h"},
                                   {"transformer.h.#.attn.attention.out_proj", "h q"},
                                   {"transformer.h.#.mlp.c_fc_0", "f h"},
                                   {"transformer.h.#.mlp.c_fc_1", "f h"},
                                   {"transformer.h.#.mlp.c_proj", "h f"}};
constexpr StoredTensor museGate[] = {{".self_attn.gate_proj", "q h"}};

std::vector<StoredFamily> denseFamilies() {
  return {
      {.name = "bloom", .modelType = "bloom", .tensors = {bloomTensors}, .sizes = {{"seq_length", "c"}}, .tied = true},
      {.name = "mpt",
       .modelType = "mpt",
       .tensors = {mptTensors},
       .sizes = {{"d_model", "h"}, {"n_heads", "n"}, {"max_seq_len", "c"}},
       .config = R"({"n_layers": 2})",
       .tied = true},
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
      {.name = "gemma3n",
       .modelType = "gemma3n_text",
       .tensors = {ends, inputNorm, normsBehind, normBetween, queries, output, headNorms, gated, gemma3nLayers},
       .sizes = {{"hidden_size_per_layer_input", "d"}, {"laurel_rank", "d"}},
       .config = R"({"layer_types": ["sliding_attention", "full_attention"], "activation_sparsity_pattern": [0.95, 0.0],
                     "num_kv_shared_layers": 0, "sliding_window": 128})",
       .tied = true},
      {.name = "apertus",
       .modelType = "apertus",
       .tensors = {ends, head, queries, output, headNorms, apertusLayers},
       .config = R"({"hidden_act": "xielu"})"},
      {.name = "nanbeige",
       .modelType = "nanbeige",
       .tensors = {ends, head, norms, queries, output, gated},
       .config = R"({"num_loops": 2})"},
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
      {.name = "ernie4.5", .modelType = "ernie4_5", .tensors = {ends, norms, queries, output, gated}, .tied = true},
      {.name = "exaone4",
       .modelType = "exaone4",
       .tensors = {ends, head, normsBehind, queries, output, headNorms, gated},
       .config = R"({"sliding_window": 128, "sliding_window_pattern": "LG"})"},
      {.name = "seed-oss",
       .modelType = "seed_oss",
       .tensors = {ends, head, norms, queriesWithBias, output, gated},
       .config = R"({"attention_bias": true})"},
      {.name = "hunyuan",
       .modelType = "hunyuan_v1_dense",
       .tensors = {ends, norms, queries, output, hunyuanNorms, gated},
       .config = R"({"rope_scaling": {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}})",
       .tied = true},
      {.name = "arcee",
       .modelType = "arcee",
       .tensors = {ends, head, norms, queries, output, squaredRelu},
       .config = R"({"hidden_act": "relu2"})"},
      {.name = "exaone", .modelType = "exaone", .tensors = {exaone, head}, .config = R"({"activation_function": "silu"})"},
      {.name = "muse-glimmer",
       .modelType = "muse_glimmer",
       .tensors = {ends, head, inputNorm, normsBehind, normBetween, queries, output, museGate, gated},
       .config = R"({"hidden_activation": "silu", "sliding_window": 128, "output_multiplier": 0.5})",
       .layers = 4},
      {.name = "gpt-neox", .modelType = "gpt_neox", .tensors = {gptNeox}, .config = R"({"head_dim": null})"},
  };
}

}  // namespace

const std::vector<StoredFamily>& storedFamilies() {
  static const std::vector<StoredFamily> all = [] {
    std::vector<StoredFamily> families = denseFamilies();
    for (auto* const more : {olderFamilies, mixturesOfExperts, mixturesWithWindows, hybridFamilies, textEncoders}) {
      for (StoredFamily& family : more()) families.push_back(std::move(family));
    }
    return families;
  }();
  return all;
}

}  // namespace minerva::tests
