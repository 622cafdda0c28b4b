#include "core/serve/watch.h"

#include <algorithm>

namespace minerva::serve {

Watch::Watch(Watcher watcher, Sight first) : m_watcher(std::move(watcher)), m_sight(std::move(first)) {
  for (std::string* text : {&m_sight.client, &m_sight.route}) text->resize(std::min(text->size(), Sight::shownBytes));
  m_watcher(m_sight);
}

void Watch::answeredBy(const std::string& model) {
  const std::scoped_lock lock(m_mutex);
  m_sight.model = model.substr(0, Sight::shownBytes);
}

void Watch::submitted(std::size_t requests) {
  const std::scoped_lock lock(m_mutex);
  m_open += requests;
  m_watcher(m_sight);
}

void Watch::hear(const engine::Event& event) {
  const std::scoped_lock lock(m_mutex);
  if (m_sight.isOver()) return;
  if (const auto* started = std::get_if<engine::Started>(&event.body)) {
    m_sight.promptTokens += started->promptTokens;
    if (m_sight.state == Sight::State::waiting) m_sight.state = Sight::State::prefill;
  } else if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) {
    m_sight.state = Sight::State::writing;
    if (m_sight.tokens++ == 0) {
      m_sight.ttftMs = token->millisecondsSinceLast;
      m_firstToken = event.time;
    } else {
      const double ms = millisecondsBetween(m_firstToken, event.time);
      if (ms > 0) m_sight.tokensPerSecond = (m_sight.tokens - 1) * 1e3 / ms;
    }
  } else if (const auto* finished = std::get_if<engine::Finished>(&event.body)) {
    m_cancelled = m_cancelled || finished->reason == engine::FinishReason::cancelled;
    if (--m_open > 0) return;
    return end(m_cancelled ? Sight::State::cancelled : Sight::State::done);
  } else if (const auto* failed = std::get_if<engine::Failed>(&event.body)) {
    m_sight.problem = failed->error.message().substr(0, Sight::shownBytes);
    return end(Sight::State::failed);
  } else {
    return;
  }
  m_watcher(m_sight);
}

void Watch::refused(int status, const std::string& problem, bool gone) {
  const std::scoped_lock lock(m_mutex);
  if (m_sight.isOver()) return;
  if (!gone) {
    m_sight.status = status;
    m_sight.problem = problem.substr(0, Sight::shownBytes);
  }
  end(gone ? Sight::State::cancelled : Sight::State::failed);
}

void Watch::written(bool whole) {
  const std::scoped_lock lock(m_mutex);
  if (!whole) end(Sight::State::cancelled);
  else if (m_open == 0) end(Sight::State::done);
}

void Watch::end(Sight::State state) {
  if (m_sight.isOver()) return;
  m_sight.state = state;
  m_watcher(m_sight);
}

}  // namespace minerva::serve
