// Jina BERT v2: BERT with ALiBi in place of learned positions and with a gated feed-forward. That for code has norms of queries and keys
// and a further norm of the attention's result. Its config.json calls it BERT.
#include "core/model/families/bert.h"
#include "core/model/families/text_embedding.h"

#include <utility>

namespace minerva::model {

namespace {

struct JinaNames {
  std::string embedding, q, k, v, o, qNorm, kNorm, gateUp, down, attentionNorm, firstNorm, lastNorm, embeddingNorm;
};

JinaNames jinaNames(const std::string& base, bool forCode) {
  const std::string layer = base + "encoder.layer.#.", self = layer + "attention.self.";
  return {.embedding = base + "embeddings.word_embeddings",
          .q = self + "query",
          .k = self + "key",
          .v = self + "value",
          .o = layer + "attention.output.dense",
          .qNorm = self + "layer_norm_q",
          .kNorm = self + "layer_norm_k",
          .gateUp = layer + (forCode ? "mlp.up_gated_layer" : "mlp.gated_layers"),
          .down = layer + (forCode ? "mlp.down_layer" : "mlp.wo"),
          .attentionNorm = layer + "attention.output.LayerNorm",
          .firstNorm = layer + "layer_norm_1",
          .lastNorm = layer + (forCode ? "layer_norm_2" : "mlp.layernorm"),
          .embeddingNorm = base + "embeddings.LayerNorm"};
}

// Only gates by GELU are published.
Result<void> refuseOtherGates(const Reader& reader) {
  if (reader.isGguf()) return {};
  const Key key{"", "feed_forward_type"};
  MINERVA_ASSIGN(const auto kind, reader.string(key));
  if (kind == "geglu") return {};
  Error error = reader.invalid(key, "This feed-forward of a Jina BERT is not supported", "geglu", kind.value_or("nothing"));
  error.kind = ErrorKind::unsupported;
  return fail(std::move(error));
}

}  // namespace

bool isJinaBert(const Reader& reader) {
  const auto* kind = reader.json({"", "position_embedding_type"});
  return reader.isGguf() ? reader.architecture() == "jina-bert-v2" : kind && *kind == "alibi";
}

Result<void> fillJinaBert(Reader& reader, ModelConfig& config) {
  poolAnyway(config);
  MINERVA_TRY(refuseOtherGates(reader));
  const std::string base = reader.hasNamed("bert.embeddings.word_embeddings.weight") ? "bert." : "";
  const TensorName codeNorm{"blk.#.attn_norm_2", "encoder.layer.#.layer_norm_1"};
  const bool forCode = reader.isGguf() ? reader.has(codeNorm, 0) : reader.hasNamed(base + "encoder.layer.0.layer_norm_1.weight");
  const JinaNames names = jinaNames(base, forCode);
  const bool apart = reader.has({"blk.#.ffn_gate", "-"}, 0);  // GGUF files of 2024 have gate and up as two tensors
  DecoderForm form = bertForm();
  form.embedding.huggingFace = names.embedding;
  form.q.huggingFace = names.q;
  form.k.huggingFace = names.k;
  form.v.huggingFace = names.v;
  form.o.huggingFace = names.o;
  form.qNorm.huggingFace = names.qNorm;
  form.kNorm.huggingFace = names.kNorm;
  form.gateUp.huggingFace = names.gateUp;
  form.down.huggingFace = names.down;
  form.headNorms = reader.has({"blk.#.attn_q_norm", names.qNorm}, 0) ? HeadNorms::wholeWidth : HeadNorms::none;
  form.gated = true;
  form.ggufUpHoldsGate = !apart;
  form.rotary = false;
  MINERVA_TRY(fillDecoder(reader, form, config));
  config.alibi = 8;
  MINERVA_TRY(
      readBertNorms(reader,
                    {forCode ? TensorName{"blk.#.attn_norm_2", names.firstNorm} : TensorName{"blk.#.attn_output_norm", names.attentionNorm},
                     {"blk.#.layer_output_norm", names.lastNorm},
                     {"token_embd_norm", names.embeddingNorm}},
                    config));
  for (std::size_t i = 0; forCode && i < config.layers.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    MINERVA_ASSIGN(layer.attentionResultNorm,
                   reader.norm({"blk.#.attn_output_norm", names.attentionNorm}, static_cast<int>(i), config.hiddenSize, form.normBias));
    if (!apart) std::swap(layer.gate, layer.up);  // its rows are those of up, then those of the gate
  }
  for (const char* part : {"weight", "bias"}) reader.ignore(base + "pooler.dense." + part);  // for classifiers
  return readTypes(reader, base + "embeddings.token_type_embeddings", config);
}

}  // namespace minerva::model
