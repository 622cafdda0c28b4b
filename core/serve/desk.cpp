#include "core/serve/desk.h"

#include "core/serve/refusal.h"
#include "core/serve/watch.h"

#include <algorithm>

namespace minerva::serve {
namespace {

bool ends(const engine::Event& event) {
  return std::holds_alternative<engine::Finished>(event.body) || std::holds_alternative<engine::Failed>(event.body);
}

}  // namespace

void EventQueue::push(const engine::Event& event) {
  if (m_watch) m_watch->hear(event);
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

ServedModel::ServedModel(const engine::Engine& engine)
    : m_info(engine.info()), m_recommended(engine.recommendedSampling()), m_maker(engine.promptMaker()) {
  if (m_maker.chatTemplate) m_messageStyle = messageStyleOf(*m_maker.chatTemplate);
}

Job::~Job() { m_desk.cancel(m_ids); }
void Job::end(std::size_t index) { m_desk.end(m_ids[index]); }

std::size_t Job::indexOf(engine::RequestId id) const { return static_cast<std::size_t>(std::ranges::find(m_ids, id) - m_ids.begin()); }

EngineDesk::EngineDesk(engine::Engine& engine, std::size_t most, std::function<void()> wake, const Figures& before)
    : m_engine(engine), m_model(engine), m_most(most), m_wake(std::move(wake)), m_figures(before) {}

// The lock is held over Engine::submit(), so that no event arrives before its queue is known.
Result<std::unique_ptr<Job>> EngineDesk::submit(std::vector<engine::Request> requests, std::shared_ptr<Watch> watch) {
  auto events = std::make_shared<EventQueue>(watch);
  std::vector<engine::RequestId> ids;
  {
    const std::scoped_lock lock(m_mutex);
    if (m_closed) return fail(*m_closed);
    if (m_underway.size() + requests.size() > m_most) {
      ++m_figures.refused;
      return fail({.kind = ErrorKind::limit,
                   .what = "Too many requests are running or waiting",
                   .where = queueIsFull,
                   .expected = "at most " + std::to_string(m_most),
                   .actual = std::to_string(m_underway.size()) + " and " + std::to_string(requests.size()) + " more",
                   .hint = "Send it again when some of them are done"});
    }
    if (watch) watch->submitted(requests.size());
    for (engine::Request& request : requests) {
      ids.push_back(m_engine.submit(std::move(request)));
      m_underway.emplace(ids.back(), events);
      ++m_figures.accepted;
    }
  }
  if (m_wake) m_wake();
  return std::make_unique<Job>(*this, std::move(events), std::move(ids));
}

void EngineDesk::cancel(const std::vector<engine::RequestId>& ids) {
  bool any = false;
  {
    const std::scoped_lock lock(m_mutex);
    for (const engine::RequestId id : ids) {
      if (!m_underway.contains(id)) continue;
      m_engine.cancel(id);
      any = true;
    }
  }
  if (any && m_wake) m_wake();
}

void EngineDesk::end(engine::RequestId id) {
  {
    const std::scoped_lock lock(m_mutex);
    if (m_underway.contains(id)) m_ended.insert(id);
  }
  cancel({id});
}

void EngineDesk::hear(const engine::Event& event) {
  const std::scoped_lock lock(m_mutex);
  if (!ends(event) || m_ended.erase(event.request) == 0) return take(event);
  engine::Event ended = event;
  if (auto* finished = std::get_if<engine::Finished>(&ended.body)) finished->reason = engine::FinishReason::endOfTurn;
  take(ended);
}

void EngineDesk::take(const engine::Event& event) {
  m_figures.kvHeld = event.kvHeld;
  const auto* failed = std::get_if<engine::Failed>(&event.body);
  if (failed != nullptr && losesDevice(failed->error.kind) && !m_loss) m_loss = failed->error;
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

void EngineDesk::close(const Error& reason) {
  const std::scoped_lock lock(m_mutex);
  if (!m_closed) m_closed = reason;
  for (const auto& [id, events] : m_underway) {
    m_engine.cancel(id);
    events->push({.request = id, .time = Clock::now(), .body = engine::Failed{reason, {}}, .kvHeld = 0});
    ++m_figures.failed;
  }
  m_underway.clear();
}

std::optional<Error> EngineDesk::loss() const {
  const std::scoped_lock lock(m_mutex);
  return m_loss;
}

Figures EngineDesk::figures() const {
  const std::scoped_lock lock(m_mutex);
  Figures figures = m_figures;
  figures.underway = m_underway.size();
  return figures;
}

}  // namespace minerva::serve
