#include "core/serve/driver.h"

#include "core/serve/refusal.h"

#include <algorithm>

namespace minerva::serve {
namespace {

Error serverStops() { return {.kind = ErrorKind::cancelled, .what = "The server is stopping", .where = "server"}; }

bool ends(const engine::Event& event) {
  return std::holds_alternative<engine::Finished>(event.body) || std::holds_alternative<engine::Failed>(event.body);
}

}  // namespace

void EventQueue::push(const engine::Event& event) {
  const std::scoped_lock lock(m_mutex);
  m_events.push_back(event);
  m_pushed.notify_one();
}

std::optional<engine::Event> EventQueue::pop(std::chrono::milliseconds most) {
  std::unique_lock lock(m_mutex);
  if (!m_pushed.wait_for(lock, most, [this] { return !m_events.empty(); })) return std::nullopt;
  engine::Event event = std::move(m_events.front());
  m_events.pop_front();
  return event;
}

Job::~Job() { m_driver.cancel(m_ids); }

std::size_t Job::indexOf(engine::RequestId id) const { return static_cast<std::size_t>(std::ranges::find(m_ids, id) - m_ids.begin()); }

Driver::Driver(engine::Engine& engine, std::size_t most) : m_engine(engine), m_most(most) {
  m_engine.setSink([this](const engine::Event& event) { hear(event); });
  m_thread = std::jthread([this](const std::stop_token& stop) { drive(stop); });
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
  const std::scoped_lock lock(m_mutex);
  m_stopped = true;
  for (const auto& [id, events] : m_underway) {
    m_engine.cancel(id);
    events->push({.request = id, .time = Clock::now(), .body = engine::Failed{serverStops(), {}}, .kvHeld = 0});
  }
  m_underway.clear();
}

// The lock is held over Engine::submit(), so that no event arrives before its queue is known.
Result<std::unique_ptr<Job>> Driver::submit(std::vector<engine::Request> requests) {
  const std::scoped_lock lock(m_mutex);
  if (m_stopped) return fail(serverStops());
  if (m_underway.size() + requests.size() > m_most) {
    ++m_figures.refused;
    return fail({.kind = ErrorKind::limit,
                 .what = "Too many requests are running or waiting",
                 .where = queueIsFull,
                 .expected = "at most " + std::to_string(m_most),
                 .actual = std::to_string(m_underway.size()) + " and " + std::to_string(requests.size()) + " more",
                 .hint = "Send it again when some of them are done"});
  }
  auto events = std::make_shared<EventQueue>();
  std::vector<engine::RequestId> ids;
  for (engine::Request& request : requests) {
    ids.push_back(m_engine.submit(std::move(request)));
    m_underway.emplace(ids.back(), events);
    ++m_figures.accepted;
  }
  return std::make_unique<Job>(*this, std::move(events), std::move(ids));
}

void Driver::cancel(const std::vector<engine::RequestId>& ids) {
  const std::scoped_lock lock(m_mutex);
  for (const engine::RequestId id : ids) {
    if (m_underway.contains(id)) m_engine.cancel(id);
  }
}

void Driver::hear(const engine::Event& event) {
  const std::scoped_lock lock(m_mutex);
  m_figures.kvHeld = event.kvHeld;
  const auto found = m_underway.find(event.request);
  if (found == m_underway.end()) return;
  found->second->push(event);
  if (!ends(event)) return;
  m_underway.erase(found);
  const auto* finished = std::get_if<engine::Finished>(&event.body);
  if (finished == nullptr) {
    ++m_figures.failed;
    return;
  }
  ++(finished->reason == engine::FinishReason::cancelled ? m_figures.cancelled : m_figures.finished);
  const engine::Timings& t = finished->timings;
  m_figures.promptTokens += static_cast<std::uint64_t>(t.promptTokens);
  m_figures.reusedTokens += static_cast<std::uint64_t>(t.reusedTokens);
  m_figures.generatedTokens += static_cast<std::uint64_t>(t.generatedTokens);
  m_figures.prefillSeconds += t.prefillMs / 1e3;
  m_figures.decodeSeconds += t.decodeMs / 1e3;
  m_figures.ttftSeconds += t.ttftMs / 1e3;
}

Figures Driver::figures() const {
  const std::scoped_lock lock(m_mutex);
  Figures figures = m_figures;
  figures.underway = m_underway.size();
  return figures;
}

}  // namespace minerva::serve
