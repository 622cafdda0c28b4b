// Families of dense models that began before 2025, with names or layouts of their own (sparse_families.h).
#include "tests/support/sparse_families.h"
#include "tests/support/sparse_families_parts.h"

namespace minerva::tests {
namespace {

using namespace stored;

constexpr StoredTensor ungated[] = {{".mlp.up_proj", "f h"}, {".mlp.down_proj", "h f"}};
constexpr StoredTensor baichuanAttention[] = {{".self_attn.W_pack", "3h h"}, {".self_attn.o_proj", "h h"}};
constexpr StoredTensor plainEmbedding[] = {{"model.embed_tokens", "v h"}};
constexpr StoredTensor miniCpm3Attention[] = {{".self_attn.q_a_proj", "4d h"},     {".self_attn.q_a_layernorm", "4d"},
                                              {".self_attn.q_b_proj", "3q 4d"},    {".self_attn.kv_a_proj_with_mqa", "5d h"},
                                              {".self_attn.kv_a_layernorm", "4d"}, {".self_attn.kv_b_proj", "3q 4d"}};
constexpr StoredTensor plmAttention[] = {{".self_attn.q_proj", "3q h"},
                                         {".self_attn.kv_a_proj_with_mqa", "5d h"},
                                         {".self_attn.kv_a_layernorm", "4d"},
                                         {".self_attn.kv_b_proj", "3q 4d"}};
// Families with names of their own.
constexpr StoredTensor internlm2[] = {
    {"model.tok_embeddings", "v h"}, {"model.norm", "h"},        {"output", "v h"},  {".attention_norm", "h"},
    {".attention.wqkv", "q+2k h"},   {".attention.wo", "h q"},   {".ffn_norm", "h"}, {".feed_forward.w1", "f h"},
    {".feed_forward.w2", "h f"},     {".feed_forward.w3", "f h"}};
constexpr StoredTensor falcon[] = {{"transformer.word_embeddings", "v h"},
                                   {"transformer.ln_f", "h", both},
                                   {"transformer.h.#.ln_attn", "h", both},
                                   {"transformer.h.#.ln_mlp", "h", both},
                                   {"transformer.h.#.self_attention.query_key_value", "q+2k h"},
                                   {"transformer.h.#.self_attention.dense", "h q"},
                                   {"transformer.h.#.mlp.dense_h_to_4h", "f h"},
                                   {"transformer.h.#.mlp.dense_4h_to_h", "h f"}};
constexpr StoredTensor qwen[] = {{"transformer.wte", "v h"},
                                 {"transformer.ln_f", "h"},
                                 {"lm_head", "v h"},
                                 {"transformer.h.#.ln_1", "h"},
                                 {"transformer.h.#.ln_2", "h"},
                                 {"transformer.h.#.attn.c_attn", "3h h", both},
                                 {"transformer.h.#.attn.c_proj", "h h"},
                                 {"transformer.h.#.mlp.w1", "f h"},
                                 {"transformer.h.#.mlp.w2", "f h"},
                                 {"transformer.h.#.mlp.c_proj", "h f"}};
constexpr StoredTensor chatGlm[] = {{"transformer.embedding.word_embeddings", "v h"},
                                    {"transformer.output_layer", "v h"},
                                    {"transformer.encoder.final_layernorm", "h"},
                                    {"transformer.encoder.layers.#.input_layernorm", "h"},
                                    {"transformer.encoder.layers.#.post_attention_layernorm", "h"},
                                    {"transformer.encoder.layers.#.self_attention.query_key_value", "q+2k h", both},
                                    {"transformer.encoder.layers.#.self_attention.dense", "h q"},
                                    {"transformer.encoder.layers.#.mlp.dense_h_to_4h", "2f h"},
                                    {"transformer.encoder.layers.#.mlp.dense_4h_to_h", "h f"}};
constexpr StoredTensor gptEnds[] = {{"transformer.wte", "v h"}, {"transformer.ln_f", "h", both}};
constexpr StoredTensor gptHead[] = {{"lm_head", "v h"}};
constexpr StoredTensor gptBlocks[] = {{"transformer.h.#.ln_1", "h", both},
                                      {"transformer.h.#.ln_2", "h", both},
                                      {"transformer.h.#.attn.c_proj", "h h", both},
                                      {"transformer.h.#.mlp.c_fc", "f h", both},
                                      {"transformer.h.#.mlp.c_proj", "h f", both}};
constexpr StoredTensor starcoderAttention[] = {{"transformer.wpe", "c h"}, {"transformer.h.#.attn.c_attn", "h+2d h", both}};
constexpr StoredTensor codeshellAttention[] = {{"transformer.h.#.attn.c_attn", "h+2k h", both}};
constexpr StoredTensor gptj[] = {{"lm_head", "v h", both},
                                 {"transformer.h.#.ln_1", "h", both},
                                 {"transformer.h.#.attn.q_proj", "h h"},
                                 {"transformer.h.#.attn.k_proj", "h h"},
                                 {"transformer.h.#.attn.v_proj", "h h"},
                                 {"transformer.h.#.attn.out_proj", "h h"},
                                 {"transformer.h.#.mlp.fc_in", "f h", both},
                                 {"transformer.h.#.mlp.fc_out", "h f", both}};
const Sizes gptSizes{{"n_embd", "h"}, {"n_head", "n"}, {"n_positions", "c"}, {"n_inner", "f"}};

Sizes joined(Sizes sizes, const Sizes& more) {
  sizes.insert(sizes.end(), more.begin(), more.end());
  return sizes;
}

}  // namespace

std::vector<StoredFamily> olderFamilies() {
  return {
      {.name = "nemotron",
       .modelType = "nemotron",
       .tensors = {endsWithBias, head, normsWithBias, queries, output, ungated},
       .config = R"({"hidden_act": "relu2", "partial_rotary_factor": 0.5})"},
      {.name = "deci", .modelType = "deci", .tensors = {ends, head, norms, queries, output, gated}},
      {.name = "internlm2", .modelType = "internlm2", .tensors = {internlm2}},
      {.name = "minicpm",
       .modelType = "minicpm",
       .tensors = {ends, norms, queries, output, gated},
       .config = R"({"scale_emb": 12, "scale_depth": 1.4, "dim_model_base": 256})",
       .tied = true},
      {.name = "minicpm3",
       .modelType = "minicpm3",
       .tensors = {ends, head, norms, miniCpm3Attention, output, gated},
       .sizes = {{"q_lora_rank", "4d"}, {"kv_lora_rank", "4d"}, {"qk_nope_head_dim", "2d"}, {"qk_rope_head_dim", "d"}, {"v_head_dim", "d"}},
       .config = R"({"scale_emb": 12, "scale_depth": 1.4, "dim_model_base": 256, "head_dim": null})"},
      {.name = "plm",
       .modelType = "plm",
       .tensors = {ends, norms, plmAttention, output, ungated},
       .sizes = {{"kv_lora_rank", "4d"}, {"qk_nope_head_dim", "2d"}, {"qk_rope_head_dim", "d"}, {"v_head_dim", "d"}},
       .config = R"({"hidden_act": "relu2", "head_dim": null})",
       .tied = true},
      {.name = "maincoder", .modelType = "maincoder", .tensors = {ends, norms, queries, output, headNorms, gated}, .tied = true},
      {.name = "olmo", .modelType = "olmo", .tensors = {plainEmbedding, head, queries, output, gated}},
      {.name = "falcon",
       .modelType = "falcon",
       .tensors = {falcon},
       .sizes = {{"num_kv_heads", "g"}, {"ffn_hidden_size", "f"}},
       .config = R"({"new_decoder_architecture": true, "alibi": false})",
       .tied = true},
      {.name = "orion", .modelType = "orion", .tensors = {endsWithBias, head, normsWithBias, queries, output, gated}},
      {.name = "baichuan",
       .modelType = "baichuan",
       .tensors = {ends, head, norms, baichuanAttention, gated},
       .config = R"({"num_key_value_heads": null})"},
      {.name = "qwen",
       .modelType = "qwen",
       .tensors = {qwen},
       .sizes = {{"intermediate_size", "2f"}, {"kv_channels", "d"}, {"seq_length", "c"}},
       .config = R"({"num_key_value_heads": null, "head_dim": null})"},
      {.name = "chatglm",
       .modelType = "chatglm",
       .tensors = {chatGlm},
       .sizes = {{"multi_query_group_num", "g"}, {"kv_channels", "d"}, {"seq_length", "c"}, {"ffn_hidden_size", "f"}},
       .config = R"({"num_layers": 2, "multi_query_attention": true, "rope_ratio": 500})"},
      {.name = "starcoder",
       .modelType = "gpt_bigcode",
       .tensors = {gptEnds, gptBlocks, starcoderAttention},
       .sizes = gptSizes,
       .config = R"({"num_key_value_heads": null, "head_dim": null})",
       .tied = true},
      {.name = "codeshell",
       .modelType = "codeshell",
       .tensors = {gptEnds, gptHead, gptBlocks, codeshellAttention},
       .sizes = joined(gptSizes, {{"num_query_groups", "g"}}),
       .config = R"({"num_key_value_heads": null, "head_dim": null})"},
      {.name = "gpt-j",
       .modelType = "gptj",
       .tensors = {gptEnds, gptj},
       .sizes = joined(gptSizes, {{"rotary_dim", "d"}}),
       .config = R"({"num_key_value_heads": null, "head_dim": null})"},
  };
}

}  // namespace minerva::tests
