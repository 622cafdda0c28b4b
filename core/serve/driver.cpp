#include "core/serve/driver.h"

#include "core/base/start_thread.h"

namespace minerva::serve {

Driver::Driver(engine::Engine& engine, std::size_t most) : EngineDesk(engine, most), m_engine(engine) {
  m_engine.setSink([this](const engine::Event& event) { hear(event); });
  m_started = startThread(m_thread, [this](const std::stop_token& stop) { drive(stop); });
  if (!m_started) close(m_started.error());
}

Driver::~Driver() {
  stop();
  m_engine.setSink({});
}

void Driver::drive(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (!m_engine.step() && !m_engine.waitForWork(stop)) return;
  }
}

void Driver::stop() {
  m_thread.request_stop();
  if (m_thread.joinable()) m_thread.join();
  close({.kind = ErrorKind::cancelled, .what = "The server is stopping", .where = "server"});
}

}  // namespace minerva::serve
