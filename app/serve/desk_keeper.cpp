#include "app/serve/desk_keeper.h"

namespace minerva::app {
namespace {

Error stoppingServer() { return {.kind = ErrorKind::cancelled, .what = "The server is stopping"}; }

}  // namespace

void DeskKeeper::open(std::size_t most) {
  const std::scoped_lock lock(m_mutex);
  m_most = most;
  makeDesk();
}

void DeskKeeper::close() {
  const std::scoped_lock lock(m_mutex);
  m_most = 0;
  endDesk(stoppingServer());
  m_changed.notify_all();
}

void DeskKeeper::setWhyNot(const Error& reason, Waits waits) {
  const std::scoped_lock lock(m_mutex);
  m_whyNot = reason;
  m_waits = waits;
  m_changed.notify_all();
}

Result<std::shared_ptr<serve::EngineDesk>> DeskKeeper::desk(bool needed, const std::function<bool()>& gone) const {
  constexpr std::chrono::milliseconds lookForClient{50};
  std::unique_lock lock(m_mutex);
  if (m_desk) return m_desk;
  if (!needed) {
    if (m_waits == Waits::untilWoken && m_closed) return m_closed;
    return fail(m_whyNot);
  }
  const TimePoint until = Clock::now() + m_patience;
  lock.unlock();
  m_wanted();
  lock.lock();
  while (!m_desk) {
    if (m_most == 0) return fail(stoppingServer());
    if (m_waits == Waits::no || Clock::now() >= until) return fail(m_whyNot);
    m_changed.wait_for(lock, lookForClient);
    lock.unlock();
    if (gone && gone()) return fail({.kind = ErrorKind::cancelled, .what = "The client has closed its connection", .where = "connection"});
    lock.lock();
  }
  return m_desk;
}

void DeskKeeper::engineReady(engine::Engine& engine, const std::function<void()>& wake) {
  const std::scoped_lock lock(m_mutex);
  m_engine = &engine;
  m_wake = wake;
  makeDesk();
}

void DeskKeeper::hear(const engine::Event& event) {
  std::shared_ptr<serve::EngineDesk> desk;
  {
    const std::scoped_lock lock(m_mutex);
    desk = m_desk;
  }
  if (desk) desk->hear(event);
}

void DeskKeeper::engineGoes() {
  const std::scoped_lock lock(m_mutex);
  m_engine = nullptr;
  endDesk(
      {.kind = ErrorKind::cancelled, .what = "The model was closed in Minerva's window", .hint = "Send it again when a model is loaded"});
}

bool DeskKeeper::isBusy() const {
  const std::scoped_lock lock(m_mutex);
  return m_desk && m_desk->figures().underway > 0;
}

void DeskKeeper::makeDesk() {
  if (m_engine == nullptr || m_most == 0 || m_desk) return;
  m_desk = std::make_shared<serve::EngineDesk>(*m_engine, m_most, m_wake, m_figures);
  m_changed.notify_all();
}

void DeskKeeper::endDesk(const Error& reason) {
  if (!m_desk) return;
  m_desk->close(reason);
  m_figures = m_desk->figures();
  m_closed = std::move(m_desk);
}

}  // namespace minerva::app
