// Somebody beside the window who sends requests to the loaded model's engine: the local server.
//
// The worker calls it on the engine's thread, which runs the requests of both.
#pragma once

#include "core/engine/engine.h"

#include <functional>

namespace minerva::app {

class EngineGuest {
 public:
  EngineGuest() = default;
  virtual ~EngineGuest() = default;
  EngineGuest(const EngineGuest&) = delete;
  EngineGuest& operator=(const EngineGuest&) = delete;

  // The engine is in use until engineGoes(). wake: to be called after each Engine::submit() and cancel(), from any thread, while the
  // window's InferenceController lives.
  virtual void engineReady(engine::Engine& engine, const std::function<void()>& wake) = 0;
  virtual void hear(const engine::Event& event) = 0;  // of a request that is not the window's
  // The engine must not be used any more when this returns.
  virtual void engineGoes() = 0;
  [[nodiscard]] virtual bool isBusy() const = 0;  // any thread: requests are running or waiting
};

}  // namespace minerva::app
