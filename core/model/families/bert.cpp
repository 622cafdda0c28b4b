// BERT and RoBERTa (XLM-R): every token sees all others; learned positions and types; norms of the residual sums. Only for vectors of
// texts.
#include "core/model/families/bert.h"

#include "core/model/families/family.h"
#include "core/model/families/text_embedding.h"

namespace minerva::model {

DecoderForm bertForm() {
  DecoderForm form;
  form.attentionNorm = form.feedForwardNorm = form.outputNorm = form.head = form.gateUp = {};
  form.qkv.huggingFace = {};
  form.kvHeads.huggingFace = {};
  form.epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};
  form.defaultEpsilon = 1e-12;
  form.window = {};
  form.activation = Activation::geluErf;
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  form.gated = false;
  return form;
}

Result<void> readBertNorms(Reader& reader, const BertNorms& names, ModelConfig& config) {
  constexpr auto bias = Reader::Bias::required;
  const int hidden = config.hiddenSize;
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    layer.visible.bidirectional = true;
    MINERVA_ASSIGN(layer.attentionSumNorm, reader.norm(names.attentionSum, static_cast<int>(i), hidden, bias));
    MINERVA_ASSIGN(layer.feedForwardSumNorm, reader.norm(names.feedForwardSum, static_cast<int>(i), hidden, bias));
  }
  MINERVA_ASSIGN(config.embeddingNorm, reader.norm(names.embedding, 0, hidden, bias));
  return {};
}

Result<void> readTypes(Reader& reader, std::string_view huggingFaceName, ModelConfig& config) {
  const TensorName name{"token_types", huggingFaceName};
  const TensorView* stored = reader.file().find(reader.nameOf(name, 0, ".weight"));
  if (!stored) return {};
  MINERVA_ASSIGN(config.typeEmbedding, reader.tensor(name, 0, matrixShape(stored->shape.rows(), config.hiddenSize)));
  return {};
}

Result<void> readPositions(Reader& reader, std::string_view huggingFaceName, bool skipsPadding, ModelConfig& config) {
  MINERVA_ASSIGN(config.positionEmbedding,
                 reader.tensor({"position_embd", huggingFaceName}, 0, matrixShape(config.contextLength, config.hiddenSize)));
  if (!skipsPadding || reader.isGguf()) return {};
  MINERVA_ASSIGN(const auto padding, reader.integer({"", "pad_token_id"}));
  const std::int64_t token = padding.value_or(1);
  if (token < 0 || token > config.contextLength - 2) {
    return fail(reader.invalid({"", "pad_token_id"}, "The padding token leaves no positions",
                               "0 to " + std::to_string(config.contextLength - 2), std::to_string(token)));
  }
  const std::int64_t first = token + 1;
  config.contextLength -= static_cast<int>(first);
  config.positionEmbedding = sliceRows(config.positionEmbedding, first, config.contextLength);
  return {};
}

namespace {

Result<void> fillBertLike(Reader& reader, ModelConfig& config, bool skipsPadding) {
  poolAnyway(config);
  const std::string prefix = skipsPadding ? "roberta." : "bert.";  // of copies with further heads
  const std::string base = reader.hasNamed(prefix + "embeddings.word_embeddings.weight") ? prefix : "";
  const std::string layer = base + "encoder.layer.#.";
  const std::string embedding = base + "embeddings.word_embeddings", q = layer + "attention.self.query", k = layer + "attention.self.key",
                    v = layer + "attention.self.value", o = layer + "attention.output.dense", up = layer + "intermediate.dense",
                    down = layer + "output.dense", attentionSum = layer + "attention.output.LayerNorm",
                    feedForwardSum = layer + "output.LayerNorm", embeddingNorm = base + "embeddings.LayerNorm";
  DecoderForm form = bertForm();
  form.embedding.huggingFace = embedding;
  form.q.huggingFace = q;
  form.k.huggingFace = k;
  form.v.huggingFace = v;
  form.o.huggingFace = o;
  form.up.huggingFace = up;
  form.down.huggingFace = down;
  form.rotary = false;
  MINERVA_TRY(refuseIfSet(reader, "is_decoder", "BERT as a decoder"));
  MINERVA_ASSIGN(const auto kind, reader.string({"", "position_embedding_type"}));
  if (kind && *kind != "absolute") MINERVA_TRY(refuseIfSet(reader, "position_embedding_type", "An encoding of relative positions"));
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_TRY(readBertNorms(
      reader, {{"blk.#.attn_output_norm", attentionSum}, {"blk.#.layer_output_norm", feedForwardSum}, {"token_embd_norm", embeddingNorm}},
      config));
  MINERVA_TRY(readTypes(reader, base + "embeddings.token_type_embeddings", config));
  for (const char* part : {"weight", "bias"}) reader.ignore(base + "pooler.dense." + part);  // for classifiers
  return readPositions(reader, base + "embeddings.position_embeddings", skipsPadding, config);
}

Result<void> fillBert(Reader& reader, ModelConfig& config) {
  return isJinaBert(reader) ? fillJinaBert(reader, config) : fillBertLike(reader, config, false);
}
Result<void> fillRoberta(Reader& reader, ModelConfig& config) {
  return isFlashRoberta(reader) ? fillFlashRoberta(reader, config) : fillBertLike(reader, config, true);
}

constexpr std::string_view bertGgufNames[] = {"bert", "jina-bert-v2"};
constexpr std::string_view bertHuggingFaceNames[] = {"bert"};
constexpr std::string_view robertaNames[] = {"roberta", "xlm-roberta"};

}  // namespace

const Family bertFamily{"bert", bertGgufNames, bertHuggingFaceNames, fillBert};
const Family robertaFamily{"roberta", {}, robertaNames, fillRoberta};  // its GGUF files say bert

}  // namespace minerva::model
