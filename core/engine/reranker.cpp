#include "core/engine/reranker.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace minerva::engine {

using text::TokenId;

namespace {

constexpr std::size_t mostHeadElements = std::size_t{1} << 26;  // 256 MB of floats

// How Qwen3-Reranker's makers ask. Query and document are between these.
constexpr const char* beforeQuestion =
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer "
    "can only be \"yes\" or \"no\".<|im_end|>\n<|im_start|>user\n";
constexpr const char* afterQuestion = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n";
constexpr const char* usualInstruction = "Given a web search query, retrieve relevant passages that answer the query";

double activate(model::Ranking::Activation how, double x) {
  using enum model::Ranking::Activation;
  switch (how) {
    case gelu: return x * std::erfc(-x / std::numbers::sqrt2) / 2;
    case silu: return x / (1 + std::exp(-x));
    default: return std::tanh(x);
  }
}

std::vector<float> vectorOf(const TensorView& view) {
  std::vector<float> values(view.empty() ? 0 : static_cast<std::size_t>(view.shape.elements()));
  if (!values.empty()) dequantizeRows(view, 0, 1, values.data());
  return values;
}

// A query and a document as tokens.
struct Parts {
  std::vector<TokenId> tokens;      // up to the end of the document
  std::size_t second = 0;           // of these, the first of the document
  std::vector<TokenId> after = {};  // what comes behind it
};

// Only what Minerva writes itself may name special tokens.
constexpr text::EncodeOptions own{.addSpecial = false, .parseSpecial = true}, foreign{.addSpecial = false, .parseSpecial = false},
    whole{.addSpecial = true, .parseSpecial = false};

void cutAfter(std::size_t end, Parts& parts) {
  parts.after.assign(parts.tokens.begin() + static_cast<std::ptrdiff_t>(end), parts.tokens.end());
  parts.tokens.resize(end);
}

Parts asked(const text::Tokenizer& tokenizer, const std::string& instruction, const std::string& query, const std::string& document) {
  const std::string question =
      "<Instruct>: " + (instruction.empty() ? usualInstruction : instruction) + "\n<Query>: " + query + "\n<Document>: ";
  Parts parts{.tokens = tokenizer.encode(beforeQuestion, own), .after = tokenizer.encode(afterQuestion, own)};
  parts.second = parts.tokens.size() + tokenizer.encode(question, foreign).size();
  const auto tokens = tokenizer.encode(question + document, foreign);
  parts.tokens.insert(parts.tokens.end(), tokens.begin(), tokens.end());
  return parts;
}

Parts joined(const text::Tokenizer& tokenizer, const model::Ranking& ranking, const std::string& query, const std::string& document) {
  const std::string begin = ranking.beforeQuery + query + ranking.beforeDocument;
  Parts parts{.tokens = tokenizer.encode(begin + document, whole)};
  const auto text = tokenizer.encode(begin + document, foreign);
  const auto found = std::ranges::search(parts.tokens, text);
  const auto from = found.empty() ? 0 : static_cast<std::size_t>(found.begin() - parts.tokens.begin());
  const auto end = found.empty() ? parts.tokens.size() : from + text.size();
  parts.second = std::min(end, from + tokenizer.encode(begin, foreign).size());
  cutAfter(end, parts);
  return parts;
}

Parts paired(const text::Tokenizer& tokenizer, const std::string& query, const std::string& document) {
  Parts parts{.tokens = tokenizer.encodePair(query, document, whole)};
  const auto text = tokenizer.encode(document, foreign);
  const auto found = std::ranges::find_end(parts.tokens, text);
  const bool none = text.empty() || found.empty();
  parts.second = none ? parts.tokens.size() - std::min<std::size_t>(1, parts.tokens.size())
                      : static_cast<std::size_t>(found.begin() - parts.tokens.begin());
  cutAfter(none ? parts.second : parts.second + text.size(), parts);
  return parts;
}

}  // namespace

// On the host: a few thousand products for each document are nothing beside the model.
class Reranker::Head {
 public:
  explicit Head(const model::ModelConfig& config)
      : m_dense(config.ranking->dense),
        m_activation(config.ranking->activation),
        m_normWeight(vectorOf(config.ranking->norm.weight)),
        m_normBias(vectorOf(config.ranking->norm.bias)),
        m_epsilon(static_cast<double>(config.normEpsilon)),
        m_temperature(static_cast<double>(config.ranking->temperature)) {
    for (const model::Linear& score : config.ranking->scores) m_scores.emplace_back(score);
  }
  [[nodiscard]] bool asks() const { return m_scores.size() == 2; }

  [[nodiscard]] float score(std::span<const float> row) const {
    std::vector<double> x(row.begin(), row.end());
    if (m_dense.rows > 0) {
      x = m_dense.times(x);
      for (double& value : x) value = activate(m_activation, value);
      if (!m_normWeight.empty()) normalise(x);
    }
    const double first = m_scores.front().times(x).front();
    if (!asks()) return static_cast<float>(first / m_temperature);
    return static_cast<float>(1 / (1 + std::exp(m_scores.back().times(x).front() - first)));
  }

 private:
  // A matrix of the head with its bias, as floats.
  struct HostLinear {
    std::size_t rows = 0, columns = 0;
    std::vector<float> weight, bias;

    explicit HostLinear(const model::Linear& from)
        : rows(from.weight.empty() ? 0 : static_cast<std::size_t>(from.weight.shape.rows())),
          columns(from.weight.empty() ? 0 : static_cast<std::size_t>(from.weight.shape.columns())),
          weight(rows * columns) {
      if (rows > 0) dequantizeRows(from.weight, 0, rows, weight.data());
      if (from.bias.empty()) return;
      bias.resize(rows);
      dequantizeRows(from.bias, 0, 1, bias.data());
    }
    [[nodiscard]] std::vector<double> times(std::span<const double> x) const {
      std::vector<double> out(rows);
      for (std::size_t row = 0; row < rows; ++row) {
        double sum = bias.empty() ? 0 : bias[row];
        for (std::size_t i = 0; i < columns; ++i) sum += static_cast<double>(weight[row * columns + i]) * x[i];
        out[row] = sum;
      }
      return out;
    }
  };

  void normalise(std::vector<double>& x) const {
    double mean = 0, variance = 0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = (x[i] - mean) / std::sqrt(variance + m_epsilon) * static_cast<double>(m_normWeight[i]);
      if (!m_normBias.empty()) x[i] += static_cast<double>(m_normBias[i]);
    }
  }

  HostLinear m_dense;
  model::Ranking::Activation m_activation;
  std::vector<float> m_normWeight, m_normBias;
  double m_epsilon, m_temperature;
  std::vector<HostLinear> m_scores;
};

Result<std::unique_ptr<Reranker>> Reranker::load(backend::Backend& backend, EmbedderOptions options, const backend::Progress& progress,
                                                 std::stop_token stop) {
  options.ranks = true;
  MINERVA_ASSIGN(auto embedder, Embedder::load(backend, options, progress, std::move(stop)));
  const auto hidden = static_cast<std::size_t>(embedder->config().hiddenSize);
  if (hidden * hidden > mostHeadElements) {
    return fail({.kind = ErrorKind::limit,
                 .what = "The reranker's head is too large",
                 .where = options.path.string(),
                 .expected = "up to " + std::to_string(mostHeadElements) + " weights",
                 .actual = std::to_string(hidden * hidden)});
  }
  auto head = std::make_unique<const Head>(embedder->config());
  return std::unique_ptr<Reranker>(new Reranker(std::move(embedder), std::move(head)));
}

Reranker::Reranker(std::unique_ptr<Embedder> embedder, std::unique_ptr<const Head> head)
    : m_embedder(std::move(embedder)), m_head(std::move(head)) {}
Reranker::~Reranker() = default;

const EmbedderInfo& Reranker::info() const { return m_embedder->info(); }
bool Reranker::asks() const { return m_head->asks(); }

// A pair that is too long loses the end of its document, not what comes behind that.
Result<Reranker::Pair> Reranker::pairOf(const std::string& query, const std::string& document, const RankHow& how) const {
  const text::Tokenizer& tokenizer = m_embedder->tokenizer();
  const model::Ranking& ranking = *m_embedder->config().ranking;
  Parts parts = asks()                        ? asked(tokenizer, how.instruction, query, document)
                : ranking.beforeQuery.empty() ? paired(tokenizer, query, document)
                                              : joined(tokenizer, ranking, query, document);
  const std::vector<TokenId>& after = parts.after;
  Pair pair{.tokens = std::move(parts.tokens), .second = parts.second};
  const auto most = static_cast<std::size_t>(m_embedder->info().textLength);
  const std::size_t least = pair.second + after.size();
  if (least >= most) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The query leaves no room for a document",
                 .where = "query",
                 .expected = "less than " + std::to_string(most) + " tokens",
                 .actual = std::to_string(least)});
  }
  pair.shortened = pair.tokens.size() + after.size() > most;
  if (pair.shortened) pair.tokens.resize(most - after.size());
  pair.tokens.insert(pair.tokens.end(), after.begin(), after.end());
  // Models without types, as all that are asked are, have no second text.
  if (asks() || m_embedder->config().typeEmbedding.empty() || m_embedder->config().typeEmbedding.shape.rows() < 2)
    pair.second = pair.tokens.size();
  return pair;
}

Result<RankedTexts> Reranker::rank(const std::string& query, std::span<const std::string> documents, const RankHow& how,
                                   std::stop_token stop) {
  RankedTexts result;
  std::vector<std::vector<TokenId>> texts;
  std::vector<std::size_t> seconds;
  for (const std::string& document : documents) {
    MINERVA_ASSIGN(Pair pair, pairOf(query, document, how));
    texts.push_back(std::move(pair.tokens));
    seconds.push_back(pair.second);
    result.shortened += pair.shortened ? 1 : 0;
  }
  MINERVA_ASSIGN(TextVectors rows, m_embedder->embedPairs(texts, seconds, std::move(stop)));
  for (std::size_t i = 0; i < texts.size(); ++i) result.scores.push_back(m_head->score(rows.of(i)));
  result.tokens = std::move(rows.tokens);
  result.steps = rows.steps;
  return result;
}

}  // namespace minerva::engine
