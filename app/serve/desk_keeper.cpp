#include "app/serve/desk_keeper.h"

namespace minerva::app {

void DeskKeeper::open(std::size_t most) {
  const std::scoped_lock lock(m_mutex);
  m_most = most;
  makeDesk();
}

void DeskKeeper::close() {
  const std::scoped_lock lock(m_mutex);
  m_most = 0;
  endDesk({.kind = ErrorKind::cancelled, .what = "The server is stopping"});
}

void DeskKeeper::setWhyNot(const Error& reason, bool rests) {
  const std::scoped_lock lock(m_mutex);
  m_whyNot = reason;
  m_rests = rests;
}

Result<std::shared_ptr<serve::EngineDesk>> DeskKeeper::desk(bool needed) const {
  Error reason;
  {
    const std::scoped_lock lock(m_mutex);
    if (m_desk) return m_desk;
    if (!needed && m_rests && m_closed) return m_closed;
    reason = m_whyNot;
  }
  if (needed) m_wanted();
  return fail(reason);
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
}

void DeskKeeper::endDesk(const Error& reason) {
  if (!m_desk) return;
  m_desk->close(reason);
  m_figures = m_desk->figures();
  m_closed = std::move(m_desk);
}

}  // namespace minerva::app
