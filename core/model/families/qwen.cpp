// Qwen 1: Llama's decoder with GPT-2's names. The stated size of the feed-forward is that of its gate and its other half together.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillQwen(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.embedding.huggingFace = "transformer.wte";
  form.attentionNorm.huggingFace = "transformer.h.#.ln_1";
  form.qkv.huggingFace = "transformer.h.#.attn.c_attn";
  form.o.huggingFace = "transformer.h.#.attn.c_proj";
  form.feedForwardNorm.huggingFace = "transformer.h.#.ln_2";
  form.up.huggingFace = "transformer.h.#.mlp.w1";
  form.gate.huggingFace = "transformer.h.#.mlp.w2";
  form.down.huggingFace = "transformer.h.#.mlp.c_proj";
  form.outputNorm.huggingFace = "transformer.ln_f";
  form.context.huggingFace = "seq_length";
  form.headDimKey.huggingFace = "kv_channels";
  form.epsilon.huggingFace = "layer_norm_epsilon";
  form.window = {};
  form.kvHeads = {};
  form.rope.base.huggingFace = "rotary_emb_base";
  form.rope.partialKey = "rotary_pct";
  MINERVA_ASSIGN(const int both, reader.count(form.feedForward, Limits::feedForward));
  form.feedForward = {};
  form.defaultFeedForward = both / 2;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view qwenNames[] = {"qwen"};

}  // namespace

const Family qwenFamily{"qwen", qwenNames, qwenNames, fillQwen};

}  // namespace minerva::model
