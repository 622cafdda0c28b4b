// GTE, which calls itself "new" or "gte": BERT with rotary positions and a gated feed-forward. There are no GGUF files of it.
#include "core/model/families/bert.h"
#include "core/model/families/family.h"
#include "core/model/families/text_embedding.h"

#include <cmath>
#include <utility>

namespace minerva::model {

namespace {

std::unexpected<Error> unsupportedPart(const Reader& reader, const char* key, const char* what, const char* expected, std::string actual) {
  Error error = reader.invalid({"", key}, what, expected, std::move(actual));
  error.kind = ErrorKind::unsupported;
  error.hint = "Choose another embedding model.";
  return fail(std::move(error));
}

Result<void> refuseOtherParts(const Reader& reader) {
  for (const auto& [key, usual] : {std::pair{"position_embedding_type", "rope"}, {"layer_norm_type", "layer_norm"}}) {
    MINERVA_ASSIGN(const auto kind, reader.string({"", key}));
    if (kind && *kind != usual) return unsupportedPart(reader, key, "This part of a GTE model is not supported", usual, *kind);
  }
  return refuseIfSet(reader, "logn_attention_scale", "A scale of the attention by the text's length");
}

// By "ntk" the base is raised to a longer context, and every frequency lowered by one step more. It holds for short texts, too.
Result<void> stretchRotation(const Reader& reader, Rope& rope) {
  constexpr const char* key = "rope_scaling";
  const nlohmann::json* scaling = reader.json({"", key});
  if (!scaling) return {};
  const auto part = [&](const char* name) { return scaling->is_object() ? scaling->value(name, nlohmann::json()) : nlohmann::json(); };
  if (part("type") != "ntk" || !part("mixed_b").is_null())
    return unsupportedPart(reader, key, "This scaling of a GTE model's rotation is not supported", "ntk", part("type").dump());
  const double factor = part("factor").is_number() ? part("factor").get<double>() : 0;
  if (!(factor >= 1 && factor <= 1e6))
    return fail(reader.invalid({"", key}, "The scaling of the rotation is not valid", "a factor of 1 or more", part("factor").dump()));
  for (std::size_t i = 0; i < rope.frequencies.size(); ++i) {
    const double exponent = 2.0 * static_cast<double>(i + 1) / rope.dimension;
    rope.frequencies[i] = static_cast<float>(static_cast<double>(rope.frequencies[i]) * std::pow(factor, -exponent));
  }
  return {};
}

// Of models for classification, or whose files were written as if they were.
std::string gtePrefix(const Reader& reader) {
  for (const char* prefix : {"new.", "gte."}) {
    if (reader.hasNamed(std::string(prefix) + "embeddings.word_embeddings.weight")) return prefix;
  }
  return "";
}

Result<void> fillGte(Reader& reader, ModelConfig& config) {
  poolAnyway(config);
  MINERVA_TRY(refuseOtherParts(reader));
  const std::string base = gtePrefix(reader), layer = base + "encoder.layer.#.";
  const std::string embedding = base + "embeddings.word_embeddings", q = layer + "attention.q_proj", k = layer + "attention.k_proj",
                    v = layer + "attention.v_proj", qkv = layer + "attention.qkv_proj", o = layer + "attention.o_proj",
                    upGate = layer + "mlp.up_gate_proj", down = layer + "mlp.down_proj", attentionSum = layer + "attn_ln",
                    feedForwardSum = layer + "mlp_ln", embeddingNorm = base + "embeddings.LayerNorm";
  DecoderForm form = bertForm();
  form.embedding.huggingFace = embedding;
  form.q.huggingFace = q;
  form.k.huggingFace = k;
  form.v.huggingFace = v;
  form.qkv.huggingFace = qkv;
  form.o.huggingFace = o;
  form.gateUp.huggingFace = upGate;
  form.down.huggingFace = down;
  form.gated = true;
  form.rope.scaled = !reader.json({"", "rope_scaling"});  // Transformers writes the same as "rope_parameters" that are "linear"
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_TRY(stretchRotation(reader, config.ropes.front()));
  for (LayerConfig& one : config.layers) std::swap(one.gate, one.up);  // up's rows come first
  MINERVA_TRY(readBertNorms(reader, {{"", attentionSum}, {"", feedForwardSum}, {"", embeddingNorm}}, config));
  for (const char* part : {"weight", "bias"}) reader.ignore(base + "pooler.dense." + part);  // for classifiers
  return readTypes(reader, base + "embeddings.token_type_embeddings", config);
}

constexpr std::string_view gteNames[] = {"new", "gte"};

}  // namespace

const Family gteFamily{"gte", {}, gteNames, fillGte};

}  // namespace minerva::model
