// Carries what the engine says to the GUI thread, merged, at most once a frame.
//
// add() is called on the engine's thread and only appends under a lock. delivered() is emitted on this object's thread (GUI),
// never sooner than `interval` after the last delivery, so a thousand tokens a second cost the window sixty updates a second
// or fewer. Only what one waits for comes at once: a reply's first text and its end. Each delivery costs the GUI thread one
// wake-up: a timer armed by the one before, or, after a pause and for what comes at once, an event posted by the addition.
//
// A reply's channels become one text here: what the model thinks stands between <think> and </think> before its answer, as
// chat/markdown.h reads it and as it is kept, whatever the markers of the model's own.
#pragma once

#include "app/inference/reply_source.h"
#include "core/base/clock.h"

#include <QObject>
#include <QTimer>

#include <mutex>
#include <vector>

namespace minerva::app {

class FrameCoalescer : public QObject {
  Q_OBJECT
 public:
  static constexpr int frameMs = 16;
  explicit FrameCoalescer(QObject* parent = nullptr);

  // Any thread. Events of one ticket must come in order. span: with the last of them.
  void add(quint64 ticket, const engine::Event& event, const RequestSpan& span = {});
  // Any thread, before the first event: the reply goes on inside <think>.
  void goOnThinking(quint64 ticket);
  // GUI thread: the least time between deliveries; the window makes it longer where a frame costs more.
  void setInterval(int milliseconds);
  [[nodiscard]] int interval() const { return m_interval; }
  // How long after its time the last delivery came: what the GUI thread was doing instead, or who had the core.
  [[nodiscard]] double lateMs() const { return m_lateMs; }

 Q_SIGNALS:
  void delivered(const minerva::app::ReplyUpdate& update);

 private:
  void due();
  struct Speech {
    quint64 request = 0;
    bool thinking = false;  // the text ends inside <think>
    bool begun = false;     // it has text
  };
  void merge(ReplyUpdate& update, Speech& speech, const engine::Event& event);
  std::mutex m_lock;
  std::vector<ReplyUpdate> m_waiting;  // guarded; one a ticket, in order of arrival
  std::vector<Speech> m_speeches;      // guarded; one a request that runs
  bool m_resting = true;               // guarded; no timer runs and no event is posted: the next addition must post one
  TimePoint m_due{};                   // guarded
  QTimer m_timer;
  int m_interval = frameMs;
  double m_lateMs = 0;
};

}  // namespace minerva::app
