#include "core/serve/until_signal.h"

#include "core/base/standard_output.h"
#include "core/base/start_thread.h"

#include <chrono>
#include <cstdio>
#include <thread>

namespace minerva::serve {
namespace {

constexpr std::chrono::milliseconds lookForSignal{50};

}  // namespace

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

bool EndSignals::haveCome() const {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1;
}

Result<void> serveUntilSignal(const EndSignals& signals, const Model& model, const Options& options) {
  MINERVA_ASSIGN(const auto server, Server::start(model, options));
  std::printf("listening on %s\n", server->address().c_str());
  MINERVA_TRY(flushStandardOutput());  // whoever started it waits for this line
  signals.await();
  server->stop();
  return {};
}

namespace {

// The first load, which a signal ends.
Result<std::shared_ptr<LoadedModel>> takeUntilSignal(const EndSignals& signals, ModelShelf& shelf, const std::string& name) {
  std::jthread watch;
  (void)startThread(watch, [&](const std::stop_token& stop) {
    while (!stop.stop_requested() && !signals.haveCome()) std::this_thread::sleep_for(lookForSignal);
    if (signals.haveCome()) shelf.stop();
  });
  return shelf.take(name, {});
}

}  // namespace

Result<void> serveOne(const EndSignals& signals, ShelfItem item, ModelShelf::Load load, const Options& options) {
  const std::string name = item.name;
  ModelShelf shelf({std::move(item)}, std::move(load), {});
  const auto loaded = takeUntilSignal(signals, shelf, name);
  if (signals.haveCome()) {
    signals.await();
    return {};
  }
  MINERVA_TRY(loaded);
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
