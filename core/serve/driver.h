// The one thread that drives an engine, and the way of its events to the threads that answer clients.
//
// submit() and figures() may be called from any thread; a Job belongs to one thread.
#pragma once

#include "core/engine/engine.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace minerva::serve {

class EventQueue {
 public:
  void push(const engine::Event& event);
  // Waits for the next event at most this long.
  [[nodiscard]] std::optional<engine::Event> pop(std::chrono::milliseconds most);

 private:
  std::mutex m_mutex;
  std::condition_variable m_pushed;
  std::deque<engine::Event> m_events;  // bounded by the replies' lengths
};

// Since the start; for /metrics.
struct Figures {
  std::uint64_t accepted = 0, refused = 0, finished = 0, cancelled = 0, failed = 0;
  std::uint64_t promptTokens = 0, reusedTokens = 0, generatedTokens = 0;
  double prefillSeconds = 0, decodeSeconds = 0, ttftSeconds = 0;
  std::size_t underway = 0;  // running and waiting now
  std::uint64_t kvHeld = 0;  // bytes of states at the last event
};

class Driver;

// Requests underway. Its end cancels those that have not ended.
class Job {
 public:
  Job(Driver& driver, std::shared_ptr<EventQueue> events, std::vector<engine::RequestId> ids)
      : m_driver(driver), m_events(std::move(events)), m_ids(std::move(ids)) {}
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  [[nodiscard]] std::optional<engine::Event> next(std::chrono::milliseconds most) { return m_events->pop(most); }
  // Index of the request in submit(); the order of the ids is that of the requests.
  [[nodiscard]] std::size_t indexOf(engine::RequestId id) const;
  [[nodiscard]] std::size_t count() const { return m_ids.size(); }

 private:
  Driver& m_driver;
  std::shared_ptr<EventQueue> m_events;
  std::vector<engine::RequestId> m_ids;
};

class Driver {
 public:
  // most: requests underway, running and waiting; the engine's own queue must hold as many. The engine must outlive the driver.
  Driver(engine::Engine& engine, std::size_t most);
  ~Driver();  // as stop()
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // All or none. Errors: limit (where is queueIsFull), cancelled after stop().
  [[nodiscard]] Result<std::unique_ptr<Job>> submit(std::vector<engine::Request> requests);
  [[nodiscard]] Figures figures() const;
  // Ends the thread; requests underway fail with `cancelled`.
  void stop();

 private:
  friend class Job;
  void hear(const engine::Event& event);
  void cancel(const std::vector<engine::RequestId>& ids);
  void drive(const std::stop_token& stop);

  engine::Engine& m_engine;
  const std::size_t m_most;
  mutable std::mutex m_mutex;
  std::map<engine::RequestId, std::shared_ptr<EventQueue>> m_underway;  // from here to m_stopped: guarded by m_mutex
  Figures m_figures;
  bool m_stopped = false;
  std::jthread m_thread;  // last member
};

}  // namespace minerva::serve
