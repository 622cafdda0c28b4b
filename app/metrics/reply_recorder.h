// Makes a record of every reply in a conversation, once its last text is on the screen. GUI thread only.
#pragma once

#include "app/inference/model_facts.h"
#include "app/inference/reply_source.h"
#include "app/metrics/reply_record.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <atomic>
#include <optional>

class QQuickWindow;

namespace minerva::app {

class InferenceController;

class ReplyRecorder : public QObject {
  Q_OBJECT
 public:
  // inference: knows the bandwidth, and the model of a request that no engine took; null in tests.
  ReplyRecorder(ReplySource* source, InferenceController* inference, QObject* parent = nullptr);

  // Of these requests records are made; others pass by.
  void follow(quint64 request, qint64 message);
  // Where text is shown: with it, a reply ends with the frame that has its last text. Without one (or when no frame comes,
  // as of a hidden window) it ends when that text was delivered.
  void setWindow(QQuickWindow* window);
  // What the record says of the model and the device, and the share of the bandwidth that its decode speed means; of a speed
  // above what the bandwidth allows no share, because that is then not known.
  void describe(ReplyRecord& record, const Subject& subject) const;
  [[nodiscard]] int contextLength() const;  // of the model that is loaded; 0: not known
  static constexpr int frameWithinMs = 500;

 Q_SIGNALS:
  void recorded(const minerva::app::ReplyRecord& record);

 private:
  struct Following {
    qint64 message = 0;
    Subject subject;  // the window's model when it was sent
    std::vector<float> intervals;
    bool first = true;
  };
  struct Ended {
    ReplyRecord record;
    engine::Timings timings;
    RequestSpan span;
    TimePoint ended{}, delivered{};
  };
  enum class Frame { none, wanted, synchronized };
  void take(const ReplyUpdate& update);
  void end(const Following& reply, const ReplyUpdate& update);
  void complete(TimePoint shown);

  InferenceController* m_inference;
  QHash<quint64, Following> m_following;
  std::optional<Ended> m_ended;  // waits for its frame
  QTimer m_noFrame;
  QQuickWindow* m_window = nullptr;
  std::atomic<Frame> m_frame{Frame::none};  // the render thread's
};

}  // namespace minerva::app
