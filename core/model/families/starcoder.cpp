// StarCoder 1 and SantaCoder (GPT BigCode), CodeShell and GPT-J: GPT-2's names, layer norms and biases. All queries of StarCoder share one
// key head, and its positions are learned, those of the others rotated; GPT-J's blocks are parallel and share a norm.
#include "core/model/families/family.h"
#include "core/model/families/gpt_form.h"

namespace minerva::model {

namespace {

Result<DecoderForm> gptForm(const Reader& reader) {
  DecoderForm form;
  form.embedding.huggingFace = "transformer.wte";
  form.attentionNorm.huggingFace = "transformer.h.#.ln_1";
  form.qkv.huggingFace = "transformer.h.#.attn.c_attn";
  form.o.huggingFace = "transformer.h.#.attn.c_proj";
  form.feedForwardNorm.huggingFace = "transformer.h.#.ln_2";
  form.up.huggingFace = "transformer.h.#.mlp.c_fc";
  form.down.huggingFace = "transformer.h.#.mlp.c_proj";
  form.outputNorm.huggingFace = "transformer.ln_f";
  form.layers.huggingFace = "n_layer";
  form.hidden.huggingFace = "n_embd";
  form.context.huggingFace = "n_positions";
  form.heads.huggingFace = "n_head";
  form.feedForward.huggingFace = "n_inner";
  form.activationKey = "activation_function";
  form.activation = Activation::geluTanh;
  MINERVA_TRY(fillGptForm(reader, form));
  return form;
}

Result<void> fillStarcoder(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(DecoderForm form, gptForm(reader));
  form.rotary = false;
  constexpr Key scaled{"", "scale_attn_weights"};
  MINERVA_ASSIGN(const auto isScaled, reader.boolean(scaled));
  if (!isScaled.value_or(true)) {
    Error error = reader.invalid(scaled, "Attention whose scores are not scaled is not supported in this family", "true", "false");
    error.kind = ErrorKind::unsupported;
    return fail(std::move(error));
  }
  if (!reader.isGguf()) {
    MINERVA_ASSIGN(const auto shared, reader.boolean({"", "multi_query"}));
    form.kvHeads = {};
    form.defaultKvHeads = shared.value_or(true) ? 1 : 0;
    form.qkvByKeyHead = true;
  }
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_ASSIGN(config.positionEmbedding,
                 reader.tensor({"position_embd", "transformer.wpe"}, 0, matrixShape(config.contextLength, config.hiddenSize)));
  return {};
}

Result<void> fillCodeshell(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(DecoderForm form, gptForm(reader));
  form.kvHeads.huggingFace = "num_query_groups";
  return fillDecoder(reader, form, config);
}

Result<void> fillGptj(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(DecoderForm form, gptForm(reader));
  form.q.huggingFace = "transformer.h.#.attn.q_proj";
  form.k.huggingFace = "transformer.h.#.attn.k_proj";
  form.v.huggingFace = "transformer.h.#.attn.v_proj";
  form.o.huggingFace = "transformer.h.#.attn.out_proj";
  form.up.huggingFace = "transformer.h.#.mlp.fc_in";
  form.down.huggingFace = "transformer.h.#.mlp.fc_out";
  form.feedForwardNorm = {};
  form.kvHeads = {};
  form.rope.huggingFaceLayout = RopeLayout::interleaved;
  MINERVA_ASSIGN(form.rope.dimension, reader.count({"", "rotary_dim"}, Limits::headDim));
  config.parallelBlocks = true;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view starcoderGgufNames[] = {"starcoder"};
constexpr std::string_view starcoderHuggingFaceNames[] = {"gpt_bigcode"};
constexpr std::string_view codeshellNames[] = {"codeshell"};
constexpr std::string_view gptjNames[] = {"gptj"};

}  // namespace

const Family starcoderFamily{"starcoder", starcoderGgufNames, starcoderHuggingFaceNames, fillStarcoder};
const Family codeshellFamily{"codeshell", codeshellNames, codeshellNames, fillCodeshell};
const Family gptjFamily{"gpt-j", {}, gptjNames, fillGptj};

}  // namespace minerva::model
