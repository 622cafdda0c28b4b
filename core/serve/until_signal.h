// Serving from a terminal: until SIGTERM or Control-C.
#pragma once

#include "core/serve/server.h"

#include <csignal>

namespace minerva::serve {

// Blocks the signals in this thread and all that it starts from now on, so that only await() takes them.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  void await() const;
  [[nodiscard]] bool haveCome() const;  // so that await() returns at once

 private:
  sigset_t m_signals{}, m_before{};
};

// Prints "listening on http://HOST:PORT" to stdout, and returns when a signal has come and no thread is left. `signals`: made before the
// model was loaded. Errors: those of Server::start; io, if that line cannot be
// written.
[[nodiscard]] Result<void> serveUntilSignal(const EndSignals& signals, const Model& model, const Options& options);
// One model, under the name it has itself, in memory all the time, from the start. Errors: those of the load, too.
[[nodiscard]] Result<void> serveOne(const EndSignals& signals, ShelfItem item, ModelShelf::Load load, const Options& options);
// Several, loaded when a request names them.
[[nodiscard]] Result<void> serveSeveral(const EndSignals& signals, std::vector<ShelfItem> items, ModelShelf::Load load, ModelShelf::How how,
                                        const Options& options);

}  // namespace minerva::serve
