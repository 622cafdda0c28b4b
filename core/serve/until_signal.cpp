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

}  // namespace minerva::serve
