// A desk whose engine nobody else uses: owns the one thread that drives the engine.
#pragma once

#include "core/serve/desk.h"

#include <thread>

namespace minerva::serve {

class Driver final : public EngineDesk {
 public:
  // Takes over the engine's sink. most: as in EngineDesk. The engine must outlive the driver. If the system has no thread to give, every
  // request is refused with that.
  Driver(engine::Engine& engine, std::size_t most);
  ~Driver() override;  // as stop()
  // The error if there was no thread.
  [[nodiscard]] const Result<void>& started() const { return m_started; }
  // Ends the thread; requests underway fail with `cancelled`.
  void stop();

 private:
  void drive(const std::stop_token& stop);

  engine::Engine& m_engine;
  Result<void> m_started;
  std::jthread m_thread;  // last member
};

}  // namespace minerva::serve
