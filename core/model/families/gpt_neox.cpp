// GPT-NeoX and Pythia: layer norms, biases, parallel blocks with separate norms. SafeTensors files interleave q, k and v
// by head; GGUF stores all of q, then k, then v.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillGptNeox(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.embedding.huggingFace = "gpt_neox.embed_in";
  form.attentionNorm.huggingFace = "gpt_neox.layers.#.input_layernorm";
  form.feedForwardNorm.huggingFace = "gpt_neox.layers.#.post_attention_layernorm";
  form.up.huggingFace = "gpt_neox.layers.#.mlp.dense_h_to_4h";
  form.down.huggingFace = "gpt_neox.layers.#.mlp.dense_4h_to_h";
  form.outputNorm.huggingFace = "gpt_neox.final_layer_norm";
  form.head.huggingFace = "embed_out";
  form.epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};
  form.defaultEpsilon = 1e-5;
  form.window = {};
  form.kvHeads.huggingFace = {};
  form.activation = Activation::geluErf;
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  form.gated = false;
  form.qkv.huggingFace = "gpt_neox.layers.#.attention.query_key_value";
  form.qkvByKeyHead = true;
  form.o.huggingFace = "gpt_neox.layers.#.attention.dense";
  form.rope.base.huggingFace = "rotary_emb_base";
  form.rope.partialKey = "rotary_pct";
  form.rope.defaultPartial = 0.25;
  MINERVA_ASSIGN(const auto parallel, reader.boolean({"use_parallel_residual", "use_parallel_residual"}));
  config.parallelBlocks = parallel.value_or(true);
  return fillDecoder(reader, form, config);
}

constexpr std::string_view gptNeoxGgufNames[] = {"gptneox"};
constexpr std::string_view gptNeoxHuggingFaceNames[] = {"gpt_neox"};

}  // namespace

const Family gptNeoxFamily{"gpt-neox", gptNeoxGgufNames, gptNeoxHuggingFaceNames, fillGptNeox};

}  // namespace minerva::model
