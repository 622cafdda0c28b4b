#include "app/inference/frame_coalescer.h"

#include "app/text/text.h"

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

// A fenced block with the name and the arguments; the fence is longer than any in them.
QString blockOf(const text::ToolCall& call) {
  const QString content = text(text::plainText(call));
  qsizetype longest = 2, run = 0;
  for (const QChar c : content) longest = std::max(longest, run = c == QLatin1Char('`') ? run + 1 : 0);
  const QString fence(longest + 1, QLatin1Char('`'));
  return QLatin1String("\n\n") + fence + QLatin1String("tool_call\n") + content + QLatin1Char('\n') + fence + QLatin1String("\n\n");
}

// Appends in the form of app/text/reply_text.h. Reasoning is before the answer, because a model thinks before it answers; calls are put
// at their places in the answer.
void speak(QString& out, FrameCoalescer::Speech& speech, const std::string& reasoning, std::string_view answer,
           const std::vector<text::ToolCall>& calls) {
  const QLatin1Char line('\n');
  if (!reasoning.empty()) {
    if (!std::exchange(speech.thinking, true)) {
      out += speech.spoken ? QLatin1String("\n\n") + thoughtsOpenAgain + line : thoughtsOpen + line;
      speech.thoughts = {};
    }
    speech.spoken = true;
    out += speech.thoughts.written(text(reasoning));
  }
  if (answer.empty() && calls.empty()) return;
  speech.spoken = true;
  if (std::exchange(speech.thinking, false)) out += line + thoughtsClose + QLatin1String("\n\n");
  std::size_t done = 0;
  for (const text::ToolCall& call : calls) {
    out += text(std::string(answer.substr(done, call.place - done))) + blockOf(call);
    done = call.place;
  }
  out += text(std::string(answer.substr(done)));
}

}  // namespace

FrameCoalescer::FrameCoalescer(QObject* parent) : QObject(parent) {
  m_timer.setSingleShot(true);
  m_timer.setTimerType(Qt::PreciseTimer);
  connect(&m_timer, &QTimer::timeout, this, &FrameCoalescer::due);
}

void FrameCoalescer::add(quint64 ticket, const engine::Event& event, const RequestSpan& span) {
  bool mustWake = false;
  {
    const std::scoped_lock guard(m_lock);
    auto found = std::find_if(m_waiting.begin(), m_waiting.end(), [ticket](const ReplyUpdate& u) { return u.request == ticket; });
    if (found == m_waiting.end()) {
      m_waiting.emplace_back();
      found = std::prev(m_waiting.end());
      found->request = ticket;
    }
    auto speech = std::find_if(m_speeches.begin(), m_speeches.end(), [ticket](const Speech& s) { return s.request == ticket; });
    if (speech == m_speeches.end()) {
      m_speeches.push_back({.request = ticket});
      speech = std::prev(m_speeches.end());
    }
    merge(*found, *speech, event);
    const bool waitedFor = found->isLast() || (!found->text.isEmpty() && !std::exchange(speech->begun, true));
    if (found->isLast()) {
      m_speeches.erase(speech);
      found->span = span;
      found->ended = event.time;
    }
    mustWake = std::exchange(m_resting, false) || waitedFor;
    if (mustWake) m_due = Clock::now();
  }
  if (mustWake) QMetaObject::invokeMethod(this, &FrameCoalescer::due, Qt::QueuedConnection);
}

void FrameCoalescer::goOn(quint64 ticket, const std::optional<QString>& thoughts) {
  const std::scoped_lock guard(m_lock);
  m_speeches.push_back({.request = ticket, .thinking = thoughts.has_value(), .spoken = true});
  if (thoughts) static_cast<void>(m_speeches.back().thoughts.written(*thoughts));  // it may end with the beginning of a tag
}

void FrameCoalescer::merge(ReplyUpdate& update, Speech& speech, const engine::Event& event) {
  update.kvHeld = static_cast<double>(event.kvHeld);
  if (const auto* started = std::get_if<engine::Started>(&event.body)) update.started = *started;
  if (const auto* progress = std::get_if<engine::PrefillProgress>(&event.body)) update.prefill = *progress;
  if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) {
    speak(update.text, speech, token->reasoning, token->text, token->calls);
    update.tokens.push_back({event.time, static_cast<float>(token->millisecondsSinceLast)});
    update.contextUsed = token->contextUsed;
    update.drafted = token->drafted;
    update.accepted = token->accepted;
  }
  if (const auto* finished = std::get_if<engine::Finished>(&event.body)) {
    speak(update.text, speech, finished->reasoningTail, finished->tail, finished->callsTail);
    update.contextUsed = finished->contextUsed;
    update.finished = *finished;
  }
  if (const auto* failed = std::get_if<engine::Failed>(&event.body)) update.failed = *failed;
}

void FrameCoalescer::setInterval(int milliseconds) { m_interval = std::max(frameMs, milliseconds); }

void FrameCoalescer::due() {
  std::vector<ReplyUpdate> updates;
  const TimePoint now = Clock::now();
  {
    const std::scoped_lock guard(m_lock);
    if (m_waiting.empty()) {
      m_resting = !m_timer.isActive();
      return;
    }
    updates.swap(m_waiting);
    m_lateMs = std::max(0.0, millisecondsBetween(m_due, now));
    m_due = now + std::chrono::milliseconds(m_interval);
  }
  m_timer.start(m_interval);
  for (const ReplyUpdate& update : updates) Q_EMIT delivered(update);
}

}  // namespace minerva::app
