// InternLM 2 and 2.5: Llama's decoder with names of its own; one matrix holds, for each key head, its queries, the key and the value.
// InternLM 3 is read as Llama.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillInternlm2(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.embedding.huggingFace = "model.tok_embeddings";
  form.attentionNorm.huggingFace = "model.layers.#.attention_norm";
  form.qkv.huggingFace = "model.layers.#.attention.wqkv";
  form.qkvByKeyHead = true;
  form.o.huggingFace = "model.layers.#.attention.wo";
  form.feedForwardNorm.huggingFace = "model.layers.#.ffn_norm";
  form.gate.huggingFace = "model.layers.#.feed_forward.w1";
  form.down.huggingFace = "model.layers.#.feed_forward.w2";
  form.up.huggingFace = "model.layers.#.feed_forward.w3";
  form.head.huggingFace = "output";
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view internlm2Names[] = {"internlm2"};

}  // namespace

const Family internlm2Family{"internlm2", internlm2Names, internlm2Names, fillInternlm2};

}  // namespace minerva::model
