// ChatGLM 2 and 3 and GLM-4 of 2024, with the names of their first folders or those of Transformers: interleaved rope on half of each head,
// gate and up in one matrix.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

// What the folders of ChatGLM's own code are like. Only the published settings are read.
Result<void> nameChatGlm(const Reader& reader, DecoderForm& form) {
  form.embedding.huggingFace = "transformer.embedding.word_embeddings";
  form.attentionNorm.huggingFace = "transformer.encoder.layers.#.input_layernorm";
  form.qkv.huggingFace = "transformer.encoder.layers.#.self_attention.query_key_value";
  form.o.huggingFace = "transformer.encoder.layers.#.self_attention.dense";
  form.feedForwardNorm.huggingFace = "transformer.encoder.layers.#.post_attention_layernorm";
  form.gateUp.huggingFace = "transformer.encoder.layers.#.mlp.dense_h_to_4h";
  form.down.huggingFace = "transformer.encoder.layers.#.mlp.dense_4h_to_h";
  form.outputNorm.huggingFace = "transformer.encoder.final_layernorm";
  form.head.huggingFace = "transformer.output_layer";
  form.layers.huggingFace = "num_layers";
  form.context.huggingFace = "seq_length";
  form.kvHeads.huggingFace = "multi_query_group_num";
  form.headDimKey.huggingFace = "kv_channels";
  form.feedForward.huggingFace = "ffn_hidden_size";
  form.epsilon.huggingFace = "layernorm_epsilon";
  form.defaultEpsilon = 1e-5;
  for (const auto& [key, usual] : {std::pair("rmsnorm", true), std::pair("post_layer_norm", true), std::pair("multi_query_attention", true),
                                   std::pair("apply_residual_connection_post_layernorm", false)}) {
    MINERVA_ASSIGN(const auto stated, reader.boolean({"", key}));
    if (stated.value_or(usual) == usual) continue;
    Error error =
        reader.invalid({"", key}, "This structure of ChatGLM is not supported", usual ? "true" : "false", usual ? "false" : "true");
    error.kind = ErrorKind::unsupported;
    return fail(std::move(error));
  }
  MINERVA_ASSIGN(const double ratio, reader.positive({"", "rope_ratio"}, 1e9, 1.0));
  form.rope.base.huggingFace = {};
  form.rope.defaultBase *= ratio;
  return {};
}

Result<void> fillChatGlm(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.ggufUpHoldsGate = true;
  form.rope.ggufLayout = form.rope.huggingFaceLayout = RopeLayout::interleaved;
  form.rope.defaultPartial = 0.5;
  if (reader.architecture() == "chatglm" && !reader.isGguf()) MINERVA_TRY(nameChatGlm(reader, form));
  return fillDecoder(reader, form, config);
}

constexpr std::string_view chatGlmGgufNames[] = {"chatglm"};
constexpr std::string_view chatGlmHuggingFaceNames[] = {"chatglm", "glm"};

}  // namespace

const Family chatGlmFamily{"chatglm", chatGlmGgufNames, chatGlmHuggingFaceNames, fillChatGlm};

}  // namespace minerva::model
