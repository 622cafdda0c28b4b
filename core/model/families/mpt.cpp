// MPT: ALiBi in place of positions, layer norms without biases, an ungated feed-forward.
#include "core/model/families/family.h"
#include "core/model/families/gpt_form.h"

namespace minerva::model {

namespace {

std::unexpected<Error> unsupportedAttention(const Reader& reader, Key key, const char* what, const char* expected, std::string actual) {
  Error error = reader.invalid(key, what, expected, std::move(actual));
  error.kind = ErrorKind::unsupported;
  error.hint = "Choose another model.";
  return fail(std::move(error));
}

// The largest exponent of the slopes; what attention does beyond them is not supported. config.json has this in an object of its own.
Result<float> readMptAttention(const Reader& reader) {
  if (reader.isGguf()) {
    constexpr Key clamp{"attention.clamp_kqv", ""}, largest{"attention.max_alibi_bias", ""};
    MINERVA_ASSIGN(const auto limit, reader.number(clamp));
    if (limit.value_or(0) > 0) {
      return unsupportedAttention(reader, clamp, "Limits of queries, keys and values are not supported", "none", std::to_string(*limit));
    }
    MINERVA_ASSIGN(const auto stated, reader.number(largest));
    if (stated.value_or(0) > 0) return static_cast<float>(*stated);
    return unsupportedAttention(reader, largest, "An MPT with learned positions is not supported", "slopes (ALiBi)", "none");
  }
  constexpr Key key{"", "attn_config"};
  const nlohmann::json* stated = reader.json(key);
  const nlohmann::json attention = stated && stated->is_object() ? *stated : nlohmann::json::object();
  for (const char* name : {"clip_qkv", "qk_ln", "prefix_lm", "softmax_scale"}) {
    const auto value = attention.value(name, nlohmann::json());
    if (value.is_null() || value == false || value == 0) continue;
    return unsupportedAttention(reader, key, "This part of an MPT's attention is not supported", "none", name);
  }
  if (const auto type = attention.value("attn_type", nlohmann::json("multihead_attention")); type != "multihead_attention")
    return unsupportedAttention(reader, key, "This kind of an MPT's attention is not supported", "multihead_attention", type.dump());
  if (attention.value("alibi", nlohmann::json(true)) != true)
    return unsupportedAttention(reader, key, "An MPT with learned positions is not supported", "alibi: true", "false");
  const auto largest = attention.value("alibi_bias_max", nlohmann::json(8));
  if (!largest.is_number() || !(largest.get<double>() > 0 && largest.get<double>() <= 64))
    return fail(reader.invalid(key, "The slopes of the attention are not valid", "alibi_bias_max up to 64", largest.dump()));
  return largest.get<float>();
}

Result<void> fillMpt(Reader& reader, ModelConfig& config) {
  MINERVA_TRY(refuseIfSet(reader, "logit_scale", "A factor of an MPT's logits"));
  MINERVA_ASSIGN(config.alibi, readMptAttention(reader));
  DecoderForm form;
  form.embedding.huggingFace = "transformer.wte";
  form.attentionNorm.huggingFace = "transformer.blocks.#.norm_1";
  form.qkv.huggingFace = "transformer.blocks.#.attn.Wqkv";
  form.o.huggingFace = "transformer.blocks.#.attn.out_proj";
  form.feedForwardNorm.huggingFace = "transformer.blocks.#.norm_2";
  form.up.huggingFace = "transformer.blocks.#.ffn.up_proj";
  form.down.huggingFace = "transformer.blocks.#.ffn.down_proj";
  form.outputNorm.huggingFace = "transformer.norm_f";
  form.layers.huggingFace = "n_layers";
  form.hidden.huggingFace = "d_model";
  form.heads.huggingFace = "n_heads";
  form.kvHeads.huggingFace = {};
  form.context.huggingFace = "max_seq_len";
  form.feedForward.huggingFace = {};
  form.activation = Activation::geluErf;
  MINERVA_TRY(fillGptForm(reader, form));
  form.normBias = Reader::Bias::optional;
  form.rotary = false;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view mptNames[] = {"mpt"};

}  // namespace

const Family mptFamily{"mpt", mptNames, mptNames, fillMpt};

}  // namespace minerva::model
