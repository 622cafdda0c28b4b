// POST /v1/rerank and /rerank, as Jina, Cohere and llama-server have it, for rerankers.
#include "core/serve/fields.h"
#include "core/serve/model_name.h"
#include "core/serve/route.h"

#include <algorithm>
#include <numeric>

namespace minerva::serve {
namespace {

constexpr std::size_t mostDocuments = 2048;
constexpr std::size_t documentsAtOnce = 32;  // between two looks at whether the client is still there

// Texts, or objects with a text.
Result<std::vector<std::string>> readDocuments(const Json& body) {
  const Json* documents = present(body, "documents");
  const char* const expected = "an array of 1 to 2048 texts";
  if (documents == nullptr || !documents->is_array())
    return wrongField("documents", expected, documents == nullptr ? "none" : documents->type_name());
  if (documents->empty() || documents->size() > mostDocuments) return wrongField("documents", expected, std::to_string(documents->size()));
  std::vector<std::string> out;
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const Json& one = (*documents)[i];
    const Json* text = one.is_object() ? present(one, "text") : &one;
    if (text == nullptr || !text->is_string())
      return wrongField("documents[" + std::to_string(i) + "]", "a text, or an object with one", one.type_name());
    out.push_back(text->get<std::string>());
  }
  return out;
}

// The client's end is seen between steps.
Result<engine::RankedTexts> rank(Context& context, const Call& call, const std::string& query, std::span<const std::string> documents) {
  MINERVA_ASSIGN(const auto turn, waitForTurn(context, call));
  engine::RankedTexts all;
  for (std::size_t done = 0; done < documents.size(); done += documentsAtOnce) {
    if (call.gone()) return fail({.kind = ErrorKind::cancelled, .what = "The client has closed its connection", .where = "connection"});
    const auto some = documents.subspan(done, std::min(documentsAtOnce, documents.size() - done));
    MINERVA_ASSIGN(const engine::RankedTexts ranked, context.reranker->rank(query, some, {}, context.stopping.get_token()));
    all.scores.insert(all.scores.end(), ranked.scores.begin(), ranked.scores.end());
    all.tokens.insert(all.tokens.end(), ranked.tokens.begin(), ranked.tokens.end());
    all.shortened += ranked.shortened;
  }
  return all;
}

// As Cohere's servers tell it.
std::string cutWarning(std::size_t documents, int length) {
  return "Documents that were cut so that they fit into " + std::to_string(length) + " tokens with the query: " + std::to_string(documents);
}

}  // namespace

Result<Reply> answerRerank(Context& context, const Call& call) {
  MINERVA_TRY(checkKind(context, ModelKind::scores));
  MINERVA_TRY(checkModelName(call.body, context.model));
  MINERVA_ASSIGN(const auto query, stringField(call.body, "query"));
  if (!query || query->empty()) return wrongField("query", "a text", query ? "an empty one" : "none");
  MINERVA_ASSIGN(const std::vector<std::string> documents, readDocuments(call.body));
  MINERVA_ASSIGN(const auto top, integerField(call.body, "top_n", 1, std::numeric_limits<std::int32_t>::max()));
  MINERVA_ASSIGN(const auto withTexts, boolField(call.body, "return_documents"));
  MINERVA_ASSIGN(const engine::RankedTexts ranked, rank(context, call, *query, documents));
  std::vector<std::size_t> order(documents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return ranked.scores[a] > ranked.scores[b]; });
  if (top) order.resize(std::min(order.size(), static_cast<std::size_t>(*top)));
  Json results = Json::array();
  for (const std::size_t i : order) {
    Json one{{"index", i}, {"relevance_score", ranked.scores[i]}};
    if (withTexts.value_or(false)) one["document"] = {{"text", documents[i]}};
    results.push_back(std::move(one));
  }
  const int tokens = std::accumulate(ranked.tokens.begin(), ranked.tokens.end(), 0);
  Json answer{{"model", context.model},
              {"object", "list"},
              {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}},
              {"results", std::move(results)}};
  if (ranked.shortened > 0) answer["meta"] = {{"warnings", {cutWarning(ranked.shortened, context.reranker->info().textLength)}}};
  return Reply{.body = written(answer)};
}

}  // namespace minerva::serve
