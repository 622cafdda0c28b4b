// The HTTP server over one loaded model. All functions may be called from any thread; start() returns when clients are accepted.
#pragma once

#include "core/engine/engine.h"
#include "core/serve/options.h"

#include <memory>
#include <string>

namespace minerva::serve {

class Server {
 public:
  // Takes over the engine's sink and drives the engine on a thread of its own: nobody else may use it meanwhile. It must outlive the
  // server and have been loaded with a queue of `options.waiting` and its slots at least. slots: LoadOptions::sequences. Errors:
  // invalidArgument (no key beyond loopback), io (the port is taken, the address is not this machine's).
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(engine::Engine& engine, int slots, Options options);
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
