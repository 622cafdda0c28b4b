#include "core/model/families/decoder.h"

#include "core/tensor/arrangement.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace minerva::model {

namespace {

struct Sizes {
  int hidden = 0, feedForward = 0, window = 0;
  HeadSizes heads;  // of the first layer
};

class DecoderReader {
 public:
  DecoderReader(Reader& reader, const DecoderForm& form, ModelConfig& config) : m_reader(reader), m_form(form), m_config(config) {}
  Result<void> run();

 private:
  Result<void> readHeads();
  Result<void> checkHeads(const HeadSizes& sizes) const;
  Result<void> readWindow();
  Result<int> readVocabularySize() const;
  Result<LayerConfig> readLayer(int layer);
  Result<void> readAttention(int layer, LayerConfig& out);
  Result<void> readQuery(int layer, std::int64_t rows, LayerConfig& out);
  Result<void> readOutputGate(int layer, LayerConfig& out);
  Result<void> splitFused(const Linear& fused, LayerConfig& out);
  Result<void> readHeadNorms(int layer, LayerConfig& out);
  Result<void> readFeedForward(int layer, LayerConfig& out);
  Result<void> readHead();
  Result<void> readPrediction(const PredictionForm& form, int layer);
  Result<NormWeights> norm(TensorName name, int layer, std::int64_t size) {
    if (name.gguf.empty()) return NormWeights{};
    return m_reader.norm(name, layer, size, m_form.normBias);
  }
  [[nodiscard]] bool named(TensorName name) const { return !(m_reader.isGguf() ? name.gguf : name.huggingFace).empty(); }
  [[nodiscard]] LayerParts partsOf(int layer) const {
    const auto index = static_cast<std::size_t>(layer);
    return index < m_form.parts.size() ? m_form.parts[index] : LayerParts{};
  }
  [[nodiscard]] const HeadSizes& headsOf(int layer) const {
    return m_form.headSizes.empty() ? m_sizes.heads : m_form.headSizes[static_cast<std::size_t>(layer)];
  }
  [[nodiscard]] bool isDense(int layer) const {
    return partsOf(layer).feedForward && !(m_form.experts && isMixture(*m_form.experts, layer));
  }
  [[nodiscard]] bool has(TensorName name, int layer) const { return named(name) && m_reader.has(name, layer); }

  Reader& m_reader;
  const DecoderForm& m_form;
  ModelConfig& m_config;
  Sizes m_sizes;
  Reader::Bias m_attentionBias = Reader::Bias::optional, m_feedForwardBias = Reader::Bias::optional;
};

Result<void> DecoderReader::checkHeads(const HeadSizes& sizes) const {
  if (sizes.heads < 1 || sizes.heads % sizes.kvHeads != 0) {
    return fail(m_reader.invalid(m_form.kvHeads, "The key/value heads do not divide the query heads",
                                 "a divisor of " + std::to_string(sizes.heads), std::to_string(sizes.kvHeads)));
  }
  const bool sameSize = !m_form.headSizes.empty() || sizes.valueDim == sizes.headDim;
  if (sizes.headDim % 2 == 0 && sameSize) return {};
  return fail(m_reader.invalid(m_form.headDimKey, "This head size is not supported", "an even size, the same for keys and values",
                               std::to_string(sizes.headDim) + " and " + std::to_string(sizes.valueDim)));
}

Result<void> DecoderReader::readHeads() {
  if (!m_form.headSizes.empty()) {
    m_sizes.heads = m_form.headSizes.front();
    for (const HeadSizes& sizes : m_form.headSizes) MINERVA_TRY(checkHeads(sizes));
    return {};
  }
  const Key headDimKey = m_form.headDimKey;
  HeadSizes& sizes = m_sizes.heads;
  MINERVA_ASSIGN(sizes.heads,
                 m_reader.count(m_form.heads, Limits::heads, m_form.defaultHeads > 0 ? std::optional(m_form.defaultHeads) : std::nullopt));
  MINERVA_ASSIGN(sizes.kvHeads,
                 m_reader.count(m_form.kvHeads, sizes.heads, m_form.defaultKvHeads > 0 ? m_form.defaultKvHeads : sizes.heads));
  MINERVA_ASSIGN(const auto stated, m_reader.integer(headDimKey));
  if (!stated && m_form.defaultHeadDim == 0 && m_sizes.hidden % sizes.heads != 0) {
    return fail(m_reader.invalid(m_form.heads, "The heads do not divide the hidden size", "a divisor of " + std::to_string(m_sizes.hidden),
                                 std::to_string(sizes.heads)));
  }
  MINERVA_ASSIGN(sizes.headDim, m_reader.count(headDimKey, Limits::headDim,
                                               m_form.defaultHeadDim > 0 ? m_form.defaultHeadDim : m_sizes.hidden / sizes.heads));
  MINERVA_ASSIGN(sizes.valueDim,
                 m_reader.count({headDimKey.gguf.empty() ? "" : "attention.value_length", ""}, Limits::headDim, sizes.headDim));
  return checkHeads(sizes);
}

// 0 and a missing key both mean no window.
Result<void> DecoderReader::readWindow() {
  if (m_form.window.gguf.empty() && m_form.window.huggingFace.empty()) return {};
  MINERVA_ASSIGN(const auto window, m_reader.integer(m_form.window));
  if (window.value_or(0) < 0 || window.value_or(0) > Limits::context) {
    return fail(m_reader.invalid(m_form.window, "The sliding window is not valid", "0 or more", std::to_string(*window)));
  }
  m_sizes.window = static_cast<int>(window.value_or(0));
  return {};
}

// The vocabulary size the file states; for GGUF the number of rows of the embedding.
Result<int> DecoderReader::readVocabularySize() const {
  constexpr Key key{"vocab_size", "vocab_size"};
  const TensorView* view = m_reader.file().find(m_reader.nameOf(m_form.embedding, 0, ".weight"));
  const std::int64_t rows = view ? view->shape.rows() : 1;
  if (!m_reader.isGguf())
    return m_reader.count(key, Limits::vocabulary,
                          view ? std::optional(static_cast<int>(std::min<std::int64_t>(rows, Limits::vocabulary))) : std::nullopt);
  if (rows < 1 || rows > Limits::vocabulary) {
    return fail(
        m_reader.invalid(key, "The vocabulary is too large", "at most " + std::to_string(Limits::vocabulary), std::to_string(rows)));
  }
  return static_cast<int>(rows);
}

Result<void> DecoderReader::readQuery(int layer, std::int64_t rows, LayerConfig& out) {
  if (!m_form.gateInQuery) {
    MINERVA_ASSIGN(out.q, m_reader.linear(m_form.q, layer, rows, m_sizes.hidden, m_attentionBias));
    return {};
  }
  if (m_attentionBias == Reader::Bias::required || m_reader.has(m_form.q, layer, ".bias")) {
    return fail(unsupported(m_reader.invalid({"", "attention_bias"}, "A bias of gated queries is not supported", "none", "a bias")));
  }
  MINERVA_ASSIGN(const TensorView both, m_reader.tensor(m_form.q, layer, matrixShape(2 * rows, m_sizes.hidden)));
  const Shape shape = matrixShape(rows, m_sizes.hidden);
  const std::int64_t dim = headsOf(layer).headDim;
  out.q.weight = rowGroups(both, shape, dim, 2 * dim, 0);
  out.outputGate.weight = rowGroups(both, shape, dim, 2 * dim, dim);
  return {};
}

// The tensor itself says whether it is for each head or for each element.
Result<void> DecoderReader::readOutputGate(int layer, LayerConfig& out) {
  if (!named(m_form.outputGate)) return {};
  const TensorView* stored = m_reader.file().find(m_reader.nameOf(m_form.outputGate, layer, ".weight"));
  const bool ofHeads = stored && stored->shape.rows() == out.headCount;
  const std::int64_t rows = std::int64_t{out.headCount} * (ofHeads ? 1 : out.headDim);
  MINERVA_ASSIGN(out.outputGate, m_reader.linear(m_form.outputGate, layer, rows, m_sizes.hidden, Reader::Bias::none));
  return {};
}

Result<void> DecoderReader::splitFused(const Linear& fused, LayerConfig& out) {
  const std::int64_t headDim = out.headDim, valueDim = out.valueSize();
  const std::int64_t queries = out.headCount * headDim, keys = out.kvHeadCount * headDim, values = out.kvHeadCount * valueDim;
  if (m_reader.isGguf() || !m_form.qkvByKeyHead || out.kvHeadCount == 1) {
    MINERVA_ASSIGN(out.q, rowsOf(fused, 0, queries));
    MINERVA_ASSIGN(out.k, rowsOf(fused, queries, keys));
    MINERVA_ASSIGN(out.v, rowsOf(fused, queries + keys, values));
    return {};
  }
  const std::int64_t shared = queries / out.kvHeadCount, pitch = shared + headDim + valueDim;
  const auto part = [&](std::int64_t run, std::int64_t offset) {
    const auto rows = [&](TensorView view) {
      if (view.empty()) return view;
      if (view.shape.rank == 1) view.shape = matrixShape(view.shape.elements(), 1);
      return rowGroups(view, matrixShape(out.kvHeadCount * run, view.shape.columns()), run, pitch, offset);
    };
    return Linear{rows(fused.weight), rows(fused.bias)};
  };
  out.q = part(shared, 0);
  out.k = part(headDim, shared);
  out.v = part(valueDim, shared + headDim);
  return {};
}

Result<void> DecoderReader::readAttention(int layer, LayerConfig& out) {
  const std::int64_t queries = std::int64_t{out.headCount} * out.headDim, keys = std::int64_t{out.kvHeadCount} * out.headDim;
  const std::int64_t values = std::int64_t{out.kvHeadCount} * out.valueSize(), results = std::int64_t{out.headCount} * out.valueSize();
  if (has(m_form.qkv, layer)) {
    MINERVA_ASSIGN(const Linear fused, m_reader.linear(m_form.qkv, layer, queries + keys + values, m_sizes.hidden, m_attentionBias));
    MINERVA_TRY(splitFused(fused, out));
  } else {
    MINERVA_TRY(readQuery(layer, queries, out));
    MINERVA_ASSIGN(out.k, m_reader.linear(m_form.k, layer, keys, m_sizes.hidden, m_attentionBias));
    MINERVA_ASSIGN(out.v, m_reader.linear(m_form.v, layer, values, m_sizes.hidden, m_attentionBias));
  }
  MINERVA_ASSIGN(out.o, m_reader.linear(m_form.o, layer, m_sizes.hidden, results, Reader::Bias::optional));
  MINERVA_TRY(readOutputGate(layer, out));
  return readHeadNorms(layer, out);
}

Result<void> DecoderReader::readHeadNorms(int layer, LayerConfig& out) {
  if (m_form.headNorms == HeadNorms::none) return {};
  const bool whole = m_form.headNorms == HeadNorms::wholeWidth;
  const auto size = [&](int heads) { return std::int64_t{out.headDim} * (m_form.headNorms == HeadNorms::shared ? 1 : heads); };
  MINERVA_ASSIGN(NormWeights q, m_reader.norm(m_form.qNorm, layer, size(out.headCount), Reader::Bias::optional));
  MINERVA_ASSIGN(NormWeights k, m_reader.norm(m_form.kNorm, layer, size(out.kvHeadCount), Reader::Bias::optional));
  out.qNorm = {q, whole};
  out.kNorm = {k, whole};
  return {};
}

Result<void> DecoderReader::readFeedForward(int layer, LayerConfig& out) {
  const std::int64_t size = out.feedForwardSize;
  const bool upHoldsGate = m_reader.isGguf() && m_form.ggufUpHoldsGate;
  if (m_form.gated && (upHoldsGate || has(m_form.gateUp, layer))) {
    MINERVA_ASSIGN(const Linear fused,
                   m_reader.linear(upHoldsGate ? m_form.up : m_form.gateUp, layer, 2 * size, m_sizes.hidden, m_feedForwardBias));
    MINERVA_ASSIGN(out.gate, rowsOf(fused, 0, size));
    MINERVA_ASSIGN(out.up, rowsOf(fused, size, size));
  } else {
    if (m_form.gated) {
      MINERVA_ASSIGN(out.gate, m_reader.linear(m_form.gate, layer, size, m_sizes.hidden, m_feedForwardBias));
    }
    MINERVA_ASSIGN(out.up, m_reader.linear(m_form.up, layer, size, m_sizes.hidden, m_feedForwardBias));
  }
  MINERVA_ASSIGN(out.down, m_reader.linear(m_form.down, layer, m_sizes.hidden, size, m_feedForwardBias));
  return {};
}

Result<LayerConfig> DecoderReader::readLayer(int layer) {
  LayerConfig out;
  const LayerParts parts = partsOf(layer);
  out.rope = -1;
  if (parts.attention) {
    const HeadSizes& sizes = headsOf(layer);
    out.headCount = sizes.heads;
    out.kvHeadCount = parts.kvHeads > 0 ? parts.kvHeads : sizes.kvHeads;
    out.headDim = sizes.headDim;
    if (sizes.valueDim != sizes.headDim) out.valueDim = sizes.valueDim;
    if (sizes.headDim != m_sizes.heads.headDim)
      out.attentionScale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(sizes.headDim)));
    out.visible.window = m_sizes.window;
    out.rope = m_form.rotary ? 0 : -1;
  }
  if (parts.attention || parts.mixer) {
    MINERVA_ASSIGN(out.attentionNorm, norm(m_form.attentionNorm, layer, m_sizes.hidden));
    if (parts.attention && m_form.attention) MINERVA_TRY(readAttention(layer, out));
    MINERVA_ASSIGN(out.postAttentionNorm, norm(m_form.postAttentionNorm, layer, m_sizes.hidden));
  }
  if (!parts.feedForward) return out;
  out.feedForwardSize = parts.feedForwardSize > 0 ? parts.feedForwardSize : m_sizes.feedForward;
  MINERVA_ASSIGN(out.feedForwardNorm, norm(m_form.feedForwardNorm, layer, m_sizes.hidden));
  if (!m_form.blocks) return out;
  if (isDense(layer)) {
    MINERVA_TRY(readFeedForward(layer, out));
  } else {
    MINERVA_ASSIGN(out.experts, readExperts(m_reader, *m_form.experts, layer, m_sizes.hidden));
  }
  MINERVA_ASSIGN(out.postFeedForwardNorm, norm(m_form.postFeedForwardNorm, layer, m_sizes.hidden));
  return out;
}

Result<void> DecoderReader::readHead() {
  if (m_config.embeds()) {  // a head that the file may have is for another use of the model
    if (named(m_form.head)) m_reader.ignore(m_reader.nameOf(m_form.head, 0, ".weight"));
    return {};
  }
  const bool stored = m_reader.has(m_form.head, 0);
  MINERVA_ASSIGN(const auto tied, m_reader.boolean({"", "tie_word_embeddings"}));
  m_config.tiedHead = m_reader.isGguf() ? !stored : tied.value_or(!stored);
  if (m_config.tiedHead) {
    m_config.head.weight = m_config.tokenEmbedding;
    if (stored) m_reader.ignore(m_reader.nameOf(m_form.head, 0, ".weight"));  // a copy of the embedding
    return {};
  }
  MINERVA_ASSIGN(m_config.head, m_reader.linear(m_form.head, 0, m_config.vocabularySize, m_config.hiddenSize, Reader::Bias::optional));
  return {};
}

Result<void> DecoderReader::readPrediction(const PredictionForm& form, int layer) {
  const std::int64_t hidden = m_sizes.hidden;
  Prediction out;
  if (!form.layers.empty()) m_reader.nameLayersFrom(layer, std::string(form.layers));
  MINERVA_ASSIGN(out.combine, m_reader.linear(form.combine, layer, hidden, 2 * hidden, Reader::Bias::none));
  MINERVA_ASSIGN(out.embeddingNorm, norm(form.embeddingNorm, layer, hidden));
  MINERVA_ASSIGN(out.hiddenNorm, norm(form.hiddenNorm, layer, hidden));
  if (out.embeddingNorm.weight.type != out.hiddenNorm.weight.type) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The norms of the two inputs of a prediction are stored differently",
                 .where = m_reader.nameOf(form.hiddenNorm, layer, ".weight"),
                 .expected = std::string(traits(out.embeddingNorm.weight.type).name),
                 .actual = std::string(traits(out.hiddenNorm.weight.type).name)});
  }
  MINERVA_ASSIGN(out.layer, readLayer(layer));
  out.outputNorm = m_config.outputNorm;
  out.head = m_config.head;
  out.tokenEmbedding = m_config.tokenEmbedding;
  if (has(form.outputNorm, layer)) {
    MINERVA_ASSIGN(out.outputNorm, norm(form.outputNorm, layer, hidden));
  }
  if (has(form.head, layer)) {
    MINERVA_ASSIGN(out.head, m_reader.linear(form.head, layer, m_config.vocabularySize, hidden, Reader::Bias::none));
  }
  if (has(form.embedding, layer)) {
    MINERVA_ASSIGN(out.tokenEmbedding, m_reader.tensor(form.embedding, layer, matrixShape(m_config.vocabularySize, hidden)));
  }
  m_config.prediction = std::move(out);
  return {};
}

Result<void> DecoderReader::run() {
  MINERVA_ASSIGN(const int layers, decoderLayers(m_reader, m_form));
  MINERVA_ASSIGN(m_sizes.hidden, m_reader.count(m_form.hidden, Limits::hidden));
  MINERVA_ASSIGN(m_config.contextLength, m_reader.count(m_form.context, Limits::context, m_form.defaultContext));
  MINERVA_ASSIGN(const double epsilon, m_reader.positive(m_form.epsilon, 1.0, m_form.defaultEpsilon));
  bool attention = false, dense = false;
  for (int i = 0; i < layers; ++i) {
    attention = attention || partsOf(i).attention;
    dense = dense || isDense(i);
  }
  if (attention) MINERVA_TRY(readHeads());
  MINERVA_TRY(readWindow());
  const std::optional<int> feedForward = m_form.defaultFeedForward > 0 || !dense ? std::optional(m_form.defaultFeedForward) : std::nullopt;
  MINERVA_ASSIGN(m_sizes.feedForward, m_reader.count(m_form.feedForward, Limits::feedForward, feedForward));
  MINERVA_ASSIGN(m_config.activation, readActivation(m_reader, {m_form.ggufActivationKey, m_form.activationKey}, m_form.activation));
  MINERVA_ASSIGN(m_config.vocabularySize, readVocabularySize());
  const auto biasOf = [&](std::string_view key) -> Result<Reader::Bias> {
    MINERVA_ASSIGN(const auto stated, m_reader.boolean({"", key}));
    return stated.value_or(false) ? Reader::Bias::required : Reader::Bias::optional;
  };
  MINERVA_ASSIGN(m_attentionBias, biasOf("attention_bias"));
  MINERVA_ASSIGN(m_feedForwardBias, biasOf("mlp_bias"));
  m_config.hiddenSize = m_sizes.hidden;
  m_config.norm = m_form.norm;
  m_config.normEpsilon = static_cast<float>(epsilon);
  const int headDim = m_sizes.heads.headDim;
  if (attention) m_config.attentionScale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(headDim)));
  if (attention && m_form.rotary) {
    MINERVA_ASSIGN(Rope rope, readRope(m_reader, m_form.rope, headDim, m_config.contextLength, m_config.warnings));
    m_config.ropes.push_back(std::move(rope));
  }
  MINERVA_ASSIGN(m_config.tokenEmbedding, m_reader.tensor(m_form.embedding, 0, matrixShape(m_config.vocabularySize, m_sizes.hidden)));
  for (int i = 0; i < layers; ++i) {
    MINERVA_ASSIGN(LayerConfig layer, readLayer(i));
    m_config.layers.push_back(std::move(layer));
  }
  MINERVA_ASSIGN(m_config.outputNorm, norm(m_form.outputNorm, 0, m_sizes.hidden));
  MINERVA_TRY(readHead());
  if (m_form.prediction == nullptr || m_config.embeds() || !m_reader.has(m_form.prediction->combine, layers)) return {};
  const Result<void> predicts = readPrediction(*m_form.prediction, layers);
  if (!predicts) m_config.warnings.push_back("The layer that predicts further tokens is not used: " + predicts.error().message());
  return {};
}

}  // namespace

Result<void> fillDecoder(Reader& reader, const DecoderForm& form, ModelConfig& config) { return DecoderReader(reader, form, config).run(); }

Result<int> decoderLayers(const Reader& reader, const DecoderForm& form) {
  const std::optional<int> otherwise = form.defaultLayers > 0 ? std::optional(form.defaultLayers) : std::nullopt;
  MINERVA_ASSIGN(const int stored, reader.count(form.layers, Limits::layers, otherwise));
  MINERVA_ASSIGN(const auto stated, reader.integer(form.predictionLayers));
  if (stated.value_or(0) == 0) return stored;
  MINERVA_ASSIGN(const int predicting, reader.count(form.predictionLayers, reader.isGguf() ? stored - 1 : Limits::layers));
  return reader.isGguf() ? stored - predicting : stored;
}

}  // namespace minerva::model
