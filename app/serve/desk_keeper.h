// Keeps the desk where the server's clients hand in requests for the window's engine, while there is one and the server is on.
//
// Any thread, but for the functions of EngineGuest.
#pragma once

#include "app/inference/engine_guest.h"
#include "core/serve/desk.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace minerva::app {

class DeskKeeper final : public EngineGuest {
 public:
  static constexpr std::chrono::minutes usualPatience{10};  // with a load from a slow disk

  // wanted: called, on a client's thread, for each request that needs a model and finds none. It must outlive the server's requests.
  // patience: how long such a request waits for one that is coming.
  explicit DeskKeeper(std::function<void()> wanted, std::chrono::milliseconds patience = usualPatience)
      : m_wanted(std::move(wanted)), m_patience(patience) {}

  void open(std::size_t most);  // the server is on; most: as in serve::EngineDesk
  void close();                 // it is not: requests underway end with an error
  // Whether a model comes while there is none: not, at once, or when it is wanted (the one that was there rests).
  enum class Waits { no, yes, untilWoken };
  // reason: told to requests that find none.
  void setWhyNot(const Error& reason, Waits waits);
  // needed: the caller will submit to it, and waits while one comes. Otherwise the closed desk of a model that rests will do, and nothing
  // wakes it. gone: asked while it waits, true ends that. Errors: why there is none; cancelled (gone, the server stops).
  [[nodiscard]] Result<std::shared_ptr<serve::EngineDesk>> desk(bool needed, const std::function<bool()>& gone) const;

  void engineReady(engine::Engine& engine, const std::function<void()>& wake) override;
  void hear(const engine::Event& event) override;
  void engineGoes() override;
  [[nodiscard]] bool isBusy() const override;

 private:
  void makeDesk();
  void endDesk(const Error& reason);

  const std::function<void()> m_wanted;
  const std::chrono::milliseconds m_patience;
  mutable std::mutex m_mutex;
  mutable std::condition_variable m_changed;
  engine::Engine* m_engine = nullptr;  // from here: guarded
  std::function<void()> m_wake;
  std::size_t m_most = 0;  // 0: the server is off
  std::shared_ptr<serve::EngineDesk> m_desk;
  std::shared_ptr<serve::EngineDesk> m_closed;  // the one before
  Waits m_waits = Waits::no;
  serve::Figures m_figures;  // of earlier desks
  Error m_whyNot{.kind = ErrorKind::notFound, .what = "No model is loaded", .hint = "Load one in Minerva's window"};
};

}  // namespace minerva::app
