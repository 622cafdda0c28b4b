// The HTTP server over one loaded model, the one that a window has loaded, or several. All functions may be called from any thread; start()
// returns when clients are accepted.
#pragma once

#include "core/engine/engine.h"
#include "core/serve/model_shelf.h"
#include "core/serve/options.h"
#include "core/serve/watch.h"

#include <functional>
#include <memory>
#include <string>

namespace minerva::serve {

// What is served: one of these.
struct Model {
  // A language model for the server alone, which must outlive it.
  engine::Engine* engine = nullptr;  // loaded with a queue of Options::waiting and `slots` at least
  int slots = 1;                     // LoadOptions::sequences
  // An embedding model for the server alone, which must outlive it.
  engine::Embedder* embedder = nullptr;
  // Language models that come and go, whose engine others use too: asked at each request, on its thread, for the desk of the present one.
  // needed: the request is for the model itself; others, which clients repeat all the time, must not load it, and may be given a closed
  // desk. gone: as in ModelShelf::take(), valid during the call. Its error is why there is none, told with status 503.
  std::function<Result<std::shared_ptr<EngineDesk>>(bool needed, const std::function<bool()>& gone)> desk{};
  // A model that ranks documents, for the server alone; it must outlive it.
  engine::Reranker* reranker = nullptr;
  // Models that requests name. It must outlive the server, which stops it.
  ModelShelf* shelf = nullptr;
  bool alone = false;  // the shelf has one model, which requests need not name, and which has its own name
};

class Server {
 public:
  // Drives Model::engine on a thread of its own and takes over its sink. watcher: sees every request but answered ones of /health and
  // /metrics, which are repeated all the time; may be empty. Errors: invalidArgument (no key beyond loopback, no model), io (the port is
  // taken, the address is not this machine's), outOfMemory (the system has no thread to give).
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const Model& model, Options options, Watcher watcher = {});
  ~Server();  // as stop()

  [[nodiscard]] int port() const;
  [[nodiscard]] std::string address() const;  // "http://127.0.0.1:8080"
  // Requests underway end with an error (those at Model::desk when that desk is closed, which is its owner's part); open connections are
  // closed within 5 s. Returns when no thread is left.
  void stop();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace minerva::serve
