// Creates a record of every reply in a conversation once its last text is on the screen. GUI thread only.
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
  // inference: provides the bandwidth, and the model for requests that never reached an engine; null in tests. Not owned.
  ReplyRecorder(ReplySource* source, InferenceController* inference, QObject* parent = nullptr);

  // Records are created only for requests registered here.
  void follow(quint64 request, qint64 message);
  // The window that shows the text; a reply then ends when the frame with its last text is swapped. Without a window, or if no
  // frame is drawn within frameWithinMs (hidden window), it ends when that text was delivered.
  void setWindow(QQuickWindow* window);
  // Fills in model and device, and the share of the bandwidth used at the record's decode speed. The share stays unknown if
  // the speed exceeds what the bandwidth allows, because the measured bandwidth is then too low. accepted: tokens of drafts.
  void describe(ReplyRecord& record, const Subject& subject, int accepted = 0) const;
  [[nodiscard]] int contextLength() const;  // of the loaded model; 0: unknown
  static constexpr int frameWithinMs = 500;

 Q_SIGNALS:
  void recorded(const minerva::app::ReplyRecord& record);

 private:
  struct Following {
    qint64 message = 0;
    Subject subject;  // the window's model when the request was sent
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
  std::optional<Ended> m_ended;  // waiting for its frame
  QTimer m_noFrame;
  QQuickWindow* m_window = nullptr;
  std::atomic<Frame> m_frame{Frame::none};  // shared with the render thread
};

}  // namespace minerva::app
