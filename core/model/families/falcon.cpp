// Falcon 7B, 40B, 180B and Falcon 2: parallel blocks, which share a layer norm or have one each; all queries share one key head, or a group
// of them does.
#include "core/model/families/family.h"
#include "core/model/families/gpt_form.h"

namespace minerva::model {

namespace {

// The number of key heads that config.json states does not hold where all queries share one.
Result<int> falconKeyHeads(const Reader& reader, int heads, bool newer) {
  MINERVA_ASSIGN(const auto shared, reader.boolean({"", "multi_query"}));
  if (!newer && shared.value_or(true)) return 1;
  return reader.count({"", reader.json({"", "num_kv_heads"}) ? "num_kv_heads" : "n_head_kv"}, heads, heads);
}

// Folders from before Transformers had the family call their sizes otherwise.
void nameSizes(const Reader& reader, DecoderForm& form) {
  if (!reader.json({"", form.layers.huggingFace})) form.layers.huggingFace = "n_layer";
  if (!reader.json({"", form.heads.huggingFace})) form.heads.huggingFace = "n_head";
}

// Norms of both blocks or, first of the names, of the attention alone.
void nameNorms(const Reader& reader, bool parallel, DecoderForm& form) {
  form.attentionNorm.huggingFace = "transformer.h.#.input_layernorm";
  form.feedForwardNorm.huggingFace = "transformer.h.#.post_attention_layernorm";
  if (!parallel) return;
  constexpr TensorName ofAttention{"blk.#.attn_norm_2", "transformer.h.#.ln_attn"}, ofBlock{"blk.#.attn_norm", "transformer.h.#.ln_mlp"};
  const bool two = reader.has(ofAttention, 0);
  if (two) form.attentionNorm = ofAttention;
  form.feedForwardNorm = two ? ofBlock : TensorName{};
}

Result<void> fillFalcon(Reader& reader, ModelConfig& config) {
  MINERVA_TRY(refuseIfSet(reader, "alibi", "Attention that falls with the distance (ALiBi)"));
  DecoderForm form;
  form.embedding.huggingFace = "transformer.word_embeddings";
  form.qkv.huggingFace = "transformer.h.#.self_attention.query_key_value";
  form.qkvByKeyHead = true;
  form.o.huggingFace = "transformer.h.#.self_attention.dense";
  form.up.huggingFace = "transformer.h.#.mlp.dense_h_to_4h";
  form.down.huggingFace = "transformer.h.#.mlp.dense_4h_to_h";
  form.outputNorm.huggingFace = "transformer.ln_f";
  form.feedForward.huggingFace = "ffn_hidden_size";
  MINERVA_TRY(fillGptForm(reader, form));
  form.activationKey = "activation";
  form.activation = Activation::geluErf;
  MINERVA_ASSIGN(const auto newer, reader.boolean({"", "new_decoder_architecture"}));
  MINERVA_ASSIGN(const auto parallel, reader.boolean({"", "parallel_attn"}));
  config.parallelBlocks = newer.value_or(false) || parallel.value_or(true);
  nameNorms(reader, config.parallelBlocks, form);
  if (!reader.isGguf()) {
    nameSizes(reader, form);
    MINERVA_ASSIGN(const int heads, reader.count(form.heads, Limits::heads));
    MINERVA_ASSIGN(form.defaultKvHeads, falconKeyHeads(reader, heads, newer.value_or(false)));
    form.kvHeads.huggingFace = {};
  }
  return fillDecoder(reader, form, config);
}

constexpr std::string_view falconNames[] = {"falcon"};

}  // namespace

const Family falconFamily{"falcon", falconNames, falconNames, fillFalcon};

}  // namespace minerva::model
