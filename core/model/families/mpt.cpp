// MPT: ALiBi in place of positions, layer norms without biases, an ungated feed-forward. Queries, keys and values of some are limited
// (StoryWriter), or groups of queries share a key head (Krutrim).
#include "core/model/families/family.h"
#include "core/model/families/gpt_form.h"

#include <utility>

namespace minerva::model {

namespace {

std::unexpected<Error> unsupportedAttention(const Reader& reader, Key key, const char* what, const char* expected, std::string actual) {
  Error error = reader.invalid(key, what, expected, std::move(actual));
  error.kind = ErrorKind::unsupported;
  error.hint = "Choose another model.";
  return fail(std::move(error));
}

struct MptAttention {
  float slopes = 8;  // their largest exponent
  float limit = 0;   // of queries, keys and values; 0: none
  int kvHeads = 0;   // 0: each query head has its own
};

Result<MptAttention> readGgufAttention(const Reader& reader) {
  constexpr Key clamp{"attention.clamp_kqv", ""}, largest{"attention.max_alibi_bias", ""};
  MptAttention attention;
  MINERVA_ASSIGN(const auto limit, reader.number(clamp));
  if (limit.value_or(0) != 0) {
    MINERVA_ASSIGN(const double most, reader.positive(clamp, 1e6));
    attention.limit = static_cast<float>(most);
  }
  MINERVA_ASSIGN(const auto slopes, reader.number(largest));
  attention.slopes = static_cast<float>(slopes.value_or(0));
  if (attention.slopes > 0) return attention;
  return unsupportedAttention(reader, largest, "An MPT with learned positions is not supported", "slopes (ALiBi)", "none");
}

// config.json has this in an object of its own.
Result<MptAttention> readAttentionObject(const Reader& reader) {
  constexpr Key key{"", "attn_config"};
  const nlohmann::json* stated = reader.json(key);
  const nlohmann::json config = stated && stated->is_object() ? *stated : nlohmann::json::object();
  const auto valueOf = [&](const char* name) { return config.value(name, nlohmann::json()); };
  for (const char* name : {"qk_ln", "qk_gn", "prefix_lm", "softmax_scale", "rope"}) {
    const auto value = valueOf(name);
    if (value.is_null() || value == false || value == 0) continue;
    return unsupportedAttention(reader, key, "This part of an MPT's attention is not supported", "none", name);
  }
  if (config.value("alibi", nlohmann::json(true)) != true)
    return unsupportedAttention(reader, key, "An MPT with learned positions is not supported", "alibi: true", "false");
  MptAttention attention;
  const auto largest = config.value("alibi_bias_max", nlohmann::json(8));
  if (!largest.is_number() || !(largest.get<double>() > 0 && largest.get<double>() <= 64))
    return fail(reader.invalid(key, "The slopes of the attention are not valid", "alibi_bias_max up to 64", largest.dump()));
  attention.slopes = largest.get<float>();
  if (const auto limit = valueOf("clip_qkv"); !limit.is_null() && limit != false && limit != 0) {
    if (!limit.is_number() || !(limit.get<double>() > 0 && limit.get<double>() < 1e6))
      return fail(reader.invalid(key, "The limit of queries, keys and values is not valid", "clip_qkv of more than 0", limit.dump()));
    attention.limit = limit.get<float>();
  }
  const auto type = config.value("attn_type", nlohmann::json("multihead_attention")), kvHeads = valueOf("kv_n_heads");
  if (type == "multiquery_attention") attention.kvHeads = 1;
  if (type == "multihead_attention" || type == "multiquery_attention") return attention;
  if (type != "grouped_query_attention") {
    return unsupportedAttention(reader, key, "This kind of an MPT's attention is not supported",
                                "multihead_attention, multiquery_attention or grouped_query_attention", type.dump());
  }
  if (!kvHeads.is_number_integer() || kvHeads < 1 || kvHeads > Limits::heads)
    return fail(reader.invalid(key, "The number of key heads is not valid", "kv_n_heads of 1 or more", kvHeads.dump()));
  attention.kvHeads = kvHeads.get<int>();
  return attention;
}

Result<void> fillMpt(Reader& reader, ModelConfig& config) {
  MINERVA_TRY(refuseIfSet(reader, "logit_scale", "A factor of an MPT's logits"));
  MINERVA_ASSIGN(const MptAttention attention, reader.isGguf() ? readGgufAttention(reader) : readAttentionObject(reader));
  config.alibi = attention.slopes;
  config.attentionLimit = attention.limit;
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
  form.defaultKvHeads = attention.kvHeads;
  form.context.huggingFace = "max_seq_len";
  form.feedForward.huggingFace = {};
  form.activation = Activation::geluErf;
  MINERVA_TRY(fillGptForm(reader, form));
  form.normBias = Reader::Bias::optional;
  form.rotary = false;
  MINERVA_TRY(fillDecoder(reader, form, config));
  if (config.attentionLimit == 0) return {};
  // Plans limit what they rotate: this rotation turns nothing.
  Rope still;
  still.dimension = config.layers.front().headDim;
  still.frequencies.assign(static_cast<std::size_t>(still.dimension / 2), 0.0F);
  config.ropes.push_back(std::move(still));
  for (LayerConfig& layer : config.layers) layer.rope = 0;
  return {};
}

constexpr std::string_view mptNames[] = {"mpt"};

}  // namespace

const Family mptFamily{"mpt", mptNames, mptNames, fillMpt};

}  // namespace minerva::model
