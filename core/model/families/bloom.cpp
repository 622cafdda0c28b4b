// BLOOM: ALiBi in place of positions, layer norms (also of the embeddings), biases. SafeTensors files interleave q, k and v by head; GGUF
// stores all of q, then k, then v.
#include "core/model/families/family.h"
#include "core/model/families/gpt_form.h"
#include "core/tensor/arrangement.h"

namespace minerva::model {

namespace {

// Part 0 (q), 1 (k) or 2 (v) of rows [heads, 3, size], with the bias.
Linear bloomPartOf(const Linear& qkv, int part, const LayerConfig& layer) {
  const std::int64_t size = layer.headDim;
  const auto of = [&](const TensorView& stored, std::int64_t columns) {
    return rowGroups(stored, matrixShape(layer.headCount * size, columns), size, 3 * size, part * size);
  };
  TensorView bias = qkv.bias;
  bias.shape = matrixShape(bias.shape.elements(), 1);
  return {of(qkv.weight, qkv.weight.shape.columns()), of(bias, 1)};
}

Result<void> readBloomAttention(Reader& reader, const std::string& base, int index, ModelConfig& config) {
  constexpr auto bias = Reader::Bias::required;
  LayerConfig& layer = config.layers[static_cast<std::size_t>(index)];
  const std::int64_t hidden = config.hiddenSize;
  MINERVA_ASSIGN(const Linear qkv, reader.linear({"", base + "h.#.self_attention.query_key_value"}, index, 3 * hidden, hidden, bias));
  layer.q = bloomPartOf(qkv, 0, layer);
  layer.k = bloomPartOf(qkv, 1, layer);
  layer.v = bloomPartOf(qkv, 2, layer);
  MINERVA_ASSIGN(layer.o, reader.linear({"", base + "h.#.self_attention.dense"}, index, hidden, hidden, bias));
  return {};
}

Result<void> fillBloom(Reader& reader, ModelConfig& config) {
  const std::string base = reader.hasNamed("word_embeddings.weight") ? "" : "transformer.", layer = base + "h.#.";
  const std::string embedding = base + "word_embeddings", attentionNorm = layer + "input_layernorm",
                    feedForwardNorm = layer + "post_attention_layernorm", up = layer + "mlp.dense_h_to_4h",
                    down = layer + "mlp.dense_4h_to_h", outputNorm = base + "ln_f", embeddingNorm = base + "word_embeddings_layernorm";
  MINERVA_TRY(refuseIfSet(reader, "apply_residual_connection_post_layernorm", "A residual stream that is normalised before it is added"));
  DecoderForm form;
  form.embedding.huggingFace = embedding;
  form.attentionNorm.huggingFace = attentionNorm;
  form.feedForwardNorm.huggingFace = feedForwardNorm;
  form.up.huggingFace = up;
  form.down.huggingFace = down;
  form.outputNorm.huggingFace = outputNorm;
  form.layers.huggingFace = "n_layer";
  form.hidden.huggingFace = reader.json({"", "hidden_size"}) ? "hidden_size" : "n_embed";
  form.heads.huggingFace = reader.json({"", "n_head"}) ? "n_head" : "num_attention_heads";
  form.kvHeads.huggingFace = {};
  form.context.huggingFace = "seq_length";
  form.feedForward.huggingFace = {};
  form.activation = Activation::geluTanh;
  MINERVA_TRY(fillGptForm(reader, form));
  form.rotary = false;
  form.attention = reader.isGguf();
  MINERVA_TRY(fillDecoder(reader, form, config));
  config.alibi = 8;
  MINERVA_ASSIGN(config.embeddingNorm, reader.norm({"token_embd_norm", embeddingNorm}, 0, config.hiddenSize, form.normBias));
  for (std::size_t i = 0; !reader.isGguf() && i < config.layers.size(); ++i)
    MINERVA_TRY(readBloomAttention(reader, base, static_cast<int>(i), config));
  return {};
}

constexpr std::string_view bloomNames[] = {"bloom"};

}  // namespace

const Family bloomFamily{"bloom", bloomNames, bloomNames, fillBloom};

}  // namespace minerva::model
