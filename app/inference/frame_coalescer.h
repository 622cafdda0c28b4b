// Carries what the engine says to the GUI thread, merged, at most once a frame.
//
// add() is called on the engine's thread and only appends under a lock; the first addition after a delivery posts one
// event. delivered() is emitted on this object's thread (GUI), never sooner than `interval` after the last delivery, so a
// thousand tokens a second cost the window sixty updates a second. The last update of a request is delivered like others.
#pragma once

#include "app/inference/reply_source.h"

#include <QElapsedTimer>
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

  // Any thread. Events of one ticket must come in order.
  void add(quint64 ticket, const engine::Event& event);
  // GUI thread: the least time between deliveries; the window makes it longer where a frame costs more.
  void setInterval(int milliseconds);
  [[nodiscard]] int interval() const { return m_interval; }

 Q_SIGNALS:
  void delivered(const minerva::app::ReplyUpdate& update);

 private:
  void wake();
  void deliver();
  std::mutex m_lock;
  std::vector<ReplyUpdate> m_waiting;  // guarded; one a ticket, in order of arrival
  bool m_woken = false;                // guarded
  QTimer m_timer;
  QElapsedTimer m_sinceDelivery;
  int m_interval = frameMs;
};

}  // namespace minerva::app
