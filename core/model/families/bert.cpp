// BERT and RoBERTa (XLM-R): every token sees all others; learned positions and types; norms of the residual sums. Only for vectors of
// texts.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/text_embedding.h"

namespace minerva::model {

namespace {

// The rows of a table of which the file states no count.
Result<TensorView> readTable(Reader& reader, TensorName name, std::int64_t columns) {
  const TensorView* stored = reader.file().find(reader.nameOf(name, 0, ".weight"));
  return reader.tensor(name, 0, matrixShape(stored ? stored->shape.rows() : 1, columns));
}

Result<void> fillBertLike(Reader& reader, ModelConfig& config, bool skipsPositions) {
  poolAnyway(config);
  const std::string prefix = reader.architecture() == "bert" ? "bert." : "roberta.";  // of copies with further heads
  const std::string base = reader.hasNamed(prefix + "embeddings.word_embeddings.weight") ? prefix : "";
  const std::string layer = base + "encoder.layer.#.";
  const std::string embedding = base + "embeddings.word_embeddings", q = layer + "attention.self.query", k = layer + "attention.self.key",
                    v = layer + "attention.self.value", o = layer + "attention.output.dense", up = layer + "intermediate.dense",
                    down = layer + "output.dense", attentionSum = layer + "attention.output.LayerNorm",
                    feedForwardSum = layer + "output.LayerNorm", embeddingNorm = base + "embeddings.LayerNorm",
                    positions = base + "embeddings.position_embeddings", types = base + "embeddings.token_type_embeddings";
  DecoderForm form;
  form.embedding.huggingFace = embedding;
  form.attentionNorm = form.feedForwardNorm = form.outputNorm = form.head = form.gateUp = {};
  form.q.huggingFace = q;
  form.k.huggingFace = k;
  form.v.huggingFace = v;
  form.qkv.huggingFace = {};
  form.o.huggingFace = o;
  form.up.huggingFace = up;
  form.down.huggingFace = down;
  form.kvHeads.huggingFace = {};
  form.epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};
  form.defaultEpsilon = 1e-12;
  form.window = {};
  form.activation = Activation::geluErf;
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  form.gated = false;
  form.rotary = false;
  MINERVA_TRY(refuseIfSet(reader, "is_decoder", "BERT as a decoder"));
  MINERVA_ASSIGN(const auto kind, reader.string({"", "position_embedding_type"}));
  if (kind && *kind != "absolute") MINERVA_TRY(refuseIfSet(reader, "position_embedding_type", "An encoding of relative positions"));
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    LayerConfig& one = config.layers[i];
    const int index = static_cast<int>(i);
    one.visible.bidirectional = true;
    MINERVA_ASSIGN(one.attentionSumNorm, reader.norm({"blk.#.attn_output_norm", attentionSum}, index, config.hiddenSize, form.normBias));
    MINERVA_ASSIGN(one.feedForwardSumNorm,
                   reader.norm({"blk.#.layer_output_norm", feedForwardSum}, index, config.hiddenSize, form.normBias));
  }
  MINERVA_ASSIGN(config.embeddingNorm, reader.norm({"token_embd_norm", embeddingNorm}, 0, config.hiddenSize, form.normBias));
  if (reader.has({"token_types", types}, 0)) {
    MINERVA_ASSIGN(config.typeEmbedding, readTable(reader, {"token_types", types}, config.hiddenSize));
  }
  MINERVA_ASSIGN(config.positionEmbedding,
                 reader.tensor({"position_embd", positions}, 0, matrixShape(config.contextLength, config.hiddenSize)));
  for (const char* part : {"weight", "bias"}) reader.ignore(base + "pooler.dense." + part);  // for classifiers
  if (!skipsPositions || reader.isGguf()) return {};
  // RoBERTa counts positions from the padding token's id + 1 on. GGUF files leave out the rows before.
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

Result<void> fillBert(Reader& reader, ModelConfig& config) { return fillBertLike(reader, config, false); }
Result<void> fillRoberta(Reader& reader, ModelConfig& config) { return fillBertLike(reader, config, true); }

constexpr std::string_view bertNames[] = {"bert"};
constexpr std::string_view robertaNames[] = {"roberta", "xlm-roberta"};

}  // namespace

const Family bertFamily{"bert", bertNames, bertNames, fillBert};
const Family robertaFamily{"roberta", {}, robertaNames, fillRoberta};  // its GGUF files say bert

}  // namespace minerva::model
