// The families that only make vectors of texts: every token sees those behind it too.
#include "tests/support/sparse_families_parts.h"

namespace minerva::tests {
namespace {

using namespace stored;

constexpr StoredTensor bertTensors[] = {{"embeddings.word_embeddings", "v h"},
                                        {"embeddings.position_embeddings", "c h"},
                                        {"embeddings.token_type_embeddings", "2 h"},
                                        {"embeddings.LayerNorm", "h", both},
                                        {"encoder.layer.#.attention.self.query", "h h", both},
                                        {"encoder.layer.#.attention.self.key", "h h", both},
                                        {"encoder.layer.#.attention.self.value", "h h", both},
                                        {"encoder.layer.#.attention.output.dense", "h h", both},
                                        {"encoder.layer.#.attention.output.LayerNorm", "h", both},
                                        {"encoder.layer.#.intermediate.dense", "f h", both},
                                        {"encoder.layer.#.output.dense", "h f", both},
                                        {"encoder.layer.#.output.LayerNorm", "h", both}};
constexpr StoredTensor nomicTensors[] = {
    {"embeddings.word_embeddings", "v h"},  {"embeddings.token_type_embeddings", "2 h"}, {"emb_ln", "h", both},
    {"encoder.layers.#.attn.Wqkv", "3h h"}, {"encoder.layers.#.attn.out_proj", "h h"},   {"encoder.layers.#.mlp.fc11", "f h"},
    {"encoder.layers.#.mlp.fc12", "f h"},   {"encoder.layers.#.mlp.fc2", "h f"},         {"encoder.layers.#.norm1", "h", both},
    {"encoder.layers.#.norm2", "h", both}};
constexpr StoredTensor modernTensors[] = {{"embeddings.tok_embeddings", "v h"},
                                          {"embeddings.norm", "h"},
                                          {"final_norm", "h"},
                                          {"layers.#.attn_norm", "h", weight, otherLayers},
                                          {"layers.#.attn.Wqkv", "3h h"},
                                          {"layers.#.attn.Wo", "h h"},
                                          {"layers.#.mlp_norm", "h"},
                                          {"layers.#.mlp.Wi", "2f h"},
                                          {"layers.#.mlp.Wo", "h f"}};

constexpr StoredTensor flashTensors[] = {{"embeddings.word_embeddings", "v h"},
                                         {"embeddings.token_type_embeddings", "1 h"},
                                         {"emb_ln", "h", both},
                                         {"encoder.layers.#.mixer.Wqkv", "3h h", both},
                                         {"encoder.layers.#.mixer.out_proj", "h h", both},
                                         {"encoder.layers.#.mlp.fc1", "f h", both},
                                         {"encoder.layers.#.mlp.fc2", "h f", both},
                                         {"encoder.layers.#.norm1", "h", both},
                                         {"encoder.layers.#.norm2", "h", both}};
constexpr StoredTensor gteTensors[] = {{"embeddings.word_embeddings", "v h"},
                                       {"embeddings.token_type_embeddings", "1 h"},
                                       {"embeddings.LayerNorm", "h", both},
                                       {"encoder.layer.#.attention.qkv_proj", "3h h", both},
                                       {"encoder.layer.#.attention.o_proj", "h h", both},
                                       {"encoder.layer.#.attn_ln", "h", both},
                                       {"encoder.layer.#.mlp.up_gate_proj", "2f h"},
                                       {"encoder.layer.#.mlp.down_proj", "h f", both},
                                       {"encoder.layer.#.mlp_ln", "h", both}};
// Two thirds of the stated size are the feed-forward's.
constexpr StoredTensor neoTensors[] = {{"encoder", "v h"},
                                       {"layer_norm", "h"},
                                       {"transformer_encoder.#.attention_norm", "h"},
                                       {"transformer_encoder.#.qkv", "3h h"},
                                       {"transformer_encoder.#.wo", "h h"},
                                       {"transformer_encoder.#.ffn_norm", "h"},
                                       {"transformer_encoder.#.ffn.w12", "4f h"},
                                       {"transformer_encoder.#.ffn.w3", "h 2f"}};

}  // namespace

std::vector<StoredFamily> textEncoders() {
  return {
      {.name = "bert", .modelType = "bert", .tensors = {bertTensors}, .tied = true, .pools = true},
      {.name = "roberta",
       .modelType = "xlm-roberta",
       .tensors = {bertTensors},
       .config = R"({"pad_token_id": 1})",
       .tied = true,
       .pools = true},
      {.name = "nomic-bert", .modelType = "nomic_bert", .tensors = {nomicTensors}, .tied = true, .pools = true},
      {.name = "modernbert",
       .modelType = "modernbert",
       .tensors = {modernTensors},
       .config = R"({"local_attention": 128})",
       .tied = true,
       .layers = 3,
       .pools = true},
      {.name = "jina-bert-v3", .modelType = "jina_embeddings_v3", .tensors = {flashTensors}, .tied = true, .pools = true},
      {.name = "gte", .modelType = "new", .tensors = {gteTensors}, .tied = true, .pools = true},
      {.name = "eurobert", .modelType = "eurobert", .tensors = {ends, norms, queries, output, gated}, .tied = true, .pools = true},
      {.name = "neo-bert",
       .modelType = "neobert",
       .tensors = {neoTensors},
       .sizes = {{"intermediate_size", "3f"}, {"max_length", "c"}},
       .tied = true,
       .pools = true},
  };
}

}  // namespace minerva::tests
