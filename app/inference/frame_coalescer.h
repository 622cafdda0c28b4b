// Merges engine events and delivers them to the GUI thread at most once per frame.
//
// add() is called on the engine's thread and only appends under a lock. delivered() is emitted on this object's thread (GUI),
// at least `interval` after the previous delivery, so that a thousand tokens per second cause at most sixty updates per
// second. A reply's first text and its end are delivered immediately. Each delivery wakes the GUI thread once: by the timer
// that the previous delivery started, or by an event that add() posts after a pause or for an immediate delivery.
//
// The channels of a reply are merged into one text in the form of text/reply_text.h, whatever markers the model uses; a call of a tool
// becomes a block of code whose language is "tool_call". chat/markdown.h parses that form, and messages are stored in it.
#pragma once

#include "app/inference/reply_source.h"
#include "app/text/reply_text.h"
#include "core/base/clock.h"

#include <QObject>
#include <QTimer>

#include <mutex>
#include <optional>
#include <vector>

namespace minerva::app {

class FrameCoalescer : public QObject {
  Q_OBJECT
 public:
  // The text of a running request so far.
  struct Speech {
    quint64 request = 0;
    bool thinking = false;  // it ends inside thoughts
    bool spoken = false;    // there is some
    bool begun = false;     // the first of it has been delivered
    ThoughtsWriter thoughts{};
  };

  static constexpr int frameMs = 16;
  explicit FrameCoalescer(QObject* parent = nullptr);

  // Any thread. Events of one ticket must be added in order. span is used only with the last event.
  void add(quint64 ticket, const engine::Event& event, const RequestSpan& span = {});
  // Any thread, before the first event: the reply continues a text, which may end inside these thoughts.
  void goOn(quint64 ticket, const std::optional<QString>& thoughts);
  // GUI thread. The minimum time between deliveries; the window raises it if frames are slow. Values below frameMs are
  // clamped.
  void setInterval(int milliseconds);
  [[nodiscard]] int interval() const { return m_interval; }
  // How late the last delivery was, because the GUI thread was busy or was not scheduled.
  [[nodiscard]] double lateMs() const { return m_lateMs; }

 Q_SIGNALS:
  void delivered(const minerva::app::ReplyUpdate& update);

 private:
  void due();
  void merge(ReplyUpdate& update, Speech& speech, const engine::Event& event);
  std::mutex m_lock;
  std::vector<ReplyUpdate> m_waiting;  // guarded; one per ticket, in order of arrival
  std::vector<Speech> m_speeches;      // guarded; one per running request
  bool m_resting = true;               // guarded; no timer is running and no event is posted, so the next add() must post one
  TimePoint m_due{};                   // guarded
  QTimer m_timer;
  int m_interval = frameMs;
  double m_lateMs = 0;
};

}  // namespace minerva::app
