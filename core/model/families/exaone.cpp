// EXAONE 3.0 and 3.5, and EXAONE Deep: Llama's decoder under names like those of GPT-2.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillExaone(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.embedding.huggingFace = "transformer.wte";
  form.attentionNorm.huggingFace = "transformer.h.#.ln_1";
  form.q.huggingFace = "transformer.h.#.attn.attention.q_proj";
  form.k.huggingFace = "transformer.h.#.attn.attention.k_proj";
  form.v.huggingFace = "transformer.h.#.attn.attention.v_proj";
  form.o.huggingFace = "transformer.h.#.attn.attention.out_proj";
  form.feedForwardNorm.huggingFace = "transformer.h.#.ln_2";
  form.gate.huggingFace = "transformer.h.#.mlp.c_fc_0";
  form.up.huggingFace = "transformer.h.#.mlp.c_fc_1";
  form.down.huggingFace = "transformer.h.#.mlp.c_proj";
  form.outputNorm.huggingFace = "transformer.ln_f";
  form.layers.huggingFace = reader.json({"", "num_layers"}) ? "num_layers" : "num_hidden_layers";
  form.epsilon.huggingFace = "layer_norm_epsilon";
  if (!reader.file().metadata().entries().contains(reader.nameOf(form.epsilon))) form.epsilon.gguf = "attention.layer_norm_epsilon";
  form.activationKey = "activation_function";
  form.window = {};
  form.defaultEpsilon = 1e-5;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view exaoneNames[] = {"exaone"};

}  // namespace

const Family exaoneFamily{"exaone", exaoneNames, exaoneNames, fillExaone};

}  // namespace minerva::model
