// Rerankers: models whose file has a head that gives one number for a query and a document. Cross-encoders of the BERT kinds and decoders
// with a head of one label in folders; in GGUF files also decoders with the rows of two answers.
#include "core/base/utf8.h"
#include "core/model/families/text_embedding.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace minerva::model {

namespace {

constexpr std::int64_t rankPooling = 4;  // llama.cpp's number
constexpr Key poolingKey{"pooling_type", ""}, classifierPooling{"classifier.pooling_type", "classifier_pooling"},
    classifierActivation{"classifier.activation", "classifier_activation"}, joinedPooling{"", "pooling"},
    joinedTemperature{"", "temperature"};

// "BertForSequenceClassification"; empty: another use of the model, or GGUF.
std::string classifierOf(const Reader& reader) {
  const auto* list = reader.json({"", "architectures"});
  const bool named = list && list->is_array() && !list->empty() && list->front().is_string();
  const std::string name = named ? list->front().get<std::string>() : "";
  return name.ends_with("ForSequenceClassification") ? name : "";
}

bool isModern(const Reader& reader) { return reader.architecture() == "modern-bert" || reader.architecture() == "modernbert"; }

// NVIDIA's rerankers of Llama in both directions: query and document are one text, whose rows are pooled as the configuration says.
bool joinsTexts(const Reader& reader) { return reader.architecture() == "llama_bidirec"; }

// Every token sees all others, so that the first one's row stands for the text.
bool isEncoder(const Reader& reader) {
  constexpr std::array<std::string_view, 13> names{
      "bert", "roberta", "xlm-roberta",    "modern-bert",  "modernbert",   "nomic-bert",        "nomic_bert",
      "new",  "gte",     "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "jina_embeddings_v3"};
  return std::ranges::find(names, reader.architecture()) != names.end();
}

std::unexpected<Error> unsupportedHead(const Reader& reader, std::string what, std::string expected, std::string actual) {
  return fail({.kind = ErrorKind::unsupported,
               .what = std::move(what),
               .where = reader.file().path().string(),
               .expected = std::move(expected),
               .actual = utf8::printable(actual.substr(0, 80)),
               .hint = "Choose another reranker."});
}

// The first of these that the file has; empty: none.
std::string firstOf(const Reader& reader, std::span<const std::string_view> names) {
  const auto found = std::ranges::find_if(names, [&](std::string_view name) { return reader.hasNamed(std::string(name) + ".weight"); });
  return found == names.end() ? "" : std::string(*found);
}

Result<Linear> readWithBias(Reader& reader, const std::string& name, std::int64_t rows, std::int64_t columns) {
  Linear out;
  MINERVA_ASSIGN(out.weight, reader.tensor(name + ".weight", matrixShape(rows, columns)));
  if (reader.hasNamed(name + ".bias")) {
    MINERVA_ASSIGN(out.bias, reader.tensor(name + ".bias", vectorShape(rows)));
  }
  return out;
}

// What their code does where the configuration says nothing is the mean.
Result<Pooling> joinedTextsPooling(const Reader& reader) {
  constexpr std::pair<std::string_view, Pooling> kinds[] = {{"avg", Pooling::mean}, {"cls", Pooling::first}, {"last", Pooling::last}};
  MINERVA_ASSIGN(const auto stated, reader.string(joinedPooling));
  const std::string name = stated.value_or("avg");
  const auto kind = std::ranges::find(kinds, name, &std::pair<std::string_view, Pooling>::first);
  if (kind != std::end(kinds)) return kind->second;
  return unsupportedHead(reader, "The pooling of the reranker's rows is not supported", "avg, cls or last", name);
}

Result<void> readJoinedTexts(const Reader& reader, Ranking& ranking) {
  ranking.beforeQuery = "question:";
  ranking.beforeDocument = " \n \n passage:";
  MINERVA_ASSIGN(const auto temperature, reader.number(joinedTemperature));
  ranking.temperature = static_cast<float>(temperature.value_or(1));
  if (ranking.temperature > 0 && std::isfinite(ranking.temperature)) return {};
  return fail(reader.invalid(joinedTemperature, "The temperature of the reranker's scores is not valid", "a positive number",
                             std::to_string(*temperature)));
}

Result<Ranking::Activation> activationOf(const Reader& reader) {
  using enum Ranking::Activation;
  if (!isModern(reader)) return tanh;
  MINERVA_ASSIGN(const auto named, reader.string(classifierActivation));
  const std::string name = named.value_or("gelu");
  if (name == "gelu") return gelu;
  if (name == "silu") return silu;
  if (name == "tanh") return tanh;
  return unsupportedHead(reader, "The activation of the reranker's head is not supported", "gelu, silu or tanh", name);
}

}  // namespace

Result<bool> isReranker(const Reader& reader) {
  if (!reader.isGguf()) return !classifierOf(reader).empty();
  MINERVA_ASSIGN(const auto kind, reader.integer(poolingKey));
  return kind == rankPooling || reader.hasNamed("cls.output.weight");
}

Result<Pooling> rankingPooling(const Reader& reader) {
  if (joinsTexts(reader)) return joinedTextsPooling(reader);
  if (!isEncoder(reader)) return Pooling::last;
  if (!isModern(reader)) return Pooling::first;
  if (reader.isGguf()) {
    MINERVA_ASSIGN(const auto stated, reader.integer(classifierPooling));
    return stated == static_cast<std::int64_t>(Pooling::mean) ? Pooling::mean : Pooling::first;
  }
  MINERVA_ASSIGN(const auto stated, reader.string(classifierPooling));
  const std::string name = stated.value_or("cls");
  if (name == "cls") return Pooling::first;
  if (name == "mean") return Pooling::mean;
  return unsupportedHead(reader, "The pooling of the reranker's head is not supported", "cls or mean", name);
}

Result<void> refuseRanking(const Reader& reader) {
  MINERVA_ASSIGN(const bool ranks, isReranker(reader));
  if (!ranks) return {};
  return unsupportedHead(reader, "A reranker of this kind is not supported", "an embedding model", reader.architecture());
}

Result<void> readRanking(Reader& reader, ModelConfig& config) {
  constexpr std::array<std::string_view, 7> denseNames{"cls",          "bert.pooler.dense", "new.pooler.dense", "gte.pooler.dense",
                                                       "pooler.dense", "classifier.dense",  "head.dense"};
  constexpr std::array<std::string_view, 2> normNames{"cls.norm", "head.norm"};
  constexpr std::array<std::string_view, 4> scoreNames{"cls.output", "classifier.out_proj", "classifier", "score"};
  const std::int64_t hidden = config.hiddenSize;
  Ranking ranking;
  if (const std::string name = firstOf(reader, denseNames); !name.empty()) {
    MINERVA_ASSIGN(ranking.dense, readWithBias(reader, name, hidden, hidden));
  }
  if (const std::string name = firstOf(reader, normNames); !name.empty()) {
    MINERVA_ASSIGN(ranking.norm.weight, reader.tensor(name + ".weight", vectorShape(hidden)));
    if (reader.hasNamed(name + ".bias")) {
      MINERVA_ASSIGN(ranking.norm.bias, reader.tensor(name + ".bias", vectorShape(hidden)));
    }
  }
  MINERVA_ASSIGN(ranking.activation, activationOf(reader));
  if (joinsTexts(reader)) MINERVA_TRY(readJoinedTexts(reader, ranking));
  const std::string name = firstOf(reader, scoreNames);
  const TensorView* stored = reader.file().find(name + ".weight");
  const std::int64_t rows = stored ? stored->shape.rows() : 0;
  const bool answers = reader.isGguf() && !isEncoder(reader) && rows == 2;
  if (rows != 1 && !answers) {
    return unsupportedHead(reader, "The head gives another number of values than a reranker's", "1", std::to_string(rows));
  }
  MINERVA_ASSIGN(const Linear head, readWithBias(reader, name, rows, hidden));
  for (std::int64_t row = 0; row < rows; ++row) {
    MINERVA_ASSIGN(Linear score, rows == 1 ? head : rowsOf(head, row, 1));
    ranking.scores.push_back(std::move(score));
  }
  config.ranking = std::move(ranking);
  return {};
}

Result<void> rankByAnswer(ModelConfig& config, std::int64_t yes, std::int64_t no) {
  const std::int64_t rows = config.head.weight.empty() ? 0 : config.head.weight.shape.rows();
  const bool plain = config.logitScale == 1 && config.logitSoftCap == 0;
  if (config.embeds() || !plain || config.head.weight.shape.rank != 2 || std::min(yes, no) < 0 || std::max(yes, no) >= rows) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This model cannot rank by the tokens of its answer",
                 .where = config.displayName,
                 .expected = "a model that predicts tokens, \"yes\" and \"no\" among them",
                 .actual = config.embeds() ? "an embedding model" : std::to_string(rows) + " tokens",
                 .hint = "Choose a reranker."});
  }
  Ranking ranking;
  for (const std::int64_t token : {yes, no}) {
    MINERVA_ASSIGN(Linear score, rowsOf(config.head, token, 1));
    ranking.scores.push_back(std::move(score));
  }
  config.ranking = std::move(ranking);
  config.embedding.pooling = Pooling::last;
  config.embedding.normalised = false;
  return {};
}

}  // namespace minerva::model
