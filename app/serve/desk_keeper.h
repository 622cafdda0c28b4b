// Keeps the desk where the server's clients hand in requests for the window's engine, while there is one and the server is on.
//
// Any thread, but for the functions of EngineGuest.
#pragma once

#include "app/inference/engine_guest.h"
#include "core/serve/desk.h"

#include <functional>
#include <memory>
#include <mutex>

namespace minerva::app {

class DeskKeeper final : public EngineGuest {
 public:
  // wanted: called, on a client's thread, for each request that needs a model and finds none. It must outlive the server's requests.
  explicit DeskKeeper(std::function<void()> wanted) : m_wanted(std::move(wanted)) {}

  void open(std::size_t most);  // the server is on; most: as in serve::EngineDesk
  void close();                 // it is not: requests underway end with an error
  // Told while there is no model. rests: the one that was there comes back when it is wanted.
  void setWhyNot(const Error& reason, bool rests);
  // needed: the caller will submit to it. Otherwise the closed desk of a model that rests will do, and nothing wakes it. Error: why there
  // is none.
  [[nodiscard]] Result<std::shared_ptr<serve::EngineDesk>> desk(bool needed) const;

  void engineReady(engine::Engine& engine, const std::function<void()>& wake) override;
  void hear(const engine::Event& event) override;
  void engineGoes() override;
  [[nodiscard]] bool isBusy() const override;

 private:
  void makeDesk();
  void endDesk(const Error& reason);

  const std::function<void()> m_wanted;
  mutable std::mutex m_mutex;
  engine::Engine* m_engine = nullptr;  // from here: guarded
  std::function<void()> m_wake;
  std::size_t m_most = 0;  // 0: the server is off
  std::shared_ptr<serve::EngineDesk> m_desk;
  std::shared_ptr<serve::EngineDesk> m_closed;  // the one before
  bool m_rests = false;
  serve::Figures m_figures;  // of earlier desks
  Error m_whyNot{.kind = ErrorKind::notFound, .what = "No model is loaded", .hint = "Load one in Minerva's window"};
};

}  // namespace minerva::app
