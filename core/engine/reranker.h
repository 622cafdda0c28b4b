// Ranks documents by how well they answer a query: each pair of query and document runs whole through a reranker, which gives it a score.
//
// Cross-encoders (BERT, RoBERTa and XLM-R, ModernBERT with a head of one label) give a number without bounds, models that are asked for an
// answer (Qwen3-Reranker) the probability of "yes". Blocking, for one thread at a time; info() from any thread.
#pragma once

#include "core/engine/embedder.h"

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace minerva::engine {

struct RankHow {
  // Of models that are asked for an answer: what the documents are judged by; empty: as for a search on the web.
  std::string instruction{};
};

struct RankedTexts {
  std::vector<float> scores;  // of each document, in their order; the higher, the better
  std::vector<int> tokens;    // of each pair, as computed
  std::size_t shortened = 0;  // documents that were cut so that their pair fits
  std::size_t steps = 0;      // on the device
};

class Reranker {
 public:
  // options.ranks is set by this. The backend must outlive the reranker. Errors: those of Embedder::load; unsupported for a model that
  // neither has a head for scores nor predicts "yes" and "no".
  [[nodiscard]] static Result<std::unique_ptr<Reranker>> load(backend::Backend& backend, EmbedderOptions options,
                                                              const backend::Progress& progress, std::stop_token stop);
  ~Reranker();

  [[nodiscard]] const EmbedderInfo& info() const;
  // Scores are probabilities of "yes", not numbers without bounds.
  [[nodiscard]] bool asks() const;

  // Errors: invalidArgument (a query that leaves no room for a document), cancelled, those of Embedder::embedTokens.
  [[nodiscard]] Result<RankedTexts> rank(const std::string& query, std::span<const std::string> documents, const RankHow& how = {},
                                         std::stop_token stop = {});
  // The tokens of a pair, and the index of the first one that counts as the document's.
  struct Pair {
    std::vector<text::TokenId> tokens;
    std::size_t second = 0;
    bool shortened = false;
  };
  [[nodiscard]] Result<Pair> pairOf(const std::string& query, const std::string& document, const RankHow& how = {}) const;

 private:
  class Head;
  Reranker(std::unique_ptr<Embedder> embedder, std::unique_ptr<const Head> head);
  std::unique_ptr<Embedder> m_embedder;
  std::unique_ptr<const Head> m_head;
};

}  // namespace minerva::engine
