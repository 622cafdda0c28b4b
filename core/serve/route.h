// A route: method, path and the function that answers. No HTTP library here, so that routes are plain functions.
#pragma once

#include "core/engine/reranker.h"
#include "core/serve/desk.h"
#include "core/serve/format_fields.h"
#include "core/serve/kept_responses.h"
#include "core/serve/model_kind.h"
#include "core/serve/model_shelf.h"
#include "core/serve/options.h"
#include "core/serve/parse_json.h"
#include "core/serve/turn.h"

#include <ctime>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace minerva::serve {

// What one request is answered from: a language model (engine and driver), an embedder or a reranker. A GET route of a server with a shelf
// has none of them: it must not load a model.
struct Context {
  const Options& options;
  Turn& turn;                  // held while the embedder or the reranker runs
  std::stop_source& stopping;  // the server stops
  Grammars& grammars;          // the latest, of all requests
  const ServedModel* engine = nullptr;
  Desk* driver = nullptr;
  engine::Embedder* embedder = nullptr;
  engine::Reranker* reranker = nullptr;
  const ModelShelf* shelf = nullptr;  // of a server with several models
  ModelShelf* counts = nullptr;       // of a server with several models or one: has the figures and the list of all
  std::string model{};                // the name that clients use
  std::time_t started = 0;            // Unix time
  KeptResponses* kept = nullptr;      // of all requests; null: none are
};

struct Call {
  const Json& body;            // an object; empty for GET
  std::function<bool()> gone;  // the client closed its connection; valid until the reply is written
  std::string rest{};          // of the path, behind that of a route which ends with a slash
};

// Writes a piece of the body; false: the client is gone.
using Write = std::function<bool(std::string_view)>;

struct Reply {
  std::string body{};
  std::string type = "application/json";
  std::function<void(const Write&)> stream{};  // in place of `body`
};

struct Route {
  const char* method;
  const char* path;  // the whole one; one that ends with a slash has more behind it, but for "/"
  bool open;         // needs no key
  Result<Reply> (*answer)(Context& context, const Call& call);
  bool (*sparesModel)(const Json& body) = nullptr;  // a request that needs no model: none is loaded for it
  const char* prompt = nullptr;                     // the field that holds it
  bool withoutModel = false;                        // it has an answer also while the server has no model, with a Context of none
};

// route_table.cpp
[[nodiscard]] std::span<const Route> routes();
// The path as routes have it: without a slash behind it, doubled ones, and a second "/v1", which addresses that users enter lead to.
[[nodiscard]] std::string plainPath(std::string_view path);
// What the path has behind the route's; nullopt: it is another route's.
[[nodiscard]] std::optional<std::string> restOf(const Route& route, std::string_view path);

// The models of the server.
[[nodiscard]] std::vector<ModelShelf::Listed> modelsOf(const Context& context);

// Each family is in the file of its name.
[[nodiscard]] Result<Reply> answerHealth(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerModels(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerModel(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerMetrics(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerChat(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerText(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerLlamaCompletion(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerLlamaInfill(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerResponses(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerMessages(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerMessageTokens(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerEmbeddings(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerRerank(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerOllamaRoot(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerOllamaVersion(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerOllamaTags(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerOllamaShow(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerOllamaProcesses(Context& context, const Call& call);
[[nodiscard]] bool unloadsInOllama(const Json& body);
[[nodiscard]] Result<Reply> answerOllamaChat(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerOllamaGenerate(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerOllamaEmbed(Context& context, const Call& call);
[[nodiscard]] Result<Reply> answerOllamaEmbedding(Context& context, const Call& call);

}  // namespace minerva::serve
