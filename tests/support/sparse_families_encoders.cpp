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
  };
}

}  // namespace minerva::tests
