// One request of a client as others see it while it is answered: for the window, which lists the latest ones.
#pragma once

#include "core/serve/desk.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace minerva::serve {

// Texts are from the client and may hold anything; they are cut to shownBytes.
struct Sight {
  enum class State { waiting, prefill, writing, done, failed, cancelled };
  static constexpr std::size_t shownBytes = 300;

  std::uint64_t number = 0;  // of this server, from 1
  std::chrono::system_clock::time_point arrived{};
  std::string client{};  // the address it came from, without the port
  std::string route{};   // "POST /v1/chat/completions"
  std::string model{};   // the one that answers; empty: none
  State state = State::waiting;
  std::string problem{};  // why it failed
  int status = 0;         // of a refusal; 0: none
  int promptTokens = 0;   // of all choices
  int tokens = 0;         // written so far, of all choices
  double ttftMs = 0;      // 0: no token yet
  double tokensPerSecond = 0;

  [[nodiscard]] bool isOver() const { return state == State::done || state == State::failed || state == State::cancelled; }
};

// Called at each change, which may be each token, from any thread and under locks: it must only take a copy.
using Watcher = std::function<void(const Sight&)>;

class Watch {
 public:
  Watch(Watcher watcher, Sight first);

  void answeredBy(const std::string& model);
  void submitted(std::size_t requests);                             // to the engine
  void hear(const engine::Event& event);                            // of these
  void refused(int status, const std::string& problem, bool gone);  // gone: the client is
  void written(bool whole);                                         // the reply's end; false: the client went away before it

 private:
  void end(Sight::State state);  // unless it is over

  const Watcher m_watcher;
  std::mutex m_mutex;
  Sight m_sight;  // from here: guarded
  std::size_t m_open = 0;
  bool m_cancelled = false;
  TimePoint m_firstToken{};
};

// A client's way to the desk of an engine: what it submits is seen by its watch.
class WatchedDesk final : public Desk {
 public:
  WatchedDesk(std::shared_ptr<EngineDesk> desk, std::shared_ptr<Watch> watch) : m_desk(std::move(desk)), m_watch(std::move(watch)) {}
  [[nodiscard]] Result<std::unique_ptr<Job>> submit(std::vector<engine::Request> requests) override {
    return m_desk->submit(std::move(requests), m_watch);
  }
  [[nodiscard]] Figures figures() const override { return m_desk->figures(); }

 private:
  std::shared_ptr<EngineDesk> m_desk;
  std::shared_ptr<Watch> m_watch;  // may be null
};

}  // namespace minerva::serve
