// The HTTP server over one loaded model. All functions may be called from any thread; start() returns when clients are accepted.
#pragma once

#include "core/engine/embedder.h"
#include "core/engine/engine.h"
#include "core/serve/options.h"

#include <memory>
#include <string>

namespace minerva::serve {

// What is served: one of the two. Nobody else may use it meanwhile, and it must outlive the server.
struct Model {
  engine::Engine* engine = nullptr;  // loaded with a queue of Options::waiting and `slots` at least
  int slots = 1;                     // LoadOptions::sequences
  engine::Embedder* embedder = nullptr;
};

class Server {
 public:
  // Takes over the engine's sink and drives it on a thread of its own. Errors: invalidArgument (no key beyond loopback, no model), io (the
  // port is taken, the address is not this machine's).
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const Model& model, Options options);
  ~Server();  // as stop()

  [[nodiscard]] int port() const;
  [[nodiscard]] std::string address() const;  // "http://127.0.0.1:8080"
  // Requests underway end with an error; open connections are closed within 5 s. Returns when no thread is left.
  void stop();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace minerva::serve
