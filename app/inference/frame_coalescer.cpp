#include "app/inference/frame_coalescer.h"

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

void append(ReplyUpdate& update, const std::string& utf8) {
  update.text += QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

struct Merge {
  ReplyUpdate& update;
  TimePoint time;
  void operator()(const engine::Started& started) const { update.started = started; }
  void operator()(const engine::PrefillProgress& progress) const { update.prefill = progress; }
  void operator()(const engine::TokenEvent& token) const {
    append(update, token.text);
    update.tokens.push_back({time, static_cast<float>(token.millisecondsSinceLast)});
    update.contextUsed = token.contextUsed;
  }
  void operator()(const engine::Finished& finished) const {
    append(update, finished.tail);
    update.contextUsed = finished.contextUsed;
    update.finished = finished;
  }
  void operator()(const engine::Failed& failed) const { update.failed = failed; }
};

}  // namespace

FrameCoalescer::FrameCoalescer(QObject* parent) : QObject(parent) {
  m_timer.setSingleShot(true);
  m_timer.setTimerType(Qt::PreciseTimer);
  connect(&m_timer, &QTimer::timeout, this, &FrameCoalescer::deliver);
}

void FrameCoalescer::add(quint64 ticket, const engine::Event& event) {
  bool mustWake = false;
  {
    const std::scoped_lock guard(m_lock);
    auto found = std::find_if(m_waiting.begin(), m_waiting.end(), [ticket](const ReplyUpdate& u) { return u.request == ticket; });
    if (found == m_waiting.end()) {
      m_waiting.emplace_back();
      found = std::prev(m_waiting.end());
      found->request = ticket;
    }
    std::visit(Merge{*found, event.time}, event.body);
    mustWake = !std::exchange(m_woken, true);
  }
  if (mustWake) QMetaObject::invokeMethod(this, &FrameCoalescer::wake, Qt::QueuedConnection);
}

void FrameCoalescer::setInterval(int milliseconds) { m_interval = std::max(frameMs, milliseconds); }

void FrameCoalescer::wake() {
  const qint64 since = m_sinceDelivery.isValid() ? m_sinceDelivery.elapsed() : m_interval;
  if (since >= m_interval)
    deliver();
  else
    m_timer.start(static_cast<int>(m_interval - since));
}

void FrameCoalescer::deliver() {
  std::vector<ReplyUpdate> updates;
  {
    const std::scoped_lock guard(m_lock);
    updates.swap(m_waiting);
    m_woken = false;
  }
  m_sinceDelivery.start();
  for (const ReplyUpdate& update : updates) Q_EMIT delivered(update);
}

}  // namespace minerva::app
