#include "core/serve/until_signal.h"

#include <cstdio>

namespace minerva::serve {

EndSignals::EndSignals() {
  sigemptyset(&m_signals);
  sigaddset(&m_signals, SIGTERM);
  sigaddset(&m_signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &m_signals, &m_before);
}

EndSignals::~EndSignals() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }

void EndSignals::await() const {
  int signal = 0;
  sigwait(&m_signals, &signal);
}

Result<void> serveUntilSignal(const EndSignals& signals, const Model& model, const Options& options) {
  MINERVA_ASSIGN(const auto server, Server::start(model, options));
  std::printf("listening on %s\n", server->address().c_str());
  std::fflush(stdout);
  signals.await();
  server->stop();
  return {};
}

Result<void> serveOne(const EndSignals& signals, ShelfItem item, ModelShelf::Load load, const Options& options) {
  const std::string name = item.name;
  ModelShelf shelf({std::move(item)}, std::move(load), {});
  MINERVA_TRY(shelf.take(name, {}));
  Model model;
  model.shelf = &shelf;
  model.alone = true;
  return serveUntilSignal(signals, model, options);
}

Result<void> serveSeveral(const EndSignals& signals, std::vector<ShelfItem> items, ModelShelf::Load load, ModelShelf::How how,
                          const Options& options) {
  ModelShelf shelf(std::move(items), std::move(load), how);
  Model model;
  model.shelf = &shelf;
  return serveUntilSignal(signals, model, options);
}

}  // namespace minerva::serve
