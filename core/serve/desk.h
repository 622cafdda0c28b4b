// Where the requests of clients are handed in, and the way of the engine's events to the threads that answer them.
//
// submit() and figures() may be called from any thread; a Job belongs to one thread.
#pragma once

#include "core/engine/engine.h"
#include "core/engine/prompt.h"
#include "core/serve/message_style.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace minerva::serve {

class Watch;

class EventQueue {
 public:
  explicit EventQueue(std::shared_ptr<Watch> watch = {}) : m_watch(std::move(watch)) {}
  void push(const engine::Event& event);  // the watch sees it first
  // Waits for the next event at most this long.
  [[nodiscard]] std::optional<engine::Event> pop(std::chrono::milliseconds most);

 private:
  std::shared_ptr<Watch> m_watch;  // may be null
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

// What routes ask of a language model. A copy, so that it outlives an engine that is replaced while a client is answered.
class ServedModel {
 public:
  explicit ServedModel(const engine::Engine& engine);
  [[nodiscard]] const engine::ModelInfo& info() const { return m_info; }
  [[nodiscard]] engine::SamplingOptions recommendedSampling() const { return m_recommended; }
  [[nodiscard]] const text::Tokenizer* tokenizer() const { return m_maker.tokenizer.get(); }           // null as Engine::tokenizer
  [[nodiscard]] const text::ChatTemplate* chatTemplate() const { return m_maker.chatTemplate.get(); }  // null as Engine::chatTemplate
  [[nodiscard]] const MessageStyle& messageStyle() const { return m_messageStyle; }                    // of the chat template

 private:
  engine::ModelInfo m_info;
  engine::SamplingOptions m_recommended;
  engine::PromptMaker m_maker;
  MessageStyle m_messageStyle;
};

class EngineDesk;

// Requests underway. Its end cancels those that have not ended.
class Job {
 public:
  Job(EngineDesk& desk, std::shared_ptr<EventQueue> events, std::vector<engine::RequestId> ids)
      : m_desk(desk), m_events(std::move(events)), m_ids(std::move(ids)) {}
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  [[nodiscard]] std::optional<engine::Event> next(std::chrono::milliseconds most) { return m_events->pop(most); }
  // Index of the request in submit(); the order of the ids is that of the requests.
  [[nodiscard]] std::size_t indexOf(engine::RequestId id) const;
  [[nodiscard]] std::size_t count() const { return m_ids.size(); }
  // The request's reply is long enough: it finishes as though the model had ended it.
  void end(std::size_t index);

 private:
  EngineDesk& m_desk;
  std::shared_ptr<EventQueue> m_events;
  std::vector<engine::RequestId> m_ids;
};

// What routes know of it. Its jobs end before it does.
class Desk {
 public:
  Desk() = default;
  virtual ~Desk() = default;
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  // All or none. Errors: limit (where is queueIsFull); after close(), its reason.
  [[nodiscard]] virtual Result<std::unique_ptr<Job>> submit(std::vector<engine::Request> requests) = 0;
  [[nodiscard]] virtual Figures figures() const = 0;
};

// The desk of one engine, which somebody else steps: Driver, or the window, whose chat shares the engine. Whoever steps it passes on its
// events with hear().
class EngineDesk : public Desk {
 public:
  // most: requests underway, running and waiting; the engine's own queue must hold as many. wake: called after each submit() and cancel(),
  // from any thread. before: figures to count on from. The engine must live until close().
  EngineDesk(engine::Engine& engine, std::size_t most, std::function<void()> wake = {}, const Figures& before = {});

  [[nodiscard]] Result<std::unique_ptr<Job>> submit(std::vector<engine::Request> requests) override {
    return submit(std::move(requests), {});
  }
  // watch: sees the events of these requests; may be null.
  [[nodiscard]] Result<std::unique_ptr<Job>> submit(std::vector<engine::Request> requests, std::shared_ptr<Watch> watch);
  [[nodiscard]] Figures figures() const override;
  [[nodiscard]] const ServedModel& model() const { return m_model; }
  [[nodiscard]] std::optional<Error> loss() const;  // of the device, with which a request failed

  void hear(const engine::Event& event);  // ignores those of other requests
  // Requests underway fail with `reason`, further ones are refused with it; the engine is not used any more. The first reason stays.
  void close(const Error& reason);

 private:
  friend class Job;
  void cancel(const std::vector<engine::RequestId>& ids);
  void end(engine::RequestId id);
  void take(const engine::Event& event);  // with the lock

  engine::Engine& m_engine;
  const ServedModel m_model;
  const std::size_t m_most;
  const std::function<void()> m_wake;
  mutable std::mutex m_mutex;
  std::map<engine::RequestId, std::shared_ptr<EventQueue>> m_underway;  // from here: guarded by m_mutex
  std::set<engine::RequestId> m_ended;                                  // by end()
  Figures m_figures;
  std::optional<Error> m_closed;
  std::optional<Error> m_loss;
};

}  // namespace minerva::serve
