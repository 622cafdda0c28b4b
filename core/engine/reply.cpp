#include "core/engine/reply.h"

#include <utility>

namespace minerva::engine {

ReplyRun::ReplyRun(Engine& engine, Request request, Watch watch) : m_engine(engine), m_watch(std::move(watch)) {
  m_engine.setSink([this](const Event& event) { hear(event); });
  m_id = m_engine.submit(std::move(request));
}

ReplyRun::~ReplyRun() { m_engine.setSink({}); }

void ReplyRun::cancel() { m_engine.cancel(m_id); }

bool ReplyRun::step() {
  if (m_ended) return false;
  m_stepBegan = Clock::now();
  if (!m_engine.step() && !m_ended) {
    m_error = Error{.what = "The engine stopped before the reply was finished", .where = "request"};
    m_ended = true;
  }
  m_ownMs += millisecondsBetween(m_stepBegan, Clock::now());
  return !m_ended;
}

void ReplyRun::add(const std::string& reasoning, const std::string& toolCall, const std::string& answer,
                   const std::vector<text::ToolCall>& calls) {
  for (const text::ToolCall& call : calls) m_reply.calls.emplace_back(call).place += m_reply.text.size();
  m_reply.reasoning += reasoning;
  m_reply.toolCall += toolCall;
  m_reply.text += answer;
  if (!m_reply.pieces.empty()) m_reply.pieces.back() += reasoning + toolCall + answer;
}

void ReplyRun::hearToken(const TokenEvent& token) {
  const TimePoint now = Clock::now();
  const double own = m_ownMs + millisecondsBetween(m_stepBegan, now);
  if (m_reply.tokens.empty()) {
    m_reply.ownTtftMs = own;
  } else {
    m_reply.intervals.push_back(token.millisecondsSinceLast);
    m_reply.ownIntervals.push_back(own);
  }
  m_ownMs = 0;
  m_stepBegan = now;
  m_reply.tokens.push_back(token.token);
  m_reply.pieces.emplace_back();
  add(token.reasoning, token.toolCall, token.text, token.calls);
}

void ReplyRun::hear(const Event& event) {
  if (event.request != m_id) return;
  if (const auto* started = std::get_if<Started>(&event.body)) m_reply.seed = started->seed;
  if (const auto* token = std::get_if<TokenEvent>(&event.body)) hearToken(*token);
  if (const auto* finished = std::get_if<Finished>(&event.body)) {
    add(finished->reasoningTail, finished->toolCallTail, finished->tail, finished->callsTail);
    m_reply.reason = finished->reason;
    m_reply.timings = finished->timings;
    m_ended = true;
  }
  if (const auto* failed = std::get_if<Failed>(&event.body)) {
    m_error = failed->error;
    m_ended = true;
  }
  if (m_watch) m_watch(event);
}

Result<Reply> ReplyRun::take() {
  if (m_error) return fail(std::move(*m_error));
  return std::move(m_reply);
}

}  // namespace minerva::engine
